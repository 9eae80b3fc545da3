/**
 * The files of post-quantum keys with which a node of Nile produces blocks (protocol/post-quantum §10). No refusal shows anything
 * of a key: lengths and names alone.
 */

import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigError } from "../hocon/config-error.js";
import { MAX_PLAIN_KEY_BYTES, type PlainKeyMembers, plainKeyOf } from "../keystore/plain-post-quantum-key.js";
import type { PostQuantumKey } from "../keystore/post-quantum-key.js";

/**
 * Reads a file, whose library must be loaded.
 * @param index of the file in the setting, for messages
 * @throws {ConfigError}
 */
export function readPostQuantumKey(path: string, index: number): PostQuantumKey {
	const place = `localPqWitness.keys[${index}]`;
	return plainKeyOf(readMembers(path, place), {
		whole: `${place} (${path})`,
		key: place,
		member: (name) => `${place}.${name}`,
		refuse: (text) => new ConfigError(text),
		reason: " (BouncyCastle provides no API to derive it from the private key)",
	});
}

function readMembers(path: string, place: string): PlainKeyMembers {
	if (path.trim() === "") throw new ConfigError(`${place} must be a non-blank JSON key file path`);
	const file = resolve(path);
	const unreadable = (why: string) => new ConfigError(`${place} failed to parse key file ${path}: ${why}`);
	const size = statSync(file, { throwIfNoEntry: false })?.size;
	if (size === undefined) throw new ConfigError(`${place} key file not found: ${file}`);
	if (size > MAX_PLAIN_KEY_BYTES) throw unreadable(`it has more than ${MAX_PLAIN_KEY_BYTES} bytes`);
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
	return value as PlainKeyMembers;
}
