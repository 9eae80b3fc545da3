/** The written forms of an address, and which texts mean one (protocol/command-line §1.3). */

import { hasRightCase } from "../../abi/address-case.js";
import {
	addressPrefix,
	Base58Error,
	fromBase58Check,
	isAddress,
	toBase58Check,
} from "../../protocol/address.js";
import { concatBytes, fromHex, toHex } from "../../protocol/bytes.js";
import { Failure } from "../failure.js";

/**
 * Reads an address: Base58, `41` and 40 hex digits (also with `0x`), or `0x` and 40 hex digits.
 * @returns 21 bytes; undefined if the text doesn't look like an address at all
 * @throws {Failure} `bad_address` if it looks like one and is wrong
 */
export function readAddress(text: string): Uint8Array | undefined {
	const hex = /^(0x)?([0-9a-fA-F]+)$/.exec(text);
	const digits = hex?.[2];
	if (digits !== undefined && digits.length === 42) {
		const bytes = fromHex(digits);
		if (!isAddress(bytes)) {
			throw new Failure("bad_address", `${text}: an address of this network begins with ${prefixHex()}`);
		}
		return bytes;
	}
	if (digits !== undefined && digits.length === 40) {
		if (hex?.[1] === undefined) {
			throw new Failure("bad_address", `${text} may be 20 bytes of an address: write 0x${text} if it is`);
		}
		if (!hasRightCase(digits))
			throw new Failure("bad_address", `checksum of ${text}, its capital letters, doesn't match`);
		return concatBytes(Uint8Array.of(addressPrefix()), fromHex(digits));
	}
	if (/^0x/i.test(text)) {
		throw new Failure(
			"bad_address",
			`${text}: an address has 40 hexadecimal digits after 0x, or 42 with its prefix`,
		);
	}
	if (!/^T[0-9A-Za-z]{30,36}$/.test(text)) return undefined;
	return readBase58(text);
}

function readBase58(text: string): Uint8Array {
	let bytes: Uint8Array | undefined;
	try {
		bytes = fromBase58Check(text);
	} catch (error) {
		if (!(error instanceof Base58Error)) throw error;
		throw new Failure(
			"bad_address",
			`${text}: ${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`,
		);
	}
	if (!bytes) throw new Failure("bad_address", `checksum of ${text} doesn't match`);
	if (!isAddress(bytes)) throw new Failure("bad_address", `${text} is not an address of this network`);
	return bytes;
}

/** Every written form of an address. */
export interface AddressForms {
	readonly base58: string;
	/** 42 digits with the network's prefix, as the node's JSON writes it. */
	readonly hex: string;
	/** `0x` and 40 digits, as JSON-RPC writes it. */
	readonly evm: string;
	readonly base64: string;
}

export function addressForms(address: Uint8Array): AddressForms {
	return {
		base58: toBase58Check(address),
		hex: toHex(address),
		evm: `0x${toHex(address.subarray(1))}`,
		base64: Buffer.from(address).toString("base64"),
	};
}

function prefixHex(): string {
	return toHex(Uint8Array.of(addressPrefix()));
}
