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

it("wins over the file from release 4.8.2 on where it stood in for an absent key or counted for nothing", () => {
	const given = { "lru-cache-size": 7, "save-internaltx": true, "max-connect-number": 9 };
	const file = "vm.lruCacheSize = 8\nvm.saveInternalTx = false";
	const { vm, node } = config(file, given);
	expect([vm.lruCacheSize, vm.saveInternalTx, node.http.maxConnections]).toEqual([7, true, 9]);
	const old = config(`${file}\nnode.release = 4.8.1`, given);
	expect([old.vm.lruCacheSize, old.vm.saveInternalTx, old.node.http.maxConnections]).toEqual([8, false, 50]);
	expect(old.warnings).toEqual([
		"the flag for vm.saveInternalTx has no effect before release 4.8.2",
		"the flag for node.maxHttpConnectNumber has no effect before release 4.8.2",
	]);
});

it("stands in for an absent key in release 4.8.0, and an empty text for nothing", () => {
	const given = { "lru-cache-size": 7, "min-time-ratio": "0.5", "storage-db-directory": "" };
	const old = "node.release = 4.8.0";
	expect(config(old, given).vm).toMatchObject({ lruCacheSize: 7, minTimeRatio: 0.5 });
	expect(config(`${old}\nvm.lruCacheSize = 8`, given).vm.lruCacheSize).toBe(8);
	expect(config("", given).storage.directory).toBe("database");
});

it("is told of itself where it has no effect, not of a key that the file doesn't have", () => {
	const given = { "trust-node": "a:1", "rpc-thread": "3", "log-config": "", "save-internaltx": false };
	expect(idleFlags(flags(given))).toEqual([
		"--trust-node has no effect: this program has no solidity process",
		"--rpc-thread has no effect: requests take turns on one thread",
	]);
	expect(config("", given).idleKeys).toEqual([]);
});

it.each([
	[{ "max-time-ratio": "fast" }, [], '--max-time-ratio "fast" is not a number'],
	[{ "max-energy-limit-for-constant": "1e3" }, [], '"1e3" is not a whole number'],
	[{}, ["1.2.3.4"], 'Invalid inetSocketAddress: "1.2.3.4"'],
	[{}, ["1.2.3.4:0"], 'Invalid inetSocketAddress: "1.2.3.4:0"'],
])("is refused: %o %o", (given, peers, message) => {
	const read = () => startOptions(flags(given), peers, undefined);
	expect(read).toThrow(Failure);
	expect(read).toThrow(message);
});
