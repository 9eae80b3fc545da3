/** What the configuration says about peers, as the application layer uses it (protocol/peers §13). */

import type { NodeConfig } from "../config/config.js";
import type { PeerSettings } from "./peers/peer-world.js";

const MINUTE_MS = 60_000;
/** Blocks that may wait to be applied: enough for two of the largest batches. */
const MAX_QUEUED_BYTES = 32 << 20;

export function peerSettings(config: NodeConfig): PeerSettings {
	const { peers, unsolidifiedBlockCheck, maxUnsolidifiedBlocks, agreeNodeCount } = config.node;
	return {
		networkId: peers.networkId,
		release: config.node.release,
		network: config.node.network,
		maxConnections: peers.maxConnections,
		minConnections: peers.minConnections,
		minActiveConnections: peers.minActiveConnections,
		maxTransactionsPerSecond: peers.maxTps,
		maxBlocksPerSecond: peers.maxBlockInvPerSecond,
		summariesPerSecond: peers.rates.syncBlockChain,
		fetchesPerSecond: peers.rates.fetchInvData,
		disconnectsPerSecond: peers.rates.disconnect,
		maxRequestedBlocks: peers.maxPendingBlocks,
		maxWaitingTransactions: peers.maxTransactionCache,
		syncFetchBatch: peers.syncFetchBatchCount,
		fetchBlockTimeoutMs: peers.fetchBlockTimeoutMs,
		blockCacheTimeoutMs: Number(peers.blockCacheTimeoutMinutes) * MINUTE_MS,
		inactiveThresholdMs: peers.inactiveThresholdSeconds * 1000,
		eliminateAtRandom: peers.fullTcpDisconnect,
		effectiveCheck: peers.effectiveCheck,
		maxUnsolidified: unsolidifiedBlockCheck ? maxUnsolidifiedBlocks : undefined,
		isFastForward: config.run.fastForward,
		relayHosts: new Set(peers.fastForward.map(({ host }) => host)),
		maxRelayWitnesses: peers.maxFastForwardCount,
		quorum: agreeNodeCount,
		voteExpireBlocks: Number(config.committee.pBFTExpireNum ?? 20n),
		maxQueuedBytes: MAX_QUEUED_BYTES,
	};
}
