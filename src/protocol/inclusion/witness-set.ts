/**
 * The witnesses trusted by a verifier, with their signing keys (protocol/inclusion-proof §3). A set comes
 * from the user's own file or from this program, never from a proof.
 */

import { parseAddress, toBase58Check } from "../address.js";
import { fromHex, readBe64, toHex, toKey } from "../bytes.js";
import type { WitnessKey } from "./proof.js";

/** A proof or witness set is invalid; the message is one sentence. */
export class InclusionError extends Error {
	override readonly name = "InclusionError";
}

const FORMAT = "coin witnesses 1";

export const MAX_SET_LENGTH = 65_536;
/** Far more than any network has active. */
export const MAX_SET_WITNESSES = 127;

export interface WitnessSet {
	/** Unordered. */
	readonly witnesses: readonly WitnessKey[];
	/** Id of the block after which they were active, 32 bytes. */
	readonly block?: Uint8Array | undefined;
	/** Id of the chain's genesis block, 32 bytes. */
	readonly chain?: Uint8Array | undefined;
}

/** Number of the block after which the set was active, if known. */
export const setNumber = ({ block }: WitnessSet): bigint | undefined => block && readBe64(block);

export function writeWitnessSet({ witnesses, block, chain }: WitnessSet): string {
	const value = {
		format: FORMAT,
		chain: chain && toHex(chain),
		block: block && toHex(block),
		witnesses: witnesses.map(({ address, key }) => ({
			address: toBase58Check(address),
			key: toBase58Check(key),
		})),
	};
	return `${JSON.stringify(value, undefined, "\t")}\n`;
}

/** @throws {InclusionError} */
export function readWitnessSet(text: string): WitnessSet {
	if (text.length > MAX_SET_LENGTH)
		throw new InclusionError(`a file of witnesses has at most ${MAX_SET_LENGTH} characters`);
	const { format, chain, block, witnesses }: Record<string, unknown> = parsed(text);
	if (format !== FORMAT) throw refusal(`its format is not "${FORMAT}"`);
	if (!Array.isArray(witnesses) || witnesses.length === 0 || witnesses.length > MAX_SET_WITNESSES)
		throw refusal(`it doesn't list 1 to ${MAX_SET_WITNESSES} witnesses`);
	const read = witnesses.map((one: unknown): WitnessKey => {
		const { address, key }: Record<string, unknown> = Object(one);
		return { address: addressOf(address), key: addressOf(key) };
	});
	if (new Set(read.map(({ address }) => toKey(address))).size < read.length)
		throw refusal("it names a witness twice");
	return { witnesses: read, block: idOf(block, "block"), chain: idOf(chain, "chain") };
}

function parsed(text: string): Record<string, unknown> {
	try {
		return Object(JSON.parse(text));
	} catch (error) {
		if (error instanceof SyntaxError) throw refusal("it is not JSON");
		throw error;
	}
}

function addressOf(value: unknown): Uint8Array {
	const address = typeof value === "string" ? parseAddress(value) : undefined;
	if (!address) throw refusal("a witness or its key is not an address");
	return address;
}

function idOf(value: unknown, name: string): Uint8Array | undefined {
	if (value === undefined) return undefined;
	if (typeof value !== "string" || !/^[0-9a-f]{64}$/.test(value))
		throw refusal(`${name} is not a block's id`);
	return fromHex(value);
}

const refusal = (why: string): InclusionError =>
	new InclusionError(`this is not a file of witnesses: ${why}`);
