/** What can sign: a key of the keystore, or a device that holds its own key; and how devices are named on the command line. */

import type { KeystoreEntry } from "../../keystore/keystore.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { Failure } from "../failure.js";

/** A device with one of its keys. */
export interface DeviceSigner {
	readonly kind: "device";
	/** The name as given, such as `ledger:1`. */
	readonly name: string;
	/** 21 bytes. */
	readonly address: Uint8Array;
	readonly base58: string;
	/** What the user will read on the device before approving. */
	shows(transaction: SignedTransaction): readonly string[];
	/**
	 * Signs a transaction on the device.
	 * @returns 65 bytes r‖s‖v, v = 27 or 28, that recover to the address
	 * @throws {Failure} `confirmation_refused`, `signer_unavailable`
	 */
	signTransaction(transaction: SignedTransaction): Promise<Uint8Array>;
	/** Signs a message under the prefix of personal messages (scheme v2). @throws {Failure} as {@link signTransaction} */
	signMessage(message: Uint8Array): Promise<Uint8Array>;
	/** Shows the address on the device, for the user to compare. @throws {Failure} as {@link signTransaction} */
	confirmAddress(): Promise<void>;
	close(): Promise<void>;
}

/** A key that can be given with --signer. */
export type SigningKey = KeystoreEntry | DeviceSigner;

export function isDevice(key: SigningKey): key is DeviceSigner {
	return key.kind === "device";
}

/** The name of the device. */
export const LEDGER = "ledger";

const MAX_INDEX = 0x7fffffff;
/** The vendor's wallet numbers accounts in the third path component: account 1 is `44'/195'/1'/0/0`. */
const pathOfIndex = (index: number): string => `44'/195'/${index}'/0/0`;

/** Whether a text names a device rather than a key or an address. */
export function namesDevice(text: string): boolean {
	return text === LEDGER || text.startsWith(`${LEDGER}:`);
}

/**
 * The derivation path of the key that a name refers to, without `m/`.
 * @throws {Failure} `bad_value`
 */
export function devicePath(name: string): string {
	const text = name === LEDGER ? "0" : name.slice(LEDGER.length + 1).trim();
	if (/^\d{1,10}$/.test(text) && Number(text) <= MAX_INDEX) return pathOfIndex(Number(text));
	const path = text.replace(/^m\//, "").replaceAll("h", "'");
	const parts = path.split("/");
	const isPath =
		parts.length > 1 &&
		parts.length <= 10 &&
		parts.every((part) => /^\d{1,10}'?$/.test(part) && Number(part.replace("'", "")) <= MAX_INDEX);
	if (isPath) return path;
	throw new Failure("bad_value", `"${name}" names no key of a device`, {
		hint: "write ledger, ledger:<index>, or a path such as ledger:44'/195'/0'/0/0",
	});
}
