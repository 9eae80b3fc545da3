/** The table of nodes by distance from this node's id (protocol/peers §2.3). */

/** One entry per address, since ids cost an attacker nothing, but addresses do. */
export interface TableNode {
	/** IP literal under which it is known. */
	readonly host: string;
	/** 64 bytes. */
	readonly nodeId: Uint8Array;
}

const BUCKETS = 17;
const BUCKET_SIZE = 16;
/** Number of entries in a response. */
const CLOSEST = 16;

type InsertResult<T> =
	| { readonly kind: "inserted" | "present" | "own" }
	/** The bucket is full; `rival` is the entry that has to prove that it is alive. */
	| { readonly kind: "full"; readonly rival: T };

interface Entry<T> {
	readonly node: T;
	readonly bucket: number;
	touchedMs: number;
}

/** Number of leading bits that two ids have in common. */
function commonBits(a: Uint8Array, b: Uint8Array): number {
	for (let i = 0; i < a.length; i++) {
		const difference = (a[i] as number) ^ (b[i] as number);
		if (difference !== 0) return i * 8 + Math.clz32(difference) - 24;
	}
	return a.length * 8;
}

/** The network's distance metric: coarse, and negative for ids that share more than 17 bits. */
export function distance(a: Uint8Array, b: Uint8Array): number {
	return BUCKETS - commonBits(a, b);
}

export class NodeTable<T extends TableNode> {
	private readonly entries = new Map<string, Entry<T>>();
	private readonly counts = new Array<number>(BUCKETS).fill(0);

	/** @param ownHosts this node's addresses, which are reported as added but never stored */
	constructor(
		private readonly ownId: Uint8Array,
		private readonly ownHosts: ReadonlySet<string>,
	) {}

	get size(): number {
		return this.entries.size;
	}

	/** All nodes, in order of insertion. */
	nodes(): readonly T[] {
		return [...this.entries.values()].map((entry) => entry.node);
	}

	holds(node: T): boolean {
		return this.entries.get(node.host)?.node === node;
	}

	/** Entries in the bucket of an entry. */
	neighbourCount(node: T): number {
		const entry = this.entries.get(node.host);
		return entry === undefined ? 0 : (this.counts[entry.bucket] as number);
	}

	insert(node: T, nowMs: number): InsertResult<T> {
		if (this.ownHosts.has(node.host)) return { kind: "own" };
		const present = this.entries.get(node.host);
		if (present !== undefined) {
			present.touchedMs = nowMs;
			return { kind: "present" };
		}
		const bucket = Math.max(distance(this.ownId, node.nodeId) - 1, 0);
		if ((this.counts[bucket] as number) >= BUCKET_SIZE) return { kind: "full", rival: this.rival(bucket) };
		this.entries.set(node.host, { node, bucket, touchedMs: nowMs });
		this.counts[bucket] = (this.counts[bucket] as number) + 1;
		return { kind: "inserted" };
	}

	remove(node: T): void {
		const entry = this.entries.get(node.host);
		if (entry?.node !== node) return;
		this.entries.delete(node.host);
		this.counts[entry.bucket] = (this.counts[entry.bucket] as number) - 1;
	}

	/** Up to 16 entries, nearest first; equally near ones in order of insertion. */
	closest(target: Uint8Array): readonly T[] {
		return this.nodes()
			.map((node) => ({ node, distance: distance(target, node.nodeId) }))
			.sort((a, b) => a.distance - b.distance)
			.slice(0, CLOSEST)
			.map(({ node }) => node);
	}

	/** The most recently touched entry. The least recent would be expected, but this is what the network does. */
	private rival(bucket: number): T {
		let newest: Entry<T> | undefined;
		for (const entry of this.entries.values()) {
			if (entry.bucket === bucket && (newest === undefined || entry.touchedMs > newest.touchedMs))
				newest = entry;
		}
		if (newest === undefined) throw new Error(`bucket ${bucket} is full but has no entries`);
		return newest.node;
	}
}
