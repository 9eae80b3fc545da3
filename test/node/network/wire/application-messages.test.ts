import { describe, expect, it } from "vitest";
import {
	ApplicationType,
	applicationTypeName,
	BlockIdLengthError,
	decodeBlockChainInventory,
	decodeDisconnect,
	decodeInventory,
	decodeSyncBlockChain,
	encodeBlockChainInventory,
	encodeDisconnect,
	encodeInventory,
	encodeSyncBlockChain,
	encodeTransactions,
	InventoryKind,
	Reason,
	readBlockId,
	reasonName,
	SignedTransaction,
} from "../../../../src/node/network/wire/application-messages.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import { Transaction, TransactionRaw, Transactions } from "../../../../src/protocol/messages.js";

const genesis = {
	id: Uint8Array.from(fromHex("00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc")),
	number: 0n,
};
const G = toHex(genesis.id);
const first = { id: Uint8Array.from(fromHex(`0000000000000001${"5a".repeat(24)}`)), number: 1n };
const B1 = toHex(first.id);

describe("application messages", () => {
	// protocol/peers §14.2, without frame, wrapper and type.
	it.each([
		["SYNC_BLOCK_CHAIN of genesis", encodeSyncBlockChain([genesis]), `0a220a20${G}`],
		[
			"BLOCK_CHAIN_INVENTORY of genesis",
			encodeBlockChainInventory({ ids: [genesis], remain: 0n }),
			`0a220a20${G}`,
		],
		[
			"BLOCK_CHAIN_INVENTORY with more to come",
			encodeBlockChainInventory({ ids: [genesis, first], remain: 3000n }),
			`0a220a20${G}0a240a20${B1}100110b817`,
		],
		["INVENTORY of a transaction", encodeInventory(InventoryKind.TX, [genesis.id]), `1220${G}`],
		["INVENTORY of a block", encodeInventory(InventoryKind.BLOCK, [first.id]), `08011220${B1}`],
		["P2P_DISCONNECT TIME_OUT", encodeDisconnect(Reason.TIME_OUT), "0820"],
		["P2P_DISCONNECT UNKNOWN", encodeDisconnect(Reason.UNKNOWN), "08ff01"],
		["P2P_DISCONNECT REQUESTED", encodeDisconnect(Reason.REQUESTED), ""],
	])("%s has the recorded bytes", (_name, payload, hex) => {
		expect(toHex(payload)).toBe(hex);
	});

	it("reads what it writes", () => {
		expect(decodeSyncBlockChain(encodeSyncBlockChain([genesis, first]))).toEqual([genesis, first]);
		const list = { ids: [genesis, first], remain: 7n };
		expect(decodeBlockChainInventory(encodeBlockChainInventory(list))).toEqual(list);
		expect(decodeInventory(encodeInventory(InventoryKind.BLOCK, [first.id]))).toEqual({
			kind: InventoryKind.BLOCK,
			ids: [first.id],
		});
		expect(decodeDisconnect(encodeDisconnect(Reason.FORKED))).toBe(Reason.FORKED);
	});

	it("takes a block's number from its field", () => {
		expect(toHex(readBlockId({ hash: first.id, number: 0x1234n }).id)).toBe(
			`0000000000001234${"5a".repeat(24)}`,
		);
		expect(readBlockId({ hash: first.id, number: 1n }).id).toBe(first.id);
	});

	it("refuses block ids of another length", () => {
		expect(() => readBlockId({ hash: first.id.subarray(1), number: 1n })).toThrow(BlockIdLengthError);
		expect(() => readBlockId(undefined)).toThrow(BlockIdLengthError);
	});

	it("writes transactions as the codec does", () => {
		const transactions = [0, 50, 300].map((length) =>
			Transaction.create({ raw_data: TransactionRaw.create({ data: new Uint8Array(length).fill(7) }) }),
		);
		const payload = encodeTransactions(transactions.map((transaction) => new SignedTransaction(transaction)));
		expect(toHex(payload)).toBe(toHex(Transactions.encode(Transactions.create({ transactions }))));
		expect(
			Transactions.decode(payload).transactions.map((transaction) => toHex(Transaction.encode(transaction))),
		).toEqual(transactions.map((transaction) => toHex(Transaction.encode(transaction))));
	});

	it("names types and reasons", () => {
		expect(applicationTypeName(ApplicationType.FETCH_INV_DATA)).toBe("FETCH_INV_DATA");
		expect(applicationTypeName(0x30)).toBe("0x30");
		expect(reasonName(0x26)).toBe("NO_SUCH_MESSAGE");
		expect(reasonName(3)).toBe("3");
	});
});
