/** What the reference's nodes said to each other on UDP: one side is played to our node, which has to say the other. */

import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Discovery } from "../../../../src/node/network/discovery/discovery.js";
import { decodePacket, encodePacket } from "../../../../src/node/network/discovery/packets.js";
import { distance } from "../../../../src/node/network/discovery/table.js";
import type { DatagramPort, NodeAddress } from "../../../../src/node/network/environment.js";
import type { PeerEndpoint } from "../../../../src/node/network/wire/endpoint.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import { SimulatedWorld } from "../../../simulation/world.js";

interface Datagram {
	readonly ms: number;
	readonly from: NodeAddress;
	readonly to: NodeAddress;
	readonly bytes: Uint8Array;
}

interface Recording {
	readonly startedAt: number;
	readonly network: number;
	readonly endMs: number;
	readonly datagrams: readonly Datagram[];
}

function readRecording(name: string): Recording {
	const file = readFileSync(`test/golden/p2p/${name}.ndjson.br`);
	const lines = brotliDecompressSync(file)
		.toString()
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
	const head = lines[0];
	const datagrams = lines
		.filter((line) => line.proto === "udp")
		.map((line) => ({
			ms: line.ms,
			from: address(line.from_address),
			to: address(line.to_address),
			bytes: fromHex(line.hex),
		}));
	return { startedAt: head.startedAt, network: head.network, endMs: lines.at(-1).ms, datagrams };
}

function address(text: string): NodeAddress {
	const [host = "", port = ""] = text.split(":");
	return { host, port: Number(port) };
}

const nameOf = (node: NodeAddress) => `${node.host}:${node.port}`;

/** Ids of the nodes that others play; every other id is new at each start, so it has no name. */
function describePacket(datagram: Uint8Array, own: string, ids: ReadonlyMap<string, string>): string {
	const packet = decodePacket(datagram);
	if (packet === undefined) return `bytes ${toHex(datagram)}`;
	const who = (node: PeerEndpoint | undefined) => {
		if (node === undefined) return "none";
		const id = toHex(node.nodeId);
		return `${node.ipv4}:${node.port}#${id === own ? "own" : (ids.get(id) ?? "unknown")}`;
	};
	const from = `${packet.kind} from ${who(packet.from)}`;
	switch (packet.kind) {
		case "ping":
			return `${from} to ${who(packet.to)} network ${packet.networkId}`;
		case "pong":
			return `${from} network ${packet.networkId}`;
		case "findNode":
			return `${from} target ${toHex(packet.target) === own ? "own" : "random"}`;
		case "neighbours":
			return `${from} time ${packet.timestampMs} ${packet.neighbours.map(who).sort().join(" ")}`;
	}
}

interface Played {
	/** Host that it binds and is announced as. */
	readonly us: NodeAddress;
	readonly announced: string;
	readonly seeds: readonly NodeAddress[];
	/** When it is started, in the time of the first recording. */
	readonly startMs: number;
}

