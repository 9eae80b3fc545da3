/**
 * Serves peers the blocks they lack (protocol/peers §§7.1, 7.4), as fast as the connection takes them, a few
 * at a time, so that a large request doesn't delay others.
 */

import { toHex, toKey } from "../../../protocol/bytes.js";
import type { BlockRef } from "../local-chain.js";
import {
	ApplicationType,
	encodeBlockChainInventory,
	Reason,
	readBareBlockId,
	type SignedBlock,
} from "../wire/application-messages.js";
import { MAX_SUMMARIES } from "./limits.js";
import { Misconduct } from "./misconduct.js";
import type { Peer } from "./peer.js";
import type { PeerWorld } from "./peer-world.js";

const LIST_IDS = 2000n;
/** Serving pauses while a connection has this much unsent data. */
const MAX_BACKLOG_BYTES = 4 << 20;
const BACKLOG_CHECK_MS = 10;
const TURN_MS = 10;
const TURN_BLOCKS = 32;
/** Blocks queued for one peer: two of the largest lists. */
const MAX_WAITING = 4002;

export class SyncResponder {
	private readonly waiting = new Map<Peer, BlockRef[]>();

	/**
	 * @param find a block by its id, also if it is announced and not applied yet
	 * @param beforeBlock sends what goes before a block that a peer lacks (§11.4)
	 */
	constructor(
		private readonly world: PeerWorld,
		private readonly find: (id: Uint8Array) => SignedBlock | undefined,
		private readonly beforeBlock: (peer: Peer, block: SignedBlock) => void,
	) {}

	/** Answers a summary with a list of the blocks after it. @throws {Misconduct} */
	answerSummary(peer: Peer, summary: readonly BlockRef[]): void {
		const { maxSummaryIds } = this.world.conduct;
		if (summary.length > maxSummaryIds) {
			const why = `SyncBlockChain blockIds size ${summary.length} exceeds limit ${maxSummaryIds}`;
			throw new Misconduct(Reason.BAD_PROTOCOL, why);
		}
		// Requests above the rate are silently dropped; a peer that is in sync may ask again, within our own bounds.
		if (peer.remainForPeer > 0n && !peer.summaryRate.tryTake()) return;
		if (peer.summaryCount.total >= MAX_SUMMARIES) {
			throw new Misconduct(Reason.BAD_PROTOCOL, "too many summaries", true);
		}
		peer.summaryCount.add(1);
		const { chain } = this.world;
		const [first] = summary;
		const last = summary.at(-1);
		if (!first || !last) throw new Misconduct(Reason.BAD_PROTOCOL, "an empty summary");
		if (!chain.isOnChain(first.id)) {
			// Above our solidified block, it may be final for the peer while we are on the losing branch.
			const mayBeHonest = first.number > chain.solid.number;
			const why = `a summary from block ${first.number}, which is not ours`;
			throw new Misconduct(Reason.BAD_PROTOCOL, why, mayBeHonest);
		}
		if (first.number > chain.head.number)
			throw new Misconduct(Reason.BAD_PROTOCOL, "a summary above our head");
		if (peer.lastListed && peer.lastListed.number > last.number) {
			throw new Misconduct(Reason.BAD_PROTOCOL, "a summary that ends below the last list");
		}
		const common = summary.findLast(({ id }) => chain.isOnChain(id)) as BlockRef;
		const ids = this.listFrom(common.number);
		const end = ids.at(-1) as BlockRef;
		peer.needSyncFromUs = ids.length > 1;
		peer.remainForPeer = ids.length > 1 ? chain.head.number - end.number : 0n;
		peer.lastListed = end;
		const list = { ids, remain: peer.remainForPeer };
		this.world.send(peer, ApplicationType.BLOCK_CHAIN_INVENTORY, encodeBlockChainInventory(list));
	}

	private listFrom(number: bigint): BlockRef[] {
		const { chain } = this.world;
		const ids: BlockRef[] = [];
		const end = number + LIST_IDS < chain.head.number ? number + LIST_IDS : chain.head.number;
		for (let at = number; at <= end; at++) {
			const id = chain.idAt(at);
			if (!id) throw new Misconduct(Reason.FETCH_FAIL, `block ${at} is not stored`);
			ids.push({ id, number: at });
		}
		return ids;
	}

	/**
	 * Checks and queues blocks that a peer requests after its list (protocol/peers §7.4).
	 * @throws {Misconduct | Error}
	 */
	answerFetch(peer: Peer, ids: readonly Uint8Array[]): void {
		const { syncFetchBatch } = this.world.settings;
		if (!peer.needSyncFromUs) {
			// Its block request may cross our next list, which says that it needs none.
			const mayBeHonest = peer.lastListed !== undefined;
			throw new Misconduct(Reason.BAD_PROTOCOL, "no need sync", mayBeHonest);
		}
		if (!peer.fetchRate.tryTake())
			throw new Misconduct(Reason.BAD_PROTOCOL, "FETCH_INV_DATA requests too frequently");
		if (ids.length > this.world.conduct.maxFetchedIds)
			throw new Misconduct(Reason.BAD_PROTOCOL, `fetch too many blocks, size:${ids.length}`);
		const last = peer.lastListed;
		if (!last) throw new Misconduct(Reason.UNKNOWN, "blocks before the first list");
		const lowest = last.number - 2n * BigInt(syncFetchBatch);
		const queue = this.waiting.get(peer) ?? [];
		for (const id of ids) {
			const block = readBareBlockId(id);
			if (block.number < lowest)
				throw new Misconduct(Reason.BAD_PROTOCOL, `minBlockNum: ${lowest}, blockNum: ${block.number}`);
			if (block.number > last.number)
				throw new Misconduct(Reason.BAD_PROTOCOL, `maxBlockNum: ${last.number}, blockNum: ${block.number}`);
			if (!peer.served.put(toKey(id), true))
				throw new Misconduct(Reason.BAD_PROTOCOL, `${toHex(id)} is exist`);
			queue.push(block);
		}
		if (queue.length > MAX_WAITING) throw new Misconduct(Reason.BAD_PROTOCOL, "too many blocks at once");
		if (this.waiting.has(peer)) return;
		this.waiting.set(peer, queue);
		this.serve(peer);
	}

	/** Sends queued blocks for a while. */
	private serve(peer: Peer): void {
		const queue = this.waiting.get(peer);
		const { environment, now } = this.world;
		if (!queue) return;
		const startMs = now();
		for (let count = 0; ; count++) {
			const next = queue[0];
			if (!next || peer.isLeaving) {
				this.waiting.delete(peer);
				return;
			}
			if (peer.connection.backlog > MAX_BACKLOG_BYTES) {
				environment.after(BACKLOG_CHECK_MS, () => this.serve(peer));
				return;
			}
			if (count >= TURN_BLOCKS || now() - startMs >= TURN_MS) {
				environment.soon(() => this.serve(peer));
				return;
			}
			queue.shift();
			if (!this.send(peer, next)) return;
		}
	}

	private send(peer: Peer, wanted: BlockRef): boolean {
		const block = this.find(wanted.id);
		if (!block) {
			this.waiting.delete(peer);
			this.world.disconnect(peer, Reason.FETCH_FAIL, `block ${wanted.number} is not stored`);
			return false;
		}
		if (peer.bothHave.number < wanted.number) peer.setBothHave(wanted);
		this.beforeBlock(peer, block);
		this.world.send(peer, ApplicationType.BLOCK, block.bytes);
		return true;
	}

	peerLeft(peer: Peer): void {
		this.waiting.delete(peer);
	}
}
