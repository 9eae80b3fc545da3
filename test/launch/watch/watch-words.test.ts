import { describe, expect, it } from "vitest";
import { publicPeers } from "../../../src/launch/watch/run-watch.js";
import { plainWords, readPeerAddress } from "../../../src/launch/watch/words.js";
import { presetConfig } from "../../../src/node/config/config.js";
import { networkPreset } from "../../../src/node/config/networks/networks.js";
import { PUBLIC_NETWORKS, type PublicNetwork } from "../../../src/protocol/public-networks.js";

describe("the words of a watcher", () => {
	it("are read without the whole program where they are plain", () => {
		const read = plainWords(["--peer", "a:1", "--peer=b:2", "--blocks", "0", "--json", "-q"]);
		expect(read).toMatchObject({
			flags: { peer: ["a:1", "b:2"], blocks: "0", timeout: "60s", network: undefined },
			json: true,
			quiet: true,
		});
	});

	it.each([
		[["--help"]],
		[["--network", "elsewhere"]],
		[["--blocks"]],
		[["--blocks", "1", "--blocks", "2"]],
		[["--json=yes"]],
		[["word"]],
		[["--checkpoint", "http://127.0.0.1:8090"]],
	])("are left to it otherwise: %j", (words) => {
		expect(plainWords(words)).toBeUndefined();
	});

	it("have peers as people write them", () => {
		expect([
			readPeerAddress("192.0.2.7"),
			readPeerAddress(" node.example:9 "),
			readPeerAddress("[2001:db8::7]:80"),
		]).toEqual([
			{ host: "192.0.2.7", port: 18888 },
			{ host: "node.example", port: 9 },
			{ host: "2001:db8::7", port: 80 },
		]);
		for (const wrong of ["", ":1", "a:0", "a:65536", "2001:db8::7", "a b:1", "a:1:2"])
			expect(() => readPeerAddress(wrong)).toThrow("is not an address");
	});
});

it.each(Object.keys(PUBLIC_NETWORKS) as PublicNetwork[])(
	"seeds and id of %s are those of its configuration",
	async (name) => {
		const preset = await networkPreset(name);
		const { networkId, seeds } = presetConfig(preset).node.peers;
		const found = publicPeers(preset.text);
		expect(found.networkId).toBe(networkId);
		expect(found.seeds.map(readPeerAddress)).toEqual(seeds);
		expect(found.seeds.length).toBeGreaterThan(3);
	},
);
