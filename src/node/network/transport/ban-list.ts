/** Addresses that are not let in and not dialed for a while (sheet 09 §4.6). */

const MAX_ENTRIES = 2000;

export class BanList {
	/** Address -> end of the ban, milliseconds; oldest first. */
	private readonly ends = new Map<string, number>();

	/** A ban that is running is neither prolonged nor shortened. */
	add(host: string, nowMs: number, durationMs: number): void {
		if (this.has(host, nowMs)) return;
		this.ends.delete(host);
		this.ends.set(host, nowMs + durationMs);
		if (this.ends.size <= MAX_ENTRIES) return;
		const oldest = this.ends.keys().next();
		if (!oldest.done) this.ends.delete(oldest.value);
	}

	has(host: string, nowMs: number): boolean {
		return (this.ends.get(host) ?? 0) > nowMs;
	}
}
