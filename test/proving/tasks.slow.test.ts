import { beforeAll, describe, expect, test } from "vitest";
import { emptyNoteRoot } from "../../src/protocol/sapling/incremental-tree.js";
import type { SpendWitness } from "../../src/protocol/sapling/prover.js";
import { SPEND } from "../../src/proving/circuit.js";
import { CompiledProver, compileProver } from "../../src/proving/compiled.js";
import { TaskRunner, type Tasks } from "../../src/proving/tasks.js";
import { spendWitness } from "./witnesses.js";

let runner: TaskRunner;
beforeAll(async () => {
	runner = new TaskRunner(await CompiledProver.start(await compileProver()));
});

const assign = (witness: SpendWitness) => runner.run({ task: "assign", ask: { circuit: "spend", witness } });

test("a spend's witness gives each list of points its scalars", () => {
	const assigned = assign(spendWitness) as Tasks["assign"]["answer"];
	const counts = Object.fromEntries(
		Object.entries(assigned).map(([name, bytes]: [string, Uint8Array]) => [name, bytes.length / 32]),
	);
	expect(counts).toEqual({ inputs: 8, l: SPEND.points.l, a: SPEND.points.a, b: SPEND.points.b1 });
	expect((runner.run({ task: "quotient", ask: null }) as Uint8Array).length / 32).toBe(SPEND.points.h);
	expect(() => runner.run({ task: "quotient", ask: null })).toThrow("has no witness");
});

const OTHER = emptyNoteRoot(7);
const ORDER = Buffer.from("01000000fffffffffe5bfeff02a4bd5305d8a10908d83933487d9d2953a7ed73", "hex");
const CONTRADICTION = "its parts don't belong together";

const REFUSED: readonly (readonly [what: string, wrong: Partial<SpendWitness>, text: string])[] = [
	["another root", { anchor: OTHER }, CONTRADICTION],
	["another sibling", { path: spendWitness.path.with(31, OTHER) }, CONTRADICTION],
	["siblings in the other order", { path: spendWitness.path.toReversed() }, CONTRADICTION],
	["another value", { value: 1n }, CONTRADICTION],
	["another position", { position: 4n }, CONTRADICTION],
	["another randomness of the note", { rcm: spendWitness.alpha }, CONTRADICTION],
	["another key of nullifiers", { nsk: spendWitness.alpha }, CONTRADICTION],
	["an anchor that is not reduced", { anchor: ORDER }, "anchor is not a reduced field element"],
	["a sibling that is not reduced", { path: spendWitness.path.with(3, ORDER) }, "path has a sibling"],
	["ak that is not a point", { ak: new Uint8Array(32).fill(255) }, "ak is not a point of prime order"],
	["ak of small order", { ak: new Uint8Array(32) }, "ak is not a point of prime order"],
	["nsk that is not reduced", { nsk: new Uint8Array(32).fill(255) }, "nsk is not a reduced scalar"],
	["alpha that is not reduced", { alpha: ORDER }, "alpha is not a reduced scalar"],
	["a path that is too short", { path: spendWitness.path.slice(1) }, "path has 31 siblings"],
	["a position of 33 bits", { position: 2n ** 32n }, "position is not below 2^32"],
];

describe("a spend is refused before it is proved", () => {
	test.each(REFUSED)("with %s", (_, wrong, text) => {
		expect(() => assign({ ...spendWitness, ...wrong })).toThrow(text);
	});
});

test("a note of no value may have any root", () => {
	expect(() => assign({ ...spendWitness, value: 0n, anchor: OTHER })).not.toThrow();
});
