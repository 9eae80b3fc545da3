import { beforeEach, describe, expect, it } from "vitest";
import { DnsNodes, RecordCache } from "../../../../src/node/network/dns/dns-nodes.js";
import { TreeError } from "../../../../src/node/network/dns/records.js";
import { fromHex } from "../../../../src/protocol/bytes.js";
import type { SimulatedEnvironment } from "../../../simulation/environment.js";
import { SimulatedWorld } from "../../../simulation/world.js";
import { nodesRecord, PublishedTree } from "./tree-fixture.js";

const US = "10.0.0.1";
const HOUR_MS = 3_600_000;

let world: SimulatedWorld;
let environment: SimulatedEnvironment;
let tree: PublishedTree;
let problems: string[];
let asked: string[];

beforeEach(() => {
	world = new SimulatedWorld();
	environment = world.host(US).boot();
	const resolve = environment.resolveText.bind(environment);
	asked = [];
	environment.resolveText = (name) => {
		asked.push(name);
		return resolve(name);
	};
	tree = new PublishedTree(world, "nodes.example.org");
	problems = [];
});

function start(urls: readonly string[] = [tree.url], self = { ipv4: US, ipv6: "" }): DnsNodes {
	const onProblem = (url: string, error: unknown) =>
		problems.push(`${url.slice(-5)}: ${(error as Error).message}`);
	return new DnsNodes(environment, { urls, self, onProblem });
}

const hosts = (nodes: DnsNodes) => nodes.nodes().map((node) => node.host);

