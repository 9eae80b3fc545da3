/** Super representatives and candidates (protocol/http-endpoints §3.4). */

import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { type Witness, WitnessList } from "../../protocol/messages.js";
import { messageFrom } from "../node/answer.js";
import type { NodeClient, NodeView } from "../node/node-client.js";

export interface WitnessView {
	/** Position by votes, from 1. */
	readonly rank: number;
	readonly address: string;
	readonly votes: bigint;
	/** Whether it produces blocks in this cycle. */
	readonly current: boolean;
	readonly produced: bigint;
	readonly missed: bigint;
	/** Share of its rewards that it keeps, in percent. */
	readonly brokerage: number;
	readonly url: string;
}

/** A witness with its rank. */
interface RankedWitness {
	readonly rank: number;
	readonly witness: Readonly<Witness>;
}

/** All witnesses, most votes first; ties in the network's order, the higher address first (protocol/consensus §1.3). */
export async function rankedWitnesses(client: NodeClient, view: NodeView): Promise<RankedWitness[]> {
	const { witnesses } = messageFrom(WitnessList, await client.call("listwitnesses", {}, view));
	const rows = witnesses.map((witness) => ({ witness, hex: toHex(witness.address) }));
	rows.sort((a, b) => {
		const [more, less] = [a.witness.voteCount, b.witness.voteCount];
		if (more !== less) return more > less ? -1 : 1;
		return a.hex > b.hex ? -1 : 1;
	});
	return rows.map(({ witness }, index) => ({ rank: index + 1, witness }));
}

/** The number of active witnesses, whose approvals count. */
export async function activeWitnessCount(client: NodeClient): Promise<number> {
	return (await rankedWitnesses(client, "full")).filter(({ witness }) => witness.isJobs).length;
}

/** Concurrent requests. */
const AT_ONCE = 8;

/** Witnesses for printing, with the brokerage fetched for each. */
export async function viewWitnesses(
	client: NodeClient,
	ranked: readonly RankedWitness[],
	view: NodeView,
): Promise<WitnessView[]> {
	const views: WitnessView[] = [];
	for (let start = 0; start < ranked.length; start += AT_ONCE) {
		const some = ranked.slice(start, start + AT_ONCE);
		views.push(...(await Promise.all(some.map((row) => viewWitness(client, row, view)))));
	}
	return views;
}

async function viewWitness(
	client: NodeClient,
	{ rank, witness }: RankedWitness,
	view: NodeView,
): Promise<WitnessView> {
	return {
		rank,
		address: toBase58Check(witness.address),
		votes: witness.voteCount,
		current: witness.isJobs,
		produced: witness.totalProduced,
		missed: witness.totalMissed,
		brokerage: await brokerageOf(client, witness.address, view),
		url: witness.url,
	};
}

/** Percentage of its rewards that a witness keeps in the current cycle. */
async function brokerageOf(client: NodeClient, address: Uint8Array, view: NodeView): Promise<number> {
	const { brokerage } = await client.call("getBrokerage", { address: toHex(address) }, view);
	return Number(brokerage ?? 0n);
}
