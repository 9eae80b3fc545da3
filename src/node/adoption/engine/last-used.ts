/** What was used lately, bounded in number and bytes; the rest is let go. */
export class LastUsed<V> {
	/** The one that was used longest ago comes first. */
	private readonly items = new Map<string, { readonly value: V; readonly bytes: number }>();
	private bytes = 0;

	/** @param release told of what is let go */
	constructor(
		private readonly maxItems: number,
		private readonly maxBytes: number,
		private readonly release: (value: V) => void = () => {},
	) {}

	get(key: string): V | undefined {
		const item = this.items.get(key);
		if (!item) return undefined;
		this.items.delete(key);
		this.items.set(key, item);
		return item.value;
	}

	/** Keeps a new value, however large it is, and lets others go until there is room for it. */
	add(key: string, value: V, bytes: number): V {
		for (const [oldest, item] of this.items) {
			if (this.items.size < this.maxItems && this.bytes + bytes <= this.maxBytes) break;
			this.items.delete(oldest);
			this.bytes -= item.bytes;
			this.release(item.value);
		}
		this.items.set(key, { value, bytes });
		this.bytes += bytes;
		return value;
	}

	clear(): void {
		for (const { value } of this.items.values()) this.release(value);
		this.items.clear();
		this.bytes = 0;
	}
}
