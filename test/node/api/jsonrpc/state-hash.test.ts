/** The hash of the state over JSON-RPC, and two nodes that are compared by it. */

import { afterEach, expect, test } from "vitest";
import { type RunningNode, startNode } from "../../../../src/node/node.js";
import { storeDefinitions } from "../../../../src/node/state/definition.js";
import { StateHash } from "../../../../src/node/state/state-hash/state-hash.js";
import { kindOf } from "../../../../src/node/state/store-kinds.js";
import { fromKey, toHex } from "../../../../src/protocol/bytes.js";
import { nodeSettings } from "../../../../src/wallet/configuration/settings.js";
import { callJsonRpc } from "../../../../src/wallet/node/json-rpc.js";
import { NodeClient } from "../../../../src/wallet/node/node-client.js";
import { compareStates, fetchStateHash } from "../../../../src/wallet/node/state-compare.js";
import { produce, smallConfig, transfer, users } from "../../chain/small-chain.js";

const SERVERS = `node {
	http { fullNodeEnable = false, solidityEnable = false, PBFTEnable = false }
	rpc { enable = false, solidityEnable = false, PBFTEnable = false }
	jsonrpc { httpFullNodeEnable = true, httpFullNodePort = 0 }
}`;
const BLOCKS = 30;
const client = new NodeClient(nodeSettings({ node: "http://127.0.0.1:1" }));

const running: RunningNode[] = [];
afterEach(async () => {
	await Promise.all(running.splice(0).map((node) => node.close()));
});

async function start(isOn: boolean): Promise<{ readonly node: RunningNode; readonly url: string }> {
	const node = await startNode({
		config: smallConfig("", `${SERVERS}\nnode.state.hash = ${isOn}`),
		dataDirectory: undefined,
		producers: [],
		host: "127.0.0.1",
		limitTime: false,
		log: { info: () => {}, warn: () => {}, error: () => {} },
		clock: () => 1_700_000_000_000n,
	});
	running.push(node);
	return { node, url: `http://127.0.0.1:${node.ports.jsonrpc}/jsonrpc` };
}

/** The hash of all that the state holds, anew. */
async function hashOf({ open }: RunningNode): Promise<string> {
	const hash = new StateHash();
	for (const store of storeDefinitions) {
		if (kindOf(store.name) !== "state") continue;
		for await (const [key, value] of open.database.dump(store)) hash.add(store.name, fromKey(key), value);
	}
	return toHex(hash.value().hash);
}

/** Makes blocks, of which one pays an amount. */
function makeBlocks({ open }: RunningNode, count: number, paysAt: number, amount: bigint): void {
	for (let at = 1; at <= count; at++) {
		if (at === paysAt) open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, amount));
		produce(open);
	}
}

test("is given after every final block, and says where there is none", async () => {
	const { node, url } = await start(true);
	const genesis = await hashOf(node);
	expect(await fetchStateHash(client, url)).toMatchObject({ block: 0, hash: genesis });
	makeBlocks(node, BLOCKS, 3, 5n);
	const final = Number(node.open.database.finalizedNumber);
	expect(final).toBeGreaterThan(10);
	const newest = await fetchStateHash(client, url);
	expect(newest.block).toBe(final);
	expect([...newest.stores.keys()]).toContain("account");
	const all = await Promise.all(
		Array.from({ length: final + 1 }, (_, block) => fetchStateHash(client, url, block)),
	);
	expect(new Set(all.map(({ hash }) => hash)).size).toBe(final + 1);
	await expect(fetchStateHash(client, url, BLOCKS)).rejects.toThrow(`the newest is ${final}`);
	await expect(callJsonRpc(client, "coin_getStateHash", ["latest"], url)).rejects.toThrow("is a number");
	const off = await start(false);
	await expect(fetchStateHash(client, off.url)).rejects.toThrow("node.state.hash is off");
});

test("tells two nodes apart, by the first block and the stores in which they differ", async () => {
	const [one, same, other] = [await start(true), await start(true), await start(true)];
	makeBlocks(one.node, BLOCKS, 7, 5n);
	makeBlocks(same.node, BLOCKS - 2, 7, 5n);
	makeBlocks(other.node, BLOCKS, 7, 6n);
	const final = Number(other.node.open.database.finalizedNumber);
	expect(await compareStates(client, [one.url, same.url])).toMatchObject({ block: final - 2, equal: true });
	expect(await compareStates(client, [one.url, other.url])).toMatchObject({
		block: final,
		equal: false,
		stores: expect.arrayContaining(["account"]),
		firstDifference: 7,
	});
});
