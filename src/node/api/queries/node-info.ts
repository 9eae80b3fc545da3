/** Information about the node and its machine (protocol/http-endpoints §5.1). */

import { cpus, freemem, loadavg, release, type as systemName, totalmem } from "node:os";
import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8";
import { toHex } from "../../../protocol/bytes.js";
import { blockIdAt } from "../../chain/block-store.js";
import { programOf } from "../../rules/release.js";
import { type BeanObject, type BeanValue, Double } from "../bean-json.js";
import type { ApiContext, ApiNode, PeerFacts } from "../context.js";

const DATABASE_VERSION = 2;

/** The node as shown in JSON; member names are those of the API's beans. */
export function nodeInfoFacts({ node, state }: ApiContext): BeanObject {
	const { properties } = state;
	const peers = node.network.peers();
	const outgoing = peers.filter((peer) => peer.outgoing).length;
	const solid = properties.get("LATEST_SOLIDIFIED_BLOCK_NUM");
	const depth = node.view("full").properties.headNumber - node.oldestRevertible;
	return {
		activeConnectCount: outgoing,
		passiveConnectCount: peers.length - outgoing,
		currentConnectCount: peers.length,
		beginSyncNum: properties.headNumber - depth,
		block: describe(properties.headNumber, properties.headId),
		solidityBlock: describe(solid, blockIdAt(state, solid) ?? new Uint8Array(0)),
		cheatWitnessInfoMap: doubleSigners(node),
		configNodeInfo: configuration(node),
		machineInfo: machine(),
		peerList: peers.map((peer) => peerJson(node, peer)),
		totalFlow: 0,
	};
}

function describe(number: bigint, id: Uint8Array): string {
	return `Num:${number},ID:${toHex(id)}`;
}

function doubleSigners(node: ApiNode): BeanValue {
	return Object.fromEntries(
		node.doubleSigners().map(({ witness, times, timeMs, block, ids }) => {
			const blocks = ids.map((id) => `Num:${block},ID:${id}`).join(", ");
			return [
				witness,
				`{times=${times}, time=${timeMs}, latestBlockNum=${block}, blockCapsuleSet=[${blocks}]}`,
			];
		}),
	);
}

function configuration({ config }: ApiNode): BeanValue {
	const { peers, backup } = config.node;
	const program = programOf(config.node);
	return {
		codeVersion: program.version,
		versionNum: program.number,
		p2pVersion: String(peers.networkId),
		listenPort: peers.listenPort,
		discoverEnable: peers.discovery,
		activeNodeSize: peers.active.length,
		passiveNodeSize: peers.passive.length,
		sendNodeSize: peers.seeds.length,
		maxConnectCount: peers.maxConnections,
		sameIpMaxConnectCount: peers.maxConnectionsWithSameIp,
		backupListenPort: backup.port,
		backupMemberSize: backup.members.length,
		backupPriority: backup.priority,
		dbVersion: DATABASE_VERSION,
		minParticipationRate: config.node.minParticipationRate,
		supportConstant: config.vm.supportConstant,
		minTimeRatio: new Double(config.vm.minTimeRatio),
		maxTimeRatio: new Double(config.vm.maxTimeRatio),
		allowCreationOfContracts: config.committee.allowCreationOfContracts,
		allowAdaptiveEnergy: config.committee.allowAdaptiveEnergy,
	};
}

function machine(): BeanValue {
	const heap = getHeapStatistics();
	const count = cpus().length;
	const { user, system } = process.cpuUsage();
	const ownShare = (user + system) / 1e6 / Math.max(process.uptime(), 0.001) / count;
	return {
		threadCount: 1,
		deadLockThreadCount: 0,
		deadLockThreadInfoList: [],
		cpuCount: count,
		cpuRate: new Double(Math.min(1, (loadavg()[0] ?? 0) / count)),
		processCpuRate: new Double(Math.min(1, ownShare)),
		totalMemory: totalmem(),
		freeMemory: freemem(),
		jvmTotalMemory: heap.total_heap_size,
		jvmFreeMemory: Math.max(0, heap.total_heap_size - heap.used_heap_size),
		javaVersion: `Node.js ${process.versions.node}`,
		osName: `${systemName()} ${release()}`,
		memoryDescInfoList: getHeapSpaceStatistics().map((space) => ({
			name: space.space_name,
			initSize: 0,
			useSize: space.space_used_size,
			maxSize: space.space_size,
			useRate: new Double(space.space_size === 0 ? 0 : space.space_used_size / space.space_size),
		})),
	};
}

function peerJson(node: ApiNode, peer: PeerFacts): BeanValue {
	return {
		active: peer.outgoing,
		avgLatency: new Double(peer.averageLatencyMs),
		blockInPorcSize: peer.blocksInProcess,
		connectTime: peer.connectTimeMs,
		disconnectTimes: peer.disconnectTimes,
		headBlockTimeWeBothHave: 0,
		headBlockWeBothHave: peer.headBlockBoth,
		host: `/${peer.host}`,
		inFlow: 0,
		lastBlockUpdateTime: peer.lastBlockUpdateTimeMs,
		lastSyncBlock: peer.lastSyncBlock,
		localDisconnectReason: peer.localDisconnectReason,
		remoteDisconnectReason: peer.remoteDisconnectReason,
		needSyncFromPeer: peer.needSyncFromPeer,
		needSyncFromUs: peer.needSyncFromUs,
		nodeCount: node.network.tableSize,
		nodeId: node.network.nodeId,
		port: node.config.node.peers.listenPort,
		remainNum: peer.remain,
		score: 0,
		syncBlockRequestedSize: peer.requestedBlocks,
		syncFlag: peer.disconnected,
		syncToFetchSize: peer.blocksToFetch,
		syncToFetchSizePeekNum: peer.nextToFetch,
		unFetchSynNum: peer.remain,
	};
}
