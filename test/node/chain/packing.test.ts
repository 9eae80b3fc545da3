import { describe, expect, it, test } from "vitest";
import {
	checkProducer,
	type PackingContext,
	type Producer,
	packTransactions,
} from "../../../src/node/chain/packing.js";
import { scheduledWitness, slotTimeMs } from "../../../src/node/consensus/slots.js";
import { producerWithKey, producerWithPostQuantumKey } from "../../../src/node/production/slot-producer.js";
import { DuplicateTransactionError } from "../../../src/node/rules/errors.js";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { createView } from "../../../src/node/state/view.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { fromHex, utf8 } from "../../../src/protocol/bytes.js";
import { MAX_INT64 } from "../../../src/protocol/int64.js";
import {
	BlockHeaderRaw,
	TransferContract,
	UpdateBrokerageContract,
	WitnessCreateContract,
} from "../../../src/protocol/messages.js";
import {
	isPostQuantumSignature,
	loadPostQuantum,
	postQuantumAlgorithm,
} from "../../../src/protocol/post-quantum/algorithms.js";
import { ML_DSA_44 } from "../../../src/protocol/post-quantum/schemes.js";
import type { SignedTransaction } from "../../../src/protocol/transaction.js";
import { addresses, SmallChain } from "../properties/small-chain.js";
import { sealBlock } from "./sealed-block.js";
import {
	keyOfWitness,
	openSmall,
	permissionUpdate,
	produce,
	signed,
	smallConfig,
	transfer,
	users,
} from "./small-chain.js";

test("a transaction under the new permissions of a witness waits for the block after the one that makes it", async () => {
	const chain = await SmallChain.open({
		committee: { allowMultiSign: 1n, changedDelegation: 1n },
		voted: {},
	});
	const owner = addresses[5] as Uint8Array;
	chain.send("WitnessCreateContract", WitnessCreateContract.create({ owner_address: owner, url: utf8("u") }));
	const contract = UpdateBrokerageContract.create({ owner_address: owner, brokerage: 7 });
	const sent = chain.send("UpdateBrokerageContract", contract, { permissionId: 2 });
	expect(sent.kind).toBe("accepted");

	const twin = await chain.twin();
	const types: string[][] = [];
	for (let number = 1n; number <= chain.headNumber; number++) {
		twin.follow(chain.open.chain.blockByNumber(number)?.bytes as Uint8Array);
	}
	for (let i = 0; i < 2; i++) {
		const { block } = chain.produce();
		twin.follow(block.bytes);
		types.push(block.transactions.map(({ type }) => type?.name ?? ""));
	}

	expect(types).toEqual([["WitnessCreateContract"], ["UpdateBrokerageContract"]]);
	expect(twin.headNumber).toBe(chain.headNumber);
});

test("packing writes the parent's id into the history that #95 installed, before the first transaction", async () => {
	const chain = await SmallChain.open({ committee: {}, voted: {} });
	const { state } = chain.open.chain;
	const row = fromHex(`08a62472cc9e6892d2deb3431f4ccfd3${"7".padStart(32, "0")}`);
	const seen: boolean[] = [];
	const context = {
		environment: { state },
		pool: {
			takeForBlock: () => {
				seen.push(state.storageRow.has(row));
				return undefined;
			},
			giveBack: () => {},
		},
	} as unknown as PackingContext;
	const raw = BlockHeaderRaw.create({ number: 8n, parentHash: new Uint8Array(32).fill(5) });
	for (const installed of [0n, 1n]) {
		state.properties.set("BLOCK_HASH_HISTORY_INSTALLED", installed);
		packTransactions(context, raw, {
			producer: {} as Producer,
			expired: () => false,
			maxExecutionMs: 0,
		});
	}
	expect(seen).toEqual([false, true]);
	expect(state.storageRow.get(row)).toEqual(raw.parentHash);
});

