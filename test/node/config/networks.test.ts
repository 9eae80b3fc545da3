/** Public networks by their names: what the program brings along, and what a user's file changes of it. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type NodeConfig, parseConfig, presetConfig } from "../../../src/node/config/config.js";
import { genesisBlock } from "../../../src/node/config/genesis-config.js";
import { DEPARTURES, nextStop } from "../../../src/node/config/networks/departures.js";
import { networkPreset } from "../../../src/node/config/networks/networks.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import {
	PUBLIC_NETWORK_NAMES,
	PUBLIC_NETWORKS,
	publicNetworkOf,
} from "../../../src/protocol/public-networks.js";
import { openRecordings } from "../../../tools/replay/recording.js";
import { dumpState, openRecorded, recordedSet } from "../chain/recorded-chain.js";

const [main, nile] = await Promise.all([networkPreset("main"), networkPreset("nile")]);

/** A file of a user beside a network's name. */
const beside = (text: string, preset = nile): NodeConfig => parseConfig(text, "mine.conf", { preset });

describe("a network's configuration", () => {
	test.each(PUBLIC_NETWORK_NAMES)("makes the first block of %s", async (name) => {
		const config = presetConfig(await networkPreset(name));
		expect(genesisBlock(config.genesis).idHex).toBe(PUBLIC_NETWORKS[name].genesisId);
		expect(config).toMatchObject({ publicNetwork: name, node: { network: name } });
		expect(config.genesis.witnesses).toHaveLength(27);
		expect([config.unknownKeys, config.idleKeys, config.warnings]).toEqual([[], [], []]);
	});

	test("has the numbers by which its nodes know each other", () => {
		const numbers = [main, nile].map((preset) => {
			const { node, block } = presetConfig(preset);
			const { networkId, listenPort, seeds, discovery } = node.peers;
			const { maintenanceTimeIntervalMs: cycle, proposalExpireTimeMs: life } = block;
			return { networkId, listenPort, seeds: seeds.length, discovery, cycle, life };
		});
		const common = { listenPort: 18888, discovery: true };
		expect(numbers).toEqual([
			{ ...common, networkId: 11111, seeds: 30, cycle: 21_600_000, life: 259_200_000 },
			{ ...common, networkId: 201910292, seeds: 5, cycle: 600_000, life: 600_000 },
		]);
	});

	test("makes the state that Nile's own program made of its first block", async () => {
		const [recording] = openRecordings("test/golden/pq-nile-genesis/pq-nile-genesis.conf");
		const lines = [...(recording?.lines() ?? [])].map(([, line]) => line);
		const recorded = lines.find((line) => line.t === "genesis");
		if (recorded?.t !== "genesis") throw new Error("the recording has no first state");
		const stored = recordedSet("pq-nile-genesis").config.storage;
		const open = await openRecorded({ config: { ...presetConfig(nile), storage: stored }, blocks: [] });
		const state = await dumpState(open);
		await open.close();
		const entries = Object.entries(recorded.state).flatMap(([store, of]) =>
			Object.entries(of).map(([key, value]) => [`${store} ${key}`, value] as const),
		);
		const kept = entries.filter(([place]) => state.has(place));
		expect(kept.map(([place]) => [place, state.get(place)])).toEqual(kept);
		expect(entries.filter(([place]) => !state.has(place)).map(([place]) => place)).toEqual([]);
	});
});

describe("a file beside a network's name", () => {
	test("counts first, key by key", () => {
		const { node, block, storage } = beside(
			'node.http.fullNodePort = 9999\nseed.node.ip.list = ["127.0.0.1:7"]\nblock.needSyncCheck = false',
		);
		expect([node.http.full.port, node.http.solidity.port]).toEqual([9999, 8091]);
		expect(node.peers.seeds).toEqual([{ host: "127.0.0.1", port: 7 }]);
		expect([node.peers.networkId, block.needSyncCheck, block.proposalExpireTimeMs]).toEqual([
			201910292,
			false,
			600_000,
		]);
		expect(storage.directory).toBe("database");
	});

	test("may repeat the first block, but not make another", () => {
		expect(beside('genesis.block.timestamp = "0"').publicNetwork).toBe("nile");
		expect(() => beside('genesis.block.timestamp = "1"')).toThrow(
			/^--network nile names the test network Nile, and genesis\.block of mine\.conf makes the chain whose genesis block is [0-9a-f]{64}: leave out --network, or genesis\.block$/,
		);
		expect(() => beside(nile.text, main)).toThrow(
			"--network main names the main network, and genesis.block of mine.conf makes the test network Nile",
		);
	});

	test("tells what it says from what the network says", () => {
		const lines = new Map(beside("node.rpc.port = 1").settings.map(({ path, line }) => [path, line]));
		expect(["node.rpc.port", "node.p2p.version", "vm.minTimeRatio"].map((path) => lines.get(path))).toEqual([
			1,
			0,
			undefined,
		]);
	});
});

describe("the network whose rules hold", () => {
	test("follows from the first block of a stock file, whatever else it says", () => {
		expect(recordedSet("pq-nile-genesis").config.node.network).toBe("nile");
		expect(parseConfig(nile.text).node.network).toBe("nile");
		expect(parseConfig(main.text).node.network).toBe("main");
		expect(parseConfig(`${nile.text}\ngenesis.block.timestamp = "1"`).node.network).toBe("main");
	});

	test("is what the file says, with a warning where the first block is another's", () => {
		const { node, warnings } = parseConfig(`${nile.text}\nnode.network = main`);
		expect(node.network).toBe("main");
		expect(warnings).toEqual([
			"node.network = main, but the first block is that of the test network Nile: this node will leave its chain",
		]);
		expect(parseConfig("storage {}\nnode.network = nile")).toMatchObject({
			node: { network: "nile" },
			warnings: [],
		});
		expect(() => parseConfig("storage {}\nnode.network = shasta")).toThrow("must be main or nile");
	});
});

test("no other block is taken for one of a public network", () => {
	expect(publicNetworkOf(fromHex(PUBLIC_NETWORKS.nile.genesisId))).toBe("nile");
	expect(publicNetworkOf(fromHex(`${PUBLIC_NETWORKS.nile.genesisId.slice(0, -2)}00`))).toBeUndefined();
});

describe("where a network's history departs from its rules", () => {
	test.each(PUBLIC_NETWORK_NAMES)("%s: rows in order, with every height in the documents", (name) => {
		const heights = DEPARTURES[name].map(({ height }) => height);
		expect(heights).toEqual([...heights].sort((a, b) => a - b));
		const page = readFileSync("docs/protocol/configuration.md", "utf8");
		for (const height of heights) expect(page).toMatch(new RegExp(`^\\|.*\\b${height}\\b.*\\|`, "m"));
	});

	test("ends a replay of Nile at the first block that is accepted against them", () => {
		expect([0n, 1_628_390n, 1_628_391n, 6_498_505n].map((head) => nextStop("nile", head)?.height)).toEqual([
			1_628_391,
			1_628_391,
			1_685_186,
			undefined,
		]);
		expect(nextStop("main", 0n)).toBeUndefined();
	});
});