/** @returns by receiver, what the reference sent and what ours sends */
async function play(recordings: readonly Recording[], node: Played) {
	const [first] = recordings as [Recording];
	const all = recordings.flatMap((recording) =>
		recording.datagrams.map((d) => ({ ...d, ms: d.ms + recording.startedAt - first.startedAt })),
	);
	const last = recordings.at(-1) as Recording;
	const isOurs = (d: Datagram) => nameOf(d.from) === nameOf(node.us);
	const expectedOwn = all.find(isOurs);
	if (expectedOwn === undefined) throw new Error("nothing was recorded of this node");
	const theirOwn = toHex(decodePacket(expectedOwn.bytes)?.from.nodeId as Uint8Array);
	const ids = new Map<string, string>();
	for (const { bytes, from } of all) {
		const packet = decodePacket(bytes);
		if (packet === undefined) continue;
		const known = packet.kind === "neighbours" ? [packet.from, ...packet.neighbours] : [packet.from];
		for (const { nodeId, port } of known) ids.set(toHex(nodeId), `${from.host} names ${port}`);
	}

	const world = new SimulatedWorld({ startMs: first.startedAt, link: { latencyMs: 0, jitterMs: 0 } });
	const played = new Map<string, DatagramPort>();
	const said = new Map<string, string[]>();
	const expected = new Map<string, string[]>();
	const note = (map: Map<string, string[]>, to: string, text: string) => {
		map.set(to, [...(map.get(to) ?? []), text]);
	};
	let own = "";
	const environments = new Map<string, ReturnType<ReturnType<SimulatedWorld["host"]>["boot"]>>();
	const environment = (host: string) => {
		const known = environments.get(host) ?? world.host(host).boot();
		environments.set(host, known);
		return known;
	};
	for (const name of new Set(all.flatMap((d) => [d.from, d.to]).map(nameOf))) {
		if (name === nameOf(node.us)) continue;
		const port = await environment(address(name).host).bindDatagrams(address(name), (datagram) =>
			note(said, name, describePacket(datagram, own, ids)),
		);
		played.set(name, port);
	}
	for (const datagram of all) {
		if (isOurs(datagram)) note(expected, nameOf(datagram.to), describePacket(datagram.bytes, theirOwn, ids));
		else if (nameOf(datagram.to) === nameOf(node.us)) {
			world.at(first.startedAt + datagram.ms, () =>
				played.get(nameOf(datagram.from))?.send(renamed(datagram.bytes, theirOwn, own), node.us),
			);
		}
	}
	await world.advance(node.startMs);
	const self: PeerEndpoint = {
		ipv4: node.announced,
		ipv6: "",
		port: node.us.port,
		nodeId: idLike(theirOwn, world),
	};
	own = toHex(self.nodeId);
	const env = environment(node.us.host);
	await Discovery.start(env, { networkId: first.network, self, seeds: node.seeds, host: node.us.host });
	await world.advance(last.startedAt + last.endMs - first.startedAt - node.startMs);
	return { said, expected };
}

/** A new id, as far from the others as the recorded one. */
function idLike(recorded: string, world: SimulatedWorld): Uint8Array {
	const id = world.random.bytes(64);
	id.set(fromHex(recorded).subarray(0, 8));
	expect(distance(id, fromHex(recorded))).toBeLessThan(0);
	return id;
}

/** What is said to our node names it by its own id. */
function renamed(datagram: Uint8Array, recorded: string, own: string): Uint8Array {
	const packet = decodePacket(datagram);
	if (packet?.kind !== "neighbours") return datagram;
	const neighbours = packet.neighbours.map((n) =>
		toHex(n.nodeId) === recorded ? { ...n, nodeId: fromHex(own) } : n,
	);
	return encodePacket({ ...packet, neighbours });
}

const A = { host: "127.0.0.1", port: 20_108 };
const D = { host: "127.0.0.1", port: 20_148 };

describe("recorded discovery", () => {
	const twoNodes = readRecording("06a-discovery-two-nodes");
	const probe = readRecording("06b-discovery-probe");

	// Both had begun their lookups before any node was known: the first finds none and takes 100 ms.
	it("in the place of A: two nodes, then a probe with good and bad packets", async () => {
		const { said, expected } = await play([twoNodes, probe], {
			us: A,
			announced: "127.0.0.11",
			seeds: [],
			startMs: 16_984 - 7_300 - 8,
		});
		expect(expected.size).toBe(6);
		for (const [to, packets] of expected) expect(said.get(to), `to ${to}`).toEqual(packets);
		expect(said.size).toBe(expected.size);
	});

	it("in the place of D, which has A as its seed", async () => {
		const { said, expected } = await play([twoNodes], {
			us: D,
			announced: "127.0.0.14",
			seeds: [A],
			startMs: 16_994 - 7_300 - 8,
		});
		expect(expected.get(nameOf(A))?.length).toBe(10);
		expect(said).toEqual(expected);
	});
});
