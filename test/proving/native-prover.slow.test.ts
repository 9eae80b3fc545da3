import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { OUTPUT } from "../../src/proving/circuit.js";
import { proveNatively } from "../../src/proving/native-prover.js";

const folder = mkdtempSync(join(tmpdir(), "coin-native-"));
afterAll(() => rmSync(folder, { recursive: true }));

let programs = 0;

/** A program that gets the request as `request` and does the given. */
function program(body: string): [string, string] {
	const path = join(folder, `program-${programs++}.mjs`);
	writeFileSync(
		path,
		`const parts = [];
for await (const part of process.stdin) parts.push(part);
const request = Buffer.concat(parts);
const answer = (...parts) => process.stdout.write(Buffer.concat(parts.map((part) => Buffer.from(part))));
${body}`,
	);
	return [process.execPath, path];
}

const REQUEST = {
	circuit: OUTPUT,
	path: "/a/ü",
	threads: 3,
	blinding: new Uint8Array(128).fill(8),
	witness: Uint8Array.of(1, 2, 3),
};

describe("the native prover", () => {
	test("gets its request by a pipe, and gives inputs and a proof", async () => {
		const head = "01 03 0500 2f612fc3bc a4050000".replaceAll(" ", "");
		// The first point of h stands behind the key and a count.
		const lists = "a805000000000000 ff1f0000".replaceAll(" ", "");
		const path = program(`
			const text = request.toString("hex");
			const isGood = text.startsWith("${head}${lists}") && text.endsWith("${"08".repeat(128)}010203");
			answer([isGood && request.length === 2 + 2 + 5 + 4 + 5 * 12 + 128 + 3 ? 0 : 101],
				new Uint8Array(6 * 32).fill(4), new Uint8Array(192).fill(5));`);
		const { inputs, proof } = await proveNatively(path, REQUEST);
		expect([...inputs]).toEqual(Array(192).fill(4));
		expect(proof).toEqual(new Uint8Array(192).fill(5));
	});

	test.each([
		["an invalid part of the witness", "answer([11])", "witness", "esk is not a reduced scalar"],
		["a witness that contradicts itself", "answer([13])", "witness", "don't belong together"],
		["a proof that does not hold", "answer([100])", "parameters", "does not hold"],
		["a malformed request", "answer([101])", "failed", "another form"],
		["an answer that is too short", "answer([0, 1, 2])", "failed", "another form"],
		["an answer that is too long", "answer(new Uint8Array(10_000))", "failed", "longer answer"],
		["no answer", "", "failed", "ended with code 0"],
		["a crash", "process.exit(7)", "failed", "ended with code 7"],
	])("fails with %s", async (_, body, failure, text) => {
		const message = expect.stringContaining(text);
		await expect(proveNatively(program(body), REQUEST)).rejects.toMatchObject({ failure, message });
	});

	test("fails when it is not there", async () => {
		const message = expect.stringContaining("can't be started");
		await expect(proveNatively([join(folder, "none")], REQUEST)).rejects.toMatchObject({ message });
	});

	test("is ended by the signal", async () => {
		const leaving = new AbortController();
		const proof = proveNatively(program("setInterval(() => {}, 1000)"), REQUEST, leaving.signal);
		leaving.abort(new Error("enough"));
		await expect(proof).rejects.toThrow("enough");
	});
});
