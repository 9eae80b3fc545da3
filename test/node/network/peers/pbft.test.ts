import { beforeAll, describe, expect, it } from "vitest";
import { PbftCommits, Voting } from "../../../../src/node/network/peers/pbft.js";
import type { Peer } from "../../../../src/node/network/peers/peer.js";
import {
	ApplicationType,
	encodeDisconnect,
	PBFTCommitResult,
	PBFTMessage,
	PBFTMessageRaw,
	Reason,
} from "../../../../src/node/network/wire/application-messages.js";
import { producerWithKey } from "../../../../src/node/production/slot-producer.js";
import { installRecoverEngine } from "../../../../src/node/signatures/engine.js";
import { sha256 } from "../../../../src/protocol/hash.js";
import { SimulatedWorld } from "../../../simulation/world.js";
import { openSmall, produce, produceMany, smallConfig } from "../../chain/small-chain.js";
import { LinkedNode } from "./linked-nodes.js";

const PREPARE = 3;
const COMMIT = 4;
const SRL = 1;

const keyOf = (n: number): Uint8Array => {
	const key = Buffer.alloc(32);
	key.writeUInt32BE(n, 28);
	return key;
};
const witnesses = [1, 2, 3, 4, 5].map((n) => producerWithKey(keyOf(n)));

/** Nodes in a row, each with the keys of some witnesses. */
async function nodes(keys: readonly (readonly number[])[], quorum: number) {
	const config = smallConfig("allowPBFT = 1");
	const opens = await Promise.all(keys.map(() => openSmall({ config })));
	const [first] = opens as unknown as readonly [(typeof opens)[number]];
	for (const block of produceMany(first, 10))
		for (const open of opens.slice(1)) open.chain.push(block, "peer");
	const world = new SimulatedWorld({ startMs: Number(first.chain.head.timestampMs) + 1000 });
	const list = opens.map(
		(open, i) =>
			new LinkedNode(world, `10.0.0.${i + 1}`, open, {
				settings: { quorum },
				witnesses: (keys[i] as readonly number[]).map((at) => witnesses[at] as (typeof witnesses)[number]),
			}),
	);
	for (const [i, node] of list.slice(1).entries()) node.link(list[i] as LinkedNode);
	await world.advance(1000);
	return { world, list };
}

/** A block of the first node, passed on as its producer does. */
function mine({ open, application }: LinkedNode) {
	const stop = open.chain.observe({ produced: (block) => application.advertisement.broadcastBlock(block) });
	const block = produce(open);
	stop();
	return block;
}

beforeAll(async () => {
	installRecoverEngine();
});