test.each([
	[0n, 1],
	[1n, 0],
])("with parameter 24 = %s, %i transaction with unknown fields goes into a block", async (filter, count) => {
	const open = await openSmall({ config: smallConfig(`allowProtoFilterNum = ${filter}`) });
	produce(open);
	const [owner_address, to_address] = users as [Uint8Array, Uint8Array];
	const known = TransferContract.encode(TransferContract.create({ owner_address, to_address, amount: 1n }));
	const odd = TransferContract.decode(Buffer.concat([known, Uint8Array.of(0x98, 0x3f, 1)]));
	open.chain.pushTransaction(signed(open, 0, "TransferContract", odd));
	expect(produce(open).transactions).toHaveLength(count);
	expect(open.chain.pool.size).toBe(0);
	await open.close();
});

test("what waits since another's block is packed only if its signatures still hold", async () => {
	const config = smallConfig("allowMultiSign = 1");
	const [open, peer] = [await openSmall({ config }), await openSmall({ config })];
	const [sold, buyer] = users as [Uint8Array, Uint8Array];
	open.chain.push(SignedBlock.decode(produce(peer).bytes), "peer");
	const stays = transfer(open, 2, buyer, 1n);
	for (const one of [transfer(open, 0, buyer, 1n), stays]) open.chain.pushTransaction(one);
	peer.chain.pushTransaction(
		signed(peer, 0, "AccountPermissionUpdateContract", permissionUpdate(sold, buyer)),
	);
	open.chain.push(SignedBlock.decode(produce(peer).bytes), "peer");
	expect(open.chain.pool.waiting).toBe(2);
	const block = produce(open);
	expect(block.transactions.map(({ idHex }) => idHex)).toEqual([stays.idHex]);
	expect(open.chain.pool.size).toBe(0);
	expect(peer.chain.push(SignedBlock.decode(block.bytes), "peer").kind).toBe("head");
	for (const each of [open, peer]) await each.close();
});

test("the permissions that a pending witness brings don't sign in a block that lacks it", async () => {
	const config = smallConfig("allowMultiSign = 1");
	const [open, peer] = [await openSmall({ config }), await openSmall({ config })];
	open.chain.push(SignedBlock.decode(produce(peer).bytes), "peer");
	const { chain } = open;
	const owner = users[0] as Uint8Array;
	const slow = transfer(open, 2, owner, 1n);
	const create = WitnessCreateContract.create({ owner_address: owner, url: utf8("u") });
	const payment = TransferContract.create({
		owner_address: owner,
		to_address: users[1] as Uint8Array,
		amount: 1n,
	});
	chain.pushTransaction(slow);
	chain.pushTransaction(signed(open, 0, "WitnessCreateContract", create));
	chain.pushTransaction(signed(open, 0, "TransferContract", payment, { permissionId: 2 }));
	const took = [219.9, 100, 0.01];
	for (const [at, entry] of chain.pool.list().entries()) Object.assign(entry, { tookMs: took[at] });
	const { state } = chain;
	const producer = producerWithKey(keyOfWitness(scheduledWitness(state, 1n)));
	const timestampMs = slotTimeMs(state, 1n);
	const slot = { producer, timestampMs, expired: () => false, maxExecutionMs: 220, clock: () => 0 };
	const { block } = chain.prepareBlock(slot)();
	expect(block.transactions.map(({ idHex }) => idHex)).toEqual([slow.idHex]);
	expect(peer.chain.push(SignedBlock.decode(block.bytes), "peer").kind).toBe("head");
	for (const each of [open, peer]) await each.close();
});

