import { setImmediate } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { compiledFor } from "../../../../src/node/vm/compiled/compiler.js";
import { instructionTableFor } from "../../../../src/node/vm/instruction-table.js";
import { opcodes } from "../../../../src/node/vm/opcodes.js";
import { type Program, ProgramCache, prepareOnce } from "../../../../src/node/vm/program.js";
import { assemble } from "../assembler.js";
import { latestGates } from "../machine-fixture.js";

const rulesOf = (gates = latestGates) => ({
	table: instructionTableFor(opcodes, gates),
	factor: 10_000,
	memoryFee: 1,
});

const HOT = 10_000_000;

async function settled(program: Program): Promise<void> {
	while (program.isSettled && !program.compiled) await setImmediate();
}

beforeAll(async () => {
	const first = new ProgramCache(4).get(assemble("STOP"));
	first.heat = HOT;
	compiledFor(first, rulesOf());
	await settled(first);
});

test("a small program is compiled when it is hot; at once, when one was compiled before", () => {
	const program = new ProgramCache(4).get(assemble("a: @a JUMP"));
	expect(compiledFor(program, rulesOf())).toBeUndefined();
	program.heat = HOT;
	const compiled = compiledFor(program, rulesOf());
	expect(compiled).toBeDefined();
	expect(compiledFor(program, rulesOf())).toBe(compiled);
});

test("a large program is compiled beside, and interpreted meanwhile", async () => {
	const program = new ProgramCache(4).get(assemble("0x01 0x02 ADD POP ".repeat(1_000)));
	program.heat = HOT;
	expect(compiledFor(program, rulesOf())).toBeUndefined();
	await settled(program);
	expect(compiledFor(program, rulesOf())).toBeDefined();
});

test("a small program whose module is large is compiled beside, too", async () => {
	const code = assemble(`JUMPDEST 0x07 ${"DUP1 ".repeat(61)}${"0x00 MLOAD POP ".repeat(15)}`);
	expect(code.length).toBeLessThan(128);
	const program = new ProgramCache(4).get(code);
	program.heat = HOT;
	expect(compiledFor(program, rulesOf())).toBeUndefined();
	await settled(program);
	expect(compiledFor(program, rulesOf())).toBeDefined();
});

test("a program is compiled anew for other rules when it is hot again", () => {
	const program = new ProgramCache(4).get(assemble("a: @a JUMP"));
	program.heat = HOT;
	const first = compiledFor(program, rulesOf());
	const others = rulesOf({ ...latestGates, osaka: true });
	expect(compiledFor(program, others)).toBeUndefined();
	expect(compiledFor(program, rulesOf())).toBe(first);
	program.heat = HOT;
	expect(compiledFor(program, others)?.table).toBe(others.table);
});

test("nothing is compiled that isn't kept, or where it is switched off", () => {
	const code = assemble("a: @a JUMP");
	for (const program of [prepareOnce(code), new ProgramCache(4, undefined, "never").get(code)]) {
		program.heat = HOT;
		expect(compiledFor(program, rulesOf())).toBeUndefined();
	}
});

test("a program that is dropped loses its compiled form, and gets it back when it is run much again", () => {
	const cache = new ProgramCache(1);
	const code = assemble("a: @a JUMP");
	const program = cache.get(code);
	program.heat = HOT;
	expect(compiledFor(program, rulesOf())).toBeDefined();
	cache.get(assemble("STOP"));
	expect(compiledFor(program, rulesOf())).toBeUndefined();
	expect(cache.get(code)).toBe(program);
	program.heat = HOT;
	expect(compiledFor(program, rulesOf())).toBeDefined();
});

test("compiled programs count in the memory that programs may take", () => {
	const cache = new ProgramCache(500, 400_000, "always");
	for (let salt = 0; salt < 40; salt++) {
		const program = cache.get(assemble(`0x${salt.toString(16).padStart(2, "0")} ${"DUP1 ADD ".repeat(100)}`));
		const before = cache.size;
		const compiled = compiledFor(program, rulesOf());
		if (salt === 0) expect(cache.size - before).toBe(compiled?.bytes);
		expect(cache.size).toBeLessThanOrEqual(400_000);
	}
});

test("code whose module would grow without measure stays interpreted, and isn't tried again", async () => {
	const held = `JUMPDEST 0x07 ${"DUP1 ".repeat(61)}`;
	for (const code of [
		`${held}${"0x00 MLOAD POP ".repeat(60)}`.repeat(20),
		held + "0x00 MLOAD POP ".repeat(5_000),
	]) {
		const program = new ProgramCache(4).get(assemble(code));
		program.heat = 10 * HOT;
		expect(compiledFor(program, rulesOf())).toBeUndefined();
		for (let turn = 0; turn < 2_000; turn++) await setImmediate();
		expect([program.compiled, program.isSettled]).toEqual([undefined, true]);
	}
});
