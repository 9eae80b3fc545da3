/**
 * The files of post-quantum keys with which a node of Nile produces blocks (protocol/post-quantum §10). No refusal shows anything
 * of a key: lengths and names alone.
 */

import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigError } from "../hocon/config-error.js";
import { fromBase58Check, toBase58Check } from "../protocol/address.js";
import { equalBytes, fromHex } from "../protocol/bytes.js";
import { PQScheme } from "../protocol/messages.js";
import {
	isPostQuantumSignature,
	type PostQuantumKeys,
	postQuantumAlgorithm,
} from "../protocol/post-quantum/algorithms.js";
import {
	addressOfPostQuantumKey,
	type PostQuantumScheme,
	postQuantumSchemes,
} from "../protocol/post-quantum/schemes.js";

/** The largest good file has some 8 KB. */
const MAX_FILE_BYTES = 64 << 10;

interface PostQuantumKeyFile extends PostQuantumKeys {
	readonly scheme: PostQuantumScheme;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads a file, whose library must be loaded.
 * @param index of the file in the setting, for messages
 * @throws {ConfigError}
 */
export function readPostQuantumKey(path: string, index: number): PostQuantumKeyFile {
	const place = `localPqWitness.keys[${index}]`;
	const members = readMembers(path, place);
	const scheme = schemeOf(members, place);
	const { publicKey, privateKey } = keysOf(members, scheme, { path, place });
	const given = textOf(members, "address", place).trim();
	if (given !== "") {
		const address = fromBase58Check(given);
		if (!address) throw new ConfigError(`${place}.address format is incorrect: ${given}`);
		if (!equalBytes(address, addressOfPostQuantumKey(publicKey))) {
			throw new ConfigError(
				`${place}.address ${toBase58Check(address)} does not match the address derived from the ${scheme.name} public key`,
			);
		}
	}
	return { scheme, publicKey, privateKey };
}

function readMembers(path: string, place: string): Members {
	if (path.trim() === "") throw new ConfigError(`${place} must be a non-blank JSON key file path`);
	const file = resolve(path);
	const unreadable = (why: string) => new ConfigError(`${place} failed to parse key file ${path}: ${why}`);
	const size = statSync(file, { throwIfNoEntry: false })?.size;
	if (size === undefined) throw new ConfigError(`${place} key file not found: ${file}`);
	if (size > MAX_FILE_BYTES) throw unreadable(`it has more than ${MAX_FILE_BYTES} bytes`);
	let value: unknown;
	try {
		value = JSON.parse(readFileSync(file, "utf8"));
	} catch (error) {
		// The parser's text quotes the file.
		const { code } = error as NodeJS.ErrnoException;
		throw unreadable(code ?? "it is not JSON");
	}
	if (typeof value !== "object" || value === null || Array.isArray(value))
		throw unreadable("it is no object");
	return value as Members;
}

function textOf(members: Members, name: string, place: string): string {
	const value = members[name] ?? "";
	if (typeof value !== "string") throw new ConfigError(`${place}.${name} must be a text`);
	return value;
}

function schemeOf(members: Members, place: string): PostQuantumScheme {
	const name = textOf(members, "scheme", place);
	if (name === "") throw new ConfigError(`${place}.scheme is missing`);
	const scheme = postQuantumSchemes.find((each) => each.name === name);
	if (scheme) return scheme;
	if (name !== "UNRECOGNIZED" && !(name in PQScheme)) {
		throw new ConfigError(`invalid ${place}.scheme: ${name}`);
	}
	const known = postQuantumSchemes.map((each) => each.name).join(", ");
	throw new ConfigError(`unsupported ${place}.scheme: ${name}; registered schemes: [${known}]`);
}

function keysOf(
	members: Members,
	scheme: PostQuantumScheme,
	{ path, place }: { readonly path: string; readonly place: string },
): PostQuantumKeys {
	const read = (name: string, length: number): Uint8Array | undefined => {
		const text = textOf(members, name, place).trim().replace(/^0x/i, "");
		if (text === "") return undefined;
		if (text.length !== 2 * length) {
			throw new ConfigError(
				`${place}.${name} must be ${2 * length} hex chars for ${scheme.name}, actual: ${text.length}`,
			);
		}
		if (!/^[0-9a-fA-F]*$/.test(text)) {
			throw new ConfigError(`${place}.${name} is not valid hex for ${scheme.name}`);
		}
		return fromHex(text);
	};
	const privateKey = read("privateKey", scheme.privateKeyLength);
	const publicKey = read("publicKey", scheme.publicKeyLength);
	const algorithm = postQuantumAlgorithm(scheme);
	if (!privateKey) {
		const seed = read("seed", scheme.seedLength);
		if (seed) return algorithm.keysOfSeed(seed);
		throw new ConfigError(`${place} (${path}) must define at least one of \`seed\` or \`privateKey\``);
	}
	if (algorithm.publicKeyOf) {
		const derived = algorithm.publicKeyOf(privateKey);
		if (publicKey && !equalBytes(publicKey, derived)) {
			throw new ConfigError(
				`${place}.publicKey does not match the key derived from privateKey for ${scheme.name}`,
			);
		}
		return { publicKey: derived, privateKey };
	}
	if (!publicKey) {
		throw new ConfigError(
			`${place}.publicKey is required for ${scheme.name} (BouncyCastle provides no API to derive it from the private key)`,
		);
	}
	if (!belongTogether(scheme, { publicKey, privateKey })) {
		throw new ConfigError(`${place} private/public key mismatch for ${scheme.name}`);
	}
	return { publicKey, privateKey };
}

/** Whether a signature by the private key is one of the public key. */
function belongTogether(scheme: PostQuantumScheme, { publicKey, privateKey }: PostQuantumKeys): boolean {
	const message = new Uint8Array(32);
	try {
		const signature = postQuantumAlgorithm(scheme).sign(message, privateKey);
		return isPostQuantumSignature(message, { scheme: scheme.id, public_key: publicKey, signature });
	} catch (error) {
		// The library's own words for a private key that is none.
		if (error instanceof Error) return false;
		throw error;
	}
}
