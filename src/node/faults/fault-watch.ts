/** What a node does where it and others don't agree on a block: a file, a loud line of the log, figures for status and metrics. */

import type { SignedBlock } from "../../protocol/block.js";
import type { ChainError } from "../rules/errors.js";
import type { FaultBundle } from "./bundle.js";
import { writeFault } from "./fault-files.js";
import { type FoundFault, type RecorderSource, recordFault } from "./fault-recorder.js";
import { faultSummary } from "./summary.js";

/** Blocks that are remembered, so that one which every peer sends is recorded once. */
const MAX_REMEMBERED = 1_000;
/** Bundles that wait to be written: each may be large. */
const MAX_WAITING = 4;

/** The line of the log where a comparison with another node has found a difference. */
export const DIFFERS =
	"AUDIT: this node differs from the one that it is compared with (node.audit.against); the comparison ends here";

/** A fault as status and metrics show it. */
interface KnownFault {
	readonly block: number;
	/** 64 hexadecimal digits. */
	readonly id: string;
	/** The transaction, 64 hexadecimal digits; undefined: the block itself. */
	readonly transaction: string | undefined;
	readonly computed: string;
	readonly recorded: string;
	/** Undefined: not written yet, or it could not be. */
	readonly file: string | undefined;
	readonly kind: FoundFault["kind"];
	/** Why the file can't be executed again; undefined: it can. */
	readonly incomplete: string | undefined;
}

interface WatchOptions {
	readonly source: RecorderSource;
	/** Undefined: the chain lives in memory, and no files are written. */
	readonly folder: string | undefined;
	readonly log: { error(fields: object, message: string): void };
	readonly report: (error: unknown, where: string) => void;
}

export class FaultWatch {
	private readonly seen = new Set<string>();
	private readonly counts = { refused: 0, audit: 0 };
	private known: KnownFault | undefined;
	private waiting = 0;
	private written: Promise<unknown> = Promise.resolve();

	constructor(private readonly options: WatchOptions) {}

	/** Faults since the start by how they were found. */
	get found(): Readonly<Record<FoundFault["kind"], number>> {
		return this.counts;
	}

	/** The first one since the start: what follows may be its consequence. */
	get first(): KnownFault | undefined {
		return this.known;
	}

	/** As an operator must know it; undefined: there is none. */
	warning(): string | undefined {
		const { known } = this;
		if (!known) return undefined;
		const { block, transaction, computed, recorded, file, kind, incomplete } = known;
		const subject = transaction === undefined ? "" : `, transaction ${transaction}`;
		const use =
			incomplete === undefined ? "reproduces it (coin node reproduce)" : `has what is known: ${incomplete}`;
		const where = file === undefined ? "" : `; ${file} ${use}`;
		const others = kind === "audit" ? "the one that it is compared with (node.audit.against)" : "its peers";
		return `this node and ${others} don't agree on block ${block}${subject}: computed: ${computed}; recorded: ${recorded}${where}`;
	}

	/** A block of a witness was refused; the head is its parent. */
	refused(block: SignedBlock, { className, message }: ChainError): void {
		const refusal = { className, message, position: undefined };
		this.note({ kind: "refused", block, refusal, recorded: [], stored: [], differences: [] });
	}

	/** Records a fault once a block. @returns the fault; undefined: it is known already, or too many wait */
	note(found: FoundFault): KnownFault | undefined {
		const { block, kind } = found;
		if (this.seen.has(block.idHex)) return undefined;
		this.counts[kind]++;
		if (this.waiting >= MAX_WAITING) return undefined;
		for (const oldest of this.seen) {
			if (this.seen.size < MAX_REMEMBERED) break;
			this.seen.delete(oldest);
		}
		this.seen.add(block.idHex);
		const bundle = recordFault(this.options.source, found);
		const fault = {
			...{ block: Number(block.number), id: block.idHex, ...faultSummary(bundle) },
			...{ file: undefined, kind, incomplete: bundle.without },
		};
		this.known ??= fault;
		this.waiting++;
		this.written = this.written
			.then(() => this.write(bundle, fault))
			.finally(() => {
				this.waiting--;
			});
		return fault;
	}

	private async write(bundle: FaultBundle, fault: KnownFault): Promise<void> {
		const { folder, log, report } = this.options;
		let file: string | undefined;
		try {
			if (folder !== undefined) file = await writeFault(folder, bundle);
		} catch (error) {
			report(error, "fault bundle");
		}
		const whole = { ...fault, file };
		if (this.known === fault) this.known = whole;
		log.error(
			whole,
			bundle.kind === "refused"
				? "BLOCK REFUSED: a witness signed a block that this node's rules refuse; where other nodes take it, this node stands still"
				: DIFFERS,
		);
	}

	/** Resolves when everything is written. */
	async close(): Promise<void> {
		await this.written;
	}
}
