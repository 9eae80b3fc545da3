/** Headers of public chains, and what must hold of each. */

import { expect } from "vitest";
import { blockId } from "../../src/protocol/block.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import { sha256 } from "../../src/protocol/hash.js";
import { BlockHeaderRaw } from "../../src/protocol/messages.js";
import { recoverAddress } from "../../src/protocol/signature.js";

export interface HeaderFacts {
	readonly number: number;
	readonly id: string;
	readonly parent: string;
	readonly witness: string;
	/** Whose key signed; absent: not known. */
	readonly signer?: string;
	readonly version: number;
	readonly raw: string;
	readonly signature?: string;
}

/** Checks what a header says of itself. @returns its data */
export function checkHeader(header: HeaderFacts): Readonly<BlockHeaderRaw> {
	const bytes = fromHex(header.raw);
	const raw = BlockHeaderRaw.decode(bytes);
	const hash = sha256(bytes);
	expect({
		number: Number(raw.number),
		id: toHex(blockId(raw.number, hash)),
		parent: toHex(raw.parentHash),
		witness: toHex(raw.witness_address),
		version: raw.version,
		raw: toHex(BlockHeaderRaw.encode(raw)),
	}).toEqual({
		number: header.number,
		id: header.id,
		parent: header.parent,
		witness: header.witness,
		version: header.version,
		raw: header.raw,
	});
	expect(header.signature === undefined).toBe(header.signer === undefined);
	if (header.signature) expect(toHex(recoverAddress(hash, fromHex(header.signature)))).toBe(header.signer);
	return raw;
}

/** Checks that each header stands on the one before it. */
export function checkLinks(headers: readonly HeaderFacts[]): void {
	for (const [i, header] of headers.entries()) if (i > 0) expect(header.parent).toBe(headers[i - 1]?.id);
}

/** Witnesses of 27 that must have produced a block or a successor of it. */
export const FINAL_WITNESSES = 19;

/** The number of the header with which the first of a run is final. */
export function finalAt(headers: readonly HeaderFacts[]): number | undefined {
	const seen = new Set<string>();
	return headers.find(({ witness }) => seen.add(witness).size === FINAL_WITNESSES)?.number;
}
