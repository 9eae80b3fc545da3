import { beforeEach, describe, expect, it } from "vitest";
import type { PeerConnection } from "../../../../src/node/network/connection.js";
import { Peer } from "../../../../src/node/network/peers/peer.js";
import { overdue } from "../../../../src/node/network/peers/peer-checks.js";
import { PeerWorld } from "../../../../src/node/network/peers/peer-world.js";
import { SyncRequester } from "../../../../src/node/network/peers/sync-requester.js";
import type { SignedBlock } from "../../../../src/protocol/block.js";
import { toKey } from "../../../../src/protocol/bytes.js";
import { ModelChain, makeBlock, modelNetwork, SLOT_MS } from "../../../simulation/model-chain.js";
import { modelSettings } from "../../../simulation/simulated-node.js";
import { SimulatedWorld } from "../../../simulation/world.js";

const HEAD = 60;
const ROUNDS = 16;

let world: SimulatedWorld;
let chain: ModelChain;
let peers: PeerWorld;
let requester: SyncRequester;
let peer: Peer;
let bannedMs: number | undefined;

beforeEach(() => {
	world = new SimulatedWorld();
	const network = modelNetwork(27, BigInt(world.now));
	chain = new ModelChain(network, network.witnesses);
	for (let i = 1; i <= HEAD; i++)
		chain.push(chain.produceFor(BigInt(world.now) + BigInt(i) * SLOT_MS) as SignedBlock);
	const environment = world.host("10.0.0.1").boot();
	const limits = { maxConnections: 30, minConnections: 8, minActiveConnections: 3 };
	const quiet = { debug: () => {}, info: () => {}, warn: () => {} };
	peers = new PeerWorld(environment, chain, modelSettings({ limits }), quiet, [], () => true);
	requester = new SyncRequester(peers, () => {});
	bannedMs = undefined;
	const connection = {
		remote: { host: "10.0.0.2", port: 18_888 },
		send: () => {},
		close: (ms?: number) => {
			bannedMs = ms;
		},
	} as unknown as PeerConnection;
	peer = new Peer(connection, chain.genesis, () => world.now);
	peers.add(peer);
	requester.start(peer);
});

/** A block that leaves the chain below its head, another one for each number of slots that it skips. */
function sideBlock(skipped: number): SignedBlock {
	const parent = chain.block(chain.idAt(BigInt(HEAD - 2)) as Uint8Array) as SignedBlock;
	return onTop(parent, BigInt(skipped + 1) * SLOT_MS);
}

function onTop(parent: SignedBlock, afterMs = SLOT_MS): SignedBlock {
	const timestampMs = parent.timestampMs + afterMs;
	return makeBlock({ parent, timestampMs, witness: chain.scheduled(timestampMs), transactions: [] });
}

/** The peer lists one block and delivers it when it is asked for. */
async function round(block: SignedBlock): Promise<void> {
	const common = { id: block.parentId, number: block.number - 1n };
	peer.summary = new Set([toKey(common.id)]);
	requester.receiveList(peer, { ids: [common, { id: block.id, number: block.number }], remain: 0n });
	await world.advance(1_000);
	if (peer.requested.size > 0) requester.receiveBlock(peer, block, block.bytes.length);
	await world.advance(1_000);
}

it("has to deliver the first block that it owes within five seconds: the others of its batch don't count", async () => {
	const blocks: SignedBlock[] = [];
	for (let parent = chain.headBlock; blocks.length < 5; parent = blocks.at(-1) as SignedBlock)
		blocks.push(onTop(parent));
	const common = chain.head;
	peer.summary = new Set([toKey(common.id)]);
	requester.receiveList(peer, {
		ids: [common, ...blocks.map(({ id, number }) => ({ id, number }))],
		remain: 0n,
	});
	await world.advance(1_000);
	const deliver = async (at: number): Promise<void> => {
		const block = blocks.at(at) as SignedBlock;
		requester.receiveBlock(peer, block, block.bytes.length);
		await world.advance(3_000);
	};
	await world.advance(3_000);
	await deliver(0);
	await deliver(1);
	expect(overdue(peer, peers.now())).toBeUndefined();
	await deliver(-1);
	expect(peer.requested.size).toBe(2);
	expect(overdue(peer, peers.now())).toBe("no block for 5 s");
});

describe("a peer whose lists lead to side branches", () => {
	it("is disconnected once they did so sixteen times in a row, and may come back", async () => {
		for (let i = 1; i <= ROUNDS; i++) await round(sideBlock(i));
		expect(peer.isLeaving).toBe(false);
		await round(sideBlock(ROUNDS + 1));
		expect(peer.localReason).toBe("FORKED");
		expect(bannedMs).toBe(60_000);
	});

	it("stays if one of them was longer in between", async () => {
		for (let i = 1; i < ROUNDS; i++) await round(sideBlock(i));
		const head = onTop(chain.headBlock);
		await round(head);
		expect(chain.head.number).toBe(BigInt(HEAD + 1));
		for (let i = ROUNDS; i < 2 * ROUNDS - 1; i++) await round(sideBlock(i));
		expect(peer.isLeaving).toBe(false);
	});

	it("stays if it has nothing new", async () => {
		const known = sideBlock(1);
		for (let i = 0; i < 3 * ROUNDS; i++) await round(known);
		expect(peer.isLeaving).toBe(false);
	});
});
