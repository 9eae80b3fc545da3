/** Replays a fault bundle as a recording of one block. */

import { reproduceFile } from "../../src/launch/fault-work.js";
import { BundleError } from "../../src/node/faults/bundle.js";
import { RecordingError } from "./recording.js";

const TIMEOUT_MS = 600_000;

/** Executes a bundle's block, prints a line. @returns whether it is as recorded @throws {RecordingError} */
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
