import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/node/config/config.js";
import { genesisBlock } from "../../src/node/config/genesis-config.js";
import { installRecoverEngine } from "../../src/node/signatures/engine.js";
import { blockId, merkleRoot, numberOfBlockId, refBlockOf, SignedBlock } from "../../src/protocol/block.js";
import { concatBytes, toHex } from "../../src/protocol/bytes.js";
import { sha256 } from "../../src/protocol/hash.js";
import { openRecordings } from "../../tools/replay/recording.js";

const leaf = (n: number): Uint8Array => Buffer.alloc(32, n);
const pair = (a: Uint8Array, b: Uint8Array): Uint8Array => sha256(concatBytes(a, b));

describe("a Merkle root", () => {
	const [a, b, c, d, e] = [1, 2, 3, 4, 5].map(leaf) as [
		Uint8Array,
		Uint8Array,
		Uint8Array,
		Uint8Array,
		Uint8Array,
	];

	test.each<[string, readonly Uint8Array[], Uint8Array]>([
		["nothing is zero", [], new Uint8Array(32)],
		["one leaf is that leaf", [a], a],
		["two is their hash", [a, b], pair(a, b)],
		["three lets the odd one rise", [a, b, c], pair(pair(a, b), c)],
		["four is a whole tree", [a, b, c, d], pair(pair(a, b), pair(c, d))],
		["five lets the odd one rise twice", [a, b, c, d, e], pair(pair(pair(a, b), pair(c, d)), e)],
	])("of %s", (_, leaves, expected) => {
		expect(toHex(merkleRoot(leaves))).toBe(toHex(expected));
	});
});

describe("the id of a block", () => {
	test.each([0n, 1n, 66_987_565n, 2n ** 63n - 1n])("carries its number: %d", (number) => {
		const id = blockId(number, leaf(9));
		expect(id).toHaveLength(32);
		expect(numberOfBlockId(id)).toBe(number);
		expect(toHex(id.subarray(8))).toBe("09".repeat(24));
	});

	test("gives a transaction the low bytes of the number and the start of the hash", () => {
		const { refBlockBytes, refBlockHash } = refBlockOf(blockId(0x0102_0304n, leaf(9)));
		expect([toHex(refBlockBytes), toHex(refBlockHash)]).toEqual(["0304", "09".repeat(8)]);
	});

	test("and its root follow from its bytes, in every recorded block", async () => {
		installRecoverEngine();
		let blocks = 0;
		for (const [recording] of [
			openRecordings("test/golden/core-accounts"),
			openRecordings("test/golden/core-zero"),
		]) {
			for (const [, line] of recording?.lines() ?? []) {
				if (line.t !== "block") continue;
				const block = SignedBlock.decode(Buffer.from(line.block, "hex"));
				expect(block.idHex).toBe(line.id);
				expect(toHex(block.bytes)).toBe(line.block);
				const ids = block.transactions.map(({ idHex }) => idHex);
				block.forgetContents();
				expect(block.transactions.map(({ idHex }) => idHex)).toEqual(ids);
				expect(toHex(block.bytes)).toBe(line.block);
				expect(toHex(block.computeMerkleRoot())).toBe(toHex(block.raw.txTrieRoot));
				expect(toHex(block.signer())).toBe(toHex(block.witness));
				blocks++;
			}
		}
		expect(blocks).toBe(215);
	});
});

/** The preset of the main network (protocol/blocks §2.2). Witnesses are not part of the block. */
const MAIN_NETWORK = `
	storage { db.directory = "database" }
	genesis.block {
		timestamp = "0"
		parentHash = "0xe58f33f9baf9305dc6f82b9f1934ea8f0ade2defb951258d50167028c780351f"
		assets = [
			{ accountName = "Zion", accountType = "AssetIssue", address = "TLLM21wteSPs4hKjbxgmH1L6poyMjeTbHm", balance = "99000000000000000" }
			{ accountName = "Sun", accountType = "AssetIssue", address = "TXmVpin5vq5gdZsciyyjdZgKRUju4st1wM", balance = "0" }
			{ accountName = "Blackhole", accountType = "AssetIssue", address = "TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy", balance = "-9223372036854775808" }
		]
		witnesses = [ { address = "THKJYuUmMKKARNf7s2VT51g5uPY6KEqnat", url = "http://GR1.com", voteCount = 100000026 } ]
	}
`;

test("the genesis block of the main network has the published id and root", () => {
	const block = genesisBlock(parseConfig(MAIN_NETWORK).genesis);
	expect(block.idHex).toBe("00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc");
	expect(toHex(block.raw.txTrieRoot)).toBe(
		"8ef446bf3f395af929c218014f6101ec86576c5f61b2ae3236bf3a2ab5e2fecd",
	);
	expect(block.transactions).toHaveLength(3);
});
