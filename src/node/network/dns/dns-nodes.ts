/** Nodes from lists in DNS: `node.dns.treeUrls` and the trees they link to (protocol/peers §3). */

import type { NetworkEnvironment, NodeAddress, Timer } from "../environment.js";
import { parseTreeUrl, type TreeUrl } from "./records.js";
import { NodeTree, RecordCache } from "./tree.js";

const FIRST_MS = 5_000;
const PERIOD_MS = 3_600_000;
/** Trees that are read, links followed. */
const MAX_TREES = 64;

interface DnsNodesOptions {
	/** `tree://<key>@<domain>` */
	readonly urls: readonly string[];
	/** Own IP literals, either may be empty. */
	readonly self: { readonly ipv4: string; readonly ipv6: string };
	/** Reports why a tree can't be read; what was read before stays. */
	readonly onProblem?: (url: string, error: unknown) => void;
}

export class DnsNodes {
	private readonly configured: readonly TreeUrl[];
	private readonly trees = new Map<string, NodeTree>();
	private readonly cache = new RecordCache();
	private timer: Timer | undefined;
	private isStopped = false;

	/** @throws {TreeError} if an address of a tree is invalid */
	constructor(
		private readonly environment: NetworkEnvironment,
		private readonly options: DnsNodesOptions,
	) {
		this.configured = options.urls.map(parseTreeUrl);
		if (this.configured.length > 0) this.updateAfter(FIRST_MS);
	}

	/** Addresses of all trees, by the family that we have; our own are left out. */
	nodes(): readonly NodeAddress[] {
		const { ipv4, ipv6 } = this.options.self;
		const own = new Set([ipv4, ipv6, "127.0.0.1", "::1"]);
		const found = new Map<string, NodeAddress>();
		for (const tree of this.trees.values()) {
			for (const node of tree.nodes) {
				const host = ipv4 !== "" && node.ipv4 !== "" ? node.ipv4 : ipv6 !== "" ? node.ipv6 : "";
				if (host !== "" && !own.has(host)) found.set(`${host} ${node.port}`, { host, port: node.port });
			}
		}
		return [...found.values()];
	}

	/** Addresses of the trees that are read. */
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

	/** Reads every tree that can be reached, and forgets those that can't be any more. */
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
