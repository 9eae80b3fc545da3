import { afterEach, beforeEach, expect, test } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { activeWitnesses } from "../../../src/node/consensus/slots.js";
import { NodeChain } from "../../../src/node/network/node-chain.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { FreezeBalanceContract, Vote, VoteWitnessContract } from "../../../src/protocol/messages.js";
import { openSmall, produce, produceMany, signed, users } from "../chain/small-chain.js";

let open: OpenChain;
let peer: OpenChain;
let chain: NodeChain;
beforeEach(async () => {
	[open, peer] = [await openSmall(), await openSmall()];
	for (const block of produceMany(open, 2)) peer.chain.push(SignedBlock.decode(block.bytes), "peer");
	chain = new NodeChain({ open, pool: undefined, report: () => {} });
});
afterEach(async () => {
	chain.close();
	for (const each of [open, peer]) await each.close();
});

/** A slot that is past the next maintenance. */
const NEXT_CYCLE = 201n;
const active = ({ chain: { state } }: OpenChain): readonly string[] => activeWitnesses(state).map(toHex);
const former = (): readonly string[] => chain.formerWitnesses.map(toHex);

/** Lets the witness with the fewest votes lead the next list. */
function voteForLast(at = open): void {
	const owner_address = users[0] as Uint8Array;
	const last = activeWitnesses(at.chain.state).at(-1) as Uint8Array;
	for (const [type, message] of [
		[
			"FreezeBalanceContract",
			FreezeBalanceContract.create({ owner_address, frozen_balance: 100_000_000_000n, frozen_duration: 3n }),
		],
		[
			"VoteWitnessContract",
			VoteWitnessContract.create({
				owner_address,
				votes: [Vote.create({ vote_address: last, vote_count: 90_000n })],
			}),
		],
	] as const) {
		at.chain.pushTransaction(signed(at, 0, type, message));
	}
}

function offer(blocks: readonly SignedBlock[]): void {
	for (const block of blocks) open.chain.push(SignedBlock.decode(block.bytes), "peer");
}

test("before the first maintenance that it sees, the former witnesses are those of now", () => {
	expect(former()).toEqual(active(open));
});

test("after a maintenance the former witnesses are those before it, on whichever branch", () => {
	const first = active(open);
	voteForLast();
	produce(open);
	produce(open, NEXT_CYCLE);
	const left = active(open);
	expect(left).not.toEqual(first);
	expect(former()).toEqual(first);

	// The other branch ends its cycle at the same time, without those votes.
	offer([produce(peer), produce(peer, NEXT_CYCLE), ...produceMany(peer, 2)]);
	expect(open.chain.head.idHex).toBe(peer.chain.head.idHex);
	expect(open.chain.state.properties.get("NEXT_MAINTENANCE_TIME")).toBe(
		peer.chain.state.properties.get("NEXT_MAINTENANCE_TIME"),
	);
	expect(former()).toEqual(first);

	const taken = active(peer);
	expect(taken).not.toEqual(left);
	offer([produce(peer, NEXT_CYCLE)]);
	expect(former()).toEqual(taken);
});

test("a branch that leads back over a maintenance has the former witnesses of its own cycle", () => {
	const first = active(open);
	for (const block of [produce(open, NEXT_CYCLE)]) peer.chain.push(SignedBlock.decode(block.bytes), "peer");
	voteForLast();
	produce(open);
	const second = active(open);
	produce(open, NEXT_CYCLE);
	expect(active(open)).not.toEqual(second);
	expect(former()).toEqual(second);

	offer(produceMany(peer, 3));
	expect(open.chain.head.idHex).toBe(peer.chain.head.idHex);
	expect(former()).toEqual(first);
});

test("a branch that goes through two maintenances at once has the former witnesses between them", () => {
	produceMany(open, 3);
	voteForLast(peer);
	const blocks = [produce(peer), produce(peer, NEXT_CYCLE)];
	const between = active(peer);
	expect(between).not.toEqual(active(open));
	offer([...blocks, produce(peer, NEXT_CYCLE), produce(peer)]);
	expect(open.chain.head.idHex).toBe(peer.chain.head.idHex);
	expect(former()).toEqual(between);
});
