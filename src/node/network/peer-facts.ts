/** Peers as the node's servers show them (protocol/http-endpoints §5.1). */

import { toHex } from "../../protocol/bytes.js";
import type { PeerFacts } from "../api/context.js";
import type { Peer } from "./peers/peer.js";

export function peerFacts(peer: Peer): PeerFacts {
	const { connection, bothHave, lastListed, toFetch } = peer;
	return {
		host: connection.remote.host,
		outgoing: connection.outgoing,
		needSyncFromPeer: peer.needSyncFromPeer,
		needSyncFromUs: peer.needSyncFromUs,
		averageLatencyMs: connection.averageLatencyMs,
		connectTimeMs: BigInt(Math.trunc(connection.startMs)),
		lastBlockUpdateTimeMs: BigInt(Math.trunc(peer.bothHaveMs)),
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
