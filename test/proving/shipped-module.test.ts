import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the compiled prover is the one that is recorded beside its source", () => {
	const module = readFileSync("src/proving/sapling-prover.wasm");
	const record = readFileSync("crates/sapling-prover/module.txt", "utf8");
	expect(record).toContain(`sha256 ${createHash("sha256").update(module).digest("hex")}\n`);
	expect(record).toContain(`bytes ${module.length}\n`);
});

test("it asks for nothing from its surroundings", async () => {
	const engine = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly;
	const module = await engine.compile(readFileSync("src/proving/sapling-prover.wasm"));
	expect(engine.Module.imports(module)).toEqual([]);
});

interface Engine {
	compile(bytes: Uint8Array): Promise<object>;
	readonly Module: { imports(module: object): unknown[] };
}
