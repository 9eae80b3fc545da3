import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
	type Adopted,
	type AdoptionOptions,
	adopt,
	judgeSource,
} from "../../../src/node/adoption/adoption.js";
import { ForeignStoreError } from "../../../src/node/adoption/engine/foreign-file.js";
import { UnwrittenStoreError } from "../../../src/node/adoption/engine/store-directory.js";
import type { Source } from "../../../src/node/adoption/source-directory.js";
import { transactionInfoById, transactionInfosOfBlock } from "../../../src/node/chain/block-store.js";
import { ADOPTION_KEY, readMeta } from "../../../src/node/chain/data-directory.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { activeWitnesses, scheduledWitness } from "../../../src/node/consensus/slots.js";
import { createMemoryDatabase, type KeyValueDatabase } from "../../../src/node/state/database.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { be64, equalBytes, fromKey, toHex, toKey } from "../../../src/protocol/bytes.js";
import {
	Account,
	AccountFreezeV2,
	AccountPermissionUpdateContract,
	Block,
	BlockHeader,
	Key,
	Permission,
	PermissionPermissionType as PermissionType,
	Transaction,
	TransactionInfo,
	Vote,
} from "../../../src/protocol/messages.js";
import { sign } from "../../../src/protocol/signature.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import {
	keyOfWitness,
	openSmall,
	produce,
	signed,
	smallConfig,
	transfer,
	users,
} from "../chain/small-chain.js";
import { checkpointRow, fakeSource, type Stores, storesOf } from "./fake-source.js";

const RECENT = "recent-transaction";

/** A chain of some blocks with transfers. */
async function grown(): Promise<OpenChain> {
	const open = await openSmall();
	for (let i = 0; i < 24; i++) {
		if (i % 3 !== 0) open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, BigInt(i + 1)));
		produce(open);
	}
	return open;
}

async function adoptInto(
	database: KeyValueDatabase,
	source: Source,
	options: Partial<AdoptionOptions> = {},
): Promise<Adopted | undefined> {
	const config = smallConfig();
	const judged = await judgeSource(source, config);
	return adopt(judged, database, "data", { config, blocks: "copy", onProgress: () => true, ...options });
}

async function entriesOf(database: KeyValueDatabase): Promise<Map<string, string>> {
	const all = new Map<string, string>();
	for await (const [key, value] of database.entries(new Uint8Array(0))) all.set(toHex(key), toHex(value));
	return all;
}

async function stateOf(open: OpenChain): Promise<Map<string, string>> {
	const all = new Map<string, string>();
	for (const [name, entries] of await storesOf(open)) {
		if (name === RECENT) continue;
		for (const [key, value] of entries) all.set(`${name} ${toHex(fromKey(key))}`, toHex(value));
	}
	return all;
}

function without(stores: Stores, name: string, keep: (key: string, value: Uint8Array) => boolean): void {
	stores.set(name, new Map([...(stores.get(name) ?? [])].filter(([key, value]) => keep(key, value))));
}

