import { describe, expect, it } from "vitest";
import { distance, NodeTable, type TableNode } from "../../../../src/node/network/discovery/table.js";

/** 64 bytes that begin with these. */
function id(...bytes: number[]): Uint8Array {
	const out = new Uint8Array(64);
	out.set(bytes);
	return out;
}

function node(host: string, ...bytes: number[]): TableNode {
	return { host, nodeId: id(...bytes) };
}

const OWN = id(0);
const OWN_HOST = "10.0.0.1";
const table = () => new NodeTable<TableNode>(OWN, new Set([OWN_HOST]));

describe("the table of nodes", () => {
	it.each<[number[], number]>([
		[[0x80], 17],
		[[0x40], 16],
		[[0x01], 10],
		[[0x00, 0x80], 9],
		[[0x00, 0x00, 0x80], 1],
		[[0x00, 0x00, 0x40], 0],
		[[0x00, 0x00, 0x00, 0x80], -7],
		[[], 17 - 512],
	])("measures the distance of an id that begins with %o as %d", (bytes, expected) => {
		expect(distance(OWN, id(...bytes))).toBe(expected);
	});

	it("keeps one entry an address, and none of its own", () => {
		const nodes = table();
		expect(nodes.insert(node("10.0.0.2", 0x80), 1)).toEqual({ kind: "inserted" });
		expect(nodes.insert(node("10.0.0.2", 0x01), 2)).toEqual({ kind: "present" });
		expect(nodes.insert(node(OWN_HOST, 0x80), 3)).toEqual({ kind: "own" });
		expect(nodes.nodes()).toEqual([node("10.0.0.2", 0x80)]);
	});

	it("holds sixteen in a bucket; then the entry that was touched last is the rival", () => {
		const nodes = table();
		const entries = Array.from({ length: 16 }, (_, i) => node(`10.0.1.${i}`, 0x80 + i));
		for (const [i, entry] of entries.entries()) nodes.insert(entry, i);
		nodes.insert(entries[4] as TableNode, 100);
		const late = node("10.0.2.1", 0x90);
		expect(nodes.insert(late, 101)).toEqual({ kind: "full", rival: entries[4] });
		expect(nodes.insert(node("10.0.2.2", 0x40), 102)).toEqual({ kind: "inserted" });
		nodes.remove(entries[4] as TableNode);
		expect(nodes.insert(late, 103)).toEqual({ kind: "inserted" });
		expect(nodes.size).toBe(17);
	});

	it("puts everything that shares sixteen bits or more into one bucket", () => {
		const nodes = table();
		for (let i = 0; i < 16; i++) nodes.insert(node(`10.0.1.${i}`, 0, 0, i), i);
		expect(nodes.insert(node("10.0.2.1", 0, 0, 0x80), 20).kind).toBe("full");
	});

	it("lists the sixteen nearest, equally near ones as they came", () => {
		const nodes = table();
		for (let i = 0; i < 10; i++) nodes.insert(node(`10.0.1.${i}`, 0x80 + i), i);
		for (let i = 0; i < 10; i++) nodes.insert(node(`10.0.2.${i}`, 0x40 + i), i);
		const hosts = nodes.closest(id(0x7f)).map((entry) => entry.host);
		expect(hosts).toEqual([
			...Array.from({ length: 10 }, (_, i) => `10.0.2.${i}`),
			...Array.from({ length: 6 }, (_, i) => `10.0.1.${i}`),
		]);
	});

	it("removes an entry only for the node that made it", () => {
		const nodes = table();
		nodes.insert(node("10.0.0.2", 0x80), 1);
		nodes.remove(node("10.0.0.2", 0x80));
		expect(nodes.size).toBe(1);
	});
});
