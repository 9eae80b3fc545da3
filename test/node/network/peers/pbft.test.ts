import { beforeAll, describe, expect, it } from "vitest";
import {
	ApplicationType,
	PBFTCommitResult,
	PBFTMessage,
	PBFTMessageRaw,
} from "../../../../src/node/network/wire/application-messages.js";
import { producerWithKey } from "../../../../src/node/production/witness-keys.js";
import { installRecoverEngine } from "../../../../src/node/signatures/engine.js";
import { sha256 } from "../../../../src/protocol/hash.js";
import { SimulatedWorld } from "../../../simulation/world.js";
import { openSmall, produce, produceMany, smallConfig } from "../../chain/small-chain.js";
import { LinkedNode } from "./linked-nodes.js";

const PREPARE = 3;
const COMMIT = 4;

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
	const stop = open.chain.observe({
		timed: (step, block) => {
			if (step === "packed") application.advertisement.broadcastBlock(block);
		},
	});
	const block = produce(open);
	stop();
	return block;
}

beforeAll(async () => {
	await installRecoverEngine();
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

	it("of somebody who is no witness end the connection; doubled and old ones are nothing", async () => {
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
});
