/** What peers are held to, and what they are told, as the node's release has it (protocol/peers §§5.2, 7.4 and 8). */

import { numberOfBlockId } from "../../../protocol/block.js";
import { toKey } from "../../../protocol/bytes.js";
import type { Release } from "../../rules/release.js";
import { byRelease } from "../../rules/release.js";
import { olderConduct } from "../older/conduct.js";
import { Reason } from "../wire/application-messages.js";
import { Misconduct } from "./misconduct.js";
import type { Peer } from "./peer.js";
import type { PeerSettings } from "./peer-world.js";

const BLOCK_ID_LENGTH = 32;

/** Lengths of a witness's signature in a HELLO. */
const SHORTEST = 65;
const LONGEST = 68;

export interface Conduct {
	/** Settings that the release lacks, in the form in which they limit nothing. */
	readonly unlimited: Partial<PeerSettings>;
	/** Ids of one summary, and of one request for blocks of a list. */
	readonly maxSummaryIds: number;
	readonly maxFetchedIds: number;
	/** Why peers go: a HELLO that is none, a solidified block below all that we have, a block that its witness didn't sign. */
	readonly malformedHello: Reason;
	readonly solidBelowLowest: Reason;
	readonly badBlockSignature: Reason;
	isBlockIdLength(length: number): boolean;
	isHelloSignatureLength(length: number): boolean;
	/** @throws {Misconduct} if an id stands twice in an inventory */
	checkRepeated(ids: readonly Uint8Array[], message: "Inventory" | "FetchInvData"): void;
	/** An inventory of neither transactions nor blocks. @throws {Misconduct} */
	unknownInventory(kind: number): void;
	/** How many announced transactions count before they are looked at. */
	countedAhead(count: number): number;
	/** Whether the announcement of a block keeps its peer from seeming idle. */
	isOfUse(peer: Peer, id: Uint8Array, key: string, headNumber: bigint): boolean;
	/** Something that was announced to a peer has been given to it. */
	served(peer: Peer, key: string): void;
	/** The peers of which one may have to make room for another. */
	eliminable(synced: readonly Peer[]): readonly Peer[];
}

const conducts = byRelease<Conduct>(
	{
		unlimited: {},
		maxSummaryIds: 30,
		maxFetchedIds: 100,
		malformedHello: Reason.INCOMPATIBLE_PROTOCOL,
		solidBelowLowest: Reason.LIGHT_NODE_SYNC_FAIL,
		badBlockSignature: Reason.BAD_BLOCK,
		isBlockIdLength: (length) => length === BLOCK_ID_LENGTH,
		isHelloSignatureLength: (length) => length >= SHORTEST && length <= LONGEST,
		checkRepeated: (ids, message) => {
			if (new Set(ids.map(toKey)).size === ids.length) return;
			throw new Misconduct(Reason.BAD_PROTOCOL, `${message} contains duplicate hashes, size: ${ids.length}`);
		},
		unknownInventory: (kind) => {
			throw new Misconduct(Reason.BAD_PROTOCOL, `unknown inventory type: ${kind}`);
		},
		countedAhead: (count) => count,
		isOfUse: (_peer, id, _key, headNumber) => numberOfBlockId(id) > headNumber,
		// What was announced is given once.
		served: (peer, key) => peer.announcedByUs.delete(key),
		eliminable: olderHalf,
	},
	olderConduct,
);

/** The half of the peers, rounded up, whose last good block is the longest ago. */
function olderHalf(peers: readonly Peer[]): readonly Peer[] {
	const byAge = [...peers].sort((a, b) => a.lastGoodBlockMs - b.lastGoodBlockMs || 0);
	return byAge.slice(0, Math.ceil(byAge.length / 2));
}

export const conductOf = (release: Release): Conduct => conducts[release];
