/** Our machine on in-memory state, used as by transactions: one machine per call, changes committed. */

import { unverifiedProofs } from "../../src/node/shielded/proofs.js";
import { createMemoryDatabase } from "../../src/node/state/database.js";
import { StateDatabase } from "../../src/node/state/state-database.js";
import { createView } from "../../src/node/state/view.js";
import type { Compiles } from "../../src/node/vm/compiled/compiler.js";
import { putCode, putContract } from "../../src/node/vm/creation.js";
import { execute } from "../../src/node/vm/execution.js";
import { Frame } from "../../src/node/vm/frame.js";
import type { Gates } from "../../src/node/vm/gates.js";
import { instructionTableFor } from "../../src/node/vm/instruction-table.js";
import { Machine } from "../../src/node/vm/machine.js";
import { opcodes } from "../../src/node/vm/opcodes.js";
import { type Program, ProgramCache, prepareOnce } from "../../src/node/vm/program.js";
import { keccak256 } from "../../src/protocol/hash.js";
import { Account, AccountType, SmartContract, SmartContractABI } from "../../src/protocol/messages.js";
import { latestGates } from "../../test/node/vm/machine-fixture.js";
import { type BenchMachine, SENDER } from "./machine.js";

/** Block version 32 without contract version 1 and dynamic energy; only the latter differs from mainnet. */
const gates: Gates = { ...latestGates, newResourceModel: true };

/** A transaction's id is known before execution. */
const ROOT = { id: keccak256(Buffer.from("transaction")) };

const NO_INPUT = new Uint8Array(0);

/** 21 bytes. */
function prefixed(address: Uint8Array): Uint8Array {
	return Buffer.concat([Buffer.of(0x41), address]);
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one environment whose members all need each other
export async function coinMachine(compiles: Compiles): Promise<BenchMachine> {
	const database = await StateDatabase.open(createMemoryDatabase());
	// The base view writes directly: there are no blocks to revert.
	const state = createView(database.baseBackend, {
		genesisTimestampMs: 0n,
		maintenanceIntervalMs: 21_600_000n,
		committee: () => 0n,
	});
	const programs = new ProgramCache(64, undefined, compiles);
	const caller = prefixed(SENDER);
	let deployed = 0;

	const run = (program: Program, address: Uint8Array, input: Uint8Array, isCreation: boolean): Uint8Array => {
		const machine = new Machine(state, {
			rules: {
				genesisTimestampMs: 0n,
				genesisId: new Uint8Array(32),
				blackHole: caller,
				genesisWitnesses: [],
				proposalExpireMs: 0n,
				energyLimitHeight: 0n,
				checkFrozenTime: true,
				saveCancelDetails: false,
				release: "4.8.2",
				keepsNoteTree: true,
			},
			gates,
			instructions: instructionTableFor(opcodes, gates),
			programs,
			block: { number: 1000n, timestampMs: 1_700_000_000_000n, witness: caller },
			root: ROOT,
			origin: caller,
			deadlineMs: Number.POSITIVE_INFINITY,
			endsAtFirstOperation: false,
			proofs: unverifiedProofs,
			saveCancelDetails: false,
			// As on a node without internal transaction lists, which cost a hash each.
			listInternal: false,
		});
		const frame = new Frame(machine, {
			program,
			address,
			caller,
			callValue: 0,
			tokenValue: 0,
			tokenId: 0,
			input,
			isStatic: false,
			version: 0,
			depth: 0,
			energy: Number.MAX_SAFE_INTEGER,
			openedBy: machine.options.root,
		});
		execute(frame);
		if (frame.failure) throw frame.failure;
		if (frame.reverted) throw new Error(`reverted: ${Buffer.from(frame.output).toString("hex")}`);
		if (isCreation) putCode(machine, address, frame.output);
		machine.commit();
		machine.close();
		frame.release();
		return frame.output;
	};

	const put = (code: Uint8Array): Uint8Array => {
		const address = prefixed(keccak256(Buffer.concat([Buffer.of(++deployed), code])).subarray(12));
		state.account.put(address, Account.create({ address, type: AccountType.Contract }));
		putContract(state, SmartContract.create({ contract_address: address }), new SmartContractABI());
		return address;
	};
	state.account.put(caller, Account.create({ address: caller }));

	return {
		name: compiles === "never" ? "interpreted" : "compiled",
		async install(code) {
			const address = put(code);
			state.code.put(address, code);
			return address.subarray(1);
		},
		async deploy(creationCode) {
			const address = put(creationCode);
			run(prepareOnce(creationCode), address, NO_INPUT, true);
			return address.subarray(1);
		},
		call(contract, data) {
			const address = prefixed(contract);
			const code = state.code.get(address);
			if (!code) throw new Error("there is no such contract");
			return run(programs.get(code), address, data, false);
		},
	};
}
