import { beforeEach, describe, expect, test } from "vitest";
import type { ContractInterface } from "../../../../../src/abi/parameter.js";
import { PROXY_SLOTS } from "../../../../../src/abi/proxy.js";
import { topicOf } from "../../../../../src/abi/selector.js";
import { rpcAnswersOf } from "../../../../../src/node/api/jsonrpc/answers.js";
import type { RpcValue } from "../../../../../src/node/api/jsonrpc/method.js";
import {
	type Subscriber,
	SubscriptionHub,
	type Topic,
} from "../../../../../src/node/api/jsonrpc/subscriptions/hub.js";
import type { InterfaceNode } from "../../../../../src/node/api/queries/stored-events.js";
import type { ChainObserver } from "../../../../../src/node/chain/observers.js";
import { stores } from "../../../../../src/node/state/definition.js";
import type { BlockChange } from "../../../../../src/node/state/state-database.js";
import { writeSlot } from "../../../../../src/node/vm/storage-keys.js";
import { VmError } from "../../../../../src/node/vm/vm-error.js";
import { wordFromBytes } from "../../../../../src/node/vm/word.js";
import { addressPrefix } from "../../../../../src/protocol/address.js";
import { fromHex, toHex, toKey } from "../../../../../src/protocol/bytes.js";
import {
	Account,
	SmartContract,
	SmartContractABI,
	SmartContractABIEntry,
	SmartContractABIEntryEntryType,
	SmartContractABIEntryParam,
	Transaction,
	type TriggerSmartContract,
} from "../../../../../src/protocol/messages.js";
import { SignedTransaction } from "../../../../../src/protocol/transaction.js";
import { address, type LogNumbers, SmallChain, topic } from "../small-chain.js";

type Notice = Readonly<Record<string, RpcValue>>;

let chain: SmallChain;
let hub: SubscriptionHub;
let observer: Required<Pick<ChainObserver, "committed" | "reorg" | "pending">>;
let syncing: RpcValue;
let sent: { readonly method: string; readonly subscription: string; readonly result: Notice }[];
let client: Subscriber;
let later: (() => void)[];
let sources: Map<string, ContractInterface>;
let beaconsAsked: number;
/** Its machine answers the call of the beacon `address(n)` with `address(n + 1)`; that of 8 reverts, that of 9 fails. */
let node: InterfaceNode;

const account = (n: number): Uint8Array => Buffer.concat([Uint8Array.of(addressPrefix()), address(n)]);

beforeEach(async () => {
	chain = await SmallChain.create();
	syncing = false;
	later = [];
	sources = new Map();
	beaconsAsked = 0;
	node = {
		config: { vm: { supportConstant: true } },
		isFork: false,
		sources: { itemsOf: (contract: Uint8Array) => sources.get(toKey(contract)) },
		forks: () => ({}),
		rules: {},
		machine: {
			call: (_: unknown, { parameter }: { readonly parameter: TriggerSmartContract }) => {
				beaconsAsked++;
				const [, n = 0] = parameter.contract_address;
				if (n === 9) throw new VmError(10, "Not enough energy", "OutOfEnergyException");
				return {
					energyUsed: 5n,
					reverted: n === 8,
					output: Buffer.concat([Buffer.alloc(12), address(n + 1)]),
				};
			},
		},
	} as unknown as InterfaceNode;
	hub = new SubscriptionHub({
		state: () => chain.state,
		style: rpcAnswersOf({ release: "4.8.2" }).objects,
		syncing: () => syncing,
		node,
		maxPerClient: 3,
		later: (work) => later.push(work),
	});
	observer = hub.observer as typeof observer;
	sent = [];
	client = hub.open({
		unsent: 0,
		send: (texts, ended) => {
			for (const text of texts) {
				const { method, params } = JSON.parse(text);
				sent.push({ method, ...params });
			}
			ended();
		},
		close: () => {},
	});
});

/** What an account is changed to by a block; undefined: it is deleted. */
type Changes = ReadonlyMap<Uint8Array, bigint | undefined>;

