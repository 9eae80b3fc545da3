import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DamagedDirectory } from "./damaged-directory.js";

let root: string;
let directory: DamagedDirectory;

beforeAll(async () => {
	root = mkdtempSync(join(tmpdir(), "coin-damage-"));
	directory = await DamagedDirectory.make(root);
}, 30_000);
afterAll(() => {
	rmSync(root, { recursive: true, force: true });
});

describe("a data directory of which one file is damaged", () => {
	// Every byte: npm run soak:damage
	it.each(["flip", "cut"] as const)(
		"starts with everything, or ends with one sentence: %s",
		async (kind) => {
			for (const [file, size] of directory.files) {
				for (const share of [0, 0.33, 0.66, 0.95]) {
					const at = Math.floor(size * share);
					if (at >= size) continue;
					const sentence = await directory.start({ kind, file, at });
					const saysNothing = /^database\/(LOG|LOCK)/.test(file);
					if (saysNothing) expect(sentence).toBeUndefined();
					else expect(sentence, `${file} at ${at}`).toMatch(/damaged/);
				}
			}
		},
		60_000,
	);
});
