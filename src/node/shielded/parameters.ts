/**
 * Loads the verifying keys of shielded proofs from the configured folder (protocol/shielded §6.4): from
 * parameter files, whose beginnings suffice for a verifier, or from files with just the keys.
 */

import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "../../hocon/hocon.js";
import { loadGroth16 } from "./groth16-library.js";
import type { ProofKeys } from "./proof-threads.js";
import { checkedAhead, type RememberedProofs } from "./remembered-proofs.js";
import { OUTPUT_INPUTS, SaplingVerifier, SPEND_INPUTS } from "./verifier.js";
import { readVerifyingKey, type VerifyingKey, VerifyingKeyError } from "./verifying-key.js";

interface ProofParameters {
	readonly folder: string;
	/** BLAKE2b-512 of the spend parameters in hexadecimal; undefined: any file is accepted. */
	readonly spendHash: string | undefined;
	/** The same for the output parameters. */
	readonly outputHash: string | undefined;
}

/** Larger than any parameter file of these circuits. */
const LARGEST = 64 * 1024 * 1024;

interface Circuit {
	readonly name: string;
	readonly inputs: number;
}

const SPEND: Circuit = { name: "sapling-spend", inputs: SPEND_INPUTS };
const OUTPUT: Circuit = { name: "sapling-output", inputs: OUTPUT_INPUTS };

/** @throws {ConfigError} with one sentence, if a file is missing, too large, or another one than the configuration says */
export async function loadVerifyingKeys(parameters: ProofParameters): Promise<ProofKeys> {
	// Sequentially, so that if both are missing, the first one is reported.
	const spendKey = await loadKey(parameters.folder, SPEND, parameters.spendHash);
	const outputKey = await loadKey(parameters.folder, OUTPUT, parameters.outputHash);
	return { spendKey, outputKey };
}

/** Creates the verifier for these keys; see {@link checkedAhead}. */
export async function proofsWith(keys: ProofKeys, threads: number): Promise<RememberedProofs> {
	return checkedAhead(
		SaplingVerifier.withKeys(await loadGroth16(), keys.spendKey, keys.outputKey),
		keys,
		threads,
	);
}

async function loadKey(
	folder: string,
	{ name, inputs }: Circuit,
	hash: string | undefined,
): Promise<VerifyingKey> {
	const { path, bytes } = await readFirst(folder, [`${name}.params`, `${name}.vk`]);
	if (hash !== undefined) {
		const found = createHash("blake2b512").update(bytes).digest("hex");
		if (found !== hash) {
			throw new ConfigError(
				`${path} is not the file that the configuration expects: its BLAKE2b-512 is ${found}, not ${hash}`,
			);
		}
	}
	try {
		return readVerifyingKey(bytes, inputs);
	} catch (error) {
		if (!(error instanceof VerifyingKeyError)) throw error;
		throw new ConfigError(`${path} doesn't begin with a verifying key: ${error.message}`);
	}
}

/** Reads the first of these files that exists. */
async function readFirst(
	folder: string,
	names: readonly string[],
): Promise<{ readonly path: string; readonly bytes: Uint8Array }> {
	for (const path of names.map((name) => join(folder, name))) {
		try {
			const { size } = await stat(path);
			if (size > LARGEST)
				throw new ConfigError(`${path} has ${size} bytes; no file of parameters has more than ${LARGEST}`);
			return { path, bytes: await readFile(path) };
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === "ENOENT") continue;
			if (error instanceof ConfigError) throw error;
			throw new ConfigError(`${path} can't be read: ${(error as Error).message}`);
		}
	}
	throw new ConfigError(`node.shielded.params names ${folder}, which has neither ${names.join(" nor ")}`);
}
