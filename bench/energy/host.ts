/** Runs programs as a signed block does: without a deadline, on uncached state in memory. */

import { unverifiedProofs } from "../../src/node/shielded/proofs.js";
import { createMemoryDatabase, type KeyValueDatabase } from "../../src/node/state/database.js";
import { StateDatabase } from "../../src/node/state/state-database.js";
import { createView, type StateView } from "../../src/node/state/view.js";
import { MAX_STORAGE_STEPS } from "../../src/node/vm/contract-machine.js";
import { execute } from "../../src/node/vm/execution.js";
import type { ExecutionObserver } from "../../src/node/vm/execution-observer.js";
import { Frame } from "../../src/node/vm/frame.js";
import type { Gates } from "../../src/node/vm/gates.js";
import { instructionTableFor } from "../../src/node/vm/instruction-table.js";
import { Machine } from "../../src/node/vm/machine.js";
import { opcodes } from "../../src/node/vm/opcodes.js";
import { ProgramCache } from "../../src/node/vm/program.js";
import { VmAbort } from "../../src/node/vm/vm-error.js";
import type { Word } from "../../src/node/vm/word.js";
import { fromHex } from "../../src/protocol/bytes.js";
import { Account, AccountType, SmartContract } from "../../src/protocol/messages.js";
import { assemble } from "../../test/node/vm/assembler.js";
import { latestGates } from "../../test/node/vm/machine-fixture.js";

/** Runs the shapes. */
export const CONTRACT = fromHex(`41${"33".repeat(20)}`);
export const CALLEE = fromHex(`41${"44".repeat(20)}`);
export const CALLER = fromHex(`41${"22".repeat(20)}`);

const ID = fromHex("11".repeat(32));

/** All mainnet rules of block version 32, and EVM-compatible contracts for their precompiles. */
const commonGates: Gates = { ...latestGates, newResourceModel: true, dynamicEnergy: true, compatible: true };

/** A program to measure: its body is repeated until the energy is almost used up. */
export interface Shape {
	readonly name: string;
	/** Rules of later versions under test. */
	readonly gates?: Partial<Gates>;
	/** Names of the operations and precompiled contracts under test. */
	readonly covers: readonly string[];
	/** Runs once. */
	readonly before?: string;
	/** Must leave the stack unchanged. */
	readonly body: string;
	/** Copies of the body per loop iteration. */
	readonly unroll?: number;
	/** Code of {@link CALLEE}. */
	readonly callee?: string;
	/** Upper bound for the energy of one iteration. */
	readonly reserve?: number;
	readonly energy?: number;
	/** Writes the state that the program reads. @param used top stack words of the watched operation */
	readonly prepare?: (state: StateView, used: readonly Word[]) => void;
	/** The operation whose operands are passed to `prepare`. */
	readonly watch?: string;
	readonly input?: Uint8Array;
	/** Runs as during block production, which limits the storage order; signed blocks have no such limit. */
	readonly isPacked?: boolean;
}

export interface Measured {
	readonly energy: number;
	readonly cpuMs: number;
}

const ENERGY = 1_000_000;
const LONGEST_MS = 3000;

export function programOf({ before = "", body, unroll = 24, reserve = 60_000 }: Shape): Uint8Array {
	const bodies = `${body} `.repeat(unroll);
	return assemble(`${before} again: ${bodies} 0x${reserve.toString(16)} GAS GT @again JUMPI STOP`);
}

const SEED = { genesisTimestampMs: 0n, maintenanceIntervalMs: 21_600_000n, committee: () => 0n };

/** A database's latest state, with nothing cached. */
async function coldState(disk: KeyValueDatabase): Promise<StateView> {
	return createView((await StateDatabase.open(disk)).headBackend, SEED);
}

/** Prepares a shape to run any number of times, each on the same uncached state. */
export async function prepareShape(shape: Shape): Promise<() => Promise<Measured>> {
	const disk = createMemoryDatabase();
	const database = await StateDatabase.open(disk);
	const view = createView(database.baseBackend, SEED);
	view.account.put(CALLER, Account.create({ address: CALLER, balance: 10n ** 15n }));
	for (const [address, code] of [
		[CONTRACT, programOf(shape)],
		[CALLEE, assemble(shape.callee ?? "STOP")],
	] as const) {
		const type = AccountType.Contract;
		view.account.put(address, Account.create({ address, type, balance: 10n ** 15n }));
		view.contract.put(address, SmartContract.create({ contract_address: address }));
		view.code.put(address, code);
	}
	const used: Word[] = [];
	if (shape.watch) {
		const watch: ExecutionObserver = {
			step: (frame, operation, _pc, height) => {
				if (operation === shape.watch) used.push(frame.stack[height - 1] as Word);
			},
		};
		runOnce(createView(database.headBackend, SEED), shape, watch);
	}
	shape.prepare?.(view, used);
	await database.flush(false);
	return async () => runOnce(await coldState(disk), shape);
}

function runOnce(state: StateView, shape: Shape, observer?: ExecutionObserver): Measured {
	const gates = { ...commonGates, ...shape.gates };
	const table = instructionTableFor(opcodes, gates);
	const started = process.cpuUsage();
	const machine = new Machine(state, {
		rules: {
			genesisTimestampMs: 0n,
			genesisId: ID,
			blackHole: CALLER,
			genesisWitnesses: [],
			proposalExpireMs: 0n,
			energyLimitHeight: 0n,
			checkFrozenTime: true,
			saveCancelDetails: false,
			release: "4.8.2",
			keepsNoteTree: true,
		},
		gates,
		instructions: observer ? table.tracing() : table,
		observer,
		programs: new ProgramCache(64),
		block: { number: 1000n, timestampMs: 1_700_000_000_000n, witness: CALLER },
		root: { id: ID },
		origin: CALLER,
		// Only reached by something far above every bar.
		deadlineMs: performance.now() + LONGEST_MS,
		endsAtFirstOperation: false,
		proofs: unverifiedProofs,
		saveCancelDetails: false,
		listInternal: false,
	});
	const energy = shape.energy ?? ENERGY;
	const frame = new Frame(machine, {
		program: machine.options.programs.get(state.code.get(CONTRACT) as Uint8Array),
		address: CONTRACT,
		caller: CALLER,
		callValue: 0,
		tokenValue: 0,
		tokenId: 0,
		input: shape.input ?? new Uint8Array(0),
		isStatic: false,
		version: 0,
		depth: 0,
		energy,
		openedBy: { id: ID },
	});
	try {
		execute(frame);
	} catch (error) {
		if (!(error instanceof VmAbort)) throw error;
		machine.close();
		return { energy: Number(frame.used), cpuMs: cpuSince(started) };
	}
	if (frame.failure) throw new Error(`${shape.name}: ${frame.failure.message}`);
	if (observer) {
		machine.close();
		return { energy: 0, cpuMs: 0 };
	}
	try {
		machine.commit(shape.isPacked ? MAX_STORAGE_STEPS : undefined);
	} catch (error) {
		if (!(error instanceof VmAbort)) throw error;
	}
	machine.close();
	return { energy: Number(frame.used), cpuMs: cpuSince(started) };
}

function cpuSince(started: NodeJS.CpuUsage): number {
	const { user, system } = process.cpuUsage(started);
	return (user + system) / 1000;
}
