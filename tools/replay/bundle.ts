/** A fault bundle as a set of one block. */

import { reproduceFile } from "../../src/launch/fault-work.js";
import { BundleError } from "../../src/node/faults/bundle.js";
import { RecordingError } from "./recording.js";

const TIMEOUT_MS = 600_000;

/** Executes the block of a bundle, and prints a line. Returns whether it comes out as it was recorded. @throws {RecordingError} */
export async function replayBundle(path: string): Promise<boolean> {
	const { bundle, result } = await reproduceFile(path, TIMEOUT_MS).catch((error: unknown) => {
		if (error instanceof BundleError) throw new RecordingError(error.message);
		throw error;
	});
	const { verdict, transaction, now, computed, recorded } = result;
	const isClean = verdict === "as recorded";
	const blocks = { passed: Number(isClean), failed: Number(!isClean) };
	if (!isClean) {
		const where = `block ${bundle.block.number}${transaction === undefined ? "" : `, transaction ${transaction}`}`;
		process.stderr.write(`${where}: ${verdict}: ${now}; computed ${computed}; recorded ${recorded}\n`);
	}
	process.stdout.write(`${JSON.stringify({ set: path, blocks, verdict })}\n`);
	return isClean;
}
