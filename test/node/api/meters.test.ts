import { expect, it } from "vitest";
import type { ApiContext } from "../../../src/node/api/context.js";
import { DoubleSigners, NO_METERS } from "../../../src/node/api/meters.js";
import { statsInfoFacts } from "../../../src/node/api/queries/network.js";
import { nodeInfoFacts } from "../../../src/node/api/queries/node-info.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import type { NodeCore } from "../../../src/node/node-core.js";
import { api } from "../../../src/node/node-services.js";
import { toHex } from "../../../src/protocol/bytes.js";
import {
	forge,
	keyOfWitness,
	openSmall,
	produce,
	smallConfig,
	transfer,
	users,
} from "../chain/small-chain.js";

const signedBy = (witness: number, number: bigint, idHex: string) => ({
	witness: Uint8Array.of(0x41, witness),
	number,
	idHex,
});

it("a witness is found that signs several blocks of one number", () => {
	let nowMs = 5n;
	const signers = new DoubleSigners(() => nowMs);
	for (const block of [
		signedBy(1, 7n, "a"),
		signedBy(2, 7n, "b"),
		signedBy(1, 8n, "c"),
		signedBy(1, 8n, "c"),
	])
		signers.accepted(block);
	expect(signers.list).toEqual([]);
	signers.accepted(signedBy(1, 7n, "d"));
	nowMs++;
	signers.accepted(signedBy(1, 8n, "e"));
	signers.accepted(signedBy(2, 7n, "f"));
	expect(signers.list).toEqual([
		{ witness: "4101", times: 2, timeMs: 6n, block: 8n, ids: ["c", "e"] },
		{ witness: "4102", times: 1, timeMs: 6n, block: 7n, ids: ["b", "f"] },
	]);
});

it("blocks of one number beyond eight aren't kept", () => {
	const signers = new DoubleSigners(() => 0n);
	for (let i = 0; i < 20; i++) signers.accepted(signedBy(1, 7n, String(i)));
	expect(signers.list).toMatchObject([{ times: 7, ids: ["0", "1", "2", "3", "4", "5", "6", "7"] }]);
});

/** What servers show of a node that has a chain, and what else is given. */
async function shownBy(open: OpenChain, parts: object = {}, more: object = {}) {
	const options = { config: smallConfig(), producers: [], ...more };
	const core = { open, options, clock: () => 9n, monotonicClock: () => 0, parts } as unknown as NodeCore;
	const { stop } = await api.start(core);
	const context = { node: core.parts.api?.node, state: open.chain.state } as unknown as ApiContext;
	return {
		stop,
		cheats: () => nodeInfoFacts(context)["cheatWitnessInfoMap"],
		twins: () => (statsInfoFacts(context)["blockchain"] as { dupWitness: unknown }).dupWitness,
		host: () => (statsInfoFacts(context)["node"] as { ip: unknown }).ip,
	};
}

it("getnodeinfo shows such a witness of a network's chain, and getstatsinfo where the node counts", async () => {
	const open = await openSmall();
	const parent = produce(open);
	const plain = await shownBy(open);
	const counting = await shownBy(open, { metrics: { meters: () => NO_METERS } });
	const development = await shownBy(open, {}, { development: { producer: {} } });
	const pay = (amount: bigint) => transfer(open, 0, users[1] as Uint8Array, amount);
	const payments = [pay(1n), pay(2n)];
	const first = produce(open);
	const { timestampMs, witness } = first;
	const own = { key: keyOfWitness(witness), witness, transactions: payments };
	const second = forge(parent, timestampMs, own);
	expect(open.chain.push(second, "peer").kind).toBe("branch");
	const named = [first, second].map(({ idHex }) => `Num:2,ID:${idHex}`).join(", ");
	const shown = {
		[toHex(witness)]: `{times=1, time=9, latestBlockNum=2, blockCapsuleSet=[${named}]}`,
	};
	expect([plain, counting, development].map(({ cheats }) => cheats())).toEqual([shown, shown, {}]);
	const twin = { address: toHex(witness), blockNum: 2n, count: 1 };
	expect([plain, counting].map(({ twins }) => twins())).toEqual([[], [twin]]);
	await plain.stop?.();
	open.chain.push(forge(parent, timestampMs, { ...own, transactions: payments.slice(1) }), "peer");
	expect(counting.twins()).toEqual([{ ...twin, count: 2 }]);
	expect(plain.cheats()).toEqual(shown);
	await open.close();
});

it("getstatsinfo names the node's address where it has a peer network", async () => {
	const open = await openSmall();
	expect((await shownBy(open)).host()).toBe("");
	const peers = { ownHost: "10.0.0.1", chain: { confirmedNumber: 0n }, isMaster: true };
	expect((await shownBy(open, { peers })).host()).toBe("10.0.0.1");
	await open.close();
});
