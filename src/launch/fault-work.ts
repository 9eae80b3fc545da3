/** Fault bundles as commands and the replay tool read them. */

import { open } from "node:fs/promises";
import type { FaultBundle } from "../node/faults/bundle.js";
import { readBundle } from "../node/faults/bundle-file.js";
import { BundleError, MAX_FILE_BYTES } from "../node/faults/limits.js";
import { type Reproduction, reproduce } from "../node/faults/reproduce.js";
import { installRecoverEngine } from "../node/signatures/engine.js";
import { setAddressPrefix } from "../protocol/address.js";
import { useFastHashing } from "../protocol/hash.js";
import { loadPostQuantum } from "../protocol/post-quantum/algorithms.js";

/** Executes the block of a bundle. @throws {BundleError} with one sentence */
export async function reproduceFile(
	path: string,
	timeoutMs: number,
): Promise<{ readonly bundle: FaultBundle; readonly result: Reproduction }> {
	const bytes = await readBounded(path);
	await useFastHashing();
	installRecoverEngine();
	const bundle = readBundle(bytes);
	setAddressPrefix(bundle.inForce.addressPrefix);
	if (bundle.inForce.rules.network === "nile") await loadPostQuantum();
	return { bundle, result: reproduce(bundle, { timeoutMs }) };
}

/** Whatever a path leads to, no more of it is read than a bundle has. */
async function readBounded(path: string): Promise<Uint8Array> {
	try {
		const file = await open(path, "r");
		try {
			if (!(await file.stat()).isFile()) throw new BundleError(`${path} is not a file`);
			const bytes = Buffer.alloc(Math.min((await file.stat()).size, MAX_FILE_BYTES + 1));
			const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
			return bytes.subarray(0, bytesRead);
		} finally {
			await file.close();
		}
	} catch (error) {
		if (error instanceof BundleError) throw error;
		throw new BundleError(`${path} can't be read: ${error instanceof Error ? error.message : String(error)}`);
	}
}
