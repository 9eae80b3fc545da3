/** Who can sign: a key of the keystore, or a device that keeps its key to itself. */

import type { KeystoreEntry } from "../../keystore/keystore.js";
import type { SignedTransaction } from "../../protocol/transaction.js";

/** A device with one of its keys. */
export interface DeviceSigner {
	readonly kind: "device";
	/** As it was named, such as `ledger:1`. */
	readonly name: string;
	/** 21 bytes. */
	readonly address: Uint8Array;
	readonly base58: string;
	/** What a person will read on the device before they agree. */
	shows(transaction: SignedTransaction): readonly string[];
	/**
	 * Signs a transaction on the device.
	 * @returns 65 bytes r‖s‖v, v = 27 or 28, that recover to the address
	 * @throws {Failure} `confirmation_refused`, `signer_unavailable`
	 */
	signTransaction(transaction: SignedTransaction): Promise<Uint8Array>;
	/** Signs a message under the prefix of personal messages (scheme v2). @throws {Failure} as {@link signTransaction} */
	signMessage(message: Uint8Array): Promise<Uint8Array>;
	/** Has the person compare the address on the device. @throws {Failure} as {@link signTransaction} */
	confirmAddress(): Promise<void>;
	close(): Promise<void>;
}

/** A key that can be named with --signer. */
export type SigningKey = KeystoreEntry | DeviceSigner;

export function isDevice(key: SigningKey): key is DeviceSigner {
	return key.kind === "device";
}
