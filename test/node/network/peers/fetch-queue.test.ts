import { describe, expect, it } from "vitest";
import type { PeerConnection } from "../../../../src/node/network/connection.js";
import type { NetworkEnvironment } from "../../../../src/node/network/environment.js";
import type { LocalChain } from "../../../../src/node/network/local-chain.js";
import { Advertisement } from "../../../../src/node/network/peers/advertisement.js";
import { MAX_PENDING_BLOCKS } from "../../../../src/node/network/peers/limits.js";
import { Peer } from "../../../../src/node/network/peers/peer.js";
import { type PeerSettings, PeerWorld } from "../../../../src/node/network/peers/peer-world.js";
import {
	ApplicationType,
	decodeInventory,
	InventoryKind,
} from "../../../../src/node/network/wire/application-messages.js";
import type { Release } from "../../../../src/node/rules/release.js";
import { be64, toHex } from "../../../../src/protocol/bytes.js";

const NOW = 1_700_000_000_000;
const HEAD = 1000n;
const blockId = (number: bigint, seed = 0) => Buffer.concat([be64(number), Buffer.alloc(24, seed)]);
const itemId = (seed: number) => Buffer.alloc(32, seed);

/** An advertisement with peers that note what they are asked for. */
function newNode(count: number, release: Release = "4.8.2") {
	const time = { ms: NOW };
	const tasks: (() => void)[] = [];
	const environment = {
		now: () => time.ms,
		wallClock: () => time.ms,
		after: (_: number, task: () => void) => {
			tasks.push(task);
			return { cancel: () => {} };
		},
		every: () => ({ cancel: () => {} }),
		soon: (task: () => void) => tasks.push(task),
	} as unknown as NetworkEnvironment;
	const ref = (number: bigint) => ({ id: blockId(number), number });
	const chain = {
		head: ref(HEAD),
		solid: ref(HEAD - 18n),
		solidTimestampMs: BigInt(NOW) - 54_000n,
		queuedTransactions: 0,
		isPoolFull: false,
	} as unknown as LocalChain;
	const settings = {
		release,
		blockCacheTimeoutMs: 60_000,
		maxTransactionsPerSecond: 1000,
		maxBlocksPerSecond: 10,
	} as PeerSettings;
	const quiet = { debug: () => {}, info: () => {}, warn: () => {} };
	const world = new PeerWorld(environment, chain, settings, quiet, [], () => true);
	const peers = Array.from({ length: count }, () => {
		const asked: string[] = [];
		const connection = {
			remote: { host: "10.0.0.1", port: 18888 },
			backlog: 0,
			send: (type: number, payload: Uint8Array) => {
				if (type === ApplicationType.FETCH_INV_DATA) asked.push(...decodeInventory(payload).ids.map(toHex));
			},
		} as unknown as PeerConnection;
		const peer = new Peer(connection, ref(0n), world.now);
		peer.needSyncFromPeer = false;
		peer.needSyncFromUs = false;
		world.add(peer);
		return { peer, asked };
	});
	const advertisement = new Advertisement(world, () => false);
	const run = (ms: number) => {
		time.ms += ms;
		for (const task of tasks.splice(0)) task();
	};
	const blocks = (at: number, ids: readonly Uint8Array[]) =>
		advertisement.receiveInventory(peers[at]?.peer as Peer, { kind: InventoryKind.BLOCK, ids });
	const transactions = (at: number, ids: readonly Uint8Array[]) =>
		advertisement.receiveInventory(peers[at]?.peer as Peer, { kind: InventoryKind.TX, ids });
	return { world, peers, advertisement, run, blocks, transactions };
}

