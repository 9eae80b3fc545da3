import { describe, expect, it } from "vitest";
import {
	type DiscoveryPacket,
	decodePacket,
	encodePacket,
} from "../../../../src/node/network/discovery/packets.js";
import type { PeerEndpoint } from "../../../../src/node/network/wire/endpoint.js";
import { concatBytes, fromHex, toHex } from "../../../../src/protocol/bytes.js";
import { Endpoint as EndpointMessage, Neighbours, PingMessage } from "../../../../src/protocol/messages.js";

const ID = new Uint8Array(64).fill(0x11);
const SELF: PeerEndpoint = { ipv4: "127.0.0.1", ipv6: "", port: 28_890, nodeId: ID };
const OTHER: PeerEndpoint = {
	ipv4: "127.0.0.1",
	ipv6: "",
	port: 18_888,
	nodeId: new Uint8Array(64).fill(0x22),
};
const FROM = `0a510a093132372e302e302e3110dae1011a40${"11".repeat(64)}`;
const TO = `12510a093132372e302e302e3110c893011a40${"22".repeat(64)}`;

describe("discovery packets", () => {
	it.each<[string, DiscoveryPacket, string, number]>([
		[
			"PING",
			{ kind: "ping", from: SELF, to: OTHER, networkId: 7777, timestampMs: 1795195691071n },
			`01${FROM}${TO}18e13c20bfc081d09f34`,
			177,
		],
		[
			"PONG",
			{ kind: "pong", from: SELF, networkId: 7777, timestampMs: 1795195691071n },
			`02${FROM}10e13c18bfc081d09f34`,
			94,
		],
		[
			"empty NEIGHBOURS",
			{ kind: "neighbours", from: SELF, neighbours: [], timestampMs: 123_456n },
			`04${FROM}18c0c407`,
			88,
		],
	])("encodes and reads the recorded %s", (_, packet, hex, size) => {
		expect(toHex(encodePacket(packet))).toBe(hex);
		expect(hex.length / 2).toBe(size);
		expect(toHex(encodePacket(decodePacket(fromHex(hex)) as DiscoveryPacket))).toBe(hex);
	});

	it("reads an IPv6 sender and a PING without receiver", () => {
		const from = { ipv4: "", ipv6: "fe80::1", port: 1, nodeId: ID };
		const packet: DiscoveryPacket = { kind: "ping", from, to: undefined, networkId: 0, timestampMs: 0n };
		expect(decodePacket(encodePacket(packet))).toMatchObject({
			from: { ipv4: "", ipv6: "fe80::1" },
			to: undefined,
		});
	});

	const endpoint = (change: Partial<EndpointMessage>) =>
		EndpointMessage.create({ address: Buffer.from("10.0.0.1"), port: 1, nodeId: ID, ...change });
	const ping = (from: EndpointMessage | undefined) =>
		concatBytes(Uint8Array.of(1), PingMessage.encode(PingMessage.create({ from, version: 1 })));
	const neighbours = (list: EndpointMessage[]) =>
		concatBytes(
			Uint8Array.of(4),
			Neighbours.encode(Neighbours.create({ from: endpoint({}), neighbours: list })),
		);
	const good = ping(endpoint({}));

	it.each<[string, Uint8Array]>([
		["no byte", new Uint8Array(0)],
		["a type alone", Uint8Array.of(1)],
		["2048 bytes", concatBytes(good, Uint8Array.of(0x3a, 0xff, 0x0f), new Uint8Array(2048))],
		["an unknown type", concatBytes(Uint8Array.of(5), good.subarray(1))],
		["what is not protobuf", Uint8Array.of(1, 0xff, 0xff)],
		["no sender", ping(undefined)],
		["a node id of 63 bytes", ping(endpoint({ nodeId: ID.subarray(1) }))],
		["no address", ping(endpoint({ address: new Uint8Array(0) }))],
		["a host name", ping(endpoint({ address: Buffer.from("localhost") }))],
		["network 0", ping(endpoint({ address: Buffer.from("0.1.2.3") }))],
		["leading zeros", ping(endpoint({ address: Buffer.from("10.0.0.01") }))],
		["an octet beyond 255", ping(endpoint({ address: Buffer.from("10.0.0.256") }))],
		["an address with a space", ping(endpoint({ address: Buffer.from("10.0.0.1 ") }))],
		["an IPv6 address that is none", ping(endpoint({ addressIpv6: Buffer.from("10.0.0.1") }))],
		["a target of 32 bytes", fromHex(`03${FROM}1220${"00".repeat(32)}`)],
		["17 neighbours", neighbours(Array.from({ length: 17 }, () => endpoint({})))],
		["a neighbour that is invalid", neighbours([endpoint({}), endpoint({ nodeId: new Uint8Array(0) })])],
	])("drops %s", (_, datagram) => {
		expect(decodePacket(datagram)).toBeUndefined();
	});

	it("takes a packet of 2047 bytes with unknown fields, and 16 neighbours", () => {
		const rest = 2047 - good.length - 3;
		const padded = concatBytes(
			good,
			Uint8Array.of(0x3a, (rest & 0x7f) | 0x80, rest >> 7),
			new Uint8Array(rest),
		);
		expect(padded.length).toBe(2047);
		expect(decodePacket(padded)?.kind).toBe("ping");
		const full = decodePacket(neighbours(Array.from({ length: 16 }, () => endpoint({}))));
		expect(full).toMatchObject({ kind: "neighbours", neighbours: { length: 16 } });
	});
});
