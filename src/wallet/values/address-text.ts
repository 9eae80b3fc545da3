/** The written forms of an address, and which texts mean one (protocol/command-line §1.3). */

import { hasRightCase } from "../../abi/address-case.js";
import { addressOfText, toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { Failure } from "../failure.js";

/**
 * Reads an address in any of its written forms ({@link addressOfText}).
 * @returns 21 bytes; undefined if the text doesn't look like an address at all
 * @throws {Failure} `bad_address` if it looks like one and is wrong
 */
export function readAddress(text: string): Uint8Array | undefined {
	const read = addressOfText(text, hasRightCase);
	if (typeof read === "string") throw new Failure("bad_address", read);
	return read;
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
