import { describe, expect, test } from "vitest";
import { applyDigest, digestBlock } from "../../../src/node/signatures/block-digest.js";
import { MAIN_PREFIX } from "../../../src/protocol/address.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { toHex } from "../../../src/protocol/bytes.js";
import {
	Block,
	BlockHeader,
	BlockHeaderRaw,
	Transaction,
	TransactionRaw,
	TransactionResult,
} from "../../../src/protocol/messages.js";
import { addressOfPrivateKey, sign } from "../../../src/protocol/signature.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";

const key = Buffer.alloc(32, 9);

function transactionAt(index: number, change?: (signature: Buffer) => Uint8Array): Transaction {
	const raw_data = TransactionRaw.create({ timestamp: BigInt(index) + 1n, ref_block_bytes: Buffer.of(1, 2) });
	const ret = index % 2 === 0 ? [TransactionResult.create({ contractRet: 1 })] : [];
	const made = Buffer.from(sign(new SignedTransaction(Transaction.create({ raw_data })).id, key));
	return Transaction.create({ raw_data, signature: [change ? change(made) : made], ret });
}

const wrong = (signature: Buffer): Uint8Array =>
	Buffer.concat([signature.subarray(0, 64), Uint8Array.of(100)]);

function encodedBlock(transactions: readonly Transaction[]): Uint8Array {
	const raw_data = BlockHeaderRaw.create({ number: 7n, timestamp: 3_000n });
	const unsigned = new SignedBlock(
		Block.create({ transactions, block_header: BlockHeader.create({ raw_data }) }),
	);
	const block_header = BlockHeader.create({ raw_data, witness_signature: sign(unsigned.rawHash, key) });
	return Block.encode(Block.create({ transactions, block_header }));
}

/** What a block says of itself, and a block that took its digest. */
function both(bytes: Uint8Array): readonly [SignedBlock, SignedBlock] {
	const block = SignedBlock.decode(bytes);
	applyDigest(block, digestBlock(new Uint8Array(bytes), MAIN_PREFIX));
	return [SignedBlock.decode(bytes), block];
}

function factsOf(block: SignedBlock): unknown {
	const signers = block.transactions.map((transaction) => {
		try {
			return toHex(transaction.signer(0));
		} catch (error) {
			return (error as Error).message;
		}
	});
	const sizes = block.transactions.map(({ size, sizeWithoutResults }) => [size, sizeWithoutResults]);
	const ids = block.transactions.map(({ idHex }) => idHex);
	const root = toHex(block.computeMerkleRoot());
	return {
		id: block.idHex,
		root,
		signer: toHex(block.signer()),
		bytes: toHex(block.bytes),
		ids,
		sizes,
		signers,
	};
}

describe("a block's digest says what the block would say of itself", () => {
	const transactions = [
		transactionAt(0),
		transactionAt(1),
		transactionAt(2, wrong),
		transactionAt(3, () => key),
	];

	test("where its bytes are canonical", () => {
		const bytes = encodedBlock(transactions);
		const [expected, block] = both(bytes);
		expect(factsOf(block)).toEqual(factsOf(expected));
		expect(block.bytes).toBe(block.received);
		expect(toHex(block.transactions[0]?.signer(0) as Uint8Array)).toBe(toHex(addressOfPrivateKey(key)));
	});

	test.each([
		["unknown fields behind the block", (bytes: Buffer) => Buffer.concat([bytes, Buffer.of(0xf8, 0x3f, 1)])],
		[
			"a transaction with a field twice",
			(bytes: Buffer) => Buffer.concat([Buffer.from("0a060a0018011801", "hex"), bytes]),
		],
		["a transaction without anything", (bytes: Buffer) => Buffer.concat([Buffer.of(0x0a, 0), bytes])],
		["its header before its transactions", (bytes: Buffer) => Buffer.concat([Buffer.of(0x12, 0), bytes])],
	])("where it has %s", (_, change) => {
		const [expected, block] = both(change(Buffer.from(encodedBlock(transactions.slice(0, 2)))));
		const withSignatures = (each: SignedBlock) =>
			each.transactions.every(({ message }) => message.signature.length === 1);
		if (withSignatures(expected)) expect(factsOf(block)).toEqual(factsOf(expected));
		expect(toHex(block.computeMerkleRoot())).toBe(toHex(expected.computeMerkleRoot()));
		expect(block.transactions.map(({ idHex }) => idHex)).toEqual(
			expected.transactions.map(({ idHex }) => idHex),
		);
		expect(toHex(block.bytes)).toBe(toHex(expected.bytes));
	});

	test("where the header's signature is wrong: who asks hears why", () => {
		const raw_data = BlockHeaderRaw.create({ number: 7n });
		const block_header = BlockHeader.create({ raw_data, witness_signature: Buffer.alloc(65, 100) });
		const [expected, block] = both(Block.encode(Block.create({ transactions, block_header })));
		expect(() => block.signer()).toThrow(expect.objectContaining({ name: "SignatureError" }) as Error);
		expect(() => expected.signer()).toThrow();
	});
});
