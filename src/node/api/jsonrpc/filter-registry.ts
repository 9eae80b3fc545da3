/** Polled filters (protocol/json-rpc §9.4), one registry per server. They don't survive a restart. */

import { randomBytes } from "node:crypto";
import type { SignedBlock } from "../../../protocol/block.js";
import { toHex } from "../../../protocol/bytes.js";
import type { TransactionInfo } from "../../../protocol/messages.js";
import { blockByNumber, transactionInfosOfBlock } from "../../chain/block-store.js";
import { type ChainObserver, eachBlock } from "../../chain/observers.js";
import { type BloomGroup, bloomOfBlock } from "../../chain/section-bloom.js";
import type { Release } from "../../rules/release.js";
import type { StateView } from "../../state/view.js";
import { type RpcAnswers, rpcAnswersOf } from "./answers.js";
import { bloomGroups, itemCount, type LogFilter, matchesLog } from "./log-filter.js";
import type { RpcValue } from "./method.js";
import { logObject, logsOfBlock } from "./objects/log.js";
import { EXCEEDS_LIMIT, internal, RpcError } from "./rpc-error.js";
import { SharedRoom } from "./shared-room.js";
import { data } from "./values.js";

/** Addresses and topics over all filters, and over all subscriptions: each block is matched against every one. */
export const MAX_ITEMS = 200_000;

const ID_BYTES = 16;

/** An unguessable id: 32 hex digits. */
export function makeId(): string {
	return toHex(randomBytes(ID_BYTES));
}

/** Lifetime of a filter after its creation or last poll. */
const LIFETIME_MS = 300_000;
/** Queued items over all filters; beyond this, the least recently polled filters are dropped. */
const MAX_QUEUED = 1_000_000;

type FilterKind = "block" | "log";

interface Filter {
	/** Undefined for a block filter. */
	readonly logs: LogFilter | undefined;
	readonly groups: readonly BloomGroup[];
	readonly items: number;
	readonly client: string;
	queue: RpcValue[];
	expiresMs: number;
}

/** Maximum concurrent filters of each kind; 0 or less: no limit. */
interface FilterLimits {
	readonly maxBlockFilters: number;
	readonly maxLogFilters: number;
}

/** Filters of one kind, in order of expiry. */
class FilterList {
	readonly byId = new Map<string, Filter>();
	readonly room: SharedRoom;
	readonly itemRoom = new SharedRoom(MAX_ITEMS);

	/** @param limit how many there may be at a time; 0 or less: any number */
	constructor(readonly limit: number) {
		this.room = new SharedRoom(limit > 0 ? limit : Number.POSITIVE_INFINITY);
	}

	put(id: string, filter: Filter): void {
		this.byId.set(id, filter);
		this.room.take(filter.client, 1);
		this.itemRoom.take(filter.client, filter.items);
	}

	delete(id: string, filter: Filter): void {
		this.byId.delete(id);
		this.room.giveBack(filter.client, 1);
		this.itemRoom.giveBack(filter.client, filter.items);
	}

	/** A client's least recently polled filter. */
	oldestOf(client: string): readonly [id: string, filter: Filter] | undefined {
		for (const entry of this.byId) if (entry[1].client === client) return entry;
		return undefined;
	}

	/** Moves a polled filter to the end of the expiry order. */
	renew(id: string, filter: Filter, expiresMs: number): void {
		filter.expiresMs = expiresMs;
		this.byId.delete(id);
		this.byId.set(id, filter);
	}
}

export class FilterRegistry {
	private readonly lists: Readonly<Record<FilterKind, FilterList>>;
	private queued = 0;

	private readonly answers: RpcAnswers;

	/** @param nowMs milliseconds of a clock that only goes forward */
	constructor(
		private readonly nowMs: () => number,
		limits: FilterLimits,
		release: Release,
	) {
		this.answers = rpcAnswersOf({ release });
		this.lists = {
			block: new FilterList(limits.maxBlockFilters),
			log: new FilterList(limits.maxLogFilters),
		};
	}

