/** Filters that clients poll (sheet 07 §9.4): one registry a server. Nothing of them survives a restart. */

import { randomBytes } from "node:crypto";
import type { SignedBlock } from "../../../protocol/block.js";
import { toHex } from "../../../protocol/bytes.js";
import type { TransactionInfo } from "../../../protocol/messages.js";
import { type BloomGroup, bloomOfBlock } from "../../chain/section-bloom.js";
import { bloomGroups, type LogFilter, matchesLog } from "./log-filter.js";
import type { RpcValue } from "./method.js";
import { logObject, logsOfBlock } from "./objects/log.js";
import { EXCEEDS_LIMIT, internal, RpcError } from "./rpc-error.js";
import { data } from "./values.js";

/** How long a filter lives after it was made or polled. */
const LIFETIME_MS = 300_000;
const ID_BYTES = 16;

interface Filter {
	/** Undefined: a filter of blocks. */
	readonly logs: LogFilter | undefined;
	readonly groups: readonly BloomGroup[];
	queue: RpcValue[];
	expiresMs: number;
}

/** How many filters of a kind there may be at a time; 0 or less: any number. */
export interface FilterLimits {
	readonly maxBlockFilters: number;
	readonly maxLogFilters: number;
}

export class FilterRegistry {
	private readonly filters = new Map<string, Filter>();

	/** @param nowMs milliseconds of the node's clock */
	constructor(
		private readonly nowMs: () => number,
		private readonly limits: FilterLimits,
	) {}

	get size(): number {
		return this.filters.size;
	}

	/** Registers a filter of blocks, or of logs. @returns its id @throws {RpcError} if there are too many */
	add(logs?: LogFilter): string {
		this.checkLimit(logs ? "log" : "block");
		const id = toHex(randomBytes(ID_BYTES));
		this.filters.set(id, {
			logs,
			groups: logs ? bloomGroups(logs) : [],
			queue: [],
			expiresMs: this.nowMs() + LIFETIME_MS,
		});
		return `0x${id}`;
	}

	private checkLimit(kind: "log" | "block"): void {
		const limit = kind === "log" ? this.limits.maxLogFilters : this.limits.maxBlockFilters;
		if (limit <= 0 || this.filters.size < limit) return;
		let count = 0;
		for (const { logs } of this.filters.values()) if ((kind === "log") === (logs !== undefined)) count++;
		if (count < limit) return;
		throw new RpcError(EXCEEDS_LIMIT, `exceed max ${kind} filters: ${limit}, try again later`);
	}

	/** What was queued since the last poll; the filter lives on. @throws {RpcError} */
	takeChanges(id: string): readonly RpcValue[] {
		const filter = this.find(id);
		const { queue } = filter;
		filter.queue = [];
		filter.expiresMs = this.nowMs() + LIFETIME_MS;
		return queue;
	}

	/** The conditions of a filter of logs. @throws {RpcError} if there is none of this id */
	logFilter(id: string): LogFilter {
		const { logs } = this.find(id);
		if (!logs) throw filterNotFound();
		return logs;
	}

	/** @throws {RpcError} */
	remove(id: string): void {
		this.find(id);
		this.filters.delete(plainId(id));
	}

	private find(id: string): Filter {
		const filter = this.filters.get(plainId(id));
		if (!filter) throw filterNotFound();
		return filter;
	}

	/** A block became part of what this server shows. */
	blockApplied(block: SignedBlock, infos: readonly Readonly<TransactionInfo>[]): void {
		if (this.filters.size === 0) return;
		const hasTransactions = infos.length > 0;
		this.dropExpired(hasTransactions);
		const hash = data(block.id);
		for (const { logs, queue } of this.filters.values()) if (!logs) queue.push(hash);
		if (hasTransactions) this.queueLogs(block, infos, false);
	}

	/** A block is no longer part of what this server shows. */
	blockErased(block: SignedBlock, infos: readonly Readonly<TransactionInfo>[]): void {
		if (this.filters.size > 0) this.queueLogs(block, infos, true);
	}

	private queueLogs(block: SignedBlock, infos: readonly Readonly<TransactionInfo>[], removed: boolean): void {
		const { number } = block;
		const placed = [...logsOfBlock(infos)];
		if (placed.length === 0) return;
		const bloom = bloomOfBlock(infos);
		const objects = new Map<number, RpcValue>();
		for (const { logs, groups, queue } of this.filters.values()) {
			if (!logs || number < logs.from || number > logs.to || !mayMatch(groups, bloom)) continue;
			for (const one of placed) {
				if (!matchesLog(logs, one.log)) continue;
				const object = objects.get(one.logIndex) ?? logObject(one, block, removed);
				objects.set(one.logIndex, object);
				queue.push(object);
			}
		}
	}

	/** Expired filters answer until a block comes that concerns them: those of logs need one with transactions. */
	private dropExpired(hasTransactions: boolean): void {
		const now = this.nowMs();
		for (const [id, { logs, expiresMs }] of this.filters) {
			if (now > expiresMs && (hasTransactions || !logs)) this.filters.delete(id);
		}
	}
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
