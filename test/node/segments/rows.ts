/** Blocks as segments see them: ids that begin with a height, and bytes. */

import { createHash } from "node:crypto";
import type { SegmentRow } from "../../../src/node/segments/segment-format.js";
import type { BatchChange } from "../../../src/node/state/database.js";
import { stores } from "../../../src/node/state/definition.js";
import { be64 } from "../../../src/protocol/bytes.js";

const bytesFrom = (text: string, length: number): Buffer => {
	const seed = createHash("sha256").update(text).digest();
	return Buffer.alloc(length, seed.subarray(0, 20));
};

export function rowAt(number: number): SegmentRow {
	const id = Buffer.concat([be64(BigInt(number)), bytesFrom(`id ${number}`, 24)]);
	const block = bytesFrom(`block ${number}`, 40 + (number % 7) * 11);
	// Every third block has no receipts; one has empty ones.
	const receipts = number % 3 === 0 ? undefined : bytesFrom(`receipts ${number}`, number % 5 === 0 ? 0 : 33);
	return { id, block, receipts };
}

export const keyIn = ({ index }: { readonly index: number }, key: Uint8Array): Uint8Array =>
	Buffer.concat([Uint8Array.of(index), key]);

/** The entries that a block leaves in the database. */
export function entriesOf(number: number): BatchChange[] {
	const { id, block, receipts } = rowAt(number);
	const height = be64(BigInt(number));
	return [
		{ key: keyIn(stores.blockIndex, height), value: id },
		{ key: keyIn(stores.block, id), value: block },
		...(receipts ? [{ key: keyIn(stores.transactionResult, height), value: receipts }] : []),
	];
}
