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
}

export class BodyBudget {
	private used = 0;
	private readonly byAddress = new Map<string, number>();

	constructor(
		private readonly total = TOTAL,
		private readonly perAddress = PER_ADDRESS,
	) {}

	/** Bytes that are held now. */
	get held(): number {
		return this.used;
	}

	/** @param address of the client: one alone can't take everything */
	open(address: string): BodyShare {
		let taken = 0;
		return {
			grow: (size) => {
				if (size <= SMALL || size <= taken) return true;
				const more = size - taken;
				const own = this.byAddress.get(address) ?? 0;
				if (this.used + more > this.total || own + more > this.perAddress) return false;
				this.used += more;
				this.byAddress.set(address, own + more);
				taken = size;
				return true;
			},
			release: () => {
				this.used -= taken;
				const left = (this.byAddress.get(address) ?? 0) - taken;
				if (left > 0) this.byAddress.set(address, left);
				else this.byAddress.delete(address);
				taken = 0;
			},
		};
	}
}