	get size(): number {
		return this.lists.block.byId.size + this.lists.log.byId.size;
	}

	/**
	 * Registers a block filter or a log filter.
	 * @param client its address
	 * @param groups of `logs`, where they are known already
	 * @returns its id
	 * @throws {RpcError} if there are too many
	 */
	add(logs?: LogFilter, client = "", groups: readonly BloomGroup[] = logs ? bloomGroups(logs) : []): string {
		const kind = logs ? "log" : "block";
		const items = logs ? itemCount(logs) : 0;
		this.checkLimit(kind, client);
		const list = this.lists[kind];
		this.makeRoomForItems(kind, client, items);
		this.makeRoom(list, client);
		const id = makeId();
		const expiresMs = this.nowMs() + LIFETIME_MS;
		list.put(id, { logs, groups, items, client, queue: [], expiresMs });
		return `0x${id}`;
	}

	/**
	 * A client below its fair share may displace a client above its own.
	 * @throws {RpcError} if there may not be one more filter of its kind
	 */
	checkLimit(kind: FilterKind, client = ""): void {
		const list = this.lists[kind];
		if (this.answers.dropsExpired) this.dropExpired(list);
		const { room, limit } = list;
		if (!room.hasRoom(1) && room.givesWayTo(client, 1) === undefined) throw tooMany(kind, limit);
	}

	private makeRoom(list: FilterList, client: string): void {
		if (list.room.hasRoom(1)) return;
		const largest = list.room.givesWayTo(client, 1);
		const oldest = largest === undefined ? undefined : list.oldestOf(largest);
		if (oldest) this.drop(list, ...oldest);
	}

	/** @throws {RpcError} if the filters of all name too much, and nobody has to give way */
	private makeRoomForItems(kind: FilterKind, client: string, items: number): void {
		const list = this.lists[kind];
		while (!list.itemRoom.hasRoom(items)) {
			const largest = list.itemRoom.givesWayTo(client, items);
			const oldest = largest === undefined ? undefined : list.oldestOf(largest);
			if (!oldest) throw tooMany(kind, list.byId.size);
			this.drop(list, ...oldest);
		}
	}

	/** Items queued since the last poll; the filter stays. @throws {RpcError} */
	takeChanges(id: string): readonly RpcValue[] {
		const { filter, list, key } = this.find(id);
		const { queue } = filter;
		filter.queue = [];
		this.queued -= queue.length;
		list.renew(key, filter, this.nowMs() + LIFETIME_MS);
		return queue;
	}

	/** The conditions of a log filter. @throws {RpcError} if there is none of this id */
	logFilter(id: string): LogFilter {
		const { logs } = this.find(id).filter;
		if (!logs) throw filterNotFound();
		return logs;
	}

	/** @throws {RpcError} */
	remove(id: string): void {
		const { filter, list, key } = this.find(id);
		this.drop(list, key, filter);
	}

	private drop(list: FilterList, key: string, filter: Filter): void {
		this.queued -= filter.queue.length;
		list.delete(key, filter);
	}

	private find(id: string): { readonly filter: Filter; readonly list: FilterList; readonly key: string } {
		const key = plainId(id);
		for (const list of [this.lists.block, this.lists.log]) {
			const filter = list.byId.get(key);
			if (!filter) continue;
			if (this.answers.dropsExpired && this.nowMs() > filter.expiresMs) this.drop(list, key, filter);
			else return { filter, list, key };
		}
		throw filterNotFound();
	}

	/** A block was added to the chain this server shows. */
	blockApplied(block: SignedBlock, infos: readonly Readonly<TransactionInfo>[], inReorg = false): void {
		if (this.size === 0 || (inReorg && !this.answers.tellsNewBranch)) return;
		const hasTransactions = infos.length > 0;
		this.dropExpired(this.lists.block);
		// Log filters only expire with blocks that have transactions.
		if (hasTransactions) this.dropExpired(this.lists.log);
		const hash = data(block.id);
		for (const filter of this.lists.block.byId.values()) this.enqueue(filter, hash);
		if (hasTransactions) this.queueLogs(block, infos, false);
		this.boundQueues();
	}

