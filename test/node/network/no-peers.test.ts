/** What a node without peers says, and when. */

import { describe, expect, test } from "vitest";
import { presetConfig } from "../../../src/node/config/config.js";
import { networkPreset } from "../../../src/node/config/networks/networks.js";
import { watchForPeers } from "../../../src/node/network/no-peers.js";

const NOBODY = {
	seeds: [],
	active: [],
	discovery: true,
	dnsTreeUrls: [],
	listenPort: 18888,
	networkId: 7,
};
const somebody = [{ host: "127.0.0.1", port: 1 }];

/** The log of a node whose peers are counted as often as it wants to. */
function logOf(
	sources: Partial<Parameters<typeof watchForPeers>[1]>,
	peers: readonly number[],
	connectable = 0,
) {
	let now = 0;
	let look = (): void => undefined;
	let intervalMs = 0;
	const environment = {
		now: () => now,
		every: (periodMs: number, task: () => void) => {
			look = task;
			intervalMs = periodMs;
			return { cancel: () => undefined };
		},
	};
	const lines: string[] = [];
	let count = 0;
	const write = (_: object, message: string): void => void lines.push(`${now / 1000}: ${message}`);
	watchForPeers(environment, { ...NOBODY, ...sources }, () => ({ peers: count, connectable }), {
		info: write,
		warn: write,
	});
	for (count of peers) {
		now += intervalMs;
		look();
	}
	return lines;
}

describe("a node without peers", () => {
	test("says so within 15 s, then in growing intervals", () => {
		const times = logOf({ seeds: somebody }, Array(40).fill(0)).map((line) => Number.parseInt(line, 10));
		expect(times).toEqual([10, 20, 40, 80, 160]);
	});

	test.each(["main", "nile"] as const)("of the network %s names what to look at", async (name) => {
		const { peers } = presetConfig(await networkPreset(name)).node;
		expect(logOf(peers, [0, 0])).toEqual([
			expect.stringMatching(
				/^10: no peer for 10 s: none of the \d+ nodes .*is this machine connected.*port 18888/,
			),
		]);
	});

	test("says once that it has some, and begins again when they are gone", () => {
		const lines = logOf({}, [0, 0, 1, 1, 0, 0, 0]);
		expect(lines.map((line) => line.slice(0, 14))).toEqual([
			"10: no peer fo",
			"15: there are ",
			"35: no peer fo",
		]);
	});

	test.each([
		["seeds", { seeds: somebody }, 0, "none of the 1 nodes to begin with"],
		["active nodes alone", { active: somebody, discovery: false }, 0, "none of the 1 nodes of node.active"],
		["lists", { dnsTreeUrls: ["tree://a@b"] }, 0, "no list of node.dns.treeUrls has a node"],
		["seeds that nobody asks", { seeds: somebody, discovery: false }, 0, "seeds are only asked with"],
		["nobody", {}, 0, "the configuration names nobody"],
		["nodes that refuse", { seeds: somebody }, 3, "3 nodes can be dialed, and none has become a peer"],
	])("says what it has tried: %s", (_, sources, connectable, words) => {
		expect(logOf(sources, [0, 0], connectable)).toEqual([
			expect.stringContaining(`no peer for 10 s: ${words}`),
		]);
	});
});
