/**
 * The work of a live audit, run on its own thread: untrusted answers of megabytes are read and compared
 * without blocking the node.
 */

import { setTimeout as delay } from "node:timers/promises";
import { setAddressPrefix } from "../../protocol/address.js";
import { decodeFields } from "../../protocol/json/field-decoder.js";
import { hashedLibrary } from "../../protocol/json/older/hashed-library.js";
import { TransactionInfo } from "../../protocol/messages.js";
import { Audit, type AuditCounts, type FoundDifference } from "./audit.js";
import { HttpNode, isObject, type NodeAddresses, type NodeAnswer, UnansweredError } from "./http-node.js";

/** Startup data of the thread. */
export interface AuditWork {
	readonly own: NodeAddresses;
	readonly theirs: NodeAddresses;
	readonly sample: number;
	/** Requests a second to the other node. */
	readonly rate: number;
	readonly addressPrefix: number;
}

/** A block to compare; without a number the request is for the common head. */
export interface AuditRequest {
	readonly id: number;
	readonly number?: bigint;
}

/** A difference with the other node's receipts as bytes, in transaction order; empty if unreadable. */
export interface RecordedDifference extends Omit<FoundDifference, "receipts"> {
	readonly recorded: readonly Uint8Array[];
}

/** Progress so far, sent with each answer. */
interface AuditProgress {
	readonly counts: Readonly<AuditCounts>;
	/** How often the other node was busy or didn't answer. */
	readonly busy: number;
}

export type AuditAnswer =
	| { readonly kind: "notCompared"; readonly reason: string }
	| { readonly kind: "waiting"; readonly reason: string }
	| ({ readonly kind: "head"; readonly id: number; readonly head: bigint } & AuditProgress)
	| ({
			readonly kind: "block";
			readonly id: number;
			readonly found: RecordedDifference | undefined;
	  } & AuditProgress)
	| ({
			readonly kind: "failed";
			readonly id: number;
			readonly message: string;
			/** True if a node didn't answer; false for a defect. */
			readonly isUnanswered: boolean;
	  } & AuditProgress);

const TIMEOUT_MS = 20_000;
/** Requests a second to this node itself. */
const OWN_RATE = 200;

export class AuditWorker {
	private readonly ending = new AbortController();
	private readonly audit: Audit;
	private readonly theirs: HttpNode;

	constructor(
		{ own, theirs, sample, rate }: AuditWork,
		private readonly post: (answer: AuditAnswer) => void,
	) {
		const { signal } = this.ending;
		const sleep = async (ms: number): Promise<void> => delay(ms, undefined, { signal, ref: false });
		const limits = { timeoutMs: TIMEOUT_MS, now: () => performance.now(), sleep, signal };
		const onBusy = (reason: string): void => post({ kind: "waiting", reason });
		this.theirs = new HttpNode(theirs, { ...limits, rate, onBusy });
		this.audit = new Audit({
			ours: new HttpNode(own, { ...limits, rate: OWN_RATE }),
			theirs: this.theirs,
			...{ sample, sleep, signal },
			onNotCompared: (reason) => post({ kind: "notCompared", reason }),
		});
	}

	async take({ id, number }: AuditRequest): Promise<void> {
		const { audit } = this;
		try {
			if (number === undefined) {
				const head = await audit.commonHead();
				this.post({ kind: "head", id, head, ...this.progress });
				return;
			}
			const found = await audit.block(number);
			this.post({ kind: "block", id, found: found && withBytes(found), ...this.progress });
		} catch (error) {
			if (this.ending.signal.aborted) return;
			const message = error instanceof Error ? error.message : String(error);
			this.post({
				...{ kind: "failed", id, message, ...this.progress },
				isUnanswered: error instanceof UnansweredError,
			});
		}
	}

	private get progress(): AuditProgress {
		return { counts: this.audit.counts, busy: this.theirs.busy };
	}

	close(): void {
		this.ending.abort();
	}
}

/** Thread initialization. */
export const prepareThread = ({ addressPrefix }: AuditWork): void => setAddressPrefix(addressPrefix);

function withBytes({ receipts, ...found }: FoundDifference): RecordedDifference {
	try {
		const recorded = receipts.map((receipt) => {
			if (receipt === null) throw new TypeError("a receipt is missing");
			return TransactionInfo.encode(decodeFields(TransactionInfo, textOf(receipt), false, hashedLibrary));
		});
		return { ...found, recorded };
	} catch {
		// Another node's answer may be anything; the differences are still listed as text.
		return { ...found, recorded: [] };
	}
}

/** JSON with exact integers. */
function textOf(value: NodeAnswer): string {
	if (typeof value === "bigint") return value.toString();
	if (Array.isArray(value)) return `[${(value as readonly NodeAnswer[]).map(textOf).join(",")}]`;
	if (!isObject(value)) return JSON.stringify(value);
	return `{${Object.entries(value)
		.map(([name, item]) => `${JSON.stringify(name)}:${textOf(item)}`)
		.join(",")}}`;
}
