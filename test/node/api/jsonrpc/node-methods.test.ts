/** What a node answers about itself while it has peers and keys. */

import { beforeAll, describe, expect, test } from "vitest";
import type { RpcContext, RpcResult } from "../../../../src/node/api/jsonrpc/method.js";
import { methodsByName } from "../../../../src/node/api/jsonrpc/method-table.js";
import type { StateView } from "../../../../src/node/state/view.js";
import { concatBytes } from "../../../../src/protocol/bytes.js";
import { Witness } from "../../../../src/protocol/messages.js";
import { SmallChain } from "./small-chain.js";

const OWN = [0x11, 0x22, 0x33].map((byte) => Buffer.from([0x41, ...Buffer.alloc(20, byte)]));
const HEAD_MS = 30_000;

let state: StateView;

beforeAll(async () => {
	const chain = await SmallChain.create();
	chain.add(10n);
	state = chain.state;
	state.properties.set("latest_block_header_timestamp", BigInt(HEAD_MS));
	for (const address of OWN.slice(1)) state.witness.put(address, Witness.create({ address }));
	state.witnessSchedule.put(Buffer.from("active_witnesses"), concatBytes(OWN[2] as Uint8Array));
});

interface Situation {
	readonly nowMs?: number;
	/** Whether each peer was connected by this node. */
	readonly peers?: readonly boolean[];
	readonly keys?: readonly Uint8Array[];
}

function ask(method: string, { nowMs = HEAD_MS, peers = [], keys = [] }: Situation): RpcResult {
	const context = {
		server: "full",
		state,
		node: {
			nowMs: () => nowMs,
			view: () => state,
			oldestRevertible: 4n,
			network: { peers: () => peers.map((outgoing) => ({ outgoing })) },
		},
		producerAddresses: () => keys,
	} as unknown as RpcContext;
	return methodsByName("4.8.2").get(method)?.call(context, []) as RpcResult;
}

describe("a node with peers", () => {
	test.each<[number, string]>([
		[HEAD_MS - 60_000, "0xa"],
		[HEAD_MS + 2_999, "0xa"],
		[HEAD_MS + 9_000, "0xd"],
	])("at %s ms expects the highest block to be %s", (nowMs, highestBlock) => {
		expect(ask("eth_syncing", { nowMs, peers: [false] })).toEqual({
			startingBlock: "0x4",
			currentBlock: "0xa",
			highestBlock,
		});
	});

	test("counts all of them and listens to those it chose", () => {
		expect(ask("net_peerCount", { peers: [false, false] })).toBe("0x2");
		expect(ask("net_listening", { peers: [false, false] })).toBe(false);
		expect(ask("net_listening", { peers: [false, true] })).toBe(true);
	});
});

describe("a node with keys", () => {
	test("names the first one that belongs to a super representative", () => {
		expect(ask("eth_coinbase", { keys: OWN })).toBe(`0x41${"22".repeat(20)}`);
		expect(() => ask("eth_coinbase", { keys: OWN.slice(0, 1) })).toThrow(
			"etherbase must be explicitly specified",
		);
	});

	test("produces while one of them is active", () => {
		expect(ask("eth_mining", { keys: OWN.slice(0, 2) })).toBe(false);
		expect(ask("eth_mining", { keys: OWN })).toBe(true);
	});
});
