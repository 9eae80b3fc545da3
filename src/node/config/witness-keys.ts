/** The block producer's own keys (protocol/configuration §1.8). */

import { inspect } from "node:util";
import { ConfigError } from "../../hocon/config-error.js";
import { fromHex } from "../../protocol/bytes.js";
import { decodeAddress } from "./genesis-config.js";
import type { Settings } from "./settings.js";
import type { StartOptions } from "./start-options.js";

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

/**
 * Reads the keys: the command line's, else the file's. `warn` takes what is wrong but does not stop the start.
 * @throws {ConfigError}
 */
export function readLocalWitness(
	settings: Settings,
	addressPrefix: number,
	options: StartOptions,
	warn: (text: string) => void,
): LocalWitnessConfig {
	const read = (account: string | undefined, name: string) => {
		const address = account === undefined ? undefined : decodeAddress(account, addressPrefix);
		if (account !== undefined && account !== "" && address === undefined) {
			warn(`The ${name} format is incorrect, ignored`);
		}
		return address;
	};
	if (options.privateKey !== undefined && options.privateKey !== "") {
		const refuse = (reason: string) => new ConfigError(`--private-key${reason}`);
		return {
			keys: new WitnessKeys([parsePrivateKey(options.privateKey, refuse)]),
			accountAddress: read(options.witnessAddress, "localWitnessAccountAddress"),
			keystores: [],
		};
	}
	const keys = settings
		.get("localwitness")
		.map((text, i) => parsePrivateKey(text, (reason) => settings.refuse(`localwitness[${i}]`, reason)));
	const keystores = settings.has("localwitness") ? [] : settings.get("localwitnesskeystore");
	if (options.witness === true && keys.length === 0 && keystores.length === 0) {
		throw new ConfigError("This is a witness node, but localWitnesses is null");
	}
	const accountAddress = read(settings.get("localWitnessAccountAddress"), "localWitnessAccountAddress");
	return { keys: new WitnessKeys(keys), accountAddress, keystores };
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
