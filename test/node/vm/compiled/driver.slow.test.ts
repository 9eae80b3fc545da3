import { describe, expect, it, test } from "vitest";
import type { StateView } from "../../../../src/node/state/view.js";
import type { Frame } from "../../../../src/node/vm/frame.js";
import { opcodes } from "../../../../src/node/vm/opcodes.js";
import { VmAbort } from "../../../../src/node/vm/vm-error.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import { ContractState, TransactionInfoLog } from "../../../../src/protocol/messages.js";
import { assemble } from "../assembler.js";
import { Chance } from "../fuzz/chance.js";
import { CONTRACT, emptyState, putTestContract, type RunOptions, runContract } from "../machine-fixture.js";

const OTHER = Uint8Array.of(0x41, ...new Array(20).fill(0x44));

/** A contract that another one calls: it stores its input, logs it and returns 96 bytes. */
const CALLEE = toHex(
	assemble("PUSH0 CALLDATALOAD DUP1 PUSH0 SSTORE DUP1 PUSH0 MSTORE 0x20 PUSH0 LOG0 0x60 PUSH0 RETURN"),
);

interface End {
	readonly failure: string;
	readonly output: string;
	readonly reverted: boolean;
	readonly used: string;
	readonly penalty: number;
	readonly memory: number;
	readonly storage: readonly unknown[];
	/** Encoded. */
	readonly logs: readonly string[];
}

async function stateWith(code: string): Promise<StateView> {
	const state = await emptyState();
	putTestContract(state, CONTRACT, code);
	putTestContract(state, OTHER, CALLEE);
	return state;
}

function endOf(state: StateView, options: RunOptions): End {
	let frame: Frame;
	try {
		frame = runContract(state, options);
	} catch (error) {
		if (!(error instanceof VmAbort)) throw error;
		return { ...NOTHING, failure: error.message };
	}
	const { failure, machine, memory, penalty, inheritedPenalty, reverted, output, used } = frame;
	const end = {
		failure: failure ? `${failure.result} ${failure.message}` : "",
		output: toHex(output),
		reverted,
		used: String(used),
		penalty: penalty + inheritedPenalty,
		memory: memory.size,
		storage: [0, 1, 5].map((slot) => machine.storage.of(CONTRACT).load(slot)),
		logs: machine.logs.map((log) => toHex(TransactionInfoLog.encode(log))),
	};
	frame.release();
	return end;
}

const NOTHING: End = {
	failure: "",
	output: "",
	reverted: false,
	used: "",
	penalty: 0,
	memory: 0,
	storage: [],
	logs: [],
};

/** How a program ends, which must be the same interpreted and compiled. */
async function sameEnd(code: Uint8Array | string, options: RunOptions = {}): Promise<End> {
	const hex = typeof code === "string" ? toHex(assemble(code)) : toHex(code);
	const interpreted = endOf(await stateWith(hex), { ...options, compiles: "never" });
	const compiled = endOf(await stateWith(hex), { ...options, compiles: "always" });
	expect(compiled, hex).toEqual(interpreted);
	return compiled;
}

/** Returns the topmost word and the size of memory. */
const RETURN_TOP = "MSIZE 0x80 MSTORE 0x60 MSTORE 0x40 0x60 RETURN";

describe("every operation ends a program like the interpreter", () => {
	const chance = new Chance(7, 0);
	const hexWord = (): string => `0x${chance.word().toString(16).padStart(64, "0")}`;
	const small = (): string => `0x${(chance.below(5) * 0x20).toString(16).padStart(2, "0")}`;

	it.each(opcodes.map(({ name, takes, gives }) => [name, takes, gives] as const))(
		"%s",
		async (name, takes, gives) => {
			for (let round = 0; round < 6; round++) {
				const operands = Array.from({ length: takes }, round % 2 === 0 ? hexWord : small);
				// Behind a JUMPDEST a compiled program knows nothing of its operands.
				const before = round % 3 === 0 ? "@a JUMP a:" : "";
				const code = `0xabcdef 0x20 MSTORE ${operands.join(" ")} ${before} ${name} ${gives > 0 ? RETURN_TOP : "STOP"}`;
				await sameEnd(code, { gates: { osaka: true }, energy: 200_000, input: "11223344" });
			}
		},
	);
});

