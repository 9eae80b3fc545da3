/** The funded accounts of a development chain: the same sentence gives the same keys everywhere. */

import { pbkdf2Sync } from "node:crypto";
import { HDKey } from "@scure/bip32";
import { addressOfPrivateKey } from "../../protocol/signature.js";

/** The sentence that every developer's wallet already knows. */
export const DEVELOPMENT_MNEMONIC = "test test test test test test test test test test test junk";
export const DEVELOPMENT_HD_PATH = "m/44'/195'/0'/0/";

/** An account whose key is public by design: never to be used on a public network. */
export interface DevelopmentAccount {
	readonly address: Uint8Array;
	readonly privateKey: Uint8Array;
	readonly balanceSun: bigint;
}

/** Key of the producer unless one is given: the number one. */
export function defaultProducerKey(): Uint8Array {
	const key = new Uint8Array(32);
	key[31] = 1;
	return key;
}

/**
 * Derives accounts from a mnemonic sentence.
 * @param pathPrefix to which the account's index is appended
 */
export function deriveAccounts(
	mnemonic: string,
	pathPrefix: string,
	count: number,
	balanceSun: bigint,
): DevelopmentAccount[] {
	const root = HDKey.fromMasterSeed(mnemonicSeed(mnemonic));
	const prefix = pathPrefix.replace(/\/$/, "");
	const parent = root.derive(prefix);
	return Array.from({ length: count }, (_, index) => {
		const { privateKey } = parent.deriveChild(index);
		if (!privateKey) throw new Error(`path ${prefix}/${index} has no private key`);
		return { address: addressOfPrivateKey(privateKey), privateKey, balanceSun };
	});
}

/** The seed of a sentence without extension (BIP-39), by the runtime's compiled PBKDF2: a start waits for it. */
function mnemonicSeed(mnemonic: string): Uint8Array {
	return pbkdf2Sync(mnemonic.normalize("NFKD"), "mnemonic", 2048, 64, "sha512");
}
