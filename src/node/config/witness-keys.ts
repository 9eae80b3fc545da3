/** The block producer's own keys (protocol/configuration §1.8). */

import { inspect } from "node:util";
import { ConfigError } from "../../hocon/hocon.js";
import type { SignerPlace } from "../../keystore/signer/client.js";
import { fromHex } from "../../protocol/bytes.js";
import type { NetworkName } from "../rules/chain-rules.js";
import { decodeAddress } from "./genesis-config.js";
import type { Readings } from "./readings.js";
import type { Settings } from "./settings.js";
import type { StartOptions } from "./start-options.js";

/** Started as a block producer without a key. */
export class NoWitnessKeysError extends ConfigError {
	constructor() {
		super("This is a witness node, but localWitnesses is null");
	}
}

/** Private keys that never show in logs, messages or JSON: conversions to text give only their number. */
export class WitnessKeys {
	readonly #keys: readonly Uint8Array[];

	/** @param keys 32 bytes each */
	constructor(keys: readonly Uint8Array[]) {
		this.#keys = keys;
	}

	get count(): number {
		return this.#keys.length;
	}

	/** The raw keys, for signing. Never pass them to anything that prints. */
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
	/** The witness account, if a single key signs for another account than its own. */
	readonly accountAddress: Uint8Array | undefined;
	/** Key files relative to the working directory; the first is used if `localwitness` is absent. */
	readonly keystores: readonly string[];
	/** The remote signer that holds the keys. */
	readonly signer: SignerPlace | undefined;
	readonly postQuantum: PostQuantumWitnessConfig;
}

/** Post-quantum keys: signatures in their own field, on the test network Nile (protocol/post-quantum §10). */
interface PostQuantumWitnessConfig {
	/** Files relative to the working directory. */
	readonly files: readonly string[];
	/** The witness account, if a single key signs for another account than its own. */
	readonly accountAddress: Uint8Array | undefined;
}

const NO_POST_QUANTUM: PostQuantumWitnessConfig = { files: [], accountAddress: undefined };

function readPostQuantumWitness(settings: Settings, addressPrefix: number): PostQuantumWitnessConfig {
	const files = settings.get("localPqWitness.keys");
	const account = settings.get("localPqWitness.accountAddress") ?? "";
	if (account === "") return { files, accountAddress: undefined };
	if (files.length !== 1) {
		throw new ConfigError("localPqWitness.accountAddress can only be set when there is only one PQ keypair");
	}
	const accountAddress = decodeAddress(account, addressPrefix);
	if (accountAddress) return { files, accountAddress };
	throw new ConfigError("localPqWitness.accountAddress format is incorrect");
}

/** @throws {ConfigError} if a remote signer lacks its mutual TLS files */
function readSigner(settings: Settings): SignerPlace | undefined {
	const at = settings.get("localwitness.signer");
	const certificate = settings.get("localwitness.signerCertificate");
	const key = settings.get("localwitness.signerKey");
	const ca = settings.get("localwitness.signerCa");
	if (at === undefined || !at.startsWith("tls:")) return at === undefined ? undefined : { at };
	if (certificate !== undefined && key !== undefined && ca !== undefined)
		return { at, files: { certificate, key, ca } };
	throw settings.refuse("localwitness.signer", "needs signerCertificate, signerKey and signerCa beside it");
}

/**
 * Reads the keys: the command line's, else the file's. `warn` takes problems that don't stop the start.
 * @throws {ConfigError}
 */
export function readLocalWitness(
	settings: Settings,
	{
		addressPrefix,
		readings,
		network,
	}: {
		readonly addressPrefix: number;
		readonly readings: Readings;
		readonly network: NetworkName | undefined;
	},
	options: StartOptions,
	warn: (text: string) => void,
): LocalWitnessConfig {
	const read = (account: string | undefined, source: "cmd" | "config") => {
		const address = account === undefined ? undefined : decodeAddress(account, addressPrefix);
		if (account !== undefined && account !== "" && address === undefined) {
			readings.badWitnessAddress(source, warn);
		}
		return address;
	};
	const ofNile = readPostQuantumWitness(settings, addressPrefix);
	const usesNile = network === "nile" && readings.usesWitnessKeys(options.witness === true);
	const postQuantum = usesNile ? ofNile : NO_POST_QUANTUM;
	if (network !== "nile" && options.witness === true && ofNile.files.length > 0) {
		warn("localPqWitness has no effect: node.network is not nile");
	}
	const none = {
		keys: new WitnessKeys([]),
		accountAddress: undefined,
		keystores: [],
		signer: undefined,
		postQuantum,
	};
	if (options.privateKey !== undefined && options.privateKey !== "") {
		const refuse = (reason: string) => new ConfigError(`--private-key${reason}`);
		const keys = new WitnessKeys([parseWitnessKey(options.privateKey, refuse)]);
		return { ...none, keys, accountAddress: read(options.witnessAddress, "cmd") };
	}
	const signer = readSigner(settings);
	const texts = signer === undefined ? settings.get("localwitness") : [];
	const files = settings.get("localwitnesskeystore");
	const account = settings.get("localWitnessAccountAddress");
	if (!readings.usesWitnessKeys(options.witness === true)) return none;
	const keys = texts.map((text, i) =>
		parseWitnessKey(text, (reason) => settings.refuse(`localwitness[${i}]`, reason)),
	);
	const keystores = settings.has("localwitness") ? [] : files;
	const isKeyless =
		keys.length === 0 && keystores.length === 0 && postQuantum.files.length === 0 && signer === undefined;
	if (options.witness === true && isKeyless) {
		throw new NoWitnessKeysError();
	}
	const accountAddress = read(account, "config");
	readings.checkWitnessAccount(accountAddress, keys.length);
	return { keys: new WitnessKeys(keys), accountAddress, keystores, signer, postQuantum };
}

/**
 * Reads a private key of 64 hex digits, with or without `0x`.
 * @param refuse makes the error for a reason, which never contains the key
 */
function parseWitnessKey(text: string, refuse: (reason: string) => Error): Uint8Array {
	const prefixed = /^0x/i.test(text);
	const digits = prefixed ? text.slice(2) : text;
	if (digits.length !== 64) throw refuse(`: private key must be 64 hex string, actual: ${digits.length}`);
	// As on the network: a capital `0X` counts as prefix for the length and then isn't hexadecimal.
	if (!/^[0-9a-fA-F]{64}$/.test(digits) || text.startsWith("0X")) {
		throw refuse(": private key must be hex string");
	}
	return fromHex(digits);
}
