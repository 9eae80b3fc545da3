/** Peers as the node's servers show them (protocol/http-endpoints §5.1). */

import { toHex } from "../../protocol/bytes.js";
import type { PeerFacts } from "../api/context.js";
import type { Peer } from "./peers/peer.js";
import type { PeerWorld } from "./peers/peer-world.js";

/** @param clocks tells when something was, in milliseconds since 1970, by how long ago it is */
export function peerFacts(peer: Peer, clocks: Pick<PeerWorld, "now" | "wallClock">): PeerFacts {
	const { connection, bothHave, lastListed, toFetch } = peer;
	return {
		host: connection.remote.host,
		outgoing: connection.outgoing,
		needSyncFromPeer: peer.needSyncFromPeer,
		needSyncFromUs: peer.needSyncFromUs,
		averageLatencyMs: connection.averageLatencyMs,
		connectTimeMs: BigInt(Math.trunc(connection.connectTimeMs)),
		lastBlockUpdateTimeMs: BigInt(Math.trunc(clocks.wallClock() - (clocks.now() - peer.bothHaveMs))),
		disconnected: !connection.isOpen,
		disconnectTimes: 0,
		localDisconnectReason: peer.localReason,
		remoteDisconnectReason: peer.remoteReason,
		headBlockBoth: `Num:${bothHave.number},ID:${toHex(bothHave.id)}`,
		lastSyncBlock: lastListed ? `Num:${lastListed.number}` : "",
		remain: peer.needSyncFromPeer ? peer.remain : peer.remainForPeer,
		blocksInProcess: peer.inProcess.size,
		requestedBlocks: peer.requested.size,
		blocksToFetch: toFetch.length,
		nextToFetch: toFetch.front?.number ?? -1n,
	};
}
