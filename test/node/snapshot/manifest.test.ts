import { describe, expect, test } from "vitest";
import {
	chunkName,
	encodeManifest,
	type Manifest,
	parseManifest,
	sizesOf,
} from "../../../src/node/snapshot/manifest.js";
import { utf8 } from "../../../src/protocol/bytes.js";

const HASH = "5a".repeat(32);
const good: Manifest = {
	format: 1,
	program: "coin 1",
	genesisId: HASH,
	head: { number: 9, id: HASH, timestampMs: 1 },
	lowest: 1,
	createdMs: 2,
	entries: 7,
	chunks: [
		{ name: chunkName(0), bytes: 10, sha256: HASH, raw: 20, entries: 3 },
		{ name: chunkName(1), bytes: 11, sha256: HASH, raw: 21, entries: 4 },
	],
	segments: [{ name: "segments/000000000001.seg", bytes: 100, sha256: HASH }],
};

test("a manifest is read as it was written", () => {
	expect(parseManifest(encodeManifest(good))).toEqual(good);
	expect(sizesOf(good)).toEqual({ packed: 121, unpacked: 141 });
});

describe("what comes from outside", () => {
	const [chunk, other] = good.chunks as [object, object];
	const [segment] = good.segments;
	const wrong: readonly (readonly [string, object])[] = [
		["program", { program: 5 }],
		["genesisId", { genesisId: "5a" }],
		["head", { head: null }],
		["head", { head: { number: -1, id: HASH, timestampMs: 1 } }],
		["head", { head: { number: 2 ** 60, id: HASH, timestampMs: 1 } }],
		["lowest", { lowest: 10 }],
		["createdMs", { createdMs: "now" }],
		["entries", { entries: 8 }],
		["chunks", { chunks: [] }],
		["chunks", { chunks: "many" }],
		["chunks[1]", { chunks: [chunk, { ...other, name: "chunks/../../etc/passwd" }] }],
		["chunks[1]", { chunks: [chunk, { ...other, name: chunkName(0) }] }],
		["chunks[0]", { chunks: [{ ...chunk, bytes: 1 << 30 }, other] }],
		["chunks[0]", { chunks: [{ ...chunk, raw: 1 << 30 }, other] }],
		["chunks[0]", { chunks: [{ ...chunk, sha256: HASH.toUpperCase() }, other] }],
		["chunks[0]", { chunks: [null, other] }],
		["segments", { segments: [segment, segment] }],
		["segments[0]", { segments: [{ ...segment, name: "segments/../../x.seg" }] }],
		["segments[0]", { segments: [{ ...segment, name: "/segments/000000000001.seg" }] }],
		["segments[0]", { segments: [{ ...segment, bytes: 2 ** 40 }] }],
	];

	test.each(wrong)("is refused by the member %s", (member, change) => {
		expect(() => parseManifest(utf8(JSON.stringify({ ...good, ...change })))).toThrow(
			`manifest.json of the snapshot makes no sense: ${member}`,
		);
	});

	test("has to be JSON of this format", () => {
		expect(() => parseManifest(utf8("{"))).toThrow("can't be read");
		expect(() => parseManifest(utf8("null"))).toThrow("not of a format");
		expect(() => parseManifest(utf8('{"format":2}'))).toThrow("not of a format that this release reads");
	});
});
