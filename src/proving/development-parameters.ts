/**
 * Parameters of development chains: generated from public seeds on first use, and kept in a folder of the
 * user's. Anybody can forge proofs for them.
 */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ProvingError, type ProvingOptions } from "../protocol/sapling/prover.js";
import type { Circuit } from "./circuit.js";
import { seedOf, writeParameters } from "./generated-parameters.js";
import type { ParameterFile } from "./tasks.js";
import type { Threads } from "./threads.js";

/** BLAKE2b-512 of the files generated from the seeds. */
const HASHES: Readonly<Record<Circuit["name"], string>> = {
	spend:
		"2be74db5b6cc5e0f4822a0ef83ea64dd55ff9965cc2794718aed2fed264f475980059c913abd6eb33b76f8690f151245c9306e37f83a2127eb045d148a7accb5",
	output:
		"717906b02b3a907e92d05e6a7190889c07fee8cdb0421c134d8ce72125c4ef4dc23a57f66a079d832c1097e6a467c1347a0af08ef2f30199073e7b21d9f60ac7",
};

const SEED_TEXT: Readonly<Record<Circuit["name"], string>> = {
	spend: "coin development chains: sapling-spend",
	output: "coin development chains: sapling-output",
};

/** Folder of the generated parameters. @param environment as `process.env` */
export function developmentParametersFolder(environment: NodeJS.ProcessEnv): string {
	const cache = environment["XDG_CACHE_HOME"];
	return join(cache?.startsWith("/") ? cache : join(homedir(), ".cache"), "coin", "development-parameters");
}

/**
 * A circuit's parameter file, generated if missing: 4 MB and a second for outputs, 48 MB and about ten seconds for spends.
 * @throws {ProvingError} if what is made is not what belongs to the seed
 */
export async function ensureDevelopmentParameters(
	folder: string,
	circuit: Circuit,
	threads: Threads,
	options: ProvingOptions = {},
): Promise<ParameterFile> {
	const path = join(folder, `sapling-${circuit.name}.params`);
	const hash = HASHES[circuit.name];
	if ((await hashOf(path)) === hash) return { path, hash };
	const made = await writeParameters(path, circuit, seedOf(SEED_TEXT[circuit.name]), threads, options);
	if (made !== hash) throw new ProvingError("failed", `${path} was made, and has another hash: ${made}`);
	return { path, hash };
}

/** @returns undefined if the file can't be read */
async function hashOf(path: string): Promise<string | undefined> {
	const hash = createHash("blake2b512");
	try {
		for await (const bytes of createReadStream(path)) hash.update(bytes);
		return hash.digest("hex");
	} catch {
		return undefined;
	}
}
