/** Entries of the state as they are stored, asked for over JSON-RPC at each block. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OpenChain } from "../../../../src/node/chain/open-chain.js";
import { type RunningNode, startNode } from "../../../../src/node/node.js";
import { storeDefinitions, stores } from "../../../../src/node/state/definition.js";
import { fromKey, toHex, toKey } from "../../../../src/protocol/bytes.js";
import { Account, DelegatedResourceAccountIndex } from "../../../../src/protocol/messages.js";
import { produce, smallConfig, transfer, users } from "../../chain/small-chain.js";

const SERVERS = `node {
	http { fullNodeEnable = false, solidityEnable = false, PBFTEnable = false }
	rpc { enable = false, solidityEnable = false, PBFTEnable = false }
	jsonrpc { httpFullNodeEnable = true, httpFullNodePort = 0 }
}`;
const HEIGHT = 40;

/** Names of stores with the keys and values of their entries. */
type Recorded = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What tells its own block, or is an index that no rule reads. */
const OTHER =
	/^(block|block-index|trans|transactionRetStore|recent-block|section-bloom|balance-trace|account-trace)$/;

async function recorded(open: OpenChain): Promise<Recorded> {
	const all = new Map<string, Map<string, string>>();
	for (const store of storeDefinitions.filter(({ name }) => !OTHER.test(name))) {
		const entries = new Map<string, string>();
		for await (const [key, value] of open.database.dump(store))
			entries.set(`0x${toHex(fromKey(key))}`, `0x${toHex(value)}`);
		all.set(store.name, entries);
	}
	return all;
}

const start = (more: string): Promise<RunningNode> =>
	startNode({
		config: smallConfig("", `${SERVERS}\n${more}`),
		dataDirectory: undefined,
		producers: [],
		host: "127.0.0.1",
		limitTime: false,
		log: { info: () => {}, warn: () => {}, error: () => {} },
		clock: () => 1_700_000_000_000n,
	});

interface Answer {
	readonly result?: {
		readonly block: { readonly number: number; readonly id: string };
		readonly values: readonly (string | null)[];
		readonly keys: readonly string[];
		readonly next: string | null;
		readonly [member: string]: unknown;
	};
	readonly error?: { readonly code: number; readonly message: string };
}

async function ask(node: RunningNode, method: string, ...params: unknown[]): Promise<Answer> {
	const answer = await fetch(`http://127.0.0.1:${node.ports.jsonrpc}/jsonrpc`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
	});
	return (await answer.json()) as Answer;
}

const refusal = async (node: RunningNode, method: string, ...params: unknown[]): Promise<string> =>
	(await ask(node, method, ...params)).error?.message ?? "none";

const accountKey = `0x${toHex(users[0] as Uint8Array)}`;

