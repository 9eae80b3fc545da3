/** Runs random programs and says what must not be. */

import { unverifiedProofs } from "../../../../src/node/shielded/proofs.js";
import { execute } from "../../../../src/node/vm/execution.js";
import { Frame } from "../../../../src/node/vm/frame.js";
import type { Gates } from "../../../../src/node/vm/gates.js";
import { instructionTableFor } from "../../../../src/node/vm/instruction-table.js";
import { Machine } from "../../../../src/node/vm/machine.js";
import { opcodes } from "../../../../src/node/vm/opcodes.js";
import { ProgramCache } from "../../../../src/node/vm/program.js";
import { VmAbort, type VmError } from "../../../../src/node/vm/vm-error.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import { keccak256 } from "../../../../src/protocol/hash.js";
import { InternalTransaction, TransactionInfoLog } from "../../../../src/protocol/messages.js";
import { threadMs } from "../../../processor-time.js";
import { assemble } from "../assembler.js";
import { arithmeticProgram } from "./arithmetic.js";
import { Chance } from "./chance.js";
import { randomPower } from "./powers.js";
import { type Kind, randomInput, randomProgram } from "./programs.js";
import { BLACK_HOLE, CONTRACTS, randomGates, SENDER, WITNESSES, type World } from "./world.js";

/** Milliseconds that a program may run before the machine ends it, and until when it must have ended. */
const DEADLINE_MS = 300;
const HANG_MS = 3_000;

/**
 * CPU time that a program may take for its energy, and beside it: far above what bench:energy finds (memory that no one
 * pays for is the worst there), far below what an unbounded loop takes.
 */
const MS_PER_MILLION = 6_000;
const MS_BESIDE = 150;

/** Powers of one program. */
const POWERS = 4;

/** Resident memory that a run may never pass, in MB. */
export const MAX_RESIDENT_MB = 1_800;

const ROOT_ID = fromHex("11".repeat(32));

export interface Tally {
	programs: number;
	calculations: number;
	powers: number;
	timeouts: number;
	/** How programs ended, by kind and class of the failure. */
	readonly ends: Map<string, number>;
}

export const newTally = (): Tally => ({
	programs: 0,
	calculations: 0,
	powers: 0,
	timeouts: 0,
	ends: new Map(),
});

/** Something that must not be; the text has all to repeat it. */
export class Finding extends Error {
	override readonly name = "Finding";
}

interface Outcome {
	/** Time of the processor in the machine, without that of the digests here; differs from run to run. */
	readonly ms: number;
	readonly failure: string;
	readonly reverted: boolean;
	readonly output: string;
	readonly used: string;
	readonly penalty: number;
	readonly logs: string;
	readonly internal: string;
	readonly destroyed: string;
	readonly changes: readonly string[];
	readonly timedOut: boolean;
}

interface Run {
	readonly gates: Gates;
	readonly contract: Uint8Array;
	readonly input: Uint8Array;
	readonly energy: number | bigint;
	readonly timestampMs: bigint;
	readonly traced: boolean;
	/** Internal transactions are counted only. */
	readonly unlisted?: true;
	/** Every program is compiled before it runs. */
	readonly compiled?: true;
	/** It ends by itself, and a slow machine must not end it. */
	readonly unlimited?: true;
}

const interpreted = new ProgramCache(200, undefined, "never");
const compiled = new ProgramCache(200, undefined, "always");

function machineFor(world: World, run: Run): Machine {
	const { gates, traced, timestampMs } = run;
	const instructions = instructionTableFor(opcodes, gates);
	return new Machine(world.state, {
		rules: {
			genesisTimestampMs: 1_600_000_000_000n,
			genesisId: fromHex(`${"00".repeat(28)}01020304`),
			blackHole: BLACK_HOLE,
			genesisWitnesses: [],
			proposalExpireMs: 259_200_000n,
			energyLimitHeight: 0n,
			checkFrozenTime: true,
			saveCancelDetails: true,
			release: "4.8.2",
			keepsNoteTree: true,
		},
		gates,
		instructions: traced ? instructions.tracing() : instructions,
		observer: traced ? { step: (frame, _name, _pc, height) => void frame.stack[height - 1] } : undefined,
		programs: run.compiled ? compiled : interpreted,
		block: { number: 33_333_334n, timestampMs, witness: WITNESSES[0] as Uint8Array },
		root: { id: ROOT_ID },
		origin: SENDER,
		deadlineMs: run.unlimited ? Number.POSITIVE_INFINITY : performance.now() + DEADLINE_MS,
		endsAtFirstOperation: false,
		proofs: unverifiedProofs,
		saveCancelDetails: true,
		listInternal: !run.unlisted,
	});
}

