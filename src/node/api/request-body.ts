/** Reads request bodies. */

import { type HttpRequest, PlainRequest } from "./plain-request.js";

/** Bodies up to this size are always accepted; the connection limit bounds their number. */
const SMALL = 64 << 10;
const TOTAL = 64 << 20;
const PER_ADDRESS = TOTAL / 2;

/** One body's share of the budget. */
interface BodyShare {
	/**
	 * Requests a total size in bytes, part of which may already be taken.
	 * @returns false if there is no room
	 */
	grow(size: number): boolean;
	/** Gives everything back; later calls do nothing. */
	release(): void;
	/**
	 * Drops what has arrived so far if others need the room; undefined once the body is complete and stays
	 * until released. Called at most once.
	 */
	breakOff: (() => void) | undefined;
}

interface HeldShare {
	readonly address: string;
	readonly share: BodyShare;
}

/** Budget for the request body bytes the process holds at a time, over all servers. */
export class BodyBudget {
	private used = 0;
	private readonly byAddress = new Map<string, number>();
	/** Bodies holding part of the budget, in order of their last growth. */
	private readonly held = new Set<HeldShare>();

	constructor(
		private readonly total = TOTAL,
		private readonly perAddress = PER_ADDRESS,
	) {}

	/** Bytes currently held. */
	get heldBytes(): number {
		return this.used;
	}

	/** @param address of the client: one alone can't take everything */
	open(address: string): BodyShare {
		let taken = 0;
		const share: BodyShare = {
			breakOff: undefined,
			grow: (size) => {
				if (size <= SMALL || size <= taken) return true;
				const more = size - taken;
				const own = (this.byAddress.get(address) ?? 0) + more;
				if (own > this.perAddress || !this.makeRoom(more, own)) return false;
				this.used += more;
				this.byAddress.set(address, own);
				taken = size;
				this.held.delete(entry);
				this.held.add(entry);
				return true;
			},
			release: () => {
				this.held.delete(entry);
				this.used -= taken;
				const left = (this.byAddress.get(address) ?? 0) - taken;
				if (left > 0) this.byAddress.set(address, left);
				else this.byAddress.delete(address);
				taken = 0;
			},
		};
		const entry: HeldShare = { address, share };
		return share;
	}

	/**
	 * Aborts incomplete bodies of the largest holder, least recently grown first, so that stalled clients keep
	 * out nobody who holds less.
	 * @param own what the address that needs the room would hold
	 */
	private makeRoom(bytes: number, own: number): boolean {
		while (this.used + bytes > this.total) {
			let most: HeldShare | undefined;
			let mostBytes = own;
			for (const entry of this.held) {
				const bytesOfAddress = this.byAddress.get(entry.address) ?? 0;
				if (!entry.share.breakOff || bytesOfAddress <= mostBytes) continue;
				most = entry;
				mostBytes = bytesOfAddress;
			}
			if (!most) return false;
			const { share } = most;
			share.breakOff?.();
			share.breakOff = undefined;
			share.release();
		}
		return true;
	}
}

export const EMPTY_BODY = new Uint8Array(0);

/** Parsing a longer body as JSON takes long enough to wait for a turn. */
export const LARGE_BODY = 256 << 10;

/** Why there is no body: it exceeds the limit, or the budget is used up. */
export type MissingBody = "too long" | "no room";

/**
 * Reads the whole body; returns at once if it has already arrived. A body that doesn't fit is read and
 * discarded. Rejects if the client goes away.
 * @param limit bytes that are kept
 * @param share of the process's bodies; absent: only `limit` counts. To be released once the body is no longer needed
 */
export function collectBody(
	request: HttpRequest,
	limit: number,
	share?: BodyShare,
): Uint8Array | MissingBody | Promise<Uint8Array | MissingBody> {
	if (request instanceof PlainRequest) return request.body.length > limit ? "too long" : request.body;
	return new Promise((resolve, reject) => {
		let chunks: Uint8Array[] = [];
		let size = 0;
		let missing: MissingBody | undefined;
		const forget = (reason: MissingBody): void => {
			missing = reason;
			chunks = [];
			share?.release();
		};
		if (share) share.breakOff = () => forget("no room");
		const announced = Number(request.headers["content-length"] ?? 0);
		if (announced > limit) forget("too long");
		request.on("data", (chunk: Uint8Array) => {
			size += chunk.length;
			if (missing) return;
			if (size > limit) forget("too long");
			else if (share && !share.grow(size)) forget("no room");
			else chunks.push(chunk);
		});
		request.on("end", () => {
			if (share) share.breakOff = undefined;
			if (missing) resolve(missing);
			else resolve(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks));
		});
		request.on("error", reject);
	});
}
