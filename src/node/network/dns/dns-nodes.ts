/** Nodes from DNS lists: `node.dns.treeUrls` and the trees they link to (protocol/peers §3). */

import type { NetworkEnvironment, NodeAddress, Timer } from "../environment.js";
import { sharedHost } from "../wire/endpoint.js";
import {
	type ListedNode,
	parseTreeUrl,
	readEntry,
	readRoot,
	type TreeEntry,
	TreeError,
	type TreeRoot,
	type TreeUrl,
} from "./records.js";

/** One tree as it was read last (protocol/peers §3). */
const QUESTION_TIMEOUT_MS = 20_000;
/** The most records of a tree, so that a linked tree can't keep the node reading forever. */
const MAX_RECORDS = 2_000;

/** Records by hash, so that unchanged ones aren't queried again. */
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

class NodeTree {
	nodes: readonly ListedNode[] = [];
	links: readonly TreeUrl[] = [];
	private root: TreeRoot | undefined;

	constructor(
		readonly url: TreeUrl,
		private readonly environment: NetworkEnvironment,
		private readonly cache: RecordCache,
	) {}

	/**
	 * Reads the tree if it is newer than the known one. All or nothing: if a record is missing or damaged, the old tree is
	 * kept, and the new one is read again next time.
	 * @throws {Error} if no resolver answers
	 * @throws {TreeError} if the response isn't a tree, or isn't signed
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

	/** Returns all leaves below a record, in order. */
	private async walk(
		top: string,
		leaf: (entry: Exclude<TreeEntry, { kind: "branch" }>) => void,
	): Promise<void> {
		const seen = new Set<string>();
		const open = [top];
		for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
			// Hashes can't form a cycle, but two branches may refer to the same record.
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
 * Queries the records of a name. The environment retries by itself; the timeout here only prevents an unanswered query
 * from blocking the reading of all trees.
 * @throws {Error} if no resolver answers
 */
function askText(environment: NetworkEnvironment, name: string): Promise<readonly (readonly string[])[]> {
	return new Promise((resolve, reject) => {
		const timer = environment.after(QUESTION_TIMEOUT_MS, () => reject(new Error(`no answer for ${name}`)));
		environment.resolveText(name).then(resolve, reject).finally(timer.cancel);
	});
}

const FIRST_MS = 5_000;
const PERIOD_MS = 3_600_000;
/** The most trees that are read, including linked ones. */
const MAX_TREES = 64;

interface DnsNodesOptions {
	/** `tree://<key>@<domain>` */
	readonly urls: readonly string[];
	/** This node's IP literals; either may be empty. */
	readonly self: { readonly ipv4: string; readonly ipv6: string };
	/** Called if a tree can't be read; what was read before is kept. */
	readonly onProblem?: (url: string, error: unknown) => void;
}

export class DnsNodes {
	private readonly configured: readonly TreeUrl[];
	private readonly trees = new Map<string, NodeTree>();
	private readonly cache = new RecordCache();
	private timer: Timer | undefined;
	private isStopped = false;

	/** @throws {TreeError} if a tree's URL is invalid */
	constructor(
		private readonly environment: NetworkEnvironment,
		private readonly options: DnsNodesOptions,
	) {
		this.configured = options.urls.map(parseTreeUrl);
		if (this.configured.length > 0) this.updateAfter(FIRST_MS);
	}

	/** Addresses from all trees, in the address families of this node, without its own. */
	nodes(): readonly NodeAddress[] {
		const { self } = this.options;
		const own = new Set([self.ipv4, self.ipv6, "127.0.0.1", "::1"]);
		const found = new Map<string, NodeAddress>();
		for (const tree of this.trees.values()) {
			for (const node of tree.nodes) {
				const host = sharedHost(self, node);
				if (host !== "" && !own.has(host)) found.set(`${host} ${node.port}`, { host, port: node.port });
			}
		}
		return [...found.values()];
	}

	/** URLs of the trees that are read. */
	get treeUrls(): readonly string[] {
		return [...this.trees.keys()];
	}

	stop(): void {
		this.isStopped = true;
		this.timer?.cancel();
	}

	private updateAfter(ms: number): void {
		this.timer = this.environment.after(ms, () => {
			this.update().then(
				() => {
					if (!this.isStopped) this.updateAfter(PERIOD_MS);
				},
				(error: unknown) => this.options.onProblem?.("all trees", error),
			);
		});
	}

	/** Reads all trees reachable by links, and drops those that are no longer linked. */
	private async update(): Promise<void> {
		const queue = [...this.configured];
		const reached = new Set<string>();
		for (let url = queue.shift(); url !== undefined && !this.isStopped; url = queue.shift()) {
			if (reached.has(url.text) || reached.size >= MAX_TREES) continue;
			reached.add(url.text);
			const tree = this.trees.get(url.text) ?? new NodeTree(url, this.environment, this.cache);
			this.trees.set(url.text, tree);
			try {
				await tree.update();
			} catch (error) {
				this.options.onProblem?.(url.text, error);
			}
			queue.push(...tree.links);
		}
		for (const text of this.trees.keys()) if (!reached.has(text)) this.trees.delete(text);
	}
}
