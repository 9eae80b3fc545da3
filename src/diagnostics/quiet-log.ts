/**
 * Rate-limits log lines caused by peers and clients, and logs the number of suppressed lines.
 *
 * Strangers control how often, and from how many addresses, they connect and break rules.
 */

const WINDOW_MS = 60_000;
/** Lines per message and window: for one address, and in total. */
const LINES_OF_HOST = 6;
const LINES_OF_ALL = 60;

/** Decides which lines are logged. */
class LineBudget {
	private window = Number.NEGATIVE_INFINITY;
	/** Lines in this window, by message, and by message and address. */
	private readonly written = new Map<string, number>();
	/** Suppressed lines since the last logged one, by message. */
	private readonly suppressed = new Map<string, number>();

	constructor(private readonly now: () => number) {}

	/** @returns the number of lines suppressed before this one; undefined if this one is suppressed too */
	take(text: string, host: string): number | undefined {
		const window = Math.floor(this.now() / WINDOW_MS);
		if (window !== this.window) {
			this.window = window;
			this.written.clear();
		}
		const ofAll = this.written.get(text) ?? 0;
		const key = `${text}\n${host}`;
		const ofHost = this.written.get(key) ?? 0;
		if (ofAll >= LINES_OF_ALL || (host !== "" && ofHost >= LINES_OF_HOST)) {
			this.suppressed.set(text, (this.suppressed.get(text) ?? 0) + 1);
			return undefined;
		}
		this.written.set(text, ofAll + 1);
		this.written.set(key, ofHost + 1);
		const suppressed = this.suppressed.get(text) ?? 0;
		this.suppressed.delete(text);
		return suppressed;
	}
}

/** Structured log lines. */
interface LeveledLog {
	debug(fields: object, message: string): void;
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
}

/** Limits by message, which must be constant; variable data goes in the fields (`peer`: host:port). */
export function quietLog(log: LeveledLog, now: () => number): LeveledLog {
	const budget = new LineBudget(now);
	const quiet = (write: (fields: object, message: string) => void) => (fields: object, message: string) => {
		const { peer } = fields as { readonly peer?: unknown };
		const host = typeof peer === "string" ? peer.replace(/:\d+$/, "") : "";
		const suppressed = budget.take(message, host);
		if (suppressed !== undefined) write(suppressed > 0 ? { ...fields, suppressed } : fields, message);
	};
	return {
		debug: quiet((fields, message) => log.debug(fields, message)),
		info: quiet((fields, message) => log.info(fields, message)),
		warn: quiet((fields, message) => log.warn(fields, message)),
	};
}

/** Limits plain text lines. @returns writes a line of a kind */
export function quietText(
	write: (text: string) => void,
	now: () => number,
): (kind: string, text: string) => void {
	const budget = new LineBudget(now);
	return (kind, text) => {
		const suppressed = budget.take(kind, kind);
		if (suppressed !== undefined) write(suppressed > 0 ? `${text} (${suppressed} more before)` : text);
	};
}

/** Limits reports of internal errors, which a stranger may trigger repeatedly. */
export function quietReport(
	report: (error: unknown, where: string) => void,
	now: () => number,
): (error: unknown, where: string) => void {
	const budget = new LineBudget(now);
	return (error, where) => {
		const kind = error instanceof Error ? error.name : typeof error;
		const suppressed = budget.take(kind, kind);
		if (suppressed !== undefined)
			report(error, suppressed > 0 ? `${where} (${suppressed} more before)` : where);
	};
}
