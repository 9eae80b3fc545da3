import { afterEach, beforeEach, expect, test } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { wantedBy } from "../../../src/node/chain/read-ahead.js";
import { toKey } from "../../../src/protocol/bytes.js";
import { contractTypeByName } from "../../../src/protocol/contract-types.js";
import { Transaction, TransactionRaw, TriggerSmartContract } from "../../../src/protocol/messages.js";
import { buildTransaction, SignedTransaction } from "../../../src/protocol/transaction.js";
import { openSmall, transfer, users } from "./small-chain.js";

let open: OpenChain;
beforeEach(async () => {
	open = await openSmall();
});
afterEach(() => open.close());

const [ann, bob, contract] = users as [Uint8Array, Uint8Array, Uint8Array];
const listed = (transactions: readonly SignedTransaction[]): string[] =>
	wantedBy(transactions)
		.map(({ store, key }) => `${store.name} ${Buffer.from(key, "latin1").toString("hex").slice(-4)}`)
		.sort();
const ending = (address: Uint8Array): string =>
	Buffer.from(toKey(address), "latin1").toString("hex").slice(-4);

test("payer and recipient of a transfer are wanted, each once", () => {
	const payments = [transfer(open, 0, bob, 1n), transfer(open, 0, bob, 2n)];
	expect(listed(payments)).toEqual([`account ${ending(ann)}`, `account ${ending(bob)}`].sort());
});

test("a call wants the contract's record, code and statistics too", () => {
	const call = buildTransaction(
		contractTypeByName("TriggerSmartContract") as NonNullable<ReturnType<typeof contractTypeByName>>,
		TriggerSmartContract.create({ owner_address: ann, contract_address: contract }),
		{ refBlockBytes: Buffer.alloc(2), refBlockHash: Buffer.alloc(8), expirationMs: 1n, timestampMs: 0n },
	);
	expect(listed([call])).toEqual(
		[
			`account ${ending(ann)}`,
			...["account", "contract", "code", "contract-state"].map((name) => `${name} ${ending(contract)}`),
		].sort(),
	);
});

test("a transaction that can't be read wants nothing", () => {
	const message = transfer(open, 0, bob, 1n).message;
	const broken = new SignedTransaction(
		Transaction.create({ ...message, raw_data: TransactionRaw.create({ contract: [] }) }),
	);
	expect(listed([broken])).toEqual([]);
});