describe("an adoption", () => {
	it("makes a chain that goes on as the one that was adopted", async () => {
		const original = await grown();
		const database = createMemoryDatabase();
		const adopted = await adoptInto(database, fakeSource(await storesOf(original)));
		expect(adopted?.checks).toMatchObject({ blocks: 24, transactions: 16, otherKeys: 0 });
		const copy = await openSmall({ storage: database });
		expect(await stateOf(copy)).toEqual(await stateOf(original));
		for (let i = 0; i < 5; i++) {
			original.chain.pushTransaction(transfer(original, 1, users[2] as Uint8Array, BigInt(i + 1)));
			copy.chain.push(produce(original), "import");
		}
		expect(await stateOf(copy)).toEqual(await stateOf(original));
	});

	it("stopped after any batch is no chain yet, and goes on to the same entries", async () => {
		const stores = await storesOf(await grown());
		const frozenV2 = [AccountFreezeV2.create({ amount: 5_700_000n })];
		const votes = [Vote.create({ vote_address: users[0] as Uint8Array, vote_count: 3n })];
		const staked = Account.create({ address: users[0] as Uint8Array, frozenV2, votes });
		stores.get("account")?.set(toKey(users[0] as Uint8Array), Account.encode(staked));
		const whole = createMemoryDatabase();
		const differences = [
			"the stakes of all accounts are 5 coins, and the property TOTAL_NET_WEIGHT says 0",
			"witnesses have 490 votes, and the accounts gave 493",
		];
		expect((await adoptInto(whole, fakeSource(stores)))?.differences).toEqual(differences);
		const database = createMemoryDatabase();
		let runs = 0;
		let compared = 0;
		let last: Adopted | undefined;
		const once = (): Promise<Adopted | undefined> => {
			let batches = 0;
			return adoptInto(database, fakeSource(stores), {
				batchBytes: 300,
				// The comparison at the end begins anew in each run: it is stopped once.
				onProgress: ({ phase }) => (phase === "hash" ? compared++ > 0 : ++batches % 2 !== 0),
			});
		};
		for (; runs < 1000 && !last; runs++) {
			last = await once();
			if (last) break;
			await expect(readMeta(database, "data")).rejects.toThrow(
				/into data is not complete; run the same coin node adopt/,
			);
		}
		expect(runs).toBeGreaterThan(5);
		expect(last?.differences).toEqual(differences);
		expect(await entriesOf(database)).toEqual(await entriesOf(whole));
		expect(database.get(ADOPTION_KEY)).toBeUndefined();
	});

	it("goes on only from the same source with the same choice", async () => {
		const stores = await storesOf(await grown());
		const database = createMemoryDatabase();
		expect(
			await adoptInto(database, fakeSource(stores), { batchBytes: 1, onProgress: () => false }),
		).toBeUndefined();
		const changed = adoptInto(database, fakeSource(stores, undefined, "other"));
		await expect(changed).rejects.toThrow(/was begun when the files in \/reference\/database were others/);
		const other = adoptInto(database, fakeSource(stores), { blocks: "none", keptBlocks: 4n });
		await expect(other).rejects.toThrow(/was begun with --blocks copy/);
		expect(await adoptInto(database, fakeSource(stores))).toBeDefined();
	});

	it("applies a checkpoint of stores that stood at different blocks", async () => {
		const original = await grown();
		const behind = await storesOf(original);
		produce(original);
		const ahead = await storesOf(original);
		const tmp = new Map<string, Uint8Array>();
		for (const [name, entries] of ahead) {
			for (const [key, value] of entries) {
				if (toHex(value) === toHex(behind.get(name)?.get(key) ?? Uint8Array.of(0))) continue;
				const [rowKey, row] = checkpointRow(name, key, value);
				tmp.set(rowKey, row);
			}
		}
		behind.set("block", ahead.get("block") as Map<string, Uint8Array>);
		const torn = adoptInto(createMemoryDatabase(), fakeSource(behind));
		await expect(torn).rejects.toThrow(
			/the store block goes on after the head block 24 .* not of one moment/,
		);
		const database = createMemoryDatabase();
		await adoptInto(database, fakeSource(behind, new Map([["tmp", tmp]])));
		expect(await stateOf(await openSmall({ storage: database }))).toEqual(await stateOf(original));
	});

	it("without old blocks keeps the newest and the index of their transactions, and no receipts", async () => {
		const original = await grown();
		const database = createMemoryDatabase();
		const source = fakeSource(await storesOf(original));
		const adopted = await adoptInto(database, source, { blocks: "none", keptBlocks: 4n });
		expect(adopted?.lowest).toBe(21n);
		const { chain } = await openSmall({ storage: database });
		expect([0n, 1n, 20n, 21n, 24n].map((number) => chain.blockByNumber(number)?.number)).toEqual([
			0n,
			undefined,
			undefined,
			21n,
			24n,
		]);
		// Older transactions are known by the list of recent ones: they can't be sent again.
		for (const number of [2n, 24n]) {
			const [sent] = original.chain.blockByNumber(number)?.transactions ?? [];
			expect(sent && toHex(chain.state.transaction.get(sent.id) ?? Uint8Array.of())).toBe(
				toHex(be64(number)),
			);
		}
		expect(chain.state.transactionResult.get(be64(24n))).toBeUndefined();
		expect(original.chain.state.transactionResult.get(be64(24n))).toBeDefined();
	});

	it("finds the height of transactions that older releases stored whole", async () => {
		const original = await grown();
		const stores = await storesOf(original);
		const trans = stores.get("trans") as Map<string, Uint8Array>;
		const [sent] = original.chain.blockByNumber(2n)?.transactions ?? [];
		if (!sent) throw new Error("block 2 has no transaction");
		trans.set(toKey(sent.id), sent.bytes);
		const database = createMemoryDatabase();
		await adoptInto(database, fakeSource(stores));
		expect(await stateOf(await openSmall({ storage: database }))).toEqual(await stateOf(original));
	});

	it("answers with the receipts of old releases where newer ones wrote none", async () => {
		const original = await grown();
		const stores = await storesOf(original);
		const [old, other] = [2n, 3n].map((number) => {
			const [info] = transactionInfosOfBlock(original.chain.state, number);
			if (!info) throw new Error(`block ${number} has a receipt`);
			return info;
		}) as [TransactionInfo, TransactionInfo];
		without(stores, "transactionRetStore", (key) => key !== toKey(be64(2n)));
		const rows = [old, TransactionInfo.create({ ...other, fee: 5n })];
		stores.set(
			"transactionHistoryStore",
			new Map(rows.map((info) => [toKey(info.id), TransactionInfo.encode(info)])),
		);
		const database = createMemoryDatabase();
		await adoptInto(database, fakeSource(stores));
		const { state } = (await openSmall({ storage: database })).chain;
		expect(transactionInfosOfBlock(state, 2n).map(({ id }) => toHex(id))).toEqual([toHex(old.id)]);
		expect(transactionInfoById(state, old.id)?.blockNumber).toBe(2n);
		// What newer releases wrote comes first.
		expect(transactionInfoById(state, other.id)?.fee).toBe(other.fee);
		expect(transactionInfosOfBlock(state, 4n)).toEqual([]);
	});

	it("keeps what votes confirmed, up to the head", async () => {
		const confirmed = async (number: bigint): Promise<OpenChain> => {
			const stores = await storesOf(await grown());
			stores.set("common-database", new Map([["LATEST_PBFT_BLOCK_NUM", be64(number)]]));
			stores.set("pbft-sign-data", new Map([["BLOCK20", Uint8Array.of(1, 2)]]));
			const database = createMemoryDatabase();
			await adoptInto(database, fakeSource(stores));
			return openSmall({ storage: database });
		};
		const hexOf = (open: OpenChain, name: string) => toHex(open.sideRecord(name) ?? Uint8Array.of());
		const open = await confirmed(20n);
		expect(hexOf(open, "common-database/LATEST_PBFT_BLOCK_NUM")).toBe("0000000000000014");
		expect(hexOf(open, "pbft-sign-data/BLOCK20")).toBe("0102");
		expect(hexOf(await confirmed(26n), "common-database/LATEST_PBFT_BLOCK_NUM")).toBe("0000000000000018");
	});

	it("takes over neither derived nor unknown stores, and names the unknown", async () => {
		const stores = await storesOf(await grown());
		stores.set("reward-vi", new Map([["a", be64(1n)]]));
		stores.set("future", new Map([["a", be64(1n)]]));
		stores.set("utxo", new Map([["a", be64(1n)]]));
		const database = createMemoryDatabase();
		const adopted = await adoptInto(database, fakeSource(stores));
		expect(adopted?.judgement.notes).toEqual([
			"not read, since this program doesn't know the stores: future",
		]);
		expect([...(await entriesOf(database)).keys()].filter((key) => key.startsWith("08"))).toEqual([]);
	});

	it("says of an unknown directory that it can't be read, and takes no notice of one without a store", async () => {
		const stores = await storesOf(await grown());
		for (const name of ["damaged", "lost+found"]) stores.set(name, new Map());
		const source = fakeSource(stores);
		const open = async (name: string) => {
			if (name === "damaged") throw new ForeignStoreError("/d/CURRENT", "is damaged");
			if (name === "lost+found") throw new UnwrittenStoreError("/l", "holds no store");
			return source.open(name);
		};
		const adopted = await adoptInto(createMemoryDatabase(), { ...source, open });
		expect(adopted?.judgement.notes).toEqual([
			"not read, and not one of the known stores: /d/CURRENT: is damaged",
		]);
	});

	it("takes a head in which its witness changed its key, and counts it", async () => {
		const original = await openSmall({ config: smallConfig("allowMultiSign = 1") });
		for (let i = 0; i < 24; i++) produce(original);
		// Whoever's slot it will be can pay for the change.
		for (const witness of activeWitnesses(original.chain.state)) {
			original.chain.pushTransaction(transfer(original, 0, witness, 1_000_000_000n));
		}
		produce(original);
		const witness = scheduledWitness(original.chain.state, 1n);
		const permission = (type: number, address: Uint8Array) =>
			Permission.create({ type, threshold: 1n, keys: [Key.create({ address, weight: 1n })] });
		const operations = new Uint8Array(32);
		operations[0] = 2;
		const update = AccountPermissionUpdateContract.create({
			owner_address: witness,
			owner: permission(PermissionType.Owner, witness),
			witness: permission(PermissionType.Witness, users[2] as Uint8Array),
			actives: [{ ...permission(PermissionType.Active, witness), operations } as Permission],
		});
		const unsigned = signed(original, 0, "AccountPermissionUpdateContract", update);
		const signature = [sign(unsigned.id, keyOfWitness(witness))];
		original.chain.pushTransaction(
			new SignedTransaction(Transaction.create({ ...unsigned.message, signature })),
		);
		expect(produce(original).transactions).toHaveLength(1);
		const adopted = await adoptInto(createMemoryDatabase(), fakeSource(await storesOf(original)));
		const ofWitness = Array.from({ length: 26 }, (_, i) => original.chain.blockByNumber(BigInt(i + 1)));
		const otherKeys = ofWitness.filter((block) => block && equalBytes(block.witness, witness)).length;
		expect(adopted?.checks).toMatchObject({ blocks: 26, otherKeys });
	});
});

