/**
 * A running node that compares itself with another one, block by block, as blocks become irreversible. It runs beside everything
 * else, over this node's own HTTP: it is never waited for, and what it can't do changes nothing.
 */

import { setTimeout as delay } from "node:timers/promises";
import { addressPrefix } from "../../protocol/address.js";
import { budgetOfBytes } from "../../protocol/codec/budget.js";
import { TransactionInfo } from "../../protocol/messages.js";
import { transactionInfosOf } from "../chain/block-store.js";
import type { Chain } from "../chain/chain.js";
import type { AuditConfig } from "../config/audit-config.js";
import { DIFFERS, type FaultWatch } from "../faults/fault-watch.js";
import type { AuditCounts } from "./audit.js";
import { AuditThread } from "./audit-thread.js";
import type { RecordedDifference } from "./audit-worker.js";
import { type NodeAddresses, UnansweredError } from "./http-node.js";

/** Blocks that it may be behind: those before are passed over. */
const MAX_BEHIND = 1_000n;
const POLL_MS = 500;
/** After the other node didn't answer. */
const PAUSE_MS = 30_000;

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
}

export class LiveAudit {
	private readonly ending = new AbortController();
	private readonly thread: AuditThread;
	/** Origin of the other node. */
	private readonly against: string;
	private readonly running: Promise<void>;
	/** The last block that was compared; 0: none. */
	last = 0n;
	/** Blocks that were passed over since the other node was too slow. */
	skipped = 0n;
	/** The block of the first difference; 0: there is none. */
	different = 0n;

	constructor(private readonly options: LiveAuditOptions) {
		const { config, own, log } = options;
		const { signal } = this.ending;
		const { against: full, solidity, jsonrpc, sample, rate } = config;
		this.against = new URL(full).origin;
		const work = { own, theirs: { full, solidity, jsonrpc }, sample, rate, addressPrefix: addressPrefix() };
		this.thread = new AuditThread(work, (reason) => log.warn({}, `audit: ${reason}`));
		this.running = this.run().catch((error: unknown) => {
			if (!signal.aborted) options.report(error, "audit");
		});
	}

	private async sleep(ms: number): Promise<void> {
		await delay(ms, undefined, { signal: this.ending.signal, ref: false });
	}

	get counts(): Readonly<AuditCounts> {
		return this.thread.counts;
	}

	/** How often the other node said that it is busy, or didn't answer. */
	get busy(): number {
		return this.thread.busy;
	}

	private async run(): Promise<void> {
		const { chain, log } = this.options;
		let next = chain.solidifiedNumber + 1n;
		let common = 0n;
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
				if (common < next) common = await this.thread.commonHead();
				if (common < next) {
					await this.sleep(POLL_MS);
					continue;
				}
				const found = await this.thread.block(next);
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
	private differs({ number, id, seenAt, differences, recorded }: RecordedDifference): void {
		const { chain, faults, log } = this.options;
		this.different = number;
		const block = chain.blockByNumber(number);
		const known = block?.idHex === id && {
			...{ kind: "audit" as const, block, refusal: undefined },
			differences:
				seenAt === undefined
					? differences
					: differences.map((each) => ({ ...each, what: `${each.what} (after block ${seenAt})` })),
			recorded: recorded.map((bytes) => TransactionInfo.decode(bytes, budgetOfBytes(bytes.length))),
			stored: transactionInfosOf(chain.state, block),
		};
		if (known && faults.note(known)) return;
		const [first] = differences;
		log.error({ block: Number(number), against: this.against, ...first }, DIFFERS);
	}

	async close(): Promise<void> {
		this.ending.abort();
		await this.thread.close();
		await this.running;
	}
}
