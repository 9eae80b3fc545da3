/**
 * Prices that proposals have set, with the times since which they hold (sheet 02 §6.8). A history is a text
 * `time:price,time:price,...`, times in milliseconds, ascending.
 */

import { be64 } from "../../protocol/bytes.js";
import { type Proposal, ProposalState } from "../../protocol/messages.js";
import type { PropertyOf } from "../state/property-table.js";
import type { StateView } from "../state/view.js";

export type PriceHistory = "ENERGY_PRICE_HISTORY" | "BANDWIDTH_PRICE_HISTORY" | "MEMO_FEE_HISTORY";

/** Records that a price holds since the expiration of the proposal that set it. */
export function appendPrice(state: StateView, history: PriceHistory, sinceMs: bigint, price: bigint): void {
	state.properties.set(history, `${state.properties.get(history)},${sinceMs}:${price}`);
}

/** The price that held for a block of this time; undefined if the history begins later. */
export function priceAt(history: string, blockTimeMs: bigint): bigint | undefined {
	let price: bigint | undefined;
	for (const entry of history.split(",")) {
		const [since, value] = entry.split(":") as [string, string];
		if (BigInt(since) >= blockTimeMs) break;
		price = BigInt(value);
	}
	return price;
}

interface Rebuild {
	readonly history: PriceHistory;
	readonly start: string;
	readonly parameter: bigint;
	readonly done: PropertyOf<"long">;
}

const rebuilds: readonly Rebuild[] = [
	{ history: "ENERGY_PRICE_HISTORY", start: "0:100", parameter: 11n, done: "ENERGY_PRICE_HISTORY_DONE" },
	{ history: "BANDWIDTH_PRICE_HISTORY", start: "0:10", parameter: 3n, done: "BANDWIDTH_PRICE_HISTORY_DONE" },
];

/**
 * Builds the histories from the approved proposals, once, at the start of a node whose chain is older than the
 * histories (sheet 02 §2.3, step 6).
 */
export function rebuildPriceHistories(state: StateView): void {
	for (const { history, start, parameter, done } of rebuilds) {
		if (state.properties.get(done) !== 0n) continue;
		const entries = approvedProposals(state)
			.filter((proposal) => proposal.parameters.has(parameter))
			.sort((a, b) => (a.expiration_time < b.expiration_time ? -1 : 1))
			.map((proposal) => `,${proposal.expiration_time}:${proposal.parameters.get(parameter)}`);
		state.properties.set(history, start + entries.join(""));
		state.properties.set(done, 1n);
	}
}

function approvedProposals(state: StateView): Readonly<Proposal>[] {
	const approved: Readonly<Proposal>[] = [];
	for (let id = 1n; id <= state.properties.get("LATEST_PROPOSAL_NUM"); id++) {
		const proposal = state.proposal.get(be64(id));
		if (proposal?.state === ProposalState.APPROVED) approved.push(proposal);
	}
	return approved;
}
