import { describe, expect, it } from "vitest";
import { fromHex, toHex, utf8 } from "../../../src/protocol/bytes.js";
import { keccak256 } from "../../../src/protocol/hash.js";
import {
	memoView,
	transactionOfBlock,
	transactionOfLogs,
	withoutFilling,
} from "../../../src/wallet/shielded/pool-reading.js";

const word = (value: number): string => value.toString(16).padStart(64, "0");
const LEAF = "(uint256,bytes32,bytes32,bytes32,bytes32[21])";
const log = (signature: string, data: string) => ({
	topics: [keccak256(utf8(signature))],
	data: fromHex(data),
});
const leaf = (name: string, position: number) =>
	log(
		`${name}${LEAF}`,
		word(position) + word(1) + word(2) + word(3) + "aa".repeat(580) + "bb".repeat(80) + "00".repeat(12),
	);

describe("what the logs of a contract say", () => {
	it("has the topics of the network's contracts", () => {
		expect(toHex(leaf("MintNewLeaf", 0).topics[0] ?? new Uint8Array(0))).toBe(
			"be22cbc129fd01d04b02a7b3258b72e8c8ae5bfcf054d7f0359779be627a6b27",
		);
	});

	it("is notes with their positions, nullifiers, and payments", () => {
		const burn = word(0x41).replace(/41$/, "7e") + word(500) + "cc".repeat(96);
		const read = transactionOfLogs("ab", 7n, [
			leaf("BurnNewLeaf", 4),
			log("NoteSpent(bytes32)", word(9)),
			log("TokenBurn(address,uint256,bytes32[3])", burn),
		]);
		expect(read).toMatchObject({ txID: "ab", block: 7n, isSilent: false });
		expect(read.notes).toMatchObject([{ index: 0, position: 4n }]);
		expect(read.notes[0]).toMatchObject({ cm: fromHex(word(1)), epk: fromHex(word(3)) });
		expect(toHex(read.notes[0]?.forReceiver ?? utf8(""))).toBe("aa".repeat(580));
		expect(toHex(read.notes[0]?.forSender ?? utf8(""))).toBe("bb".repeat(80));
		expect(read.burns).toMatchObject([{ amount: 500n }]);
		expect(toHex(read.burns[0]?.to ?? utf8(""))).toBe(`41${"00".repeat(19)}7e`);
		expect(read.nullifiers.map(toHex)).toEqual([word(9)]);
	});

	it("knows that spends are not told of", () => {
		expect(transactionOfLogs("ab", 7n, [leaf("TransferNewLeaf", 0)]).isSilent).toBe(true);
		expect(transactionOfLogs("ab", 7n, [leaf("MintNewLeaf", 0)]).isSilent).toBe(false);
	});

	it.each([
		["a shorter leaf", { ...leaf("MintNewLeaf", 0), data: new Uint8Array(32) }],
		["another event", log("Transfer(address,address,uint256)", word(1))],
		[
			"an indexed event",
			{ ...leaf("MintNewLeaf", 0), topics: [...leaf("MintNewLeaf", 0).topics, fromHex(word(1))] },
		],
		["a log without topics", { topics: [], data: new Uint8Array(800) }],
	])("passes over %s", (_, other) => {
		expect(transactionOfLogs("ab", 7n, [other])).toMatchObject({ notes: [], nullifiers: [], burns: [] });
	});
});

describe("what a block says of the chain's own pool", () => {
	it("is nothing for other transactions and refused ones", () => {
		const raw_data = { contract: [{ type: "ShieldedTransferContract" }] };
		expect(
			transactionOfBlock({ raw_data: { contract: [{ type: "TransferContract" }] } }, 1n),
		).toBeUndefined();
		expect(transactionOfBlock({}, 1n)).toBeUndefined();
		const ret = [{ contractRet: "REVERT" }];
		expect(transactionOfBlock({ raw_data, raw_data_hex: "00", ret }, 1n)).toBeUndefined();
	});

	it("is refused where the bytes are not a transfer", () => {
		const raw_data = { contract: [{ type: "ShieldedTransferContract" }] };
		for (const raw_data_hex of ["0x", "ff", "5a02"])
			expect(() => transactionOfBlock({ raw_data, raw_data_hex }, 1n)).toThrow("can't be read");
	});
});

describe("a memo", () => {
	it("is shown as text if it is one", () => {
		expect(memoView(withoutFilling(Uint8Array.from([...utf8("rent"), 0, 0])))).toBe("rent");
		expect(memoView(fromHex("1b5b"))).toBe("0x1b5b");
		expect(memoView(fromHex("ff"))).toBe("0xff");
	});
});
