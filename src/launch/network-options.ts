/** The keys with which a node of a network produces blocks (protocol/configuration §1.8). */

import { readFile } from "node:fs/promises";
import { parseKeyFile } from "../keystore/key-file.js";
import { checkPrivateKey, decryptSecret, passwordBytes } from "../keystore/secret-storage.js";
import type { Producer } from "../node/chain/chain.js";
import type { NodeConfig } from "../node/config/config.js";
import { producerWithKey } from "../node/production/witness-keys.js";
import { Failure } from "../wallet/failure.js";

/**
 * The keys that produce blocks: those of the configuration, or of its first key file.
 * @param password asked for only where a key file has to be opened
 * @throws {KeystoreError} if the key file can't be opened
 */
export async function producersOf(
	config: NodeConfig,
	password: (file: string) => Promise<string>,
): Promise<Producer[]> {
	if (!config.run.witness) return [];
	const { keys, accountAddress, keystores } = config.localWitness;
	if (keys.count > 0) return keys.reveal().map((key) => producerWithKey(key, accountAddress));
	const [file] = keystores;
	if (file === undefined) return [];
	let text: string;
	try {
		text = await readFile(file, "utf8");
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new Failure(
			"start_failed",
			`the witness's key file ${file} can't be read (${code ?? "unknown error"})`,
		);
	}
	const key = await decryptSecret(parseKeyFile(text, file), passwordBytes(await password(file)), file);
	return [producerWithKey(checkPrivateKey(key), accountAddress)];
}