/** Runs a contract as a transaction would; what a failed one did is dropped. */
function runOnce(world: World, run: Run): Outcome {
	const machine = machineFor(world, run);
	// Of this thread alone: collecting and compiling on others is no work that a program's energy bounds.
	const started = threadMs();
	const frame = new Frame(machine, {
		program: machine.options.programs.get(world.state.code.get(run.contract) ?? new Uint8Array(0)),
		address: run.contract,
		caller: SENDER,
		callValue: 0,
		tokenValue: 0,
		tokenId: 0,
		input: run.input,
		isStatic: false,
		version: world.state.contract.get(run.contract)?.version ?? 0,
		depth: 0,
		energy: run.energy,
		openedBy: { id: ROOT_ID },
	});
	let failure: VmError | undefined;
	try {
		execute(frame);
		failure = frame.failure;
	} catch (error) {
		if (!(error instanceof VmAbort)) throw error;
		failure = error;
	}
	const used = BigInt(frame.used);
	if (used < 0n || used > BigInt(run.energy)) throw new Finding(`used ${used} of ${run.energy}`);
	const succeeded = !failure && !frame.reverted;
	if (succeeded) machine.commit();
	const outcome: Outcome = {
		ms: threadMs() - started,
		failure: failure ? `${failure.className}: ${failure.message}` : "",
		reverted: frame.reverted,
		output: toHex(frame.output),
		used: String(used),
		penalty: frame.penalty + frame.inheritedPenalty,
		logs: digest(machine.logs.map((log) => TransactionInfoLog.encode(log))),
		internal: digest(
			machine.internal.toMessages(true, "neutral").map((one) => InternalTransaction.encode(one)),
		),
		destroyed: machine.destroyedContracts.map(toHex).join(),
		changes: world.takeChanges(),
		timedOut: failure instanceof VmAbort && /timeout/.test(failure.message),
	};
	machine.close();
	frame.release();
	return outcome;
}

function digest(list: readonly Uint8Array[]): string {
	return `${list.length}:${toHex(keccak256(Buffer.concat(list)))}`;
}

/** Runs with a watch on the time. */
function timed(world: World, run: Run): Outcome {
	const outcome = runOnce(world, run);
	const { ms } = outcome;
	if (ms > DEADLINE_MS + HANG_MS) throw new Finding(`ran for ${Math.round(ms)} ms`);
	const allowed = MS_BESIDE + (Number(outcome.used) / 1e6) * MS_PER_MILLION;
	if (!outcome.timedOut && ms > allowed) {
		throw new Finding(`took ${Math.round(ms)} ms for ${outcome.used} units of energy`);
	}
	const resident = process.memoryUsage.rss() / 1e6;
	if (resident > MAX_RESIDENT_MB) throw new Finding(`${Math.round(resident)} MB are resident`);
	return outcome;
}

/** A program with its rules, and all that it needs to run again. */
export class FuzzCase {
	readonly kind: Kind;
	private readonly codes: readonly Uint8Array[];
	private readonly run: Omit<Run, "traced">;

	constructor(
		private readonly chance: Chance,
		recorded: readonly Uint8Array[],
	) {
		const made = CONTRACTS.map(() => randomProgram(chance, recorded));
		this.kind = (made[0] as (typeof made)[number]).kind;
		this.codes = made.map(({ code }) => code);
		const code = this.codes[0] as Uint8Array;
		this.run = {
			gates: randomGates(chance),
			contract: CONTRACTS[0] as Uint8Array,
			input: randomInput(chance, code),
			energy: chance.of<number | bigint>([
				0,
				chance.below(500),
				chance.below(30_000),
				200_000,
				200_000 + chance.below(800_000),
				5_000_000,
				20_000_000,
				2n ** 53n + 12_345n,
			]),
			timestampMs: 1_700_000_003_000n,
		};
	}

	/** @throws {Finding} */
	check(world: World, tally: Tally): void {
		const { chance, run } = this;
		world.prepare(chance, run.gates, this.codes);
		try {
			const first = timed(world, { ...run, traced: false });
			count(
				tally,
				`${this.kind} ${first.reverted ? "reverted" : (first.failure.split(":")[0] as string) || "ok"}`,
			);
			tally.programs++;
			if (first.timedOut) {
				tally.timeouts++;
				return;
			}
			if (first.changes.length > 0 && (first.failure !== "" || first.reverted)) {
				throw new Finding(`a failed run changed ${first.changes.join("\n")}`);
			}
			this.same(first, timed(world, { ...run, traced: false }), "a second run");
			this.same(first, timed(world, { ...run, traced: true }), "a traced run");
			this.same(first, timed(world, { ...run, traced: false, compiled: true }), "a compiled run");
			const unlisted = timed(world, { ...run, traced: false, unlisted: true });
			this.same({ ...first, internal: "" }, { ...unlisted, internal: "" }, "a run without a list");
			if (run.gates.energyLimit) this.checkInside(world, first);
		} catch (error) {
			throw new Finding(
				`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n${this.describe()}`,
			);
		}
	}

