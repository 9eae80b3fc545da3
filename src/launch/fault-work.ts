/** Reads fault bundles for commands and the replay tool. */

import { type FaultBundle, MAX_FILE_BYTES } from "../node/faults/bundle.js";
import { readBundle } from "../node/faults/bundle-file.js";
import { checkTimeLimit, type Reproduction, reproduce } from "../node/faults/reproduce.js";
import { installRecoverEngine } from "../node/signatures/engine.js";
import { setAddressPrefix } from "../protocol/address.js";
import { useFastHashing } from "../protocol/hash.js";
import { loadPostQuantum } from "../protocol/post-quantum/algorithms.js";
import { readBoundedFile } from "../wallet/bounded-file.js";

/**
 * Executes a bundle's block.
 * @param timeoutMs includes the time for reading it
 * @throws {BundleError | Failure} with one sentence
 */
export async function reproduceFile(
	path: string,
	timeoutMs: number,
): Promise<{ readonly bundle: FaultBundle; readonly result: Reproduction }> {
	const deadlineMs = performance.now() + timeoutMs;
	const bytes = readBoundedFile(path, MAX_FILE_BYTES);
	await useFastHashing();
	installRecoverEngine();
	const time = { deadlineMs, timeoutMs };
	const bundle = readBundle(bytes, () => checkTimeLimit(time));
	setAddressPrefix(bundle.inForce.addressPrefix);
	if (bundle.inForce.rules.network === "nile") await loadPostQuantum();
	return { bundle, result: reproduce(bundle, time) };
}
