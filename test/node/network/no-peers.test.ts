/** What a node without peers says, and when. */

import { describe, expect, test } from "vitest";
import { watchForPeers } from "../../../src/node/network/no-peers.js";

const PERIOD_MS = 15_000;
const NOBODY = {
	seeds: [],
	active: [],
	discovery: true,
	dnsTreeUrls: [],
	listenPort: 18888,
	networkId: 7,
};
const somebody = [{ host: "127.0.0.1", port: 1 }];

/** The log of a node whose peers are counted every 15 seconds. */
function logOf(
	sources: Partial<Parameters<typeof watchForPeers>[1]>,
	peers: readonly number[],
	connectable = 0,
) {
	let now = 0;
	let look = (): void => undefined;
	const environment = {
		now: () => now,
		every: (_: number, task: () => void) => {
			look = task;
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
		now += PERIOD_MS;
		look();
	}
	return lines;
}

describe("a node without peers", () => {
	test("says so after half a minute, then in growing intervals", () => {
		const times = logOf({ seeds: somebody }, Array(40).fill(0)).map((line) => Number.parseInt(line, 10));
		expect(times).toEqual([30, 60, 120, 240, 480]);
	});

	test("says once that it has some, and begins again when they are gone", () => {
		const lines = logOf({}, [0, 0, 1, 1, 0, 0, 0]);
		expect(lines.map((line) => line.slice(0, 14))).toEqual([
			"30: no peer fo",
			"45: there are ",
			"105: no peer f",
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
			expect.stringContaining(`no peer for 30 s: ${words}`),
		]);
	});
});
