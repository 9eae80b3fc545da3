import { afterEach, describe, expect, it } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { checkCommon } from "../../../src/node/chain/transaction-checks.js";
import { Transaction, TransactionRaw } from "../../../src/protocol/messages.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import { openSmall, transfer, users } from "./small-chain.js";

let open: OpenChain;
afterEach(() => open.close());

/** A transaction of this many bytes. */
function ofSize(bytes: number): SignedTransaction {
	const { message } = transfer(open, 0, users[1] as Uint8Array, 1n);
	const withData = (length: number): SignedTransaction => {
		const raw_data = TransactionRaw.create({ ...message.raw_data, data: new Uint8Array(length) });
		return new SignedTransaction(Transaction.create({ ...message, raw_data }));
	};
	return withData(bytes - (withData(bytes - 1_000).size - (bytes - 1_000)));
}

describe("a transaction's size", () => {
	it("leaves room for the result that a block adds, which the refusal counts", async () => {
		open = await openSmall();
		const { state, rules } = open.chain.environment;
		const largest = ofSize(511_872);
		expect(checkCommon({ state, rules }, largest, false)).toBe(largest);
		const larger = ofSize(511_873);
		expect(() => checkCommon({ state, rules }, larger, false)).toThrow(
			`Too big transaction with result, TxId ${larger.idHex}, the size is 512001 bytes, maxTxSize 512000`,
		);
		expect(checkCommon({ state, rules }, larger, true)).toBe(larger);
		const tooLarge = ofSize(512_001);
		expect(() => checkCommon({ state, rules }, tooLarge, true)).toThrow(
			`Too big transaction, TxId ${tooLarge.idHex}, the size is 512001 bytes, maxTxSize 512000`,
		);
	});
});
