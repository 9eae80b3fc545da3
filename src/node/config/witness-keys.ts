/** The block producer's own keys (sheet 08 §1.8). */

import { inspect } from "node:util";
import { fromHex } from "../../protocol/bytes.js";
import { decodeAddress } from "./genesis-config.js";
import type { Section } from "./section.js";

/** Private keys that no log, message or JSON shows: every conversion to text gives only their number. */
export class WitnessKeys {
	readonly #keys: readonly Uint8Array[];

	/** @param keys 32 bytes each */
	constructor(keys: readonly Uint8Array[]) {
		this.#keys = keys;
	}

	get count(): number {
		return this.#keys.length;
	}

	/** The keys themselves, for signing. Never pass them to anything that prints. */
	reveal(): readonly Uint8Array[] {
		return this.#keys;
	}

	toString(): string {
		return `${this.#keys.length} witness keys`;
	}

	toJSON(): string {
		return this.toString();
	}

	[inspect.custom](): string {
		return this.toString();
	}
}

export interface LocalWitnessConfig {
	readonly keys: WitnessKeys;
	/** The witness account, where a single key signs for an account that is not its own. */
	readonly accountAddress: Uint8Array | undefined;
	/** Key files, relative to the working directory; the first is used, where the file has no `localwitness`. */
	readonly keystores: readonly string[];
}

/** Reads the keys of the file. `warn` takes what is wrong but does not stop the start. @throws {ConfigError} */
export function readLocalWitness(
	root: Section,
	addressPrefix: number,
	warn: (text: string) => void,
): LocalWitnessConfig {
	const keys = root.texts("localwitness").map((text, i) => {
		const refuse = (reason: string) => root.refuse(`localwitness[${i}]`, reason);
		return parsePrivateKey(text, refuse);
	});
	const accountText = root.optionalText("localWitnessAccountAddress");
	const accountAddress = accountText === undefined ? undefined : decodeAddress(accountText, addressPrefix);
	if (accountText !== undefined && accountAddress === undefined) {
		warn("The localWitnessAccountAddress format is incorrect, ignored");
	}
	return {
		keys: new WitnessKeys(keys),
		accountAddress,
		keystores: root.has("localwitness") ? [] : root.texts("localwitnesskeystore"),
	};
}

/**
 * Reads a private key of 64 hexadecimal digits, with or without `0x`.
 * @param refuse makes the error of a reason, which never holds the key
 */
export function parsePrivateKey(text: string, refuse: (reason: string) => Error): Uint8Array {
	const prefixed = /^0x/i.test(text);
	const digits = prefixed ? text.slice(2) : text;
	if (digits.length !== 64)
		throw refuse(`: private key must be 64-bits hex string, actual: ${digits.length}`);
	// As on the network, a capital X counts as a prefix for the length and is then no hexadecimal digit.
	if (!/^[0-9a-fA-F]{64}$/.test(digits) || text.startsWith("0X")) {
		throw refuse(": private key must be hexadecimal");
	}
	return fromHex(digits);
}