test("slots that are lost to others' blocks drop no transaction, nor does a signature that can't be made", async () => {
	const [open, peer] = [await openSmall(), await openSmall()];
	const both = (): void => void open.chain.push(SignedBlock.decode(produce(peer).bytes), "peer");
	both();
	const payment = transfer(open, 0, users[1] as Uint8Array, 1n);
	open.chain.pushTransaction(payment);
	const slotAt = (k: bigint) => {
		const { state } = open.chain;
		const producer = producerWithKey(keyOfWitness(scheduledWitness(state, k)));
		return { producer, timestampMs: slotTimeMs(state, k), expired: () => false };
	};
	for (let time = 0; time < 3; time++) {
		const apply = open.chain.prepareBlock(slotAt(2n));
		both();
		expect(apply).toThrow("another block");
		expect(open.chain.executeWaiting(Number.POSITIVE_INFINITY)).toBe(false);
	}
	const slot = slotAt(1n);
	const sign = (): never => {
		throw new Error("no signature");
	};
	expect(() => open.chain.prepareBlock({ ...slot, producer: { ...slot.producer, sign } })).toThrow(
		"no signature",
	);
	expect([open.chain.pool.packed, open.chain.pool.size]).toEqual([[], 1]);
	expect(produce(open).transactions.map(({ idHex }) => idHex)).toEqual([payment.idHex]);
	for (const each of [open, peer]) await each.close();
});

test("what is packed is still logged until it is applied, and waits again with all else where there is no signature", async () => {
	const open = await openSmall();
	produce(open);
	const { chain } = open;
	const [first, second] = [1n, 2n].map((amount) => transfer(open, 0, users[1] as Uint8Array, amount));
	const logged = () => chain.unsettledRecords().filter(({ type }) => type === "transaction").length;
	chain.pushTransaction(first as SignedTransaction);
	const { state } = chain;
	const producer = producerWithKey(keyOfWitness(scheduledWitness(state, 1n)));
	const slot = { producer, timestampMs: slotTimeMs(state, 1n), expired: () => false };
	const block = chain.packBlock(slot);
	expect([logged(), chain.pool.size]).toEqual([1, 0]);
	chain.pushTransaction(second as SignedTransaction);
	block.giveBack();
	expect([logged(), chain.pool.waiting]).toEqual([2, 2]);
	expect(chain.executeWaiting(Number.POSITIVE_INFINITY)).toBe(false);
	expect(chain.pool.list().map(({ transaction }) => transaction.idHex)).toEqual([
		first?.idHex,
		second?.idHex,
	]);
	expect(produce(open).transactions).toHaveLength(2);
	expect(logged()).toBe(0);
	await open.close();
});

test("a key that isn't the witness's leaves what is pending as it is", async () => {
	const open = await openSmall({ config: smallConfig("allowMultiSign = 1") });
	produce(open);
	const { chain } = open;
	const payment = transfer(open, 0, users[1] as Uint8Array, 1n);
	chain.pushTransaction(payment);
	const witness = scheduledWitness(chain.state, 1n);
	const producer = { ...producerWithKey(keyOfWitness(witness)), signer: users[0] as Uint8Array };
	const slot = { producer, timestampMs: slotTimeMs(chain.state, 1n), expired: () => false };
	expect(() => chain.prepareBlock(slot)).toThrow("Witness permission is wrong.");
	expect(() => chain.pushTransaction(payment)).toThrow(DuplicateTransactionError);
	expect([chain.pool.size, chain.pool.waiting]).toEqual([1, 0]);
	await open.close();
});

test("transactions take no more of a block than they may in all: what is too long for the rest of it waits, shorter ones are packed", async () => {
	const open = await openSmall();
	produce(open);
	const times = [70, 4, 300, 60, undefined, 100, 45];
	const sent = times.map((_, n) => transfer(open, 0, users[1] as Uint8Array, BigInt(n + 1)));
	const entries = sent.map((transaction, n) => {
		const tookMs = times[n];
		return { transaction, receivedMs: 0n, feeSun: 0n, ...(tookMs === undefined ? {} : { tookMs }) };
	});
	open.chain.pool.giveBack(entries);
	const packed: SignedBlock[] = [];
	open.chain.observe({ produced: (block) => packed.push(block) });
	const { state } = open.chain;
	const producer = producerWithKey(keyOfWitness(scheduledWitness(state, 1n)));
	const timestampMs = slotTimeMs(state, 1n);
	const slot = { producer, timestampMs, expired: () => false, maxExecutionMs: 180, clock: () => 0 };
	open.chain.prepareBlock(slot);
	const numberOf = ({ idHex }: SignedTransaction): number => sent.findIndex((one) => one.idHex === idHex);
	expect(packed[0]?.transactions.map(numberOf)).toEqual([0, 1, 3, 4, 6]);
	expect(open.chain.pool.list().map(({ transaction }) => numberOf(transaction))).toEqual([2, 5]);
	// However long the first is, it has its block.
	open.chain.pool.giveBack([
		{ transaction: sent[0] as SignedTransaction, receivedMs: 0n, feeSun: 0n, tookMs: 999 },
	]);
	open.chain.prepareBlock(slot);
	expect(packed[1]?.transactions.map(numberOf)).toEqual([0]);
	await open.close();
});

