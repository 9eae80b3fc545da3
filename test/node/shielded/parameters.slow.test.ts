import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigError } from "../../../src/hocon/hocon.js";
import { loadVerifyingKeys, proofsWith } from "../../../src/node/shielded/parameters.js";
import { holdsTransfer } from "../../../src/node/shielded/proofs.js";
import { recordedCalls } from "./recorded-proofs.js";

const NAMES = ["sapling-spend.vk", "sapling-output.vk"] as const;
const hashOf = (path: string) => createHash("blake2b512").update(readFileSync(path)).digest("hex");

let folder: string;
let good: { readonly folder: string; readonly spendHash: string; readonly outputHash: string };

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "coin-params-"));
	for (const name of NAMES) cpSync(join("test/golden/shielded", name), join(folder, name));
	good = {
		folder,
		spendHash: hashOf(join(folder, NAMES[0])),
		outputHash: hashOf(join(folder, NAMES[1])),
	};
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const MINT = recordedCalls[0]?.input as Uint8Array;

/** Whether the first recorded mint, of 5 whatever its units, is taken. */
async function takesMint(parameters: Parameters<typeof loadVerifyingKeys>[0]): Promise<boolean> {
	const verifier = await proofsWith(await loadVerifyingKeys(parameters), 0);
	const part = (at: number, length = 32) => MINT.subarray(at, at + length);
	const output = {
		noteCommitment: part(0),
		valueCommitment: part(32),
		ephemeralKey: part(64),
		proof: part(96, 192),
	};
	const value = BigInt(`0x${Buffer.from(part(352)).toString("hex")}`);
	return holdsTransfer(verifier, [], [output], -value, part(288, 64), part(384));
}

test("verifying keys alone suffice, checked against the hashes of the configuration", async () => {
	expect(await takesMint(good)).toBe(true);
	expect(await takesMint({ folder, spendHash: undefined, outputHash: undefined })).toBe(true);
});

test("a file of parameters is taken before a key alone", async () => {
	const path = join(folder, "sapling-output.params");
	writeFileSync(path, Buffer.concat([readFileSync(join(folder, NAMES[1])), Buffer.alloc(5000)]));
	await expect(loadVerifyingKeys(good)).rejects.toThrow(path);
	expect(await takesMint({ ...good, outputHash: hashOf(path) })).toBe(true);
});

test.each([
	[
		"missing",
		() => rmSync(join(folder, NAMES[0])),
		"which has neither sapling-spend.params nor sapling-spend.vk",
	],
	[
		"another one",
		() => cpSync(join(folder, NAMES[1]), join(folder, NAMES[0])),
		"is not the file that the configuration",
	],
	[
		"too large to be read",
		() => truncateSync(join(folder, NAMES[0]), 65 * 1024 * 1024),
		"no file of parameters has more",
	],
])("a file that is %s is told in one sentence", async (_, spoil, message) => {
	spoil();
	const loading = loadVerifyingKeys(good);
	await expect(loading).rejects.toThrow(ConfigError);
	await expect(loading).rejects.toThrow(message);
});

test("a file without a key is told, whatever hash is expected", async () => {
	truncateSync(join(folder, NAMES[1]), 1000);
	const loading = loadVerifyingKeys({ ...good, outputHash: undefined });
	await expect(loading).rejects.toThrow("a verifying key has 1444 bytes, and there are 1000");
});
