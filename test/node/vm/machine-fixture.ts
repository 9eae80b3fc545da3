/** A state in memory with one contract, and the machine over it. */

import { unverifiedProofs } from "../../../src/node/shielded/proofs.js";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { createView, type StateView } from "../../../src/node/state/view.js";
import type { Compiles } from "../../../src/node/vm/compiled/compiler.js";
import { execute } from "../../../src/node/vm/execution.js";
import { Frame } from "../../../src/node/vm/frame.js";
import type { Gates } from "../../../src/node/vm/gates.js";
import { instructionTableFor } from "../../../src/node/vm/instruction-table.js";
import { Machine, type MachineOptions } from "../../../src/node/vm/machine.js";
import { opcodes } from "../../../src/node/vm/opcodes.js";
import { ProgramCache } from "../../../src/node/vm/program.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { Account, AccountType, SmartContract } from "../../../src/protocol/messages.js";

/** Every rule of block version 32, except contracts of version 1. */
export const latestGates: Gates = {
	tokens: true,
	multiSign: true,
	constantinople: true,
	solidity059: true,
	shielded: true,
	istanbul: true,
	freeze: true,
	vote: true,
	compatible: false,
	london: true,
	higherCpuLimit: true,
	freezeV2: true,
	shortChainId: true,
	dynamicEnergy: false,
	shanghai: true,
	energyAdjustment: true,
	cancun: true,
	strictMath: true,
	blob: true,
	newResourceModel: false,
	energyLimit: true,
	oneSignaturePerAddress: true,
	restrictedSelfDestruct: false,
	osaka: false,
	separateRows: false,
	endsEndlessWork: false,
	endsOddStakes: false,
	endsSharedRows: false,
	pointEvaluation: false,
	fnDsa512: false,
	mlDsa44: false,
	anyPostQuantum: false,
};

/** Every rule of block version 38, except contracts of version 1 and #99, which replaces a guard of that version. */
export const version38Gates: Gates = {
	...latestGates,
	restrictedSelfDestruct: true,
	osaka: true,
	endsEndlessWork: true,
	endsOddStakes: true,
	endsSharedRows: true,
};

export const CONTRACT = fromHex(`41${"33".repeat(20)}`);
export const CALLER = fromHex(`41${"22".repeat(20)}`);
export const ROOT_ID = fromHex("11".repeat(32));

const rules = {
	genesisTimestampMs: 0n,
	genesisId: fromHex(`${"00".repeat(28)}01020304`),
	blackHole: fromHex(`41${"ff".repeat(20)}`),
	genesisWitnesses: [],
	proposalExpireMs: 259_200_000n,
	energyLimitHeight: 0n,
	checkFrozenTime: true,
	saveCancelDetails: false,
	release: "4.8.2" as const,
	keepsNoteTree: true,
};

export async function emptyState(): Promise<StateView> {
	const database = await StateDatabase.open(createMemoryDatabase());
	return createView(database.headBackend, {
		genesisTimestampMs: 0n,
		maintenanceIntervalMs: 21_600_000n,
		committee: () => 0n,
	});
}

/** Puts a contract with this code into the state. */
export function putTestContract(
	state: StateView,
	address: Uint8Array,
	code: string,
	record: Partial<SmartContract> = {},
): void {
	state.account.put(address, Account.create({ address, type: AccountType.Contract }));
	state.contract.put(address, SmartContract.create({ contract_address: address, ...record }));
	state.code.put(address, fromHex(code));
}

export function putTestAccount(state: StateView, address: Uint8Array, balance = 0n): void {
	state.account.put(address, Account.create({ address, balance }));
}

export interface RunOptions {
	readonly gates?: Partial<Gates>;
	readonly energy?: number | bigint;
	readonly input?: string;
	/** The contract that runs; {@link CONTRACT} if undefined. */
	readonly address?: Uint8Array;
	readonly machine?: Partial<MachineOptions>;
	/** Which programs are compiled; none if undefined. */
	readonly compiles?: Compiles;
}

/** Runs the code of {@link CONTRACT} in a state that has it, or of a fresh one with this code. */
export async function runCode(code: string, options: RunOptions = {}): Promise<Frame> {
	const state = await emptyState();
	putTestContract(state, CONTRACT, code);
	return runContract(state, options);
}

export function runContract(
	state: StateView,
	{ gates, energy, input, machine, address = CONTRACT, compiles = "never" }: RunOptions = {},
): Frame {
	const allGates = { ...latestGates, ...gates };
	const programs = new ProgramCache(16, undefined, compiles);
	const made = new Machine(state, {
		rules,
		gates: allGates,
		instructions: instructionTableFor(opcodes, allGates),
		programs,
		block: { number: 1000n, timestampMs: 1_700_000_000_123n, witness: CALLER },
		root: { id: ROOT_ID },
		origin: CALLER,
		deadlineMs: Number.POSITIVE_INFINITY,
		endsAtFirstOperation: false,
		proofs: unverifiedProofs,
		saveCancelDetails: false,
		...machine,
	});
	const frame = new Frame(made, {
		program: programs.get(state.code.get(address) ?? new Uint8Array(0)),
		address,
		caller: CALLER,
		callValue: 0,
		tokenValue: 0,
		tokenId: 0,
		input: fromHex(input ?? ""),
		isStatic: false,
		version: state.contract.get(address)?.version ?? 0,
		depth: 0,
		energy: energy ?? 1_000_000,
		openedBy: { id: ROOT_ID },
	});
	execute(frame);
	return frame;
}
