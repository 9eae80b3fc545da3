/** What the chain said of blocks that are still to be published to a receiver: bounded, since stored blocks say nearly the same. */

import type { SignedBlock } from "../../protocol/block.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import { internalCallData } from "../rules/internal-call-data.js";

/** Blocks, and bytes of them, that are held for one receiver. */
const MAX_RECENT_BLOCKS = 256;
const MAX_BYTES = 16 << 20;
/** What a receipt takes beside its block, about. */
const RECEIPT_BYTES = 1_000;
/** What a log or an internal transaction takes beside its data, about. */
const LOG_BYTES = 200;

export interface RecentBlock {
	readonly block: SignedBlock;
	/** Of the moment of execution. */
	readonly infos: readonly Readonly<TransactionInfo>[];
	/** The solidified number then. */
	readonly solid: number;
}

export class RecentBlocks {
	private readonly blocks = new Map<string, RecentBlock>();
	private bytes = 0;

	/** The oldest ones are let go for it. */
	add(recent: RecentBlock): void {
		this.delete(recent.block.idHex);
		this.blocks.set(recent.block.idHex, recent);
		this.bytes += sizeOf(recent);
		for (const [id] of this.blocks) {
			if (this.blocks.size <= MAX_RECENT_BLOCKS && this.bytes <= MAX_BYTES) return;
			this.delete(id);
		}
	}

	get(id: string): RecentBlock | undefined {
		return this.blocks.get(id);
	}

	/** Lets a block go, if it is held. */
	delete(id: string): void {
		const recent = this.blocks.get(id);
		if (!recent) return;
		this.blocks.delete(id);
		this.bytes -= sizeOf(recent);
	}

	clear(): void {
		this.blocks.clear();
		this.bytes = 0;
	}
}

function sizeOf({ block, infos }: RecentBlock): number {
	let size = block.bytes.length + RECEIPT_BYTES * infos.length;
	for (const { log, internal_transactions } of infos) {
		for (const { data } of log) size += LOG_BYTES + data.length;
		for (const internal of internal_transactions) {
			const data = internalCallData(internal);
			size += LOG_BYTES + (typeof data === "number" ? 0 : data.length);
		}
	}
	return size;
}
