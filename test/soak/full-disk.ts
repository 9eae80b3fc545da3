/**
 * Imports recorded blocks into a file system that is too small: the command must end with one sentence and
 * exit code 1. With more space, its data must open and reach the same state as an unlimited import.
 *
 *     npm run tool soak:disk
 *
 * Needs permission to mount a tmpfs.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dumpState, openRecorded, recordedSet } from "../node/chain/recorded-chain.js";

const SET = "core-accounts";
/** Sizes in KiB at which the import runs out of space at different points. */
const SIZES = [48, 64, 96, 128, 160, 200];

/** The command reacted wrongly to a full disk. */
class FullDiskError extends Error {
	override readonly name = "FullDiskError";
}

function importInto(directory: string): { readonly code: number | null; readonly errors: string } {
	const folder = join("test", "golden", SET);
	const args = ["bin/coin.js", "chain", "import", join(folder, `${SET}.ndjson.br`)];
	args.push("-c", join(folder, `${SET}.conf`), "-d", directory, "--progress", "none", "--quiet");
	const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
	return { code: status, errors: stderr.trim() };
}

const root = await mkdtemp(join(tmpdir(), "coin-disk-"));
const set = recordedSet(SET);
const whole = join(root, "whole");
const { code, errors } = importInto(whole);
if (code !== 0) throw new FullDiskError(`the import fails with space too: ${errors}`);
const steady = await openRecorded(set, whole);
const expected = await dumpState(steady);

for (const size of SIZES) {
	const small = join(root, `small-${size}`);
	await mkdir(small);
	execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}k`, "tmpfs", small]);
	const roomy = join(root, `roomy-${size}`);
	try {
		const full = importInto(join(small, "data"));
		if (full.code !== 1 || full.errors.split("\n").length !== 1 || !/no space left/i.test(full.errors)) {
			throw new FullDiskError(`${size} KiB: exit code ${full.code}, ${full.errors}`);
		}
		process.stdout.write(`${size} KiB: ${full.errors}\n`);
		await cp(join(small, "data"), roomy, { recursive: true });
	} finally {
		execFileSync("umount", [small]);
	}
	const resumed = importInto(roomy);
	if (resumed.code !== 0) throw new FullDiskError(`${size} KiB, with space again: ${resumed.errors}`);
	const open = await openRecorded(set, roomy);
	const state = await dumpState(open);
	const differences = [...new Set([...state.keys(), ...expected.keys()])].filter(
		(key) => state.get(key) !== expected.get(key),
	);
	await open.close();
	if (differences.length > 0) throw new FullDiskError(`${size} KiB: ${differences.length} entries differ`);
}
await steady.close();
await rm(root, { recursive: true, force: true });
process.stdout.write("nothing was damaged\n");
