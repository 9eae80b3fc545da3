/** One tree as it was read last (protocol/peers §3). */

import type { NetworkEnvironment } from "../environment.js";
import {
	type ListedNode,
	readEntry,
	readRoot,
	type TreeEntry,
	TreeError,
	type TreeRoot,
	type TreeUrl,
} from "./records.js";

const QUESTION_TIMEOUT_MS = 20_000;
/** Records of one tree: a link to a tree must not make us read forever. */
const MAX_RECORDS = 2_000;

/** Records by their hash: what didn't change since the last time isn't asked for again. */
export class RecordCache {
	private readonly entries = new Map<string, TreeEntry>();

	constructor(private readonly limit = MAX_RECORDS) {}

	get(hash: string): TreeEntry | undefined {
		const entry = this.entries.get(hash);
		if (entry === undefined) return undefined;
		this.entries.delete(hash);
		this.entries.set(hash, entry);
		return entry;
	}

	set(hash: string, entry: TreeEntry): void {
		this.entries.set(hash, entry);
		for (const oldest of this.entries.keys()) {
			if (this.entries.size <= this.limit) break;
			this.entries.delete(oldest);
		}
	}

	get size(): number {
		return this.entries.size;
	}
}

export class NodeTree {
	nodes: readonly ListedNode[] = [];
	links: readonly TreeUrl[] = [];
	private root: TreeRoot | undefined;

	constructor(
		readonly url: TreeUrl,
		private readonly environment: NetworkEnvironment,
		private readonly cache: RecordCache,
	) {}

	/**
	 * Reads the tree if it is newer than what we have. All of it or nothing: a tree with a record that is missing or
	 * damaged stays what it was, and is read again next time.
	 * @throws {Error} if no resolver answers
	 * @throws {TreeError} if what is answered isn't a tree, or isn't signed
	 */
	async update(): Promise<void> {
		const root = readRoot(await askText(this.environment, this.url.domain), this.url);
		if (this.root !== undefined && root.sequence <= this.root.sequence) return;
		const nodes: ListedNode[] = [];
		const links = new Map<string, TreeUrl>();
		await this.walk(root.linksHash, (entry) => {
			if (entry.kind !== "link") throw new TreeError(`${this.url.domain} has ${entry.kind} among its links`);
			links.set(entry.url.text, entry.url);
		});
		await this.walk(root.nodesHash, (entry) => {
			if (entry.kind !== "nodes")
				throw new TreeError(`${this.url.domain} has a ${entry.kind} among its nodes`);
			nodes.push(...entry.nodes);
		});
		this.root = root;
		this.nodes = nodes;
		this.links = [...links.values()];
	}

	/** Gives all leaves below a record, in order. */
	private async walk(
		top: string,
		leaf: (entry: Exclude<TreeEntry, { kind: "branch" }>) => void,
	): Promise<void> {
		const seen = new Set<string>();
		const open = [top];
		for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
			// A hash can't name a record above it, but two branches may name the same one.
			if (seen.has(hash)) continue;
			seen.add(hash);
			if (seen.size > MAX_RECORDS)
				throw new TreeError(`${this.url.domain} has more than ${MAX_RECORDS} records`);
			const entry = await this.entry(hash);
			if (entry.kind === "branch") open.push(...[...entry.hashes].reverse());
			else leaf(entry);
		}
	}

	private async entry(hash: string): Promise<TreeEntry> {
		const known = this.cache.get(hash);
		if (known !== undefined) return known;
		const records = await askText(this.environment, `${hash.toLowerCase()}.${this.url.domain}`);
		const entry = readEntry(records, hash);
		this.cache.set(hash, entry);
		return entry;
	}
}

/**
 * Asks for the records of a name. The environment asks again by itself; here is only what keeps a question that is
 * never answered from stopping the reading of all trees.
 * @throws {Error} if no resolver answers
 */
function askText(environment: NetworkEnvironment, name: string): Promise<readonly (readonly string[])[]> {
	return new Promise((resolve, reject) => {
		const timer = environment.after(QUESTION_TIMEOUT_MS, () => reject(new Error(`no answer for ${name}`)));
		environment.resolveText(name).then(resolve, reject).finally(timer.cancel);
	});
}