test("a transaction that takes longer in a block than while pending counts as long as it takes there, then and for the next block", async () => {
	const open = await openSmall();
	produce(open);
	const { chain } = open;
	const sent = [1n, 2n, 3n, 4n].map((amount) => transfer(open, 0, users[1] as Uint8Array, amount));
	const at = ({ idHex }: SignedTransaction): number => sent.findIndex((one) => one.idHex === idHex);
	chain.pool.giveBack(sent.map((transaction) => ({ transaction, receivedMs: MAX_INT64, feeSun: 0n })));
	const packed: SignedBlock[] = [];
	chain.observe({ produced: (block) => packed.push(block) });
	const producer = producerWithKey(keyOfWitness(scheduledWitness(chain.state, 1n)));
	const slot = { producer, timestampMs: slotTimeMs(chain.state, 1n), expired: () => false };
	// Each look at the clock takes 100 ms; one of them is between the start and the end of a transaction.
	let now = 0;
	const block = chain.packBlock({ ...slot, maxExecutionMs: 220, clock: () => (now += 100) });
	expect(chain.pool.packed.map(({ transaction }) => at(transaction))).toEqual([0, 1]);
	block.giveBack();
	chain.executeWaiting(Number.POSITIVE_INFINITY);
	const pending = chain.pool.list();
	expect(pending.map(({ packingMs }) => packingMs)).toEqual([100, 100, 0, 0]);
	for (const entry of pending) Object.assign(entry, { tookMs: 1 });
	chain.prepareBlock({ ...slot, maxExecutionMs: 100, clock: () => now });
	expect(packed[0]?.transactions.map(at)).toEqual([0, 2, 3]);
	await open.close();
});

describe("a block of a producer with a post-quantum key", () => {
	const raw = () => BlockHeaderRaw.create({ number: 8n, parentHash: new Uint8Array(32).fill(5) });

	it("is signed in a field of its own", async () => {
		await loadPostQuantum();
		const keys = postQuantumAlgorithm(ML_DSA_44).keysOfSeed(new Uint8Array(32));
		const producer = producerWithPostQuantumKey(ML_DSA_44, keys);
		const block = sealBlock(raw(), [], producer);
		expect(block.header.witness_signature).toHaveLength(0);
		const entry = SignedBlock.decode(block.bytes).postQuantum;
		expect(entry && [entry.scheme, entry.public_key]).toEqual([ML_DSA_44.id, keys.publicKey]);
		expect(entry && isPostQuantumSignature(block.rawHash, entry)).toBe(true);
	});

	it("is not made while its scheme is off", async () => {
		const database = await StateDatabase.open(createMemoryDatabase());
		const seed = { genesisTimestampMs: 0n, maintenanceIntervalMs: 1n, committee: () => 0n };
		const state = createView(database.headBackend, seed);
		const producer = { postQuantum: { scheme: ML_DSA_44 } } as unknown as Producer;
		expect(() => checkProducer(state, producer)).toThrow("ML_DSA_44 is not allowed");
		state.properties.set("ALLOW_ML_DSA_44", 1n);
		expect(() => checkProducer(state, producer)).not.toThrow();
	});
});