describe("a failure in the midst of a program is the interpreter's", () => {
	const WORK = "0x03 0x40 MLOAD ADD DUP1 0x60 MSTORE GAS POP 0x20 0x40 SHA3 0x01 SSTORE";

	it("whatever energy it has", async () => {
		for (let energy = 0; energy < 300; energy++) await sameEnd(`${WORK} 0x20 0x00 RETURN`, { energy });
	});

	it("with energy beyond what a number holds", () => sameEnd(WORK, { energy: 2n ** 60n }));

	it.each([
		["a stack that is too small", "0x01 ADD STOP"],
		["one that is too small later in its block", "0x01 0x02 ADD 0x00 MSTORE STOP"],
		["no operation", "0x01 0x02 ADD 0x0c SWAP1 POP MSIZE DUP16"],
		["a jump into data", "0x5b 0x01 JUMP"],
		["a jump beyond the code", "0xffff JUMP"],
		["a jump far beyond the code", `0x${"ff".repeat(32)} JUMP`],
		["a jump to 2^32 above a destination", "0x0100000006 JUMP JUMPDEST"],
		["a condition's jump to nowhere", "0x01 0x03 JUMPI"],
		["a condition's jump to nowhere that isn't taken", "0x00 0x03 JUMPI 0x2a 0x00 MSTORE 0x20 0x00 RETURN"],
		["a jump by a calculated target", "0x02 @a SUB @b 0x02 SUB POP JUMP JUMPDEST a: STOP b: STOP"],
		["memory to its limit", "0x01 0x2fffe0 MSTORE 0x01 0x2fffe0 MSTORE"],
		["memory beyond its limit", "0x01 0x2fffe1 MSTORE"],
		["memory far beyond its limit", `0x01 0x${"ff".repeat(32)} MSTORE`],
		[
			"memory that leaves its place",
			"0x2a 0x00 MSTORE 0x01 0x010000 MSTORE 0x00 MLOAD 0x20 MSTORE 0x40 0x00 RETURN",
		],
		[
			"memory to the end of its place",
			"0x2a 0xffe0 MSTORE 0xffe0 MLOAD 0xffe1 MLOAD 0x00 MSTORE 0x20 0x00 RETURN",
		],
		["a revert", "0x2a 0x00 MSTORE 0x20 0x00 REVERT"],
		["the end of the code", "0x01 0x02"],
		["an operand that the code's end cuts off", Uint8Array.of(0x60, 0x01, 0x7f, 0xff)],
		["an empty code", new Uint8Array(0)],
		["an endless loop", "a: 0x01 POP @a JUMP"],
		["a loop that fills the stack", "a: GAS @a JUMP"],
		["a loop that empties the stack", `${"0x01 ".repeat(40)} a: POP @a JUMP`],
	])("%s", async (_, code) => {
		for (const energy of [50, 1_000, 30_000, 20_000_000]) await sameEnd(code, { energy });
	});
});

describe("what a program shares with others", () => {
	const CALL_OTHER = `0x60 0x00 0x20 0x40 0x00 0x${toHex(OTHER.subarray(1))} GAS CALL`;

	it("goes on after a call with its stack, its memory and what was returned", async () => {
		const end = await sameEnd(
			`0x77 0x1234 0x40 MSTORE ${CALL_OTHER} RETURNDATASIZE ADD ADD 0x80 MSTORE 0xa0 0x00 RETURN`,
		);
		expect(end.logs).toHaveLength(1);
		expect(end.output).toContain("1234");
	});

	it.each([true, false])("logs who calls whom, with #20: %s", async (multiSign) => {
		const topics = "CALLVALUE ADDRESS CALLER 0x00 0x00 LOG3";
		const self = `0x00 0x00 0x00 0x00 0x00 0x${toHex(CONTRACT.subarray(1))} GAS CALL`;
		const code = `${topics} CALLER 0x${toHex(CONTRACT.subarray(1))} EQ @end JUMPI ${self} end: ${topics}`;
		const end = await sameEnd(code, { gates: { multiSign, compatible: false } });
		expect(end.logs).toHaveLength(4);
		expect(new Set(end.logs).size).toBe(2);
	});

	it("calls in a loop, and fails in the last one", async () => {
		for (const energy of [30_000, 60_000, 100_000]) {
			await sameEnd(`0x09 a: ${CALL_OTHER} POP 0x01 SWAP1 SUB DUP1 @a JUMPI STOP`, { energy });
		}
	});

	it("keeps places apart when it calls itself", async () => {
		const self = `0x20 0x00 0x20 0x00 0x00 ADDRESS GAS CALL`;
		const code = `0x00 CALLDATALOAD DUP1 ISZERO @end JUMPI 0x01 SWAP1 SUB 0x00 MSTORE ${self} POP 0x00 MLOAD 0x05 ADD 0x00 MSTORE 0x20 0x00 RETURN end: 0x20 0x00 RETURN`;
		const end = await sameEnd(code, { input: "28".padStart(64, "0"), energy: 10_000_000 });
		expect(BigInt(`0x${end.output}`)).toBe(200n);
	});

	it("pays a penalty under dynamic energy to the last unit", async () => {
		const code = "0x0a a: DUP1 0x20 MUL MLOAD POP DUP1 0x40 SHA3 POP 0x01 SWAP1 SUB DUP1 @a JUMPI STOP";
		const hex = toHex(assemble(code));
		for (let energy = 0; energy < 2_500; energy += 7) {
			const ends: End[] = [];
			for (const compiles of ["never", "always"] as const) {
				const state = await stateWith(hex);
				state.properties.set("CURRENT_CYCLE_NUMBER", 5n);
				state.properties.set("DYNAMIC_ENERGY_MAX_FACTOR", 34_000n);
				state.properties.set("DYNAMIC_ENERGY_THRESHOLD", 1n);
				state.contractState.put(CONTRACT, ContractState.create({ update_cycle: 5n, energy_factor: 12_345n }));
				ends.push(endOf(state, { energy, compiles, gates: { dynamicEnergy: true } }));
			}
			expect(ends[1]).toEqual(ends[0]);
		}
	});
});

test("an execution whose time is over ends, wherever its program is", async () => {
	for (const code of ["a: @a JUMP", "a: GAS GAS MUL POP @a JUMP", "a: 0x07 GAS GAS MULMOD POP @a JUMP"]) {
		const state = await stateWith(toHex(assemble(code)));
		const machine = { deadlineMs: performance.now() };
		const run = () => runContract(state, { compiles: "always", energy: 2 ** 50, machine });
		expect(run).toThrow(/CPU timeout for '\w+' operation executing/);
	}
});
