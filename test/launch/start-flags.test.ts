import { expect, it } from "vitest";
import { idleFlags, type StartFlags, startOptions } from "../../src/launch/start-flags.js";
import { parseConfig } from "../../src/node/config/config.js";
import { Failure } from "../../src/wallet/failure.js";

const flags = (given: object): StartFlags => given as StartFlags;
const config = (text: string, given: object, peers: string[] = []) =>
	parseConfig(`storage {}\n${text}`, "f", startOptions(flags(given), peers, undefined));

it("wins over the file where the network's node lets it win", () => {
	const { storage, node } = config(
		'storage { db { directory = a, sync = false } }\nseed.node.ip.list = ["1.2.3.4:5"]',
		{ "storage-db-directory": "b", "storage-db-synchronous": "true" },
		["[::1]:6"],
	);
	expect([storage.directory, storage.sync, node.peers.seeds]).toEqual([
		"b",
		true,
		[{ host: "::1", port: 6 }],
	]);
});

it("stands in for an absent key elsewhere, and an empty text for nothing", () => {
	const given = { "lru-cache-size": 7, "min-time-ratio": "0.5", "storage-db-directory": "" };
	expect(config("", given).vm).toMatchObject({ lruCacheSize: 7, minTimeRatio: 0.5 });
	expect(config("vm.lruCacheSize = 8", given).vm.lruCacheSize).toBe(8);
	expect(config("", given).storage.directory).toBe("database");
});

it("is told of itself where it has no effect, not of a key that the file doesn't have", () => {
	const given = { "trust-node": "a:1", "rpc-thread": "3", "log-config": "", "save-internaltx": false };
	expect(idleFlags(flags(given))).toEqual([
		"--trust-node has no effect: this program has no solidity process",
		"--rpc-thread has no effect: the network's node takes it from its file only",
	]);
	expect(config("", given).idleKeys).toEqual([]);
});

it.each([
	[{ es: true }, [], "--es: this program sends no events"],
	[{ "max-time-ratio": "fast" }, [], '--max-time-ratio "fast" is not a number'],
	[{ "max-energy-limit-for-constant": "1e3" }, [], '"1e3" is not a whole number'],
	[{}, ["1.2.3.4"], 'Invalid inetSocketAddress: "1.2.3.4"'],
	[{}, ["1.2.3.4:0"], 'Invalid inetSocketAddress: "1.2.3.4:0"'],
])("is refused: %o %o", (given, peers, message) => {
	const read = () => startOptions(flags(given), peers, undefined);
	expect(read).toThrow(Failure);
	expect(read).toThrow(message);
});
