// Without a network: a transaction from its bytes, its id, a signature, and who made it.

import assert from "node:assert/strict";
import {
	addressOfPrivateKey,
	fromHex,
	recoverAddress,
	SignedTransaction,
	sign,
	Transaction,
	TransactionRaw,
	toBase58Check,
} from "coin/protocol";

const raw_data = TransactionRaw.create({
	ref_block_bytes: fromHex("0a1b"),
	ref_block_hash: fromHex("0011223344556677"),
	expiration: 1_800_000_000_000n,
	timestamp: 1_799_999_940_000n,
});
const unsigned = new SignedTransaction(Transaction.create({ raw_data }));
const privateKey = fromHex("11".repeat(32));
const signature = sign(unsigned.id, privateKey);
const signed = new SignedTransaction(Transaction.create({ raw_data, signature: [signature] }));

const again = SignedTransaction.decode(signed.bytes);
assert.equal(again.idHex, unsigned.idHex);
assert.deepEqual(recoverAddress(again.id, again.message.signature[0]), addressOfPrivateKey(privateKey));
console.log(`${again.idHex} is signed by ${toBase58Check(addressOfPrivateKey(privateKey))}`);
