/** Endpoints of later releases that tools of today call (protocol/development-chain §4.1). */

import { toKey } from "../../../protocol/bytes.js";
import { PaginatedMessage, Witness, WitnessList } from "../../../protocol/messages.js";
import type { StateView } from "../../state/view.js";
import type { ServerKind } from "../context.js";
import { defineEndpoint, type Endpoint, longParameter, messageRequest, printed } from "../endpoint.js";
import { FOLDERS } from "../endpoint-table.js";

const MAX_LIMIT = 1000n;

/** The witnesses with the votes that count now, changes of the present period included; most votes first. */
function currentRanking(state: StateView): Witness[] {
	const changes = new Map<string, bigint>();
	const add = (address: Uint8Array, count: bigint): void => {
		changes.set(toKey(address), (changes.get(toKey(address)) ?? 0n) + count);
	};
	for (const { old_votes, new_votes } of state.votes.values()) {
		for (const { vote_address, vote_count } of old_votes) add(vote_address, -vote_count);
		for (const { vote_address, vote_count } of new_votes) add(vote_address, vote_count);
	}
	const witnesses = state.witness.values().map((stored) => {
		const witness = Witness.copy(stored);
		witness.voteCount += changes.get(toKey(witness.address)) ?? 0n;
		return witness;
	});
	return witnesses.sort((a, b) => (a.voteCount === b.voteCount ? 0 : a.voteCount > b.voteCount ? -1 : 1));
}

const paginatedNowWitnessList = defineEndpoint({
	name: "getpaginatednowwitnesslist",
	about: "A page of the super representatives by their votes of this moment.",
	get: "query",
	post: "body",
	servers: ["full", "solidity"],
	request: messageRequest(PaginatedMessage, { offset: longParameter, limit: longParameter }),
	reply: printed(WitnessList),
	handle: ({ state }, { offset, limit }) => {
		if (offset < 0n || limit <= 0n) return undefined;
		const end = offset + (limit < MAX_LIMIT ? limit : MAX_LIMIT);
		return WitnessList.create({ witnesses: currentRanking(state).slice(Number(offset), Number(end)) });
	},
});

/** The endpoints of a server by path. */
export function laterRoutes(server: ServerKind): ReadonlyMap<string, Endpoint> {
	const endpoint = paginatedNowWitnessList;
	return new Map(
		endpoint.servers.includes(server) ? [[`${FOLDERS[server]}/${endpoint.name}`, endpoint]] : [],
	);
}