describe("votes of witnesses", () => {
	it("confirm a block once enough of them have seen that enough agree, also over a node that has no vote", async () => {
		const { world, list } = await nodes([[0, 1], [], [2, 3]], 4);
		const block = mine(list[0] as LinkedNode);
		await world.advance(2000);
		for (const { chain, faults } of list) {
			expect(chain.confirmedNumber).toBe(block.number);
			const { data, signature } = PBFTCommitResult.decode(chain.commit(`BLOCK${block.number}`) as Uint8Array);
			expect(signature.length).toBe(4);
			const { view_n, msg_type, data: id } = PBFTMessageRaw.decode(data);
			expect([view_n, msg_type, Buffer.from(id).toString("hex")]).toEqual([
				block.number,
				COMMIT,
				block.idHex,
			]);
			expect(faults).toEqual([]);
		}
	});

	it("confirm nothing below the quorum", async () => {
		const { world, list } = await nodes([[0, 1], [], [2, 3]], 5);
		mine(list[0] as LinkedNode);
		await world.advance(2000);
		expect(list.map(({ chain }) => chain.confirmedNumber)).toEqual([0n, 0n, 0n]);
	});

	it("by an address that is not a witness end the connection; doubled and old ones are nothing", async () => {
		const { world, list } = await nodes([[], []], 4);
		const [a, b] = list as unknown as readonly [LinkedNode, LinkedNode];
		const say = (key: number, number: bigint): void => {
			const raw = PBFTMessageRaw.create({
				msg_type: PREPARE,
				view_n: number,
				epoch: a.chain.nextMaintenanceMs,
				data: a.chain.head.id,
			});
			const signature = producerWithKey(keyOf(key)).sign(sha256(PBFTMessageRaw.encode(raw)));
			const payload = PBFTMessage.encode(PBFTMessage.create({ raw_data: raw, signature }));
			for (const link of b.links) link.send(ApplicationType.PBFT_MSG, payload);
		};
		say(1, 10n);
		say(1, 10n);
		say(77, -20n);
		await world.advance(100);
		expect(a.links.size).toBe(1);
		say(77, 10n);
		await world.advance(100);
		expect(a.links.size).toBe(0);
		expect(a.said.at(-1)).toBe("P2P_DISCONNECT");
	});

	it("that make the quorum with another epoch change none of ours", async () => {
		const { world, list } = await nodes([[0], []], 2);
		const [a, b] = list as unknown as readonly [LinkedNode, LinkedNode];
		const epoch = a.chain.nextMaintenanceMs;
		const block = mine(a);
		const raw = PBFTMessageRaw.create({ msg_type: PREPARE, view_n: 11n, epoch: epoch + 1n, data: block.id });
		const signature = producerWithKey(keyOf(2)).sign(sha256(PBFTMessageRaw.encode(raw)));
		const payload = PBFTMessage.encode(PBFTMessage.create({ raw_data: raw, signature }));
		for (const link of b.links) link.send(ApplicationType.PBFT_MSG, payload);
		await world.advance(2000);
		const ours = a.sent
			.filter(({ type }) => type === ApplicationType.PBFT_MSG)
			.map((each) => PBFTMessage.decode(each.payload).raw_data);
		expect(ours.map((each) => [each?.msg_type, each?.epoch])).toEqual([
			[PREPARE, epoch],
			[COMMIT, epoch],
		]);
	});

	it("with a signature that is none are the peer's fault, not this program's", async () => {
		const { world, list } = await nodes([[], []], 4);
		const [a, b] = list as unknown as readonly [LinkedNode, LinkedNode];
		const raw = PBFTMessageRaw.create({ msg_type: PREPARE, view_n: 10n, epoch: a.chain.nextMaintenanceMs });
		const payload = PBFTMessage.encode(PBFTMessage.create({ raw_data: raw, signature: new Uint8Array(65) }));
		for (const link of b.links) link.send(ApplicationType.PBFT_MSG, payload);
		await world.advance(100);
		expect(a.links.size).toBe(0);
		expect(a.sent.at(-1)?.payload).toEqual(encodeDisconnect(Reason.BAD_PROTOCOL));
		expect(a.faults).toEqual([]);
	});

	it("are kept of no more blocks than may still be voted on, however fast blocks come", async () => {
		const { list } = await nodes([[], []], 4);
		const [a] = list as unknown as readonly [LinkedNode, LinkedNode];
		const voting = new Voting(a.application.world);
		a.chain.observe((block, inReorg) => voting.blockApplied(block, inReorg));
		const expire = a.application.world.settings.voteExpireBlocks;
		produceMany(a.open, expire + 1);
		expect(voting.roundCount).toBe(expire + 1);
		produceMany(a.open, 10);
		expect(voting.roundCount).toBe(expire + 1);
	});

	it("about cycles are kept of those alone that there can be, whatever a witness names", async () => {
		const { list } = await nodes([[], []], 4);
		const [a] = list as unknown as readonly [LinkedNode, LinkedNode];
		const voting = new Voting(a.application.world);
		const { nextMaintenanceMs: next, maintenanceIntervalMs: interval } = a.chain;
		const hear = (view_n: bigint, epoch: bigint): void => {
			const raw = PBFTMessageRaw.create({ msg_type: PREPARE, data_type: SRL, view_n, epoch });
			const signature = producerWithKey(keyOf(1)).sign(sha256(PBFTMessageRaw.encode(raw)));
			voting.receive({} as Peer, PBFTMessage.create({ raw_data: raw, signature }));
		};
		for (let i = 1n; i <= 20n; i++) {
			hear(next + i * interval, next);
			hear(next + i, next + i);
		}
		expect(voting.roundCount).toBe(0);
		for (let i = -5n; i <= 5n; i++) hear(next + i * interval, next + i * interval);
		expect(voting.roundCount).toBe(5);
	});

	it("go on while a peer only claims to be ahead", async () => {
		const { world, list } = await nodes([[0, 1, 2, 3], []], 4);
		const [a] = list as unknown as readonly [LinkedNode, LinkedNode];
		const [peer] = a.application.world.peers as [Peer];
		peer.needSyncFromPeer = true;
		expect(a.application.world.isSyncing).toBe(false);
		const block = mine(a);
		await world.advance(1000);
		expect(a.chain.confirmedNumber).toBe(block.number);
		peer.lastBlockMs = world.now;
		expect(a.application.world.isSyncing).toBe(true);
	});
});

