import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DamagedDirectory, EXACT_PREFIX } from "./damaged-directory.js";

let root: string;
let directory: DamagedDirectory;

beforeAll(async () => {
	root = mkdtempSync(join(tmpdir(), "coin-damage-"));
	directory = await DamagedDirectory.make(root);
});
afterAll(() => {
	rmSync(root, { recursive: true, force: true });
});

describe("a data directory of which one file is damaged", () => {
	// Every byte: npm run tool soak:damage
	it.each(["flip", "cut"] as const)("starts with everything, or ends with one sentence: %s", async (kind) => {
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
	});
});

describe("a data directory that a killed process left", () => {
	let killed: DamagedDirectory;
	const place = mkdtempSync(join(tmpdir(), "coin-damage-"));
	beforeAll(async () => {
		killed = await DamagedDirectory.makeKilled(place, 3, 10);
	});
	afterAll(() => {
		rmSync(place, { recursive: true, force: true });
	});

	// Every byte: npm run tool soak:damage
	it.each(["flip", "cut"] as const)(
		"starts with what its log still tells exactly, or ends with one sentence: %s",
		async (kind) => {
			const outcomes = new Set<string>();
			for (const [file, size] of killed.files) {
				const isLog = file.startsWith("journal");
				for (let share = 0; share < 1; share += isLog ? 0.06 : 0.3) {
					const sentence = await killed.start({ kind, file, at: Math.floor(size * share) });
					if (isLog)
						outcomes.add(sentence === EXACT_PREFIX ? "prefix" : sentence ? "sentence" : "everything");
				}
			}
			expect(outcomes).toContain("sentence");
			if (kind === "cut") expect(outcomes).toContain("prefix");
		},
	);
});
