/** Transactions of public chains and documents: ids, bytes, signers, their JSON. */

import { describe, expect, it } from "vitest";
import { contractAddress } from "../../src/protocol/address.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import { sha256 } from "../../src/protocol/hash.js";
import { transactionJson } from "../../src/protocol/json/transaction-json.js";
import { Transaction, TransactionInfo, TransactionRaw } from "../../src/protocol/messages.js";
import { SignedTransaction } from "../../src/protocol/transaction.js";
import { expectCount, facts } from "./facts.js";

interface TransactionFacts {
	readonly id: string;
	readonly type: string;
	readonly owner: string;
	readonly raw?: string;
	readonly bytes?: string;
	readonly leaf?: string;
	readonly signatures?: readonly string[];
	readonly signers?: readonly string[];
	readonly visible?: boolean;
	readonly json?: unknown;
	readonly contract?: string;
	readonly receipt?: { readonly netUsage?: number; readonly netFee?: number };
	readonly receiptBytes?: string;
	readonly note?: string;
}

interface WireFacts {
	readonly note: string;
	readonly bytes: string;
	readonly id: string;
	readonly leaf: string;
}

const { documented, chain, wire } = facts<{
	documented: TransactionFacts[];
	chain: TransactionFacts[];
	wire: WireFacts[];
}>("transactions.json.br");

/** Bytes that bandwidth counts beside those of the transaction without its results. */
const RESULT_BYTES = 64;
const SUN_A_BYTE = 1000;

function read({ bytes, raw = "", signatures = [] }: TransactionFacts): SignedTransaction {
	if (bytes !== undefined) return SignedTransaction.decode(fromHex(bytes));
	const message = Transaction.create({
		raw_data: TransactionRaw.decode(fromHex(raw)),
		signature: signatures.map(fromHex),
	});
	return new SignedTransaction(message);
}

describe("transactions", () => {
	it("counts them", () => {
		expectCount(documented.length, 39);
		expectCount(chain.length, 10);
		expectCount(wire.length, 8);
	});

	it.each([...documented, ...chain].map((one) => [`${one.type} ${one.id.slice(0, 8)}`, one] as const))(
		"%s",
		(_, one) => {
			const transaction = read(one);
			expect([transaction.idHex, transaction.type?.name, toHex(transaction.owner)]).toEqual([
				one.id,
				one.type,
				one.owner,
			]);
			if (one.raw !== undefined) expect(toHex(transaction.rawBytes)).toBe(one.raw);
			if (one.bytes !== undefined) expect(toHex(transaction.bytes)).toBe(one.bytes);
			if (one.leaf !== undefined) expect(toHex(sha256(transaction.bytes))).toBe(one.leaf);
			const signers = one.signers?.map((_, i) => toHex(transaction.signer(i)));
			expect(signers).toEqual(one.signers);
			if (one.contract !== undefined) {
				expect(toHex(contractAddress(transaction.id, transaction.owner))).toBe(one.contract);
			}
			if (one.json !== undefined) {
				const style = { visible: one.visible === true, dialect: "deployed" } as const;
				expect(JSON.parse(transactionJson(transaction, style)).raw_data).toEqual(one.json);
			}
			const { netUsage, netFee } = one.receipt ?? {};
			const size = transaction.sizeWithoutResults + RESULT_BYTES;
			if (netUsage) expect(size).toBe(netUsage);
			if (netFee) expect(size * SUN_A_BYTE).toBe(netFee);
			if (one.receiptBytes !== undefined) {
				const info = TransactionInfo.decode(fromHex(one.receiptBytes));
				expect(toHex(info.id)).toBe(one.id);
				expect(toHex(TransactionInfo.encode(info))).toBe(one.receiptBytes);
			}
		},
	);

	it.each(wire.map((one) => [one.note, one] as const))("one transfer in other bytes: %s", (_, one) => {
		const transaction = SignedTransaction.decode(fromHex(one.bytes));
		expect([transaction.idHex, toHex(sha256(transaction.bytes))]).toEqual([one.id, one.leaf]);
	});
});
