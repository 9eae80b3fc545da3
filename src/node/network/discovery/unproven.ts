/**
 * What is sent to addresses that have proven nothing. A datagram names any sender it likes: a node that answers with
 * more than it got is a weapon against the address named. So an address that has not ponged gets as many bytes as came
 * in its name. What the network wants beyond that (a PING is answered and returned, and repeated three times; a question
 * is answered for any sender) comes out of one small allowance for all addresses together: a quiet node does all of it, a
 * flood gets back what it sent.
 *
 * A PONG repeats nothing of its PING, so it can be forged as well, blindly and within fifteen seconds: the network's
 * packets allow no better proof. That is why answers to proven addresses have a limit, too.
 */

import { Recent } from "../../memory/recent.js";

/** The allowance: 22 PINGs a second, and some hundreds at once. */
const BYTES_PER_SECOND = 4096;
const MAX_ALLOWANCE_BYTES = 65_536;
/** Saved up for an address at most. */
const MAX_BYTES = 4096;
const MAX_REMEMBERED = 5000;

export class UnprovenAddresses {
	/** Bytes that may go to an address. */
	private readonly credits = new Recent<number>(MAX_REMEMBERED, Number.POSITIVE_INFINITY, () => 0);

	private allowance = MAX_ALLOWANCE_BYTES;
	private allowanceMs: number;

	constructor(private readonly now: () => number) {
		this.allowanceMs = now();
	}

	/** Bytes came in the name of an address, or a node that we asked named it. */
	add(host: string, bytes: number): void {
		const credit = this.credits.get(host) ?? 0;
		this.credits.renew(host, Math.min(MAX_BYTES, credit + bytes));
	}

	/**
	 * Whether bytes may go to an address; they are counted.
	 * @param isLuxury the upper half of the allowance is for it, so that PINGs are left when answers aren't
	 */
	take(host: string, bytes: number, isLuxury = false): boolean {
		const credit = this.credits.get(host) ?? 0;
		const lack = Math.max(0, bytes - credit);
		if (lack > 0) {
			this.refill();
			if (this.allowance - lack < (isLuxury ? MAX_ALLOWANCE_BYTES / 2 : 0)) return false;
			this.allowance -= lack;
		}
		this.credits.renew(host, credit - bytes + lack);
		return true;
	}

	private refill(): void {
		const now = this.now();
		const passedMs = Math.max(0, now - this.allowanceMs);
		this.allowance = Math.min(MAX_ALLOWANCE_BYTES, this.allowance + (passedMs * BYTES_PER_SECOND) / 1000);
		this.allowanceMs = now;
	}
}