describe("announced blocks", () => {
	const owes = (peer: Peer | undefined) => peer?.asked.set("1owed", NOW);

	it("of one peer wait in tens, however many it announces", () => {
		const { peers, blocks } = newNode(1);
		owes(peers[0]?.peer);
		blocks(
			0,
			Array.from({ length: 90 }, (_, i) => blockId(HEAD + 1n, i + 1)),
		);
		expect(peers[0]?.peer.pendingBlocks).toBe(MAX_PENDING_BLOCKS);
	});

	it("beyond a hundred in ten seconds are not looked at", () => {
		const { peers, blocks, run } = newNode(1);
		blocks(0, [blockId(HEAD + 1n)]);
		run(30);
		blocks(
			0,
			Array.from({ length: 100 }, (_, i) => blockId(HEAD + 1n, i + 1)),
		);
		expect(peers[0]?.asked).toEqual([toHex(blockId(HEAD + 1n))]);
		run(10_000);
		blocks(0, [blockId(HEAD + 2n)]);
		expect(peers[0]?.peer.pendingBlocks).toBe(1);
	});

	it("have no such limit before release 4.8.2", () => {
		const { peers, blocks, run } = newNode(1, "4.8.1");
		blocks(
			0,
			Array.from({ length: 101 }, (_, i) => blockId(HEAD + 1n, i + 1)),
		);
		run(30);
		expect(peers[0]?.asked.length).toBeGreaterThan(0);
	});

	it("are asked for up to the height that the time since the last final block explains", () => {
		const { peers, blocks, run } = newNode(1);
		blocks(0, [blockId(HEAD + 101n), blockId(HEAD - 18n), blockId(2n ** 62n)]);
		expect(peers[0]?.asked).toEqual([]);
		run(3 * 200 * 1000);
		blocks(0, [blockId(HEAD + 101n, 2)]);
		expect(peers[0]?.asked).toEqual([toHex(blockId(HEAD + 101n, 2))]);
	});
});

describe("announced items", () => {
	it("are asked of the peers that offer them, in turn, each once", () => {
		const { peers, transactions, run } = newNode(2);
		const ids = [1, 2, 3, 4].map(itemId);
		transactions(0, ids);
		transactions(1, ids);
		run(30);
		expect(peers.map(({ asked }) => asked.length)).toEqual([2, 2]);
		expect(new Set(peers.flatMap(({ asked }) => asked)).size).toBe(4);
	});

	it("wait for a peer that owes nothing, and are forgotten after fifteen seconds", () => {
		const { peers, transactions, run } = newNode(1);
		peers[0]?.peer.asked.set("0owed", NOW);
		transactions(0, [itemId(1)]);
		run(14_000);
		expect(peers[0]?.asked).toEqual([]);
		run(1_001);
		peers[0]?.peer.asked.clear();
		run(30);
		expect(peers[0]?.asked).toEqual([]);
		transactions(0, [itemId(1)]);
		run(30);
		expect(peers[0]?.asked).toEqual([toHex(itemId(1))]);
	});

	it("that a peer owed when it left are asked of another that announced them", () => {
		const { world, peers, advertisement, transactions, run } = newNode(2);
		transactions(0, [itemId(1)]);
		run(30);
		transactions(1, [itemId(1)]);
		expect(peers[0]?.asked).toHaveLength(1);
		world.remove(peers[0]?.peer as Peer);
		advertisement.peerLeft(peers[0]?.peer as Peer);
		run(30);
		expect(peers[1]?.asked).toEqual([toHex(itemId(1))]);
	});

	it("are not asked of a second peer who was asked, too, or once they are there", () => {
		const { world, peers, advertisement, transactions, run } = newNode(3);
		for (const peer of [0, 1, 2]) transactions(peer, [itemId(1), itemId(2)]);
		run(30);
		const asked = peers.filter((each) => each.asked.length > 0);
		const [first] = asked;
		const other = peers.find((each) => each !== first);
		// Two were asked for the same item, as the watch over blocks does.
		for (const [key, since] of first?.peer.asked ?? []) other?.peer.asked.set(key, since);
		const before = peers.map((each) => each.asked.length);
		world.remove(first?.peer as Peer);
		advertisement.peerLeft(first?.peer as Peer);
		run(30);
		expect(peers.map((each) => each.asked.length)).toEqual(before);
	});
});