	private same(first: Outcome, other: Outcome, what: string): void {
		if (other.timedOut) return;
		const [a, b] = [
			{ ...first, ms: 0 },
			{ ...other, ms: 0 },
		].map((outcome) => JSON.stringify(outcome));
		if (a !== b) throw new Finding(`${what} differs:\n${a}\n${b}`);
	}

	/** A call that fails inside another contract leaves nothing behind. */
	private checkInside(world: World, alone: Outcome): void {
		if (alone.failure === "" && !alone.reverted) return;
		const target = toHex((CONTRACTS[0] as Uint8Array).subarray(1));
		const code = assemble(
			`CALLDATASIZE 0x00 0x00 CALLDATACOPY 0x00 0x00 CALLDATASIZE 0x00 0x00 0x${target} GAS CALL 0x00 MSTORE 0x20 0x00 RETURN`,
		);
		const last = CONTRACTS.at(-1) as Uint8Array;
		const { state } = world;
		state.code.put(last, code);
		const run = {
			...this.run,
			contract: last,
			gates: { ...this.run.gates, dynamicEnergy: false },
			traced: false,
		};
		const outcome = timed(world, run);
		if (outcome.timedOut || outcome.failure !== "") return;
		const failed = outcome.output === "00".repeat(32);
		const others = outcome.changes.filter((line) => !line.startsWith("code "));
		if (failed && others.length > 0) throw new Finding(`a failed call changed ${others.join("\n")}`);
	}

	describe(): string {
		const { gates, input, energy } = this.run;
		const off = Object.entries(gates).filter(([, on]) => !on);
		return [
			`kind ${this.kind}, energy ${energy}, input ${toHex(input)}`,
			`rules off: ${off.map(([name]) => name).join(" ")}`,
			...this.codes.map((code, i) => `code ${i}: ${toHex(code)}`),
		].join("\n");
	}
}

function count(tally: Tally, end: string): void {
	tally.ends.set(end, (tally.ends.get(end) ?? 0) + 1);
}

/** Lets the machine calculate, interpreted and compiled, and compares each result with the reference. @throws {Finding} */
export function checkArithmetic(world: World, chance: Chance, tally: Tally): void {
	const { code, calculations } = arithmeticProgram(chance);
	const gates = { ...randomGates(chance), constantinople: true, osaka: true, dynamicEnergy: false };
	world.prepare(chance, gates, [code]);
	const run: Run = {
		gates,
		contract: CONTRACTS[0] as Uint8Array,
		input: new Uint8Array(0),
		energy: 10_000_000,
		timestampMs: 0n,
		traced: chance.happens(0.1),
		unlimited: true,
	};
	for (const each of [run, { ...run, traced: false, compiled: true as const }]) {
		const { output, failure } = runOnce(world, each);
		if (failure !== "") throw new Finding(`${failure}\n${toHex(code)}`);
		for (const [i, { text, expected }] of calculations.entries()) {
			const found = BigInt(`0x${output.slice(64 * i, 64 * i + 64)}`);
			if (found === expected) continue;
			const how = each.compiled ? "compiled, " : "";
			throw new Finding(`${how}${text} gives 0x${found.toString(16)}, not 0x${expected.toString(16)}`);
		}
	}
	tally.calculations += calculations.length;
}

/** Compares powers of the modexp contract with the plain rule. @throws {Finding} */
function checkPowers(chance: Chance, tally: Tally): void {
	for (let i = 0; i < POWERS; i++) {
		const { input, osaka, expected, found } = randomPower(chance);
		if (found !== expected) {
			throw new Finding(
				`modexp of ${toHex(input)}, ${osaka ? "since" : "before"} #96: ${found}, not ${expected}`,
			);
		}
		tally.powers++;
	}
}

/** One program of a seed, every fourth of them arithmetic. @throws {Finding} */
export function checkProgram(
	world: World,
	seed: number,
	index: number,
	recorded: readonly Uint8Array[],
	tally: Tally,
): void {
	const chance = new Chance(seed, index);
	if (index % 16 === 15) checkPowers(chance, tally);
	if (index % 4 === 3) checkArithmetic(world, chance, tally);
	else new FuzzCase(chance, recorded).check(world, tally);
}
