/** Witnesses with keys of their own, and the blocks that they make in their slots. */

import { SignedBlock } from "../../../../src/protocol/block.js";
import type { WitnessSet } from "../../../../src/protocol/inclusion/witness-set.js";
import { Block, BlockHeader, BlockHeaderRaw } from "../../../../src/protocol/messages.js";
import { addressOfPrivateKey, signBlock } from "../../../../src/protocol/signature.js";
import type { SignedTransaction } from "../../../../src/protocol/transaction.js";

export const SLOT_MS = 3_000;
export const START_MS = 1_700_000_001_000;

const keyOf = (n: number): Uint8Array => {
	const key = Buffer.alloc(32);
	key.writeUInt32BE(n + 1, 28);
	return key;
};

const addresses = new Map<number, Uint8Array>();

export function witnessAt(n: number): Uint8Array {
	const address = addresses.get(n) ?? addressOfPrivateKey(keyOf(n));
	addresses.set(n, address);
	return address;
}

/** The witnesses with these numbers. */
export function setOf(...numbers: readonly number[]): WitnessSet {
	return { witnesses: numbers.map((n) => ({ address: witnessAt(n), key: witnessAt(n) })) };
}

interface NewBlock {
	readonly parent: SignedBlock;
	/** Since the start. */
	readonly slot: number;
	readonly witness: number;
	/** Whose key signs, if not the witness's. */
	readonly signer?: number;
	readonly transactions?: readonly SignedTransaction[];
	readonly number?: bigint;
}

export function blockOf({
	parent,
	slot,
	witness,
	signer = witness,
	transactions = [],
	number,
}: NewBlock): SignedBlock {
	const list = { transactions: transactions.map(({ message }) => message) };
	const raw = BlockHeaderRaw.create({
		number: number ?? parent.number + 1n,
		timestamp: BigInt(START_MS + slot * SLOT_MS),
		parentHash: parent.id,
		witness_address: witnessAt(witness),
		txTrieRoot: new SignedBlock(Block.create(list), transactions).computeMerkleRoot(),
		version: 32,
	});
	const unsigned = new SignedBlock(Block.create({ block_header: BlockHeader.create({ raw_data: raw }) }));
	const header = BlockHeader.create({
		raw_data: raw,
		witness_signature: signBlock(unsigned.rawHash, keyOf(signer)),
	});
	return new SignedBlock(Block.create({ ...list, block_header: header }), transactions);
}

export const genesis = new SignedBlock(
	Block.create({
		block_header: BlockHeader.create({ raw_data: BlockHeaderRaw.create({ timestamp: BigInt(START_MS) }) }),
	}),
);

/** Blocks of slot after slot, by the witnesses in this order. */
export function blocksAfter(
	parent: SignedBlock,
	witnesses: readonly number[],
	firstSlot = Math.round((Number(parent.timestampMs) - START_MS) / SLOT_MS) + 1,
): SignedBlock[] {
	const blocks: SignedBlock[] = [];
	for (const [index, witness] of witnesses.entries())
		blocks.push(blockOf({ parent: blocks.at(-1) ?? parent, slot: firstSlot + index, witness }));
	return blocks;
}

export const headerOf = (block: SignedBlock): Readonly<BlockHeader> =>
	block.message.block_header as Readonly<BlockHeader>;