function changeOf(changes: Changes): BlockChange {
	const entries: BlockChange["entries"][number][] = [];
	const block: BlockChange = { number: 0n, entries };
	entries[stores.account.index] = [...changes].map(([key, balance]) => {
		const after = balance === undefined ? null : Account.create({ address: key, balance });
		const entry = { key: toKey(key), value: after, change: undefined };
		return { block, entry, before: null, after, older: undefined, newer: undefined };
	});
	return block;
}

function apply(
	number: bigint,
	transactions: readonly (readonly LogNumbers[])[] = [],
	{ solidified = 0n, salt = 0, accounts = new Map() as Changes } = {},
): string {
	const { block, infos } = chain.add(number, transactions, { solidified, salt });
	observer.committed({ block, infos, change: changeOf(accounts) });
	return `0x${block.idHex}`;
}

/** Does what was put off, and what comes of it; events are read in between. */
async function settle(): Promise<void> {
	for (let quiet = 0; quiet < 10; quiet++) {
		if (later.length > 0) quiet = 0;
		for (const work of later.splice(0)) work();
		await new Promise(setImmediate);
	}
}

/** The notifications since the last look. */
async function told(): Promise<Notice[]> {
	await settle();
	return sent.splice(0).map(({ result }) => result);
}

const subscribe = (topic: Topic): string => client.add("eth_subscription", topic);

test("new heads are told as headers, in the form of a notification", async () => {
	const subscription = subscribe({ kind: "heads" });
	const hash = apply(1n);
	await settle();
	expect(sent).toEqual([
		{ method: "eth_subscription", subscription, result: expect.objectContaining({ hash, number: "0x1" }) },
	]);
	expect(Object.keys(sent[0]?.result ?? {})).not.toContain("transactions");
});

test("a subscription that ended is told nothing, and can't end twice", async () => {
	const id = subscribe({ kind: "heads" });
	expect(client.remove(id)).toBe(true);
	expect(client.remove(id)).toBe(false);
	apply(1n);
	expect(await told()).toEqual([]);
});

test("a client that has gone is told nothing", async () => {
	subscribe({ kind: "heads" });
	client.close();
	apply(1n);
	expect(await told()).toEqual([]);
});

test("a client has only so many subscriptions, and all together name only so much", () => {
	for (let i = 0; i < 3; i++) subscribe({ kind: "heads" });
	expect(() => subscribe({ kind: "heads" })).toThrow("exceed max subscriptions of a connection: 3");
	const other = hub.open({ unsent: 0, send: () => {}, close: () => {} });
	const addresses = Array.from({ length: 200_001 }, () => address(1));
	const topicOf = { kind: "accounts", addresses } as const;
	expect(() => other.add("coin_subscription", topicOf)).toThrow("exceed max addresses and topics");
});

test("where all subscriptions are taken, a connection of who has most gives way to who has less than a part", () => {
	const large = new SubscriptionHub({
		state: () => chain.state,
		style: rpcAnswersOf({ release: "4.8.2" }).objects,
		syncing: () => syncing,
		node,
		maxPerClient: 20_000,
	});
	const closed: string[] = [];
	const open = (name: string, client: string): Subscriber =>
		large.open({ unsent: 0, send: () => {}, close: (reason) => closed.push(`${name}: ${reason}`) }, client);
	const [first, second] = [open("first", "greedy"), open("second", "greedy")];
	for (let i = 0; i < 10_000; i++)
		for (const one of [first, second]) one.add("eth_subscription", { kind: "heads" });
	expect(() => first.add("eth_subscription", { kind: "heads" })).toThrow("exceed max subscriptions: 20000");
	expect(closed).toEqual([]);
	open("honest", "honest").add("eth_subscription", { kind: "heads" });
	expect(closed).toEqual(["first: others wait for a subscription"]);
});