	/** A block was removed from the chain this server shows. */
	blockReverted(block: SignedBlock, infos: readonly Readonly<TransactionInfo>[]): void {
		if (this.size === 0) return;
		this.queueLogs(block, infos, true);
		this.boundQueues();
	}

	private enqueue(filter: Filter, value: RpcValue): void {
		filter.queue.push(value);
		this.queued++;
	}

	private queueLogs(block: SignedBlock, infos: readonly Readonly<TransactionInfo>[], removed: boolean): void {
		const { number } = block;
		const filters = this.lists.log.byId;
		if (filters.size === 0) return;
		const placed = [...logsOfBlock(infos)];
		if (placed.length === 0) return;
		const bloom = bloomOfBlock(infos);
		const objects = new Map<number, RpcValue>();
		for (const [id, filter] of filters) {
			const { logs, groups } = filter;
			if (!logs || number < logs.from || number > logs.to || !mayMatch(groups, bloom)) continue;
			for (const one of placed) {
				if (!matchesLog(logs, one.log)) continue;
				const object = objects.get(one.logIndex) ?? logObject(one, block, removed, this.answers.objects);
				objects.set(one.logIndex, object);
				this.enqueue(filter, object);
			}
			// A single block may match all filters.
			if (this.queued > 2 * MAX_QUEUED) this.drop(this.lists.log, id, filter);
		}
	}

	/** Queues are never truncated: the whole filter is removed, and its next poll fails. */
	private boundQueues(): void {
		for (const list of [this.lists.log, this.lists.block]) {
			for (const [id, filter] of list.byId) {
				if (this.queued <= MAX_QUEUED) return;
				if (filter.queue.length > 0) this.drop(list, id, filter);
			}
		}
	}

	private dropExpired(list: FilterList): void {
		const now = this.nowMs();
		for (const [id, filter] of list.byId) {
			if (now <= filter.expiresMs) return;
			this.drop(list, id, filter);
		}
	}
}

function tooMany(kind: FilterKind, most: number): RpcError {
	return new RpcError(EXCEEDS_LIMIT, `exceed max ${kind} filters: ${most}, try again later`);
}

function mayMatch(groups: readonly BloomGroup[], bloom: ReadonlySet<number>): boolean {
	return groups.every((items) => items.some((bits) => bits.every((bit) => bloom.has(bit))));
}

/** Ids are compared as text. */
function plainId(id: string): string {
	const digits = id.startsWith("0x") ? id.slice(2) : id;
	return digits.length % 2 === 0 ? digits : `0${digits}`;
}

function filterNotFound(): Error {
	return internal("filter not found");
}

/**
 * Feeds chain events to the filters (protocol/json-rpc §9.4). After a reorg, the logs of the reverted blocks
 * are sent again as removed, newest block first, then the blocks and logs of the new branch; up to release
 * 4.8.1, the latter are omitted.
 *
 * @param head the state with the newest block
 * @param full filters over it; undefined: none are fed
 * @param solidity filters over solidified blocks
 */
export function feedFilters(
	head: StateView,
	full: FilterRegistry | undefined,
	solidity: FilterRegistry | undefined,
): ChainObserver {
	let lastSolid: bigint | undefined;
	const infosOf = (block: SignedBlock) => transactionInfosOfBlock(head, block.number);
	const solidify = (filters: FilterRegistry): void => {
		const solid = head.properties.get("LATEST_SOLIDIFIED_BLOCK_NUM");
		let number = lastSolid === undefined ? solid : lastSolid + 1n;
		lastSolid = solid;
		if (filters.size === 0) return;
		for (; number <= solid; number++) {
			const block = blockByNumber(head, number);
			if (block) filters.blockApplied(block, infosOf(block));
		}
	};
	return eachBlock({
		committed: ({ block, infos }, inReorg) => {
			full?.blockApplied(block, infos, inReorg);
			if (solidity) solidify(solidity);
		},
		reverted: ({ block, infos }) => full?.blockReverted(block, infos),
	});
}
