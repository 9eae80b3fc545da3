/**
 * Emulates java.util.HashMap to reproduce its iteration order: bucket by bucket, each in list order. The
 * table doubles when more than three quarters full and also, while smaller than 64, when a bucket of eight
 * keys gets another. From 64 on such a bucket becomes a red-black tree: a new key is linked right behind its
 * parent in the list, and the tree's root moves to the front. Keys are only added, never removed.
 */

export type KeyHash = (key: string) => number;

/** Default capacity. */
export const FIRST_CAPACITY = 16;

/** A list of this length is treeified, or resizes the table, when it gets another key. */
export const MAX_LIST = 8;

/** The smallest table that uses trees. */
export const SMALLEST_WITH_TREES = 64;

/** Half of a split tree with at most this many keys becomes a list again. */
export const MAX_UNTREED = 6;

/** The hash used for bucket selection and tree order: mixes the high bits into the low ones. */
export const spread = (hash: number): number => hash ^ (hash >>> 16);

/** Capacity of a map that grew to `count` keys through its load factor only: a power of two. */
export function capacityFor(count: number, smallest = FIRST_CAPACITY): number {
	let capacity = smallest;
	while (count > capacity * 0.75) capacity *= 2;
	return capacity;
}

interface Node {
	readonly key: string;
	readonly hash: number;
	/** Neighbours in the bucket's list. */
	before: Node | undefined;
	after: Node | undefined;
	parent: Node | undefined;
	left: Node | undefined;
	right: Node | undefined;
	red: boolean;
}

interface Bucket {
	first: Node;
	/** Whether `first` is the root of a tree. */
	isTree: boolean;
}

type Table = (Bucket | undefined)[];

export class HashTable {
	private table: Table;
	private count = 0;
	/** Whether a copy, and a copy of that, would iterate in the same order. */
	private isStable = false;

	/** @param capacity initial capacity, a power of two */
	constructor(
		private readonly hashOf: KeyHash,
		capacity = FIRST_CAPACITY,
	) {
		this.table = new Array(capacity).fill(undefined);
	}

	/** Number of keys. */
	get size(): number {
		return this.count;
	}

	/** Adds a key; an existing one keeps its position. */
	add(key: string): void {
		const hash = spread(this.hashOf(key));
		if (!this.has(key, hash)) this.insert(newNode(key, hash));
	}

	private has(key: string, hash: number): boolean {
		const bucket = this.table[hash & (this.table.length - 1)];
		let node = bucket?.first;
		while (node && node.key !== key) {
			if (!bucket?.isTree) node = node.after;
			else node = goesLeft(key, hash, node) ? node.left : node.right;
		}
		return node !== undefined;
	}

	/** Adds a node whose key is not there. */
	private insert(node: Node): void {
		this.count++;
		this.isStable = false;
		const index = node.hash & (this.table.length - 1);
		const bucket = this.table[index];
		if (!bucket) this.table[index] = { first: node, isTree: false };
		else if (bucket.isTree) insertIntoTree(bucket, node);
		else this.append(bucket, node);
		if (this.count > this.table.length * 0.75) this.double();
	}

	private append(bucket: Bucket, node: Node): void {
		let last = bucket.first;
		let length = 1;
		for (let next = last.after; next; next = next.after) {
			last = next;
			length++;
		}
		last.after = node;
		node.before = last;
		if (length < MAX_LIST) return;
		if (this.table.length < SMALLEST_WITH_TREES) this.double();
		else makeTree(bucket);
	}

	private double(): void {
		const bit = this.table.length;
		const doubled: Table = new Array(bit * 2).fill(undefined);
		for (let i = 0; i < bit; i++) {
			const bucket = this.table[i];
			if (bucket) [doubled[i], doubled[i + bit]] = divide(bucket, bit);
		}
		this.table = doubled;
	}

	/** Keys in iteration order. */
	keys(): string[] {
		return this.nodes().map((node) => node.key);
	}

	private nodes(): Node[] {
		const nodes: Node[] = [];
		for (const bucket of this.table) {
			for (let node = bucket?.first; node; node = node.after) nodes.push(node);
		}
		return nodes;
	}

	/**
	 * A map of default capacity filled with these keys in iteration order. May return this map if that is
	 * equivalent.
	 */
	copy(): HashTable {
		if (this.isStable) return this;
		const copy = new HashTable(this.hashOf);
		const nodes = this.nodes();
		for (const { key, hash } of nodes) copy.insert(newNode(key, hash));
		copy.isStable = copy.nodes().every(({ key }, i) => key === nodes[i]?.key);
		return copy;
	}
}

function newNode(key: string, hash: number): Node {
	return {
		key,
		hash,
		before: undefined,
		after: undefined,
		parent: undefined,
		left: undefined,
		right: undefined,
		red: false,
	};
}