describe("logs", () => {
	const place = ({ blockNumber, logIndex, removed }: Notice): string =>
		`${removed === true ? "-" : ""}${blockNumber} ${logIndex}`;

	test("are told where they match", async () => {
		subscribe({ kind: "logs", conditions: { addresses: [address(1)], topics: [[topic(7)]] } });
		apply(1n, [
			[
				[1, 7],
				[2, 7],
			],
			[
				[1, 8],
				[1, 7],
			],
		]);
		expect((await told()).map(place)).toEqual(["0x1 0x0", "0x1 0x3"]);
	});

	test("of blocks that left the chain are told as removed", async () => {
		subscribe({ kind: "logs", conditions: { addresses: [], topics: [] } });
		const { block, infos } = chain.add(1n, [[[1]]]);
		observer.committed({ block, infos, change: changeOf(new Map()) });
		observer.reorg({ reverted: [{ block, infos }], committed: [] });
		apply(1n, [[[1], [1]]], { salt: 1 });
		expect((await told()).map(place)).toEqual(["0x1 0x0", "-0x1 0x0", "0x1 0x0", "0x1 0x1"]);
	});

	test("are told as events, with nulls where no interface is known", async () => {
		client.add("coin_subscription", { kind: "events", conditions: { addresses: [], topics: [] } });
		apply(1n, [[[1, 7]]]);
		await expect
			.poll(async () => {
				await settle();
				return sent.length;
			})
			.toBe(1);
		expect(await told()).toEqual([
			expect.objectContaining({ address: `0x${toHex(address(1))}`, event: null, args: null }),
		]);
	});
});

describe("events", () => {
	const paid = (name: string) => ({
		kind: "event" as const,
		name: "Paid",
		inputs: [{ name, type: "uint256", indexed: true }],
	});
	const PAID = topicOf(paid("sum"));
	const recorded = (name: string) =>
		SmartContractABI.create({
			entrys: [
				SmartContractABIEntry.create({
					type: SmartContractABIEntryEntryType.Event,
					name: "Paid",
					inputs: [SmartContractABIEntryParam.create({ name, type: "uint256", indexed: true })],
				}),
			],
		});
	const beaconProxy = (n: number, beacon: number): void => {
		const storing = { address: account(n), creationId: topic(n), version: 0 };
		chain.state.contract.put(
			account(n),
			SmartContract.create({ contract_address: account(n), trx_hash: storing.creationId }),
		);
		const slot = wordFromBytes(fromHex(PROXY_SLOTS.beacon.slice(2)));
		writeSlot(chain.state, storing, slot, Buffer.concat([Buffer.alloc(12), address(beacon)]));
		chain.state.contract.put(account(beacon), SmartContract.create({ contract_address: account(beacon) }));
		for (const each of [beacon, beacon + 1])
			chain.state.abi.put(account(each), recorded(each === beacon ? "beacon" : "behind"));
	};
	/** What a log of the contract 1 is told as. */
	const argsTold = async (): Promise<RpcValue | undefined> => {
		const { block, infos } = chain.add(1n, [[[1]]]);
		Object.assign(infos[0]?.log[0] ?? {}, { topics: [PAID, topic(0)] });
		const id = client.add("coin_subscription", { kind: "events", conditions: { addresses: [], topics: [] } });
		observer.committed({ block, infos, change: changeOf(new Map()) });
		await expect.poll(async () => settle().then(() => sent.length)).toBe(1);
		client.remove(id);
		return (await told())[0]?.["args"];
	};

	test("are read by stored sources before the chain's record", async () => {
		chain.state.abi.put(account(1), recorded("recorded"));
		expect(await argsTold()).toEqual({ recorded: "0" });
		sources.set(toKey(account(1)), [paid("stored")]);
		expect(await argsTold()).toEqual({ stored: "0" });
	});

	test("of a proxy are read by what is known of the contract behind it", async () => {
		chain.state.contract.put(account(1), SmartContract.create({ contract_address: account(1) }));
		chain.state.code.put(
			account(1),
			fromHex(`363d3d373d3d3d363d73${"02".repeat(20)}5af43d82803e903d91602b57fd5bf3`),
		);
		chain.state.abi.put(account(2), recorded("behind"));
		expect(await argsTold()).toEqual({ behind: "0" });
	});

	test.each([
		["answers", 4, { behind: "0" }],
		["refuses", 8, null],
		["fails", 9, null],
	])("of a proxy whose beacon %s", async (_, beacon, args) => {
		beaconProxy(1, beacon);
		expect(await argsTold()).toEqual(args);
	});

	test("of a block are read through twenty beacons, the others without what is behind those", async () => {
		const proxies = Array.from({ length: 25 }, (_, i) => 11 + i);
		for (const n of proxies) beaconProxy(n, 100 + n);
		const { block, infos } = chain.add(1n, [[...proxies, 11].map((n) => [n])]);
		for (const log of infos[0]?.log ?? []) Object.assign(log, { topics: [PAID, topic(0)] });
		client.add("coin_subscription", { kind: "events", conditions: { addresses: [], topics: [] } });
		observer.committed({ block, infos, change: changeOf(new Map()) });
		await expect.poll(async () => settle().then(() => sent.length)).toBe(26);
		const read = (await told()).map(({ args }) => args !== null);
		expect(read).toEqual([...proxies.map((n) => n < 31), true]);
		expect(beaconsAsked).toBe(20);
	});

	test("of a contract that a client names are read through its beacon, however many others come before it", async () => {
		const proxies = Array.from({ length: 25 }, (_, i) => 11 + i);
		for (const n of proxies) beaconProxy(n, 100 + n);
		const { block, infos } = chain.add(1n, [proxies.map((n) => [n])]);
		for (const log of infos[0]?.log ?? []) Object.assign(log, { topics: [PAID, topic(0)] });
		for (const addresses of [[], [address(35)]])
			client.add("coin_subscription", { kind: "events", conditions: { addresses, topics: [] } });
		observer.committed({ block, infos, change: changeOf(new Map()) });
		await expect.poll(async () => settle().then(() => sent.length)).toBe(26);
		const read = (await told()).map(({ args }) => args !== null);
		expect(read).toEqual([...proxies.map((n) => n < 31 || n === 35), true]);
	});
});

