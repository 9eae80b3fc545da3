/**
 * Operations a second of the contract machine on small loops, energy counted.
 *
 * npm run bundle && node dist/bench/vm.js   (or: npx tsx bench/vm.ts)
 */

import { createMemoryDatabase } from "../src/node/state/database.js";
import { StateDatabase } from "../src/node/state/state-database.js";
import { createView } from "../src/node/state/view.js";
import { execute } from "../src/node/vm/execution.js";
import { Frame } from "../src/node/vm/frame.js";
import type { Gates } from "../src/node/vm/gates.js";
import { instructionTableFor } from "../src/node/vm/instruction-table.js";
import { Machine } from "../src/node/vm/machine.js";
import { opcodes } from "../src/node/vm/opcodes.js";
import { unverifiedProofs } from "../src/node/vm/precompiles/shielded.js";
import { ProgramCache } from "../src/node/vm/program.js";
import { fromHex } from "../src/protocol/bytes.js";
import { useFastHashing } from "../src/protocol/hash.js";
import { Account, AccountType, SmartContract } from "../src/protocol/messages.js";

/** A loop: its code, and the operations of one round. */
interface Loop {
	readonly name: string;
	readonly code: string;
	readonly operations: number;
	readonly rounds: number;
}

/** `63<count> 5b <body> 6001 90 03 80 6005 57`: counts down, running the body each time. */
const loop = (name: string, body: string, bodyOperations: number, rounds: number): Loop => ({
	name,
	code: `63${rounds.toString(16).padStart(8, "0")}5b${body}600190038060055700`,
	operations: 7 + bodyOperations,
	rounds,
});

const loops: readonly Loop[] = [
	loop("countdown", "", 0, 3_000_000),
	loop("small arithmetic", "80600702600b900450", 6, 1_000_000),
	loop("256-bit arithmetic", `7f${"f1".repeat(32)}7f${"a5".repeat(32)}02810150`, 6, 300_000),
	loop("memory", "6040518060405250", 6, 1_000_000),
	loop("keccak of 64 bytes", "60406000205060005250".slice(0, 12), 4, 200_000),
	loop("storage", "60055460010160055550".slice(0, 18), 7, 300_000),
];

await useFastHashing();
const database = await StateDatabase.open(createMemoryDatabase());
const state = createView(database.headBackend, {
	genesisTimestampMs: 0n,
	maintenanceIntervalMs: 21_600_000n,
	committee: () => 0n,
});
const address = fromHex(`41${"33".repeat(20)}`);
state.account.put(address, Account.create({ address, type: AccountType.Contract }));
state.contract.put(address, SmartContract.create({ contract_address: address }));

const gates = new Proxy({} as Gates, { get: (_, name) => name !== "dynamicEnergy" });
const allGates: Gates = { ...gates };
const programs = new ProgramCache(64);

function run(code: Uint8Array): Frame {
	const machine = new Machine(state, {
		rules: {
			genesisTimestampMs: 0n,
			genesisId: new Uint8Array(32),
			blackHole: address,
			genesisWitnesses: [],
			proposalExpireMs: 0n,
			energyLimitHeight: 0n,
			checkFrozenTime: true,
			saveCancelDetails: false,
		},
		gates: allGates,
		instructions: instructionTableFor(opcodes, allGates),
		programs,
		block: { number: 1n, timestampMs: 0n, witness: address },
		rootId: new Uint8Array(32),
		origin: address,
		deadlineMs: Number.POSITIVE_INFINITY,
		endsAtFirstOperation: false,
		proofs: unverifiedProofs,
		saveCancelDetails: false,
	});
	const frame = new Frame(machine, {
		program: programs.get(code),
		address,
		caller: address,
		callValue: 0,
		tokenValue: 0,
		tokenId: 0,
		input: new Uint8Array(0),
		isStatic: false,
		version: 0,
		depth: 0,
		energy: Number.MAX_SAFE_INTEGER,
		hash: new Uint8Array(32),
	});
	execute(frame);
	frame.release();
	if (frame.failure) throw frame.failure;
	return frame;
}

for (const { name, code, operations, rounds } of loops) {
	const bytes = fromHex(code);
	let best = 0;
	for (let i = 0; i < 5; i++) {
		// Processor time: others may use the machine meanwhile.
		const started = process.cpuUsage();
		run(bytes);
		const { user } = process.cpuUsage(started);
		best = Math.max(best, (operations * rounds) / user);
	}
	console.log(JSON.stringify({ loop: name, millionOperationsPerSecond: Math.round(best * 10) / 10 }));
}
