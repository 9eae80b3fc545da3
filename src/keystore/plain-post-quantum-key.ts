/**
 * Post-quantum keys as stored by the network's own tools: unencrypted JSON (protocol/post-quantum §10). Error messages contain
 * nothing of a key except lengths and names.
 */

import { fromBase58Check, toBase58Check } from "../protocol/address.js";
import { equalBytes, fromHex, toHex } from "../protocol/bytes.js";
import {
	belongTogether,
	loadPostQuantum,
	type PostQuantumKeys,
	postQuantumAlgorithm,
} from "../protocol/post-quantum/algorithms.js";
import {
	addressOfPostQuantumKey,
	isSchemeName,
	type PostQuantumScheme,
	postQuantumSchemes,
} from "../protocol/post-quantum/schemes.js";
import { KeystoreError } from "./keystore-error.js";
import type { PostQuantumKey } from "./post-quantum-key.js";

/** Size limit; the largest valid file has about 8 KB. */
export const MAX_PLAIN_KEY_BYTES = 64 << 10;

export type PlainKeyMembers = Readonly<Record<string, unknown>>;

/** Words for error messages, and the error to throw. */
interface PlainKeyWords {
	/** The file as a whole, and the key in it. */
	readonly whole: string;
	readonly key: string;
	member(name: string): string;
	refuse(text: string): Error;
	/** Why a public key is needed, appended to the sentence that says so. */
	readonly reason?: string;
}

/**
 * Reads a key from the members of a file. The library of the schemes must be loaded.
 * @throws the error that `words` creates
 */
export function plainKeyOf(members: PlainKeyMembers, words: PlainKeyWords): PostQuantumKey {
	const scheme = schemeOf(members, words);
	const { publicKey, privateKey } = keysOf(members, scheme, words);
	const given = textOf(members, "address", words).trim();
	if (given === "") return { scheme, publicKey, privateKey };
	const place = words.member("address");
	const address = fromBase58Check(given);
	if (!address) throw words.refuse(`${place} format is incorrect: ${given}`);
	if (!equalBytes(address, addressOfPostQuantumKey(publicKey))) {
		throw words.refuse(
			`${place} ${toBase58Check(address)} does not match the address derived from the ${scheme.name} public key`,
		);
	}
	return { scheme, publicKey, privateKey };
}

function textOf(members: PlainKeyMembers, name: string, words: PlainKeyWords): string {
	const value = members[name] ?? "";
	if (typeof value !== "string") throw words.refuse(`${words.member(name)} must be a text`);
	return value;
}

function schemeOf(members: PlainKeyMembers, words: PlainKeyWords): PostQuantumScheme {
	const name = textOf(members, "scheme", words);
	const place = words.member("scheme");
	if (name === "") throw words.refuse(`${place} is missing`);
	const scheme = postQuantumSchemes.find((each) => each.name === name);
	if (scheme) return scheme;
	if (name !== "UNRECOGNIZED" && !isSchemeName(name)) throw words.refuse(`invalid ${place}: ${name}`);
	const known = postQuantumSchemes.map((each) => each.name).join(", ");
	throw words.refuse(`unsupported ${place}: ${name}; registered schemes: [${known}]`);
}

function keysOf(members: PlainKeyMembers, scheme: PostQuantumScheme, words: PlainKeyWords): PostQuantumKeys {
	const read = (name: string, length: number): Uint8Array | undefined => {
		const text = textOf(members, name, words).trim().replace(/^0x/i, "");
		if (text === "") return undefined;
		const place = words.member(name);
		if (text.length !== 2 * length) {
			throw words.refuse(
				`${place} must be ${2 * length} hex chars for ${scheme.name}, actual: ${text.length}`,
			);
		}
		if (!/^[0-9a-fA-F]*$/.test(text)) throw words.refuse(`${place} is not valid hex for ${scheme.name}`);
		return fromHex(text);
	};
	const privateKey = read("privateKey", scheme.privateKeyLength);
	const publicKey = read("publicKey", scheme.publicKeyLength);
	const algorithm = postQuantumAlgorithm(scheme);
	if (!privateKey) {
		const seed = read("seed", scheme.seedLength);
		if (seed) return algorithm.keysOfSeed(seed);
		throw words.refuse(`${words.whole} must define at least one of \`seed\` or \`privateKey\``);
	}
	if (algorithm.publicKeyOf) {
		const derived = algorithm.publicKeyOf(privateKey);
		if (!derived) throw words.refuse(`${words.member("privateKey")} is not a key of ${scheme.name}`);
		if (publicKey && !equalBytes(publicKey, derived)) {
			throw words.refuse(
				`${words.member("publicKey")} does not match the key derived from privateKey for ${scheme.name}`,
			);
		}
		return { publicKey: derived, privateKey };
	}
	if (!publicKey) {
		throw words.refuse(
			`${words.member("publicKey")} is required for ${scheme.name}${words.reason ?? " beside privateKey"}`,
		);
	}
	if (!belongTogether(scheme, { publicKey, privateKey })) {
		throw words.refuse(`${words.key} private/public key mismatch for ${scheme.name}`);
	}
	return { publicKey, privateKey };
}

/** Whether a text may be such a file, rather than a private key of 64 digits. */
export const looksLikePlainKey = (text: string): boolean => text.trimStart().startsWith("{");

/**
 * Reads the text of such a file, whose key the caller must overwrite after use.
 * @throws {KeystoreError} `bad_value`
 */
export async function readPlainKey(text: string): Promise<PostQuantumKey> {
	const refuse = (why: string): KeystoreError => new KeystoreError("bad_value", why);
	if (text.length > MAX_PLAIN_KEY_BYTES)
		throw refuse(`the key file has more than ${MAX_PLAIN_KEY_BYTES} bytes`);
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		// The parser's own message would quote the file.
		throw refuse("the key file is not JSON");
	}
	if (typeof value !== "object" || value === null || Array.isArray(value))
		throw refuse("the key file is not a JSON object");
	await loadPostQuantum();
	return plainKeyOf(value as PlainKeyMembers, {
		whole: "the key file",
		key: "the key file has a",
		member: (name) => `the key file's ${name}`,
		refuse,
	});
}

/** Writes the text of such a file, with members in the order of the network's tool and without the seed. */
export const writePlainKey = ({ scheme, privateKey, publicKey }: PostQuantumKey): string =>
	JSON.stringify({
		scheme: scheme.name,
		privateKey: toHex(privateKey),
		publicKey: toHex(publicKey),
		address: toBase58Check(addressOfPostQuantumKey(publicKey)),
	});
