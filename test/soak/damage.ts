/**
 * Changes every byte of small data directories, one at a time, and truncates every file at every position.
 * Starting on each must yield all acknowledged data, or one sentence. One directory was closed; the others
 * were left by a process killed while it worked, and their logs may end early.
 *
 *     npm run tool soak:damage -- [--every 1] [--kills 3] [--only closed|killed] [--directory DIR]
 *
 * `--every 7` uses every seventh position.
 */

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Damage, DamagedDirectory, DamageError } from "./damaged-directory.js";

const MEMORY = "/dev/shm";
const PROGRESS_EVERY = 2_000;
/** Blocks per process before it is killed, and the increasing delay after them, so that kills vary. */
const ROUNDS = 3;
const LONGER_MS = 13;

const { values } = parseArgs({
	options: {
		every: { type: "string", default: "1" },
		kills: { type: "string", default: "3" },
		only: { type: "string" },
		directory: { type: "string" },
	},
});
const every = Number(values.every);
const parent = values.directory ?? (existsSync(MEMORY) ? MEMORY : tmpdir());
const failures: string[] = [];
let damageCount = 0;

/** Damages a directory in every way, and prints the results. */
async function damageAll(name: string, make: (root: string) => Promise<DamagedDirectory>): Promise<void> {
	const root = mkdtempSync(join(parent, "coin-damage-"));
	try {
		const directory = await make(root);
		const damages: Damage[] = [];
		for (const [file, size] of directory.files) {
			process.stdout.write(`${name}: ${file}: ${size} bytes\n`);
			for (let at = 0; at < size; at += every)
				damages.push({ kind: "flip", file, at }, { kind: "cut", file, at });
		}
		const outcomes = await startAll(directory, damages, root);
		process.stdout.write(`${name}: ${damages.length} damages\n`);
		for (const [outcome, count] of [...outcomes].sort((a, b) => b[1] - a[1])) {
			process.stdout.write(`${name}: ${count} × ${outcome}\n`);
		}
		damageCount += damages.length;
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

async function startAll(
	directory: DamagedDirectory,
	damages: readonly Damage[],
	root: string,
): Promise<ReadonlyMap<string, number>> {
	const startMs = performance.now();
	const outcomes = new Map<string, number>();
	for (const [done, damage] of damages.entries()) {
		try {
			const sentence = await directory.start(damage);
			const kind = sentence?.replaceAll(root, "").replaceAll(/\d+/g, "N") ?? "it starts with everything";
			outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
		} catch (error) {
			if (!(error instanceof DamageError)) throw error;
			failures.push(error.message);
			process.stdout.write(`${error.message}\n`);
		}
		if ((done + 1) % PROGRESS_EVERY !== 0) continue;
		const seconds = Math.round((performance.now() - startMs) / 1000);
		process.stdout.write(`${done + 1} of ${damages.length} in ${seconds} s, ${failures.length} failed\n`);
	}
	return outcomes;
}

if (values.only !== "killed") await damageAll("closed", (root) => DamagedDirectory.make(root));
for (let kill = 1; values.only !== "closed" && kill <= Number(values.kills); kill++) {
	const waitMs = kill * LONGER_MS;
	await damageAll(`killed ${kill}`, (root) => DamagedDirectory.makeKilled(root, ROUNDS, waitMs));
}
process.stdout.write(`${damageCount} damages, ${failures.length} failed\n`);
if (failures.length > 0) process.exitCode = 1;