describe("with history", () => {
	let node: RunningNode;
	const states: Recorded[] = [];

	beforeAll(async () => {
		node = await start("node.history.state = all\nnode.jsonrpc.state = true");
		states.push(await recorded(node.open));
		for (let height = 1; height <= HEIGHT; height++) {
			if (height % 3 === 0)
				node.open.chain.pushTransaction(transfer(node.open, 0, users[1] as Uint8Array, BigInt(height)));
			produce(node.open);
			states.push(await recorded(node.open));
		}
	});
	afterAll(() => node.close());

	test("every entry of every block is given as it was", async () => {
		const keys = new Map<string, Set<string>>();
		for (const state of states)
			for (const [store, entries] of state)
				keys.set(store, new Set([...(keys.get(store) ?? []), ...entries.keys()]));
		const wanted = [...keys].flatMap(([store, all]) => [...all].map((key) => [store, key] as const));
		expect(wanted.length).toBeGreaterThan(100);
		for (const [height, state] of states.entries()) {
			const { result } = await ask(node, "coin_getState", wanted, height);
			expect(result?.block.number).toBe(height);
			expect(result?.values).toEqual(wanted.map(([store, key]) => state.get(store)?.get(key) ?? null));
		}
	});

	test("the keys of ordered stores are those of the block, page by page", async () => {
		for (const store of ["witness", "votes", "proposal"]) {
			const { result } = await ask(node, "coin_getStateKeys", store, null, 5);
			expect(result?.keys).toEqual([...(states[5]?.get(store)?.keys() ?? [])]);
			expect(result?.next).toBeNull();
		}
		const whole = { prefix: accountKey };
		expect((await ask(node, "coin_getStateKeys", "account", null, 7, whole)).result?.keys).toEqual([
			accountKey,
		]);
		const short = { prefix: "0x41" };
		expect(await refusal(node, "coin_getStateKeys", "account", null, 7, short)).toContain("at least 21");
		const { result } = await ask(node, "coin_getStateKeys", "witness");
		const [first, ...later] = result?.keys ?? [];
		expect((await ask(node, "coin_getStateKeys", "witness", first)).result?.keys).toEqual(later);
	});

	test("the delegations of one account are listed by the begin of their keys", async () => {
		const { name } = stores.delegatedResourceAccountIndex;
		const giver = toKey(Uint8Array.of(3, ...(users[0] as Uint8Array)));
		const keys = [1, 2].map((n) => giver + toKey(users[n] as Uint8Array)).sort();
		for (const key of keys)
			node.open.database.baseBackend.put(
				stores.delegatedResourceAccountIndex,
				key,
				new DelegatedResourceAccountIndex(),
			);
		const hex = (key: string): string => `0x${toHex(fromKey(key))}`;
		const options = { prefix: hex(giver) };
		const { result } = await ask(node, "coin_getStateKeys", name, null, "latest", options);
		expect(result).toMatchObject({ keys: keys.map(hex), next: null });
	});

	test("values and keys may be base64", async () => {
		const key = Buffer.from(users[0] as Uint8Array).toString("base64");
		const options = { encoding: "base64" };
		const { result } = await ask(node, "coin_getState", [["account", key]], "latest", options);
		const account = Account.decode(Buffer.from(result?.values[0] ?? "", "base64"));
		expect(account.balance).toBe(node.open.chain.state.account.get(users[0] as Uint8Array)?.balance);
	});

	test("blocks, their index and transactions are entries too, none of later ones", async () => {
		const id = node.open.chain.blockByNumber(9n)?.id as Uint8Array;
		const index = ["block-index", "0x0000000000000009"];
		const wanted = [index, ["block", `0x${toHex(id)}`]];
		expect((await ask(node, "coin_getState", wanted, 8)).result?.values).toEqual([null, null]);
		const { result } = await ask(node, "coin_getState", wanted, 9);
		expect(result?.values[0]).toBe(`0x${toHex(id)}`);
		expect(result?.values[1]).toBe(`0x${toHex(node.open.chain.blockById(id)?.bytes as Uint8Array)}`);
	});

	test("what waits is not part of any block's state", async () => {
		const before = await ask(node, "coin_getState", [["account", accountKey]]);
		node.open.chain.pushTransaction(transfer(node.open, 0, users[1] as Uint8Array, 77n));
		expect(await ask(node, "coin_getState", [["account", accountKey]])).toEqual(before);
	});

	test("an answer that would be too long is cut after the entry that fills it", async () => {
		const address = Buffer.concat([Uint8Array.of(0x41), Buffer.alloc(20, 7)]);
		node.open.database.baseBackend.put(stores.code, toKey(address), new Uint8Array(9 << 20));
		const entry = ["code", `0x${toHex(address)}`];
		const { result } = await ask(node, "coin_getState", [entry, entry, entry]);
		expect(result?.values.map((value) => value?.length)).toEqual([2 + 2 * (9 << 20)]);
	});

	test("what is wrong is refused with a sentence", async () => {
		const entries = [["account", accountKey]];
		expect(await refusal(node, "coin_getState", entries, 9_999)).toBe("there is no block 9999");
		expect(await refusal(node, "coin_getState", entries, "0x")).toContain("block is neither a number");
		expect(await refusal(node, "coin_getState", [["nowhere", "0x"]])).toBe('there is no store "nowhere"');
		expect(await refusal(node, "coin_getState", [["account", "xyz"]])).toContain("hexadecimal");
		expect(await refusal(node, "coin_getState", "account")).toContain("list of [store, key]");
		const many = Array.from({ length: 1_001 }, () => entries[0]);
		expect(await refusal(node, "coin_getState", many)).toBe("1001 entries are more than 1000");
		const long = [["account", `0x${"00".repeat(2_000)}`]];
		expect(await refusal(node, "coin_getState", long)).toContain("at most 1024 bytes");
		expect(await refusal(node, "coin_getStateKeys", "account")).toContain("are not listed");
		expect(await refusal(node, "coin_getState", entries, 1, { encoding: "utf8" })).toContain("hex or base64");
	});

	test("the facts of the chain are those that rules stand on", async () => {
		const { result } = await ask(node, "coin_getStateInfo", 3);
		expect(result).toMatchObject({
			block: { number: 3, id: node.open.chain.blockByNumber(3n)?.idHex },
			history: { isKept: true, first: 0 },
			chain: {
				genesisId: node.genesisId,
				genesisTimestampMs: String(node.open.rules.genesisTimestampMs),
				maintenanceIntervalMs: "600000",
				committee: { allowCreationOfContracts: "1" },
			},
		});
	});
});

describe("without history", () => {
	let node: RunningNode;

	beforeAll(async () => {
		node = await start("node.jsonrpc.state = true");
		for (let height = 1; height <= HEIGHT; height++) produce(node.open);
	});
	afterAll(() => node.close());

	test("the blocks that can be undone are known, older ones refused", async () => {
		const entries = [["account", accountKey]];
		const solid = Number(node.open.database.finalizedNumber);
		expect(solid).toBeGreaterThan(1);
		for (const height of [HEIGHT, solid])
			expect((await ask(node, "coin_getState", entries, height)).result?.block.number).toBe(height);
		expect(await refusal(node, "coin_getState", entries, solid - 1)).toContain("begins with block");
	});
});

test("a node of a network gives none of it unless it is told to", async () => {
	const node = await start("");
	try {
		const { result } = await ask(node, "rpc.discover");
		for (const method of ["coin_getState", "coin_getStateKeys", "coin_getStateInfo"]) {
			expect(await refusal(node, method, [])).toBe("method not found");
			expect(JSON.stringify(result)).not.toContain(`"${method}"`);
		}
	} finally {
		await node.close();
	}
});
