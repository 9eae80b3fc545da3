import { describe, expect, it, vi } from "vitest";
import { SignedBlock } from "../../../src/protocol/block.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import type { Message, MessageType } from "../../../src/protocol/codec/descriptor.js";
import { BudgetError } from "../../../src/protocol/codec/reader.js";
import { hasUnknownFields, UnknownFields } from "../../../src/protocol/codec/unknown-fields.js";
import { jsonLibrary } from "../../../src/protocol/json/json-library.js";
import { hashedLibrary } from "../../../src/protocol/json/older/hashed-library.js";
import { blockJson, transactionJson } from "../../../src/protocol/json/transaction-json.js";
import { packTransaction } from "../../../src/protocol/json/transaction-packing.js";
import { Block, HelloMessage, Transaction } from "../../../src/protocol/messages.js";
import {
	isKnownOnNile,
	MAX_POST_QUANTUM_ENTRIES,
	signaturesOfTransaction,
} from "../../../src/protocol/post-quantum/fields.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";

/** Raw data with a time, and a signature of a byte. */
const RAW = "0a0370f101";
const SIGNED = `${RAW}1201aa`;

/** Scheme 1, key 0102, signature 030405. */
const FALCON = "080112020102" + "1a03030405";
const DILITHIUM = "08021a01ff";
const field = (content: string, tag = "32"): string =>
	tag + (content.length / 2).toString(16).padStart(2, "0") + content;
const OTHER = "f2bf0302abcd";

const decode = (hex: string): SignedTransaction => SignedTransaction.decode(fromHex(hex));
const nile = { visible: false, dialect: "deployed", library: jsonLibrary, postQuantum: true } as const;
const main = { ...nile, postQuantum: false } as const;

describe("post-quantum signatures of a transaction", () => {
	const both = field(FALCON) + field(DILITHIUM);

	it("are unknown fields that stay byte for byte on Nile, where others are dropped", () => {
		const sent = decode(SIGNED + OTHER + both);
		expect(toHex(sent.withoutUnknownFields(true).bytes)).toBe(SIGNED + both);
		expect(toHex(sent.withoutUnknownFields().bytes)).toBe(SIGNED);
		const good = decode(SIGNED + both);
		expect(good.withoutUnknownFields(true)).toBe(good);
		expect(decode(SIGNED + OTHER).withoutUnknownFields(true).message.$unknown).toBeUndefined();
		expect(toHex(decode(`${SIGNED}3007`).withoutUnknownFields(true).bytes)).toBe(SIGNED);
	});

	it("are read with scheme, key and signature", () => {
		const read = signaturesOfTransaction(decode(SIGNED + both).message);
		expect(read.map((one) => [one.scheme, toHex(one.public_key), toHex(one.signature)])).toEqual([
			[1, "0102", "030405"],
			[2, "", "ff"],
		]);
		expect(signaturesOfTransaction(decode(SIGNED + OTHER).message)).toEqual([]);
		expect(signaturesOfTransaction(decode(`${SIGNED}3007`).message)).toEqual([]);
	});

	it("are shown on Nile alone, and read back to the same bytes", () => {
		const sent = decode(SIGNED + both);
		const json = transactionJson(sent, nile);
		expect(JSON.parse(json).pq_auth_sig).toEqual([
			{ scheme: "FN_DSA_512", public_key: "0102", signature: "030405" },
			{ scheme: "ML_DSA_44", signature: "ff" },
		]);
		expect(Object.keys(JSON.parse(json))).toEqual([
			"raw_data",
			"signature",
			"pq_auth_sig",
			"raw_data_hex",
			"txID",
		]);
		expect(transactionJson(sent, main)).toBe(transactionJson(decode(SIGNED), nile));
		expect(toHex(packTransaction(json, false, jsonLibrary, true).bytes)).toBe(SIGNED + both);
		expect(toHex(packTransaction(json, false, jsonLibrary).bytes)).toBe(SIGNED);
		expect(toHex(packTransaction(transactionJson(sent, main), false, jsonLibrary, true).bytes)).toBe(SIGNED);
	});

	it("are read back when they are long", () => {
		const long = { pq_auth_sig: [{ scheme: 1, signature: "ab".repeat(700) }] };
		const text = JSON.stringify({ ...JSON.parse(transactionJson(decode(SIGNED), main)), ...long });
		const [read] = signaturesOfTransaction(packTransaction(text, false, jsonLibrary, true).message);
		expect(read && [read.scheme, read.signature.length]).toEqual([1, 700]);
	});

	it("are not shown where the bytes hold something else", () => {
		const broken = decode(SIGNED + field("12ff"));
		expect(transactionJson(broken, nile)).toBe(transactionJson(decode(SIGNED), nile));
	});

	it.each([
		["two of them", both, true],
		["one that is empty", field(""), true],
		["one of another scheme", field("0809"), true],
		["another field besides", both + OTHER, false],
		["a number in their place", "3007", false],
		["a field inside that nobody knows", field(`${FALCON}2001`), false],
		["a key that comes twice", field("12010112020102"), false],
		["a default that is written", field("0800"), false],
		["bytes that don't decode", field("12ff"), false],
	])("pass the filter of unknown fields on Nile: %s", (_, fields, passes) => {
		const { message } = decode(SIGNED + fields);
		const type = Transaction as unknown as MessageType<Message>;
		expect(hasUnknownFields(type, message, isKnownOnNile)).toBe(!passes);
		expect(hasUnknownFields(type, message)).toBe(true);
	});
});

