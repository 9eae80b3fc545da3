/**
 * A log that peers can't fill: what they cause is told a few times a minute, and then how often it went untold.
 *
 * A stranger decides how often it connects, breaks a rule and is told to go, and from how many addresses.
 */

import type { PeerLog } from "./peers/peer-world.js";

const WINDOW_MS = 60_000;
/** Lines of one text in a window: about one address, and about all. */
const LINES_OF_HOST = 6;
const LINES_OF_ALL = 60;

/** Decides which lines are told. */
class LineBudget {
	private window = Number.NEGATIVE_INFINITY;
	/** Text, and text with address, to lines in this window. */
	private readonly told = new Map<string, number>();
	/** Text to lines that were not told since the last one that was. */
	private readonly untold = new Map<string, number>();

	constructor(private readonly now: () => number) {}

	/** @returns how many lines of this text were left out before it; undefined if this one is, too */
	take(text: string, host: string): number | undefined {
		const window = Math.floor(this.now() / WINDOW_MS);
		if (window !== this.window) {
			this.window = window;
			this.told.clear();
		}
		const ofAll = this.told.get(text) ?? 0;
		const key = `${text}\n${host}`;
		const ofHost = this.told.get(key) ?? 0;
		if (ofAll >= LINES_OF_ALL || (host !== "" && ofHost >= LINES_OF_HOST)) {
			this.untold.set(text, (this.untold.get(text) ?? 0) + 1);
			return undefined;
		}
		this.told.set(text, ofAll + 1);
		this.told.set(key, ofHost + 1);
		const untold = this.untold.get(text) ?? 0;
		this.untold.delete(text);
		return untold;
	}
}

/** The texts are few: what varies stands in the fields, of which `peer` is an address with its port. */
export function quietLog(log: PeerLog, now: () => number): PeerLog {
	const budget = new LineBudget(now);
	const quiet = (write: (fields: object, message: string) => void) => (fields: object, message: string) => {
		const { peer } = fields as { readonly peer?: unknown };
		const host = typeof peer === "string" ? peer.replace(/:\d+$/, "") : "";
		const untold = budget.take(message, host);
		if (untold !== undefined) write(untold > 0 ? { ...fields, untold } : fields, message);
	};
	return {
		debug: quiet((fields, message) => log.debug(fields, message)),
		info: quiet((fields, message) => log.info(fields, message)),
		warn: quiet((fields, message) => log.warn(fields, message)),
	};
}

/** Faults of this program, in the same measure: a peer that found one may repeat it. */
export function quietReport(
	report: (error: unknown, where: string) => void,
	now: () => number,
): (error: unknown, where: string) => void {
	const budget = new LineBudget(now);
	return (error, where) => {
		const kind = error instanceof Error ? error.name : typeof error;
		const untold = budget.take(kind, kind);
		if (untold !== undefined) report(error, untold > 0 ? `${where} (${untold} more before)` : where);
	};
}
