/** Rules peers must follow, and what is announced to them, as of the node's release (protocol/peers §§5.2, 7.4 and 8). */

import { numberOfBlockId } from "../../../protocol/block.js";
import { toKey } from "../../../protocol/bytes.js";
import { byRelease, type Release } from "../../rules/release.js";
import { olderConduct } from "../older/conduct.js";
import { Reason } from "../wire/application-messages.js";
import { Misconduct } from "./misconduct.js";
import type { Peer } from "./peer.js";
import type { PeerSettings } from "./peer-world.js";

const BLOCK_ID_LENGTH = 32;

/** Length limits of a witness's signature in a HELLO. */
const SHORTEST = 65;
const LONGEST = 68;

const today = {
	/** Settings that the release lacks, with values that limit nothing. */
	unlimited: {} as Partial<PeerSettings>,
	/** Maximum ids per summary, and per block request of a list. */
	maxSummaryIds: 30,
	maxFetchedIds: 100,
	/** Disconnect reasons: malformed HELLO, solidified block below all that we have, block not signed by its witness. */
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
	/** Number of announced transactions counted before they are inspected. */
	countedAhead: (count: number) => count,
	/** Whether a block announcement counts as activity of its peer. */
	isOfUse: (_peer: Peer, id: Uint8Array, _key: string, headNumber: bigint) =>
		numberOfBlockId(id) > headNumber,
	/** An item announced to a peer was served to it, which happens only once. */
	served: (peer: Peer, key: string): void => void peer.announcedByUs.delete(key),
	/** Peers that may be dropped to make room: half, rounded up, with the oldest last good block. */
	eliminable: (synced: readonly Peer[]): readonly Peer[] =>
		[...synced]
			.sort((a, b) => a.lastGoodBlockMs - b.lastGoodBlockMs || 0)
			.slice(0, Math.ceil(synced.length / 2)),
};

export type Conduct = typeof today;

const conducts = byRelease<Conduct>(today, olderConduct);

export const conductOf = (release: Release): Conduct => conducts[release];
