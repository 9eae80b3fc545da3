/**
 * Changes every byte of a small data directory, one at a time, and cuts every file at every position, and starts the
 * chain on each: it comes up with all that it had acknowledged, or ends with one sentence.
 *
 *     npm run soak:damage -- [--every 1] [--directory DIR]
 *
 * `--every 7` takes every seventh position.
 */

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Damage, DamagedDirectory, DamageError } from "./damaged-directory.js";

const MEMORY = "/dev/shm";
const PROGRESS_EVERY = 2_000;

const { values } = parseArgs({
	options: { every: { type: "string", default: "1" }, directory: { type: "string" } },
});
const every = Number(values.every);
const root = mkdtempSync(join(values.directory ?? (existsSync(MEMORY) ? MEMORY : tmpdir()), "coin-damage-"));
const directory = await DamagedDirectory.make(root);
const damages: Damage[] = [];
for (const [file, size] of directory.files) {
	process.stdout.write(`${file}: ${size} bytes\n`);
	for (let at = 0; at < size; at += every)
		damages.push({ kind: "flip", file, at }, { kind: "cut", file, at });
}
const startMs = Date.now();
const sentences = new Map<string, number>();
const failures: string[] = [];
for (const [done, damage] of damages.entries()) {
	try {
		const sentence = await directory.start(damage);
		const kind = sentence?.replaceAll(root, "").replaceAll(/\d+/g, "N") ?? "it starts with everything";
		sentences.set(kind, (sentences.get(kind) ?? 0) + 1);
	} catch (error) {
		if (!(error instanceof DamageError)) throw error;
		failures.push(error.message);
		process.stdout.write(`${error.message}\n`);
	}
	if ((done + 1) % PROGRESS_EVERY !== 0) continue;
	const seconds = Math.round((Date.now() - startMs) / 1000);
	process.stdout.write(`${done + 1} of ${damages.length} in ${seconds} s, ${failures.length} failed\n`);
}
rmSync(root, { recursive: true, force: true });
for (const [sentence, count] of [...sentences].sort((a, b) => b[1] - a[1])) {
	process.stdout.write(`${count} × ${sentence}\n`);
}
process.stdout.write(`${damages.length} damages, ${failures.length} failed\n`);
if (failures.length > 0) process.exitCode = 1;
