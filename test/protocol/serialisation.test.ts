import fc from "fast-check";
import { expect, test } from "vitest";
import { SignedBlock } from "../../src/protocol/block.js";
import { toHex } from "../../src/protocol/bytes.js";
import {
	Any,
	Block,
	BlockHeader,
	BlockHeaderRaw,
	Transaction,
	TransactionContract,
	TransactionRaw,
	TransactionResult,
} from "../../src/protocol/messages.js";
import { SignedTransaction } from "../../src/protocol/transaction.js";

/** Fields 60 and 61, which no message of the network has. */
const unknown = fc
	.constantFrom("", "e00301", "ea0303010203", "e00301ea0300")
	.map((hex) => Buffer.from(hex, "hex"));
const bytes = (most: number) => fc.uint8Array({ maxLength: most });

const transaction = fc
	.record({
		raw: fc.option(
			fc.record({
				data: bytes(300),
				expiration: fc.bigInt(-(1n << 63n), (1n << 63n) - 1n),
				value: bytes(200),
				extra: unknown,
			}),
			{ nil: undefined },
		),
		signature: fc.array(bytes(70), { maxLength: 5 }),
		fees: fc.array(fc.bigInt(-5n, 1n << 60n), { maxLength: 3 }),
		extra: unknown,
	})
	.map(({ raw, signature, fees, extra }) => {
		const contract = [
			TransactionContract.create({ parameter: Any.create({ value: raw?.value ?? Buffer.alloc(0) }) }),
		];
		const body = raw && TransactionRaw.create({ data: raw.data, expiration: raw.expiration, contract });
		const rawBytes = body && Buffer.concat([TransactionRaw.encode(body), raw.extra]);
		const ret = fees.map((fee) => TransactionResult.create({ fee }));
		const whole = Transaction.create({
			signature,
			ret,
			raw_data: rawBytes && TransactionRaw.decode(rawBytes),
		});
		return Buffer.concat([Transaction.encode(whole), extra]);
	});

test("a transaction is serialised around its raw data as it is from its message", () => {
	fc.assert(
		fc.property(transaction, (encoded) => {
			const message = Transaction.decode(encoded);
			const bare = Transaction.copy(message);
			bare.ret = [];
			const signed = new SignedTransaction(message);
			expect(signed.sizeWithoutResults).toBe(Transaction.size(bare));
			expect(toHex(signed.bytes)).toBe(toHex(Transaction.encode(message)));
			expect(signed.size).toBe(Transaction.size(message));
			expect(toHex(signed.withResults([]).bytes)).toBe(toHex(Transaction.encode(bare)));
		}),
	);
});

test("a block is serialised around its transactions as it is from its message", () => {
	const block = fc.record({ transactions: fc.array(transaction, { maxLength: 4 }), extra: unknown });
	fc.assert(
		fc.property(block, fc.boolean(), ({ transactions, extra }, hasHeader) => {
			const header = BlockHeader.create({ raw_data: BlockHeaderRaw.create({ number: 7n }) });
			const parts = Block.create({
				transactions: transactions.map((one) => Transaction.decode(one)),
				block_header: hasHeader ? header : undefined,
			});
			const encoded = Buffer.concat([Block.encode(parts), extra]);
			const signed = SignedBlock.decode(encoded);
			signed.computeMerkleRoot();
			expect(toHex(signed.bytes)).toBe(toHex(encoded));
			signed.forgetContents();
			expect(toHex(Block.encode(signed.message))).toBe(toHex(encoded));
		}),
	);
});