describe("accounts", () => {
	beforeEach(() => {
		client.add("coin_subscription", { kind: "accounts", addresses: [account(1), account(2)] });
	});
	const balances = (notices: readonly Notice[]): RpcValue[] =>
		notices.map(({ address: of, balance, exists }) => [of, balance, exists] as RpcValue);

	test("are told when a block changes them", async () => {
		apply(1n, [], {
			accounts: new Map([
				[account(1), 5n],
				[account(3), 6n],
			]),
		});
		expect(balances(await told())).toEqual([[`0x${toHex(address(1))}`, "0x5", true]]);
	});

	test("are told when they end", async () => {
		apply(1n, [], { accounts: new Map([[account(2), undefined]]) });
		expect(balances(await told())).toEqual([[`0x${toHex(address(2))}`, "0x0", false]]);
	});

	test("are all told as they are now after blocks left the chain", async () => {
		chain.state.account.put(account(2), Account.create({ address: account(2), balance: 9n }));
		observer.reorg({ reverted: [chain.add(1n)], committed: [] });
		apply(1n, [], { salt: 1 });
		expect(balances(await told())).toEqual([
			[`0x${toHex(address(1))}`, "0x0", false],
			[`0x${toHex(address(2))}`, "0x9", true],
		]);
		apply(2n);
		expect(await told()).toEqual([]);
	});
});

test("solid blocks are told once each, none left out", async () => {
	apply(1n);
	client.add("coin_subscription", { kind: "solidBlocks" });
	const [second, third] = [apply(2n), apply(3n)];
	apply(4n, [], { solidified: 3n });
	apply(5n, [], { solidified: 3n });
	expect((await told()).slice(-2)).toMatchObject([{ hash: second }, { hash: third }]);
});

test("transactions of the pool are told by their ids, or whole", async () => {
	subscribe({ kind: "pending", whole: false });
	subscribe({ kind: "pending", whole: true });
	const transaction = SignedTransaction.decode(Transaction.encode(Transaction.create({})));
	observer.pending(transaction, undefined as never);
	const hash = `0x${toHex(transaction.id)}`;
	expect(await told()).toMatchObject([hash, { hash, from: expect.any(String) }]);
});

test("the beginning and the end of syncing are told, not each block", async () => {
	subscribe({ kind: "syncing" });
	apply(1n);
	syncing = { currentBlock: "0x1" };
	apply(2n);
	syncing = { currentBlock: "0x2" };
	apply(3n);
	syncing = false;
	apply(4n);
	expect(await told()).toEqual([{ syncing: true, status: { currentBlock: "0x1" } }, false]);
});