describe("very many post-quantum signatures", () => {
	const sent = (count: number) => decode(SIGNED + "3200".repeat(count));

	it("are not read in a transaction", () => {
		expect(sent(MAX_POST_QUANTUM_ENTRIES).asReadOnNile().postQuantum).toHaveLength(MAX_POST_QUANTUM_ENTRIES);
		expect(() => sent(MAX_POST_QUANTUM_ENTRIES + 1).asReadOnNile()).toThrow(BudgetError);
		expect(() => sent(MAX_POST_QUANTUM_ENTRIES + 1).withoutUnknownFields(true)).toThrow(BudgetError);
		expect(() => sent(MAX_POST_QUANTUM_ENTRIES + 1).postQuantum).toThrow(BudgetError);
		expect(sent(MAX_POST_QUANTUM_ENTRIES + 1).withoutUnknownFields().message.$unknown).toBeUndefined();
	});

	it("are counted before their canonical form is made", () => {
		const canonical = vi.spyOn(UnknownFields.prototype, "canonical", "get");
		expect(() => sent(MAX_POST_QUANTUM_ENTRIES + 1).asReadOnNile()).toThrow(BudgetError);
		expect(canonical).not.toHaveBeenCalled();
		canonical.mockRestore();
	});

	it("are one in a header, however many there are", () => {
		const header = `0a020807${"1a00".repeat(MAX_POST_QUANTUM_ENTRIES)}${field(FALCON, "1a")}`;
		const bytes = Buffer.from(header, "hex");
		const block = SignedBlock.decode(Buffer.concat([Uint8Array.of(0x12, 0x91, 0x01), bytes]));
		expect(bytes.length).toBe(0x91);
		expect(block.asReadOnNile().postQuantum?.scheme).toBe(1);
	});
});

describe("a post-quantum signature of a block's header", () => {
	const block = (fields: string): SignedBlock => {
		const header = `0a020807${fields}`;
		return SignedBlock.decode(fromHex(`12${(header.length / 2).toString(16).padStart(2, "0")}${header}`));
	};
	const signature = field(FALCON, "1a");
	const type = Block as unknown as MessageType<Message>;

	it("stays on Nile, and is shown there", () => {
		const bare = block("");
		const signed = block(signature);
		expect(block(signature + OTHER).withoutUnknownFields(true).bytes).toEqual(signed.bytes);
		expect(signed.withoutUnknownFields(true)).toBe(signed);
		expect(signed.withoutUnknownFields().bytes).toEqual(bare.bytes);
		for (const library of [jsonLibrary, hashedLibrary]) {
			const shown = JSON.parse(blockJson(signed, { ...nile, library })).block_header;
			expect(shown).toEqual({
				...JSON.parse(blockJson(bare, nile)).block_header,
				pq_auth_sig: { scheme: "FN_DSA_512", public_key: "0102", signature: "030405" },
			});
			expect(blockJson(signed, { ...main, library })).toBe(blockJson(bare, { ...main, library }));
		}
	});

	it("passes the filter once", () => {
		for (const [fields, passes] of [
			[signature, true],
			[signature + signature, false],
			[field(FALCON), false],
		] as const) {
			expect(hasUnknownFields(type, block(fields).message, isKnownOnNile), fields).toBe(!passes);
		}
	});
});

it("a greeting of Nile has one in field 12", () => {
	const hello = HelloMessage.decode(fromHex(`1007${field(FALCON, "62")}`));
	const type = HelloMessage as unknown as MessageType<Message>;
	expect(hasUnknownFields(type, hello, isKnownOnNile)).toBe(false);
	expect(hasUnknownFields(type, hello)).toBe(true);
	expect(toHex(HelloMessage.encode(hello))).toBe(`1007${field(FALCON, "62")}`);
});
