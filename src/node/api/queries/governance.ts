/** Super representatives and proposals (protocol/http-endpoints §3.4). */

import { be64, toKey } from "../../../protocol/bytes.js";
import { minInt, wrap } from "../../../protocol/int64.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import { type Proposal, ProposalList, type Vote, Witness, WitnessList } from "../../../protocol/messages.js";
import { runtimeSorted } from "../../../protocol/runtime-sort.js";
import { witnessesByVotes } from "../../consensus/schedule.js";
import { cycleBrokerage } from "../../resources/delegation-store.js";
import { valuesInStoreOrder } from "../../state/store-order.js";
import type { StateView } from "../../state/view.js";
import type { ApiContext } from "../context.js";

/** Maximum page length. */
const MAX_PAGE = 1_000n;

/** All super representatives and candidates, in store order. */
export function allWitnesses(state: StateView): WitnessList {
	return WitnessList.create({ witnesses: valuesInStoreOrder(state.witness) });
}

const maintenanceUnavailable = (): NamedError =>
	new NamedError(
		"MaintenanceUnavailableException",
		"Service temporarily unavailable during maintenance period. Please try again later.",
	);

/**
 * A page of witnesses by the votes they would have if counted now, most votes first; undefined if the page is
 * out of range (protocol/http-endpoints §3.4).
 * @throws {NamedError} MaintenanceUnavailableException on the full server while votes are being counted
 */
export function pageOfLiveWitnesses(
	{ state, server }: ApiContext,
	offset: bigint,
	limit: bigint,
): WitnessList | undefined {
	if (limit <= 0n || offset < 0n) return undefined;
	if (server === "full" && state.properties.get("state_flag") === 1) throw maintenanceUnavailable();
	const votes = new Map<string, bigint>();
	const add = (list: readonly Readonly<Vote>[], sign: bigint): void => {
		for (const { vote_address, vote_count } of list) {
			const key = toKey(vote_address);
			votes.set(key, (votes.get(key) ?? 0n) + sign * vote_count);
		}
	};
	for (const { old_votes, new_votes } of state.votes.values()) {
		add(old_votes, -1n);
		add(new_votes, 1n);
	}
	const witnesses = state.witness.values().map((witness) => {
		const voteCount = wrap(witness.voteCount + (votes.get(toKey(witness.address)) ?? 0n));
		return voteCount === witness.voteCount ? witness : Object.assign(Witness.copy(witness), { voteCount });
	});
	if (offset >= BigInt(witnesses.length)) return undefined;
	const start = Number(offset);
	const end = start + Number(minInt(limit, MAX_PAGE));
	return WitnessList.create({ witnesses: witnessesByVotes(state, witnesses).slice(start, end) });
}

/** Percentage of its rewards that a super representative keeps in the current cycle. */
export function brokerageOf(state: StateView, address: Uint8Array): number {
	return cycleBrokerage(state, state.properties.get("CURRENT_CYCLE_NUMBER"), address);
}

/**
 * All proposals, newest first. For two with the same creation time, the network's comparator orders the first
 * one later either way, so its runtime's sort is reproduced.
 */
export function storedProposals(state: StateView): ProposalList {
	const compare = (a: Readonly<Proposal>, b: Readonly<Proposal>) => (a.create_time > b.create_time ? -1 : 1);
	return ProposalList.create({ proposals: runtimeSorted(valuesInStoreOrder(state.proposal), compare) });
}

/** Proposals after the first `offset` ids; undefined if the page is out of range. */
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
