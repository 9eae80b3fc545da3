import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { WorkerProofThreads } from "../../src/node/shielded/proof-threads.js";
import { concatBytes } from "../../src/protocol/bytes.js";
import { outputKey, recordedCalls, spendKey } from "../node/shielded/recorded-proofs.js";

const script = pathToFileURL("dist/node/shielded/proof.worker.js");
const threads = new WorkerProofThreads(script, { spendKey, outputKey }, 2);
afterAll(() => threads.close());

/** The output of the first recorded mint, which holds. */
const [mint] = recordedCalls;
if (!mint) throw new Error("no mint is recorded");
const bytes = mint.input.subarray(0, 288);
const good = { kind: "output" as const, bytes };
const bad = { kind: "output" as const, bytes: concatBytes(bytes.subarray(0, 287), Uint8Array.of(1)) };

test("the bundled threads check proofs, in the order in which they were asked", async () => {
	expect(await threads.check([good, bad, good])).toEqual([true, false, true]);
	expect(await threads.check([{ kind: "spend", bytes: new Uint8Array(320) }])).toEqual([false]);
	expect(await threads.check([])).toEqual([]);
});

test("a thread that fails is told, and the next question begins with new ones", async () => {
	const broken = new WorkerProofThreads(pathToFileURL("dist/nothing.js"), { spendKey, outputKey }, 1);
	await expect(broken.check([good])).rejects.toThrow();
	await expect(broken.check([good])).rejects.toThrow();
	await broken.close();
	await expect(broken.check([good])).rejects.toThrow("closed");
});
