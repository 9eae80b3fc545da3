/**
 * A running node that compares itself with another one, block by block, as blocks become irreversible. It runs beside everything
 * else, over this node's own HTTP: it is never waited for, and what it can't do changes nothing.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { SignedBlock } from "../../protocol/block.js";
import { decodeFields } from "../../protocol/json/field-decoder.js";
import { hashedLibrary } from "../../protocol/json/older/hashed-library.js";
import { TransactionInfo } from "../../protocol/messages.js";
import { transactionInfosOf } from "../chain/block-store.js";
import type { Chain } from "../chain/chain.js";
import type { AuditConfig } from "../config/audit-config.js";
import { DIFFERS, type FaultWatch } from "../faults/fault-watch.js";
import { Audit, type AuditCounts, type FoundDifference } from "./audit.js";
import { HttpNode, isObject, type NodeAddresses, type NodeAnswer, UnansweredError } from "./http-node.js";

/** Blocks that it may be behind: those before are passed over. */
const MAX_BEHIND = 1_000n;
const POLL_MS = 500;
/** After the other node didn't answer. */
const PAUSE_MS = 30_000;
const TIMEOUT_MS = 20_000;
/** Requests a second to this node itself. */
const OWN_RATE = 200;

interface LiveAuditOptions {
	readonly chain: Chain;
	readonly config: AuditConfig;
	/** This node's own servers. */
	readonly own: NodeAddresses;
	readonly faults: Pick<FaultWatch, "note">;
	readonly log: {
		info(fields: object, message: string): void;
		warn(fields: object, message: string): void;
		error(fields: object, message: string): void;
	};
	readonly report: (error: unknown, where: string) => void;
	readonly now: () => number;
	/** Absent: a timer of the process. */
	readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export class LiveAudit {
	private readonly ending = new AbortController();
	private readonly audit: Audit;
	private readonly theirs: HttpNode;
	private readonly running: Promise<void>;
	/** The last block that was compared; 0: none. */
	last = 0n;
	/** Blocks that were passed over since the other node was too slow. */
	skipped = 0n;
	/** The block of the first difference; 0: there is none. */
	different = 0n;

	constructor(private readonly options: LiveAuditOptions) {
		const { config, own, now, log } = options;
		const { signal } = this.ending;
		const sleep = this.sleep;
		const limits = { timeoutMs: TIMEOUT_MS, now, sleep, signal };
		const { against: full, solidity, jsonrpc, sample, rate } = config;
		this.theirs = new HttpNode({ full, solidity, jsonrpc }, { ...limits, rate });
		this.audit = new Audit({
			ours: new HttpNode(own, { ...limits, rate: OWN_RATE }),
			theirs: this.theirs,
			...{ sample, sleep, signal },
			onNotCompared: (reason) => log.warn({}, `audit: ${reason}`),
		});
		this.running = this.run().catch((error: unknown) => {
			if (!signal.aborted) options.report(error, "audit");
		});
	}

	private readonly sleep = async (ms: number): Promise<void> => {
		const { signal } = this.ending;
		const { sleep } = this.options;
		await (sleep ? sleep(ms, signal) : delay(ms, undefined, { signal, ref: false }));
	};

	get counts(): Readonly<AuditCounts> {
		return this.audit.counts;
	}

	/** How often the other node said that it is busy, or didn't answer. */
	get busy(): number {
		return this.theirs.busy;
	}

	private async run(): Promise<void> {
		const { chain, log } = this.options;
		let next = chain.solidifiedNumber + 1n;
		let isAway = false;
		while (!this.ending.signal.aborted) {
			const final = chain.solidifiedNumber;
			if (final - next > MAX_BEHIND) {
				this.skipped += final - next;
				next = final;
			}
			if (next > final) {
				await this.sleep(POLL_MS);
				continue;
			}
			try {
				if ((await this.audit.commonHead()) < next) {
					await this.sleep(POLL_MS);
					continue;
				}
				const found = await this.audit.block(next);
				isAway = false;
				if (found) return this.differs(found);
				this.last = next++;
			} catch (error) {
				if (!(error instanceof UnansweredError)) throw error;
				if (!isAway)
					log.warn({ next: Number(next) }, `audit: ${error.message}; it goes on when there are answers`);
				isAway = true;
				await this.sleep(PAUSE_MS);
			}
		}
	}

	/** What follows a difference would differ, too: the audit ends with it, and the watch says so, once. */
	private differs({ number, id, seenAt, differences, receipts }: FoundDifference): void {
		const { chain, faults, log } = this.options;
		this.different = number;
		const block = chain.blockByNumber(number);
		const known = block?.idHex === id && {
			...{ kind: "audit" as const, block, refusal: undefined },
			differences:
				seenAt === undefined
					? differences
					: differences.map((each) => ({ ...each, what: `${each.what} (after block ${seenAt})` })),
			recorded: recordedOf(receipts, block),
			stored: transactionInfosOf(chain.state, block),
		};
		if (known && faults.note(known)) return;
		const [first] = differences;
		log.error({ block: Number(number), against: this.theirs.name, ...first }, DIFFERS);
	}

	async close(): Promise<void> {
		this.ending.abort();
		await this.running;
	}
}

/** The receipts of an answer in the order of their transactions; none where one of them is missing or can't be read. */
function recordedOf(receipts: NodeAnswer, block: SignedBlock): readonly TransactionInfo[] {
	const infos = new Map<string, TransactionInfo>();
	try {
		for (const receipt of Array.isArray(receipts) ? (receipts as readonly NodeAnswer[]) : []) {
			const id = isObject(receipt) ? receipt["id"] : undefined;
			if (typeof id === "string")
				infos.set(id, decodeFields(TransactionInfo, textOf(receipt), false, hashedLibrary));
		}
	} catch {
		// What another node answers may be anything; the differences are listed as texts all the same.
		return [];
	}
	const ordered = block.transactions.flatMap(({ idHex }) => infos.get(idHex) ?? []);
	return ordered.length === block.transactions.length ? ordered : [];
}

/** As JSON, integers exact. */
function textOf(value: NodeAnswer): string {
	if (typeof value === "bigint") return value.toString();
	if (Array.isArray(value)) return `[${(value as readonly NodeAnswer[]).map(textOf).join(",")}]`;
	if (!isObject(value)) return JSON.stringify(value);
	return `{${Object.entries(value)
		.map(([name, item]) => `${JSON.stringify(name)}:${textOf(item)}`)
		.join(",")}}`;
}