describe("nodes from DNS trees", () => {
	it("are read five seconds after the start, without our own addresses", async () => {
		tree.publish(
			[
				["10.0.0.2 18888", "10.0.0.3 18889"],
				[`${US} 18888`, "127.0.0.1 18888", "fd00::1 1"],
			],
			[],
			1,
		);
		const nodes = start();
		await world.advance(4_999);
		expect(asked).toEqual([]);
		await world.advance(1_000);
		expect(nodes.nodes()).toEqual([
			{ host: "10.0.0.2", port: 18888 },
			{ host: "10.0.0.3", port: 18889 },
		]);
	});

	it("are given by IPv6 to a node that has nothing else", async () => {
		tree.publish([["10.0.0.2 18888", "fd00:0:0:0:0:0:0:1 1", "fd00:0:0:0:0:0:0:2 1"]], [], 1);
		const nodes = start([tree.url], { ipv4: "", ipv6: "fd00::1" });
		await world.advance(10_000);
		expect(nodes.nodes()).toEqual([{ host: "fd00::2", port: 1 }]);
	});

	it("are read again every hour; only what changed is asked for", async () => {
		tree.publish([["10.0.0.2 1"], ["10.0.0.3 1"]], [], 1);
		const nodes = start();
		await world.advance(10_000);
		asked.length = 0;
		await world.advance(HOUR_MS);
		expect(asked).toEqual([tree.domain]);
		tree.publish([["10.0.0.2 1"], ["10.0.0.4 1"]], [], 2);
		asked.length = 0;
		await world.advance(HOUR_MS);
		expect(hosts(nodes)).toEqual(["10.0.0.2", "10.0.0.4"]);
		// The root, the branch and one record.
		expect(asked.length).toBe(3);
	});

	it("stay as they are if the sequence doesn't grow", async () => {
		tree.publish([["10.0.0.2 1"]], [], 5);
		const nodes = start();
		await world.advance(10_000);
		tree.publish([["10.0.0.3 1"]], [], 4);
		await world.advance(HOUR_MS);
		expect(hosts(nodes)).toEqual(["10.0.0.2"]);
		expect(problems).toEqual([]);
	});

	it("come from linked trees too, as long as the link is there, and in circles once", async () => {
		const other = new PublishedTree(world, "more.example.net", fromHex("22".repeat(32)));
		tree.publish([["10.0.0.2 1"]], [other.url, tree.url], 1);
		other.publish([["10.0.0.3 1"]], [tree.url], 1);
		const nodes = start();
		await world.advance(10_000);
		expect(hosts(nodes)).toEqual(["10.0.0.2", "10.0.0.3"]);
		expect(nodes.treeUrls).toEqual([tree.url, other.url]);
		tree.publish([["10.0.0.2 1"]], [], 2);
		await world.advance(HOUR_MS);
		expect(hosts(nodes)).toEqual(["10.0.0.2"]);
	});

	it("don't follow more than 64 trees", async () => {
		const trees = Array.from({ length: 80 }, (_, i) => {
			const key = fromHex((i + 1).toString(16).padStart(64, "0"));
			return new PublishedTree(world, `t${i}.example.net`, key);
		});
		for (const [i, one] of trees.entries()) {
			const next = trees[i + 1];
			one.publish([[`10.0.1.${i} 1`]], next ? [next.url] : [], 1);
		}
		const nodes = start([trees[0]?.url ?? ""]);
		await world.advance(100_000);
		expect(nodes.treeUrls.length).toBe(64);
		expect(nodes.nodes().length).toBe(64);
	});

	const damages: [string, () => void, RegExp][] = [
		[
			"a record is missing",
			() => world.texts.delete(`${tree.record(nodesRecord(["10.0.0.9 1"])).toLowerCase()}.${tree.domain}`),
			/no TXT/,
		],
		[
			"a record was changed",
			() =>
				world.texts.set(`${tree.record(nodesRecord(["10.0.0.9 1"])).toLowerCase()}.${tree.domain}`, [
					["nodes:"],
				]),
			/another hash/,
		],
		["the root isn't signed", () => world.texts.set(tree.domain, [["tree-root-v1:"]]), /not the hash/],
		["the root is gone", () => world.texts.delete(tree.domain), /no TXT/],
	];
	it.each(damages)("stay what they were when %s, and recover", async (_, damage, message) => {
		tree.publish([["10.0.0.2 1"]], [], 1);
		const nodes = start();
		await world.advance(10_000);
		tree.publish([["10.0.0.9 1"]], [], 2);
		damage();
		await world.advance(HOUR_MS);
		expect(hosts(nodes)).toEqual(["10.0.0.2"]);
		expect(problems.join()).toMatch(message);
		tree.publish([["10.0.0.9 1"]], [], 2);
		await world.advance(HOUR_MS + 20_000);
		expect(hosts(nodes)).toEqual(["10.0.0.9"]);
	});

	it.each<[string, () => void, RegExp]>([
		[
			"a link among the nodes",
			() => tree.root(tree.record(tree.url), tree.branch([]), 1),
			/link among its nodes/,
		],
		[
			"nodes among the links",
			() => tree.root(tree.branch([]), tree.record(nodesRecord(["10.0.0.2 1"])), 1),
			/nodes among its links/,
		],
	])("don't come from a tree with %s", async (_, publish, message) => {
		publish();
		const nodes = start();
		await world.advance(10_000);
		expect(nodes.nodes()).toEqual([]);
		expect(problems.join()).toMatch(message);
	});

	it("don't come from a tree of more than two thousand records", async () => {
		let hashes = Array.from({ length: 2_100 }, (_, i) =>
			tree.record(nodesRecord([`10.1.${i >> 8}.${i & 0xff} 1`])),
		);
		while (hashes.length > 1) {
			const above: string[] = [];
			for (let i = 0; i < hashes.length; i += 13) above.push(tree.branch(hashes.slice(i, i + 13)));
			hashes = above;
		}
		tree.root(hashes[0] ?? "", tree.branch([]), 1);
		const nodes = start();
		await world.advance(200_000);
		expect(nodes.nodes()).toEqual([]);
		expect(problems.join()).toMatch(/more than 2000 records/);
	});

	it("are given up for an hour where no resolver answers", async () => {
		environment.resolveText = (name) => {
			asked.push(name);
			return new Promise(() => {});
		};
		start();
		await world.advance(24_999);
		expect([asked.length, problems.length]).toEqual([1, 0]);
		await world.advance(1);
		expect([asked.length, problems.length]).toEqual([1, 1]);
		await world.advance(HOUR_MS);
		expect(asked.length).toBe(2);
	});

	it("aren't asked for without trees, or after the end", async () => {
		start([]);
		start().stop();
		await world.advance(HOUR_MS);
		expect(asked).toEqual([]);
	});

	it("refuse an address of a tree that is none", () => {
		expect(() => start(["tree://x@y"])).toThrow(TreeError);
	});
});

describe("the cache of records", () => {
	it("forgets what wasn't asked for longest", () => {
		const cache = new RecordCache(2);
		const entry = { kind: "branch", hashes: [] } as const;
		cache.set("a", entry);
		cache.set("b", entry);
		cache.get("a");
		cache.set("c", entry);
		expect([cache.get("a"), cache.get("b"), cache.get("c"), cache.size]).toEqual([
			entry,
			undefined,
			entry,
			2,
		]);
	});
});
