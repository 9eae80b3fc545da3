import { blake3 } from "@noble/hashes/blake3.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LatticeSums } from "../../../../src/node/state/state-hash/lattice-sums.js";
import { toHex, utf8 } from "../../../../src/protocol/bytes.js";

/** github.com/BLAKE3-team/BLAKE3, test_vectors.json: bytes of input, which repeat 0 to 250, and the beginning of the output. */
const VECTORS: readonly (readonly [number, string])[] = [
	[
		0,
		"af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262e00f03e7b69af26b7faaf09fcd333050338ddfe085b8cc869ca98b206c08243a26f5487789e8f660afe6c99ef9e0c52b92e7393024a80459cf91f476f9ffdbda7001c22e159b402631f277ca96f2defdf1078282314e763699a31c5363165421cce14d",
	],
	[
		1,
		"2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213c3a6cb8bf623e20cdb535f8d1a5ffb86342d9c0b64aca3bce1d31f60adfa137b358ad4d79f97b47c3d5e79f179df87a3b9776ef8325f8329886ba42f07fb138bb502f4081cbcec3195c5871e6c23e2cc97d3c69a613eba131e5f1351f3f1da786545e5",
	],
	[1023, "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11"],
	[1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"],
	[1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"],
	[2048, "e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a"],
	[2049, "5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030"],
	[3072, "b98cb0ff3623be03326b373de6b9095218513e64f1ee2edd2525c7ad1e5cffd2"],
	[3073, "7124b49501012f81cc7f11ca069ec9226cecb8a2c850cfe644e327d22d3e1cd3"],
	[4096, "015094013f57a5277b59d8475c0501042c0b642e531b0a1c8f58d2163229e969"],
	[4097, "9b4052b38f1c5fc8b1f9ff7ac7b27cd242487b3d890d15c96a1c25b8aa0fb995"],
	[5121, "628bd2cb2004694adaab7bbd778a25df25c47b9d4155a55f8fbd79f2fe154cff"],
	[7168, "61da957ec2499a95d6b8023e2b0e604ec7f6b50e80a9678b89d2628e99ada77a"],
	[7169, "a003fc7a51754a9b3c7fae0367ab3d782dccf28855a03d435f8cfe74605e7817"],
];

const input = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i % 251);
const members = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 12 });

/** The sum as the definition says it, by another BLAKE3. */
function sumOf(all: readonly Uint8Array[]): Uint8Array {
	const lanes = new Uint16Array(1024);
	for (const member of all) {
		const bytes = blake3(member, { dkLen: 2048 });
		for (let i = 0; i < lanes.length; i++) {
			lanes[i] = (lanes[i] as number) + (bytes[2 * i] as number) + 256 * (bytes[2 * i + 1] as number);
		}
	}
	return Uint8Array.from({ length: 2048 }, (_, i) => (lanes[i >> 1] as number) >> (8 * (i & 1)));
}

describe("BLAKE3", () => {
	it.each(VECTORS)("gives the published output of %i bytes", (length, expected) => {
		const digest = new LatticeSums(1).digest([input(length)], expected.length / 2);
		expect(toHex(digest)).toBe(expected);
	});

	it("gives the same 2,048 bytes as another implementation, in whatever pieces the input comes", () => {
		const sums = new LatticeSums(1);
		fc.assert(
			fc.property(fc.nat(6000), fc.nat(6000), (length, cut) => {
				const bytes = input(length);
				const output = sums.digest([bytes.subarray(0, cut), bytes.subarray(cut)], 2048);
				expect(toHex(output)).toBe(toHex(blake3(bytes, { dkLen: 2048 })));
			}),
			{ numRuns: 25 },
		);
	});
});

describe("a sum", () => {
	it("is that of the definition, in whatever order its members come", () => {
		fc.assert(
			fc.property(members, (all) => {
				const sums = new LatticeSums(2);
				for (const member of all) sums.add(0, [member]);
				for (const member of all.toReversed()) sums.add(1, [member]);
				expect(toHex(sums.read(0))).toBe(toHex(sumOf(all)));
				expect(toHex(sums.read(1))).toBe(toHex(sums.read(0)));
			}),
			{ numRuns: 10 },
		);
	});

	it("is what it was once a member is taken out, and other sums stay as they are", () => {
		fc.assert(
			fc.property(members, fc.uint8Array({ maxLength: 3000 }), (all, more) => {
				const sums = new LatticeSums(3);
				for (const member of all) sums.add(1, [member]);
				const before = toHex(sums.read(1));
				sums.add(1, [more]);
				expect(toHex(sums.read(1))).not.toBe(before);
				sums.remove(1, [more]);
				expect(toHex(sums.read(1))).toBe(before);
				expect([sums.read(0), sums.read(2)]).toEqual([new Uint8Array(2048), new Uint8Array(2048)]);
			}),
			{ numRuns: 10 },
		);
	});

	it("of two sets is the sum of theirs, also where a number passes its end", () => {
		const sums = new LatticeSums(3);
		const names = Array.from({ length: 50 }, (_, i) => utf8(`member ${i}`));
		for (const [i, name] of names.entries()) {
			sums.add(i % 2, [name]);
			sums.add(2, [name]);
		}
		const odd = sums.read(1);
		sums.merge(0, odd);
		expect(toHex(sums.read(0))).toBe(toHex(sums.read(2)));
	});
});