/** Splits a bucket by one hash bit; both halves keep their order. */
function divide(bucket: Bucket, bit: number): [low: Bucket | undefined, high: Bucket | undefined] {
	const low: Node[] = [];
	const high: Node[] = [];
	for (let node: Node | undefined = bucket.first; node; node = node.after) {
		(node.hash & bit ? high : low).push(node);
	}
	if (low.length === 0) return [undefined, bucket];
	if (high.length === 0) return [bucket, undefined];
	return [linked(low, bucket.isTree), linked(high, bucket.isTree)];
}

/** Relinks nodes that were part of a tree or a list into a bucket. */
function linked(nodes: readonly Node[], wasTree: boolean): Bucket {
	for (const [i, node] of nodes.entries()) {
		node.before = nodes[i - 1];
		node.after = nodes[i + 1];
	}
	const bucket = { first: nodes[0] as Node, isTree: false };
	if (wasTree && nodes.length > MAX_UNTREED) makeTree(bucket);
	return bucket;
}

/** Turns a list into a tree by inserting its nodes one by one; only the root changes its list position. */
function makeTree(bucket: Bucket): void {
	bucket.isTree = true;
	let root: Node | undefined;
	for (let node: Node | undefined = bucket.first; node; node = node.after) {
		node.parent = node.left = node.right = undefined;
		node.red = false;
		if (root) {
			descend(root, node);
			root = balance(root, node);
		} else root = node;
	}
	moveToFront(bucket, root as Node);
}

function insertIntoTree(bucket: Bucket, node: Node): void {
	const root = bucket.first;
	const parent = descend(root, node);
	node.after = parent.after;
	node.before = parent;
	if (node.after) node.after.before = node;
	parent.after = node;
	moveToFront(bucket, balance(root, node));
}

/** Trees are ordered by signed hash, then key. */
const goesLeft = (key: string, hash: number, node: Node): boolean =>
	hash < node.hash || (hash === node.hash && key < node.key);

/** Inserts a node as a leaf. @returns its parent */
function descend(root: Node, node: Node): Node {
	let parent = root;
	for (;;) {
		const isLeft = goesLeft(node.key, node.hash, parent);
		const next = isLeft ? parent.left : parent.right;
		if (next) {
			parent = next;
			continue;
		}
		if (isLeft) parent.left = node;
		else parent.right = node;
		node.parent = parent;
		return parent;
	}
}

function moveToFront(bucket: Bucket, root: Node): void {
	const { first } = bucket;
	if (first === root) return;
	if (root.before) root.before.after = root.after;
	if (root.after) root.after.before = root.before;
	root.before = undefined;
	root.after = first;
	first.before = root;
	bucket.first = root;
}

/** Restores the red-black invariants after an insertion. @returns the root */
function balance(top: Node, inserted: Node): Node {
	let root = top;
	let node = inserted;
	node.red = true;
	while (node.parent?.red) {
		let { parent } = node;
		// A red node is never the root.
		const grand = parent.parent as Node;
		const isLeft = parent === grand.left;
		const uncle = isLeft ? grand.right : grand.left;
		if (uncle?.red) {
			parent.red = uncle.red = false;
			grand.red = true;
			node = grand;
			continue;
		}
		if (node === (isLeft ? parent.right : parent.left)) {
			root = rotate(root, parent, isLeft);
			[node, parent] = [parent, node];
		}
		parent.red = false;
		grand.red = true;
		root = rotate(root, grand, !isLeft);
	}
	root.red = false;
	return root;
}

/** Rotates a node down; its child on the other side takes its place. @returns the root */
function rotate(root: Node, node: Node, toLeft: boolean): Node {
	const child = (toLeft ? node.right : node.left) as Node;
	const inner = toLeft ? child.left : child.right;
	if (toLeft) node.right = inner;
	else node.left = inner;
	if (inner) inner.parent = node;
	const { parent } = node;
	child.parent = parent;
	if (parent?.left === node) parent.left = child;
	else if (parent) parent.right = child;
	if (toLeft) child.left = node;
	else child.right = node;
	node.parent = child;
	return parent ? root : child;
}

/** Keys by bucket index for a capacity: the iteration order while no bucket gets a ninth key. */
export function bucketOrder(keys: readonly string[], hashOf: KeyHash, capacity: number): string[] {
	const rows = keys.map((key) => ({ key, bucket: spread(hashOf(key)) & (capacity - 1) }));
	return rows.sort((a, b) => a.bucket - b.bucket).map((row) => row.key);
}

/**
 * Returns distinct keys, given in insertion order, in iteration order. PERF: with at most eight keys no
 * bucket can overflow, so sorting by bucket is enough.
 * @param capacity initial capacity
 */
export function walkOrder(
	keys: readonly string[],
	hashOf: KeyHash,
	capacity: number = FIRST_CAPACITY,
): string[] {
	if (keys.length < 2) return [...keys];
	if (keys.length > MAX_LIST) {
		const table = new HashTable(hashOf, capacity);
		for (const key of keys) table.add(key);
		return [...table.keys()];
	}
	return bucketOrder(keys, hashOf, capacityFor(keys.length, capacity));
}