describe("confirmations that come with the blocks of a list", () => {
	const commitOf = (view_n: bigint, signers: readonly number[], change: Partial<PBFTMessageRaw> = {}) => {
		const raw = PBFTMessageRaw.create({ msg_type: COMMIT, view_n, epoch: 1n, ...change });
		const data = PBFTMessageRaw.encode(raw);
		const signature = signers.map((n) => producerWithKey(keyOf(n)).sign(sha256(data)));
		return PBFTCommitResult.encode(PBFTCommitResult.create({ data, signature }));
	};

	it.each([
		["signed by enough witnesses are stored", [1, 2, 3, 4], 11n, true],
		["without a signature are not", [], 11n, false],
		["with the signature of a stranger are not", [1, 2, 3, 77], 11n, false],
		["with one witness several times are not", [1, 1, 1, 1], 11n, false],
		["about a block that the peer was not asked for are not", [1, 2, 3, 4], 12n, false],
	])("%s", async (_, signers, number, isStored) => {
		const { list } = await nodes([[], []], 4);
		const [a] = list as unknown as readonly [LinkedNode, LinkedNode];
		const [peer] = a.application.world.peers as [Peer];
		const commits = new PbftCommits(a.application.world);
		const block = produce(a.open);
		expect(block.number).toBe(11n);
		peer.requested.set("11", { block: { id: block.id, number: 11n }, sinceMs: 0 });
		commits.receive(peer, commitOf(number, signers));
		commits.afterBlock(block);
		expect(a.chain.commit("BLOCK11") !== undefined).toBe(isStored);
	});

	it("confirm a cycle also where its block is not confirmed", async () => {
		const { list } = await nodes([[], []], 4);
		const [a] = list as unknown as readonly [LinkedNode, LinkedNode];
		const [peer] = a.application.world.peers as [Peer];
		const commits = new PbftCommits(a.application.world);
		const block = produce(a.open);
		const interval = a.chain.maintenanceIntervalMs;
		const epoch = (block.timestampMs / interval + 1n) * interval;
		commits.receive(peer, commitOf(epoch, [1, 2, 3, 4], { data_type: SRL, epoch }));
		expect(a.chain.commit(`SRL${epoch}`)).toBeUndefined();
		commits.afterBlock(block);
		expect(a.chain.commit(`SRL${epoch}`)).toBeDefined();
	});

	it("are forgotten with their peer", async () => {
		const { list } = await nodes([[], []], 4);
		const [a] = list as unknown as readonly [LinkedNode, LinkedNode];
		const [peer] = a.application.world.peers as [Peer];
		const commits = new PbftCommits(a.application.world);
		const block = produce(a.open);
		peer.requested.set("11", { block: { id: block.id, number: 11n }, sinceMs: 0 });
		commits.receive(peer, commitOf(11n, [1, 2, 3, 4]));
		commits.peerLeft(peer);
		commits.afterBlock(block);
		expect(a.chain.commit("BLOCK11")).toBeUndefined();
	});
});
