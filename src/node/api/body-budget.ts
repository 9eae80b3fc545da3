/** How many bytes of request bodies the process holds at a time, all servers together. */

/** Bodies up to this size are always read: connections bound how many there are. */
const SMALL = 64 << 10;
const TOTAL = 64 << 20;
const PER_ADDRESS = TOTAL / 2;

/** What one body has taken. */
export interface BodyShare {
	/** Asks for a size in bytes, of which some may have been taken before. @returns false: there is no room */
	grow(size: number): boolean;
	/** Gives everything back; later calls do nothing. */
	release(): void;
	/**
	 * Forgets what has come, where others need the room; undefined: it is whole, and stays until it is released. Called once at most.
	 */
	breakOff: (() => void) | undefined;
}

interface HeldShare {
	readonly address: string;
	readonly share: BodyShare;
}

export class BodyBudget {
	private used = 0;
	private readonly byAddress = new Map<string, number>();
	/** Those that have taken something, the one that has grown last at the end. */
	private readonly held = new Set<HeldShare>();

	constructor(
		private readonly total = TOTAL,
		private readonly perAddress = PER_ADDRESS,
	) {}

	/** Bytes that are held now. */
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
	 * Breaks off bodies that are still being sent, of whoever holds the most, the one that has grown longest ago: so clients that
	 * stall keep nobody out who holds less.
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
