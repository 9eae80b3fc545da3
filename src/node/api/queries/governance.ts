/** Super representatives and proposals (protocol/http-endpoints §3.4). */

import { be64 } from "../../../protocol/bytes.js";
import { minInt } from "../../../protocol/int64.js";
import { type Proposal, ProposalList, WitnessList } from "../../../protocol/messages.js";
import { cycleBrokerage } from "../../resources/delegation-store.js";
import { valuesInStoreOrder } from "../../state/store-order.js";
import type { StateView } from "../../state/view.js";
import { runtimeSort } from "./runtime-sort.js";

/** All super representatives and candidates, in the order of the store. */
export function allWitnesses(state: StateView): WitnessList {
	return WitnessList.create({ witnesses: valuesInStoreOrder(state.witness) });
}

/** Share of its rewards that a super representative keeps in the present cycle, in percent. */
export function brokerageOf(state: StateView, address: Uint8Array): number {
	return cycleBrokerage(state, state.properties.get("CURRENT_CYCLE_NUMBER"), address);
}

/**
 * Every proposal, newest first. Of two that were made at one time the network's comparison says in both directions that
 * the first comes later, so the order of more than 31 is what the runtime's sort makes of that.
 */
export function allProposals(state: StateView): ProposalList {
	const proposals = valuesInStoreOrder(state.proposal);
	return ProposalList.create({
		proposals: runtimeSort(proposals, (a, b) => (a.create_time > b.create_time ? -1 : 1)),
	});
}

/** The longest page of a list. */
const MAX_PAGE = 1_000n;

/** Proposals after the first `offset` numbers; undefined if the page lies outside of all numbers. */
export function pageOfProposals(state: StateView, offset: bigint, limit: bigint): ProposalList | undefined {
	const last = state.properties.get("LATEST_PROPOSAL_NUM");
	if (offset < 0n || limit < 0n || offset >= last) return undefined;
	const end = minInt(offset + minInt(limit, MAX_PAGE), last);
	const proposals: Readonly<Proposal>[] = [];
	for (let id = offset + 1n; id <= end; id++) {
		const proposal = state.proposal.get(be64(id));
		if (proposal) proposals.push(proposal);
	}
	return ProposalList.create({ proposals });
}
