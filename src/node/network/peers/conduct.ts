/** What peers are held to, and what is announced to them, as the node's release has it (protocol/peers §§5.2, 7.4 and 8). */

import { numberOfBlockId } from "../../../protocol/block.js";
import { toKey } from "../../../protocol/bytes.js";
import { byRelease, type Release } from "../../rules/release.js";
import { olderConduct } from "../older/conduct.js";
import { Reason } from "../wire/application-messages.js";
import { Misconduct } from "./misconduct.js";
import type { Peer } from "./peer.js";
import type { PeerSettings } from "./peer-world.js";

const BLOCK_ID_LENGTH = 32;

/** Lengths of a witness's signature in a HELLO. */
const SHORTEST = 65;
const LONGEST = 68;

const today = {
	/** Settings that the release lacks, in the form in which they limit nothing. */
	unlimited: {} as Partial<PeerSettings>,
	/** Ids of one summary, and of one request for blocks of a list. */
	maxSummaryIds: 30,
	maxFetchedIds: 100,
	/** Why peers go: a HELLO that is none, a solidified block below all that we have, a block that its witness didn't sign. */
	malformedHello: Reason.INCOMPATIBLE_PROTOCOL as Reason,
	solidBelowLowest: Reason.LIGHT_NODE_SYNC_FAIL as Reason,
	badBlockSignature: Reason.BAD_BLOCK as Reason,
	isBlockIdLength: (length: number): boolean => length === BLOCK_ID_LENGTH,
	isHelloSignatureLength: (length: number) => length >= SHORTEST && length <= LONGEST,
	/** @throws {Misconduct} if an id stands twice in an inventory */
	checkRepeated: (ids: readonly Uint8Array[], message: "Inventory" | "FetchInvData"): void => {
		if (new Set(ids.map(toKey)).size === ids.length) return;
		throw new Misconduct(Reason.BAD_PROTOCOL, `${message} contains duplicate hashes, size: ${ids.length}`);
	},
	/** An inventory of neither transactions nor blocks. @throws {Misconduct} */
	unknownInventory: (kind: number): void => {
		throw new Misconduct(Reason.BAD_PROTOCOL, `unknown inventory type: ${kind}`);
	},
	/** How many announced transactions count before they are looked at. */
	countedAhead: (count: number) => count,
	/** Whether the announcement of a block keeps its peer from seeming idle. */
	isOfUse: (_peer: Peer, id: Uint8Array, _key: string, headNumber: bigint) =>
		numberOfBlockId(id) > headNumber,
	/** Something that was announced to a peer has been given to it: that is done once. */
	served: (peer: Peer, key: string): void => void peer.announcedByUs.delete(key),
	/** The peers of which one may have to make room for another: half, rounded up, whose last good block is the longest ago. */
	eliminable: (synced: readonly Peer[]): readonly Peer[] =>
		[...synced]
			.sort((a, b) => a.lastGoodBlockMs - b.lastGoodBlockMs || 0)
			.slice(0, Math.ceil(synced.length / 2)),
};

export type Conduct = typeof today;

const conducts = byRelease<Conduct>(today, olderConduct);

export const conductOf = (release: Release): Conduct => conducts[release];