describe("data that aren't what they should be", () => {
	const cases: readonly (readonly [string, (stores: Stores) => void, RegExp])[] = [
		["lack a store that is empty", (stores) => stores.delete("account-asset"), /has no store account-asset/],
		["lack a store", (stores) => stores.delete("witness"), /\/reference\/database has no store witness/],
		[
			"are another chain's",
			(stores) => stores.get("block-index")?.set(toKey(be64(0n)), Buffer.alloc(32, 7)),
			/belong to another chain: their genesis block is 0707/,
		],
		[
			"have another genesis block than its id says",
			(stores) => {
				const blocks = stores.get("block") as Map<string, Uint8Array>;
				const [genesis, next] = [...blocks.keys()].sort() as [string, string];
				blocks.set(genesis, blocks.get(next) as Uint8Array);
			},
			/the store block has another genesis block than 0000000000000000/,
		],
		[
			"have no genesis block",
			(stores) => without(stores, "block", (key) => !key.startsWith("\0".repeat(8))),
			/the store block has no genesis block 0000000000000000/,
		],
		[
			"lack a flag that every release from 4.8.0 on sets",
			(stores) => stores.get("properties")?.delete("ABI_MOVE_DONE"),
			/the store properties lacks ABI_MOVE_DONE/,
		],
		[
			"have a block that can't be read",
			(stores) => {
				const blocks = stores.get("block") as Map<string, Uint8Array>;
				blocks.set([...blocks.keys()].sort()[5] as string, Uint8Array.of(0xff));
			},
			/block 5 of the adopted data can't be read: /,
		],
		[
			"have a head that no witness signed",
			(stores) => {
				const blocks = stores.get("block") as Map<string, Uint8Array>;
				const key = [...blocks.keys()].sort().at(-1) as string;
				const head = SignedBlock.decode(blocks.get(key) as Uint8Array).message;
				const header = BlockHeader.create({ ...head.block_header, witness_signature: new Uint8Array(65) });
				blocks.set(key, Block.encode(Block.create({ ...head, block_header: header })));
			},
			/the head block 24 is not signed by the key of its witness/,
		],
		[
			"have a row of the log index that unpacks to more than it can have",
			(stores) => stores.get("section-bloom")?.set("0", deflateSync(new Uint8Array(4097))),
			/the store section-bloom holds at 30 what can't be read: /,
		],
		[
			"have a record of more parts than any has",
			(stores) => {
				const ids = Buffer.alloc(2 * (2 ** 22 + 1));
				for (let i = 0; i < ids.length; i += 2) ids[i] = 0x12;
				stores.get("market_account")?.set("a".repeat(21), ids);
			},
			/the store market_account holds at (61){21} what can't be read: /,
		],
		[
			"name a witness that is none",
			(stores) => stores.get("witness")?.delete([...(stores.get("witness")?.keys() ?? [])][0] as string),
			/the active witness [0-9a-f]{42} is not one in the store witness/,
		],
		[
			"name too many witnesses",
			(stores) => {
				const schedule = stores.get("witness_schedule") as Map<string, Uint8Array>;
				const list = schedule.get("active_witnesses") as Uint8Array;
				schedule.set("active_witnesses", Buffer.concat(Array.from({ length: 6 }, () => list)));
			},
			/witness_schedule names 30 active witnesses, more than 27/,
		],
		[
			"have a solidified block far below the head",
			(stores) => stores.get("properties")?.set("LATEST_SOLIDIFIED_BLOCK_NUM", be64(25n)),
			/the solidified block 25 is not near the head 24/,
		],
		[
			"have a transaction above the head",
			(stores) => stores.get("trans")?.set("\u00ff".repeat(32), be64(25n)),
			/the store trans has the transaction f{64} in a block above the head 24/,
		],
		[
			"have a tree above the head",
			(stores) => stores.get("tree-block-index")?.set(toKey(be64(25n)), new Uint8Array(32)),
			/the store tree-block-index goes on after the head block 24/,
		],
		[
			"lack the tree of the head",
			(stores) => stores.get("tree-block-index")?.delete(toKey(be64(24n))),
			/the store tree-block-index lacks the head block 24/,
		],
		[
			"have the blocks of another branch",
			(stores) => stores.get("block-index")?.set(toKey(be64(24n)), Buffer.alloc(32, 9)),
			/the store block-index lacks the head block 24/,
		],
		[
			"go on in the index of blocks",
			(stores) => stores.get("block-index")?.set(toKey(be64(25n)), Buffer.alloc(32, 9)),
			/the store block-index goes on after the head block 24/,
		],
		[
			"have no blocks but the genesis block",
			(stores) => without(stores, "block-index", (key) => key === toKey(be64(0n))),
			/block-index holds no block but the genesis block/,
		],
		[
			"have a window whose row in recent-block is another",
			(stores) => stores.get("recent-block")?.set(toKey(Uint8Array.of(0, 7)), new Uint8Array(8)),
			/block 7 of the adopted data is missing in recent-block/,
		],
		[
			"lack the head in recent-block",
			(stores) => without(stores, "recent-block", (key) => key !== toKey(Uint8Array.of(0, 24))),
			/the store recent-block lacks the head block 24/,
		],
		[
			"stand at another block in recent-transaction",
			(stores) => without(stores, RECENT, (key) => key !== toKey(Uint8Array.of(0, 24))),
			/the store recent-transaction lacks the head block 24/,
		],
		[
			"have receipts after the head",
			(stores) => stores.get("transactionRetStore")?.set(toKey(be64(25n)), new Uint8Array(0)),
			/the store transactionRetStore goes on after the head block 24/,
		],
		[
			"have a value that can't be read",
			(stores) => stores.get("votes")?.set("A", Uint8Array.of(0xff)),
			/the store votes holds at 41 what can't be read: /,
		],
		[
			"have a block that isn't the one of the index",
			(stores) => {
				const blocks = stores.get("block") as Map<string, Uint8Array>;
				const [a, b] = [...blocks.keys()].sort().slice(5, 7) as [string, string];
				blocks.set(a, blocks.get(b) as Uint8Array);
			},
			/block 5 of the adopted data is another one than block-index says/,
		],
		[
			"don't know a transaction",
			(stores) => without(stores, "trans", (_key, value) => toHex(value) !== toHex(be64(2n))),
			/block 2 of the adopted data has the transaction [0-9a-f]{64}, which trans doesn't know/,
		],
		[
			"name no witness",
			(stores) => stores.get("witness_schedule")?.clear(),
			/witness_schedule names no active witness/,
		],
		[
			"say another time than the head",
			(stores) => stores.get("properties")?.set("latest_block_header_timestamp", be64(5n)),
			/the head block is of \d+, the properties say 5/,
		],
		[
			"have maintenance at the wrong time",
			(stores) => stores.get("properties")?.set("NEXT_MAINTENANCE_TIME", be64(5n)),
			/the next maintenance at 5 is not that after/,
		],
	];
	it.each(cases)("are refused where they %s", async (_what, change, message) => {
		const stores = await storesOf(await grown());
		change(stores);
		const database = createMemoryDatabase();
		await expect(adoptInto(database, fakeSource(stores))).rejects.toThrow(message);
		expect(await readMeta(database, "data").catch(() => undefined)).toBeUndefined();
	});
});
