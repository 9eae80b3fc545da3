import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { idsOf, ReadAhead, wantedBy } from "../../../src/node/chain/read-ahead.js";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { stores } from "../../../src/node/state/definition.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { toKey } from "../../../src/protocol/bytes.js";
import { contractTypeByName } from "../../../src/protocol/contract-types.js";
import { Transaction, TransactionRaw, TriggerSmartContract } from "../../../src/protocol/messages.js";
import { buildTransaction, SignedTransaction } from "../../../src/protocol/transaction.js";
import { openSmall, produceMany, transfer, users } from "./small-chain.js";

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

test("the id of each transaction is looked for", () => {
	const payments = [transfer(open, 0, bob, 1n), transfer(open, 0, bob, 2n)];
	expect(idsOf(payments).map(({ store, key }) => `${store.name} ${key}`)).toEqual(
		payments.map(({ id }) => `trans ${toKey(id)}`),
	);
});

describe("what is named", () => {
	/** How often a store was asked for, and how much of it is missing from now on. */
	let asked: number;
	let missing: number;
	let ahead: ReadAhead;
	beforeEach(() => {
		asked = 0;
		ahead = new ReadAhead(async (wanted) => {
			const accounts = wanted.filter(({ store }) => store.index === stores.account.index);
			if (accounts.length > 0) asked++;
			return Math.min(missing, accounts.length);
		});
	});
	const blocks = async (count: number): Promise<number> => {
		const payment = transfer(open, 0, bob, 1n);
		for (let i = 0; i < count; i++) await ahead.of([payment]);
		return asked;
	};

	test("is fetched for every block while some of it is missing", async () => {
		missing = 1;
		expect(await blocks(20)).toBe(20);
	});

	test("is looked at for few blocks while memory has it", async () => {
		missing = 0;
		expect(await blocks(18)).toBe(2);
		missing = 1;
		expect(await blocks(9)).toBe(11);
	});

	test("is fetched on other threads, once", async () => {
		const memory = createMemoryDatabase();
		let together = 0;
		const storage = {
			...memory,
			getMany: async (keys: readonly Uint8Array[]) => {
				together += keys.filter(([store]) => store === stores.account.index).length;
				return keys.map((key) => memory.get(key));
			},
		};
		await (await openSmall({ storage: { ...storage, close: async () => {} } })).close();
		const chain = await openSmall({ storage });
		const [block] = produceMany(open, 1) as [Parameters<OpenChain["readAhead"]>[0]];
		const unknown = transfer(open, 0, Buffer.alloc(21, 0x41), 1n);
		await chain.readAhead(new SignedBlock(block.message, [unknown]));
		await chain.readAhead(new SignedBlock(block.message, [unknown]));
		expect(together).toBeLessThanOrEqual(2);
		expect(together).toBeGreaterThan(0);
		await chain.close();
	});
});

test("a database that can't be read is not passed over in silence", async () => {
	const memory = createMemoryDatabase();
	const storage = { ...memory, getMany: () => Promise.reject(new Error("the disk is gone")) };
	const chain = await openSmall({ storage });
	const [block] = produceMany(open, 1) as [Parameters<OpenChain["readAhead"]>[0]];
	const unknown = transfer(chain, 0, Buffer.alloc(21, 0x41), 1n);
	await expect(chain.readAhead(new SignedBlock(block.message, [unknown]))).rejects.toThrow(
		"the disk is gone",
	);
	await chain.close();
});
