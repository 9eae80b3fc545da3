/**
 * Text form of shielded addresses (protocol/shielded §7.4): Bech32 (BIP 173) of diversifier and address key.
 */

import { concatBytes, utf8 } from "../bytes.js";
import type { Dialect } from "../dialect.js";
import { ShieldedError } from "./failure.js";
import { DIVERSIFIER_SIZE, KEY_SIZE } from "./sizes.js";

/** Destination of a note. */
export interface PaymentAddress {
	/** d, 11 bytes. */
	readonly diversifier: Uint8Array;
	/** pk_d, 32 bytes. */
	readonly transmissionKey: Uint8Array;
}

/** Invalid Bech32; the network's messages. */
export class Bech32Error extends Error {
	override readonly name = "IllegalArgumentException";
}

/** Human-readable part of addresses by dialect. The checksum covers it, so it can't be respelled. */
const PREFIXES: Readonly<Record<Dialect, string>> = { neutral: "zcoin", deployed: "ztron" };

const CHARACTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] as const;
const CHECKSUM = 6;
const SHORTEST = 8;
const LONGEST = 90;
/** Five-bit groups encoding 43 bytes. */
const GROUPS = 69;

function polymod(values: readonly number[]): number {
	let sum = 1;
	for (const value of values) {
		const top = sum >>> 25;
		sum = ((sum & 0x1ffffff) << 5) ^ value;
		for (const [bit, generator] of GENERATORS.entries()) if ((top >>> bit) & 1) sum ^= generator;
	}
	return sum >>> 0;
}

function expandPrefix(prefix: string): number[] {
	const codes = [...utf8(prefix)];
	return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

function toGroups(bytes: Uint8Array): number[] {
	const groups: number[] = [];
	let held = 0;
	let bits = 0;
	for (const byte of bytes) {
		held = (held << 8) | byte;
		for (bits += 8; bits >= 5; bits -= 5) groups.push((held >> (bits - 5)) & 31);
		held &= (1 << bits) - 1;
	}
	if (bits > 0) groups.push((held << (5 - bits)) & 31);
	return groups;
}

/** @throws {Bech32Error} for non-zero padding bits */
function fromGroups(groups: readonly number[]): Uint8Array {
	const bytes: number[] = [];
	let held = 0;
	let bits = 0;
	for (const group of groups) {
		held = (held << 5) | group;
		bits += 5;
		if (bits < 8) continue;
		bits -= 8;
		bytes.push(held >> bits);
		held &= (1 << bits) - 1;
	}
	if (bits >= 5 || held !== 0) throw new Bech32Error("Could not convert bits, invalid padding");
	return Uint8Array.from(bytes);
}

/** @returns 81 characters */
export function writePaymentAddress(address: PaymentAddress, dialect: Dialect): string {
	const prefix = PREFIXES[dialect];
	const data = toGroups(concatBytes(address.diversifier, address.transmissionKey));
	const sum = polymod([...expandPrefix(prefix), ...data, ...new Array<number>(CHECKSUM).fill(0)]) ^ 1;
	const check = Array.from({ length: CHECKSUM }, (_, i) => (sum >>> (5 * (CHECKSUM - 1 - i))) & 31);
	return `${prefix}1${[...data, ...check].map((group) => CHARACTERS[group]).join("")}`;
}

/** Rejects characters outside Bech32 and mixed case. @throws {Bech32Error} */
function checkLetters(text: string): void {
	let lower = false;
	let upper = false;
	for (let i = 0; i < text.length; i++) {
		const letter = text[i] as string;
		const isLower = letter >= "a" && letter <= "z";
		const isUpper = letter >= "A" && letter <= "Z";
		if (letter < "!" || letter > "~" || (isLower && upper) || (isUpper && lower)) {
			throw new Bech32Error(`InvalidCharacter(${letter}, ${i})`);
		}
		lower ||= isLower;
		upper ||= isUpper;
	}
}

/** @throws {Bech32Error} */
function decodeBech32(text: string): { readonly prefix: string; readonly data: readonly number[] } {
	if (text.length < SHORTEST) throw new Bech32Error(`Input too short: ${text.length}`);
	if (text.length > LONGEST) throw new Bech32Error(`Input too long: ${text.length}`);
	checkLetters(text);
	const separator = text.lastIndexOf("1");
	if (separator < 1) throw new Bech32Error("Missing human-readable part");
	const letters = [...text.slice(separator + 1).toLowerCase()];
	if (letters.length < CHECKSUM) throw new Bech32Error(`Data part too short: ${letters.length}`);
	const groups = letters.map((letter, i) => {
		const group = CHARACTERS.indexOf(letter);
		// The network's library concatenates the three numbers of the position instead of adding them.
		if (group < 0) throw new Bech32Error(`InvalidCharacter(${text[separator + 1 + i]}, ${i}${separator}1)`);
		return group;
	});
	const prefix = text.slice(0, separator).toLowerCase();
	if (polymod([...expandPrefix(prefix), ...groups]) !== 1) throw new Bech32Error("InvalidChecksum:");
	return { prefix, data: groups.slice(0, -CHECKSUM) };
}

/**
 * Parses an address in either spelling; doesn't validate its parts.
 * @throws {Bech32Error} if the text is not Bech32
 * @throws {ShieldedError} if it is empty or not an address
 */
export function readPaymentAddress(text: string): PaymentAddress {
	const { prefix, data } = text === "" ? { prefix: "", data: [] } : decodeBech32(text);
	if (!Object.values(PREFIXES).includes(prefix) || data.length !== GROUPS) {
		throw new ShieldedError("paymentAddress format is wrong");
	}
	const bytes = fromGroups(data);
	return {
		diversifier: bytes.slice(0, DIVERSIFIER_SIZE),
		transmissionKey: bytes.slice(DIVERSIFIER_SIZE, DIVERSIFIER_SIZE + KEY_SIZE),
	};
}
