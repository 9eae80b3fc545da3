import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EMPTY, toHex, utf8 } from "../../../src/protocol/bytes.js";
import {
	appendLeaf,
	appendToVoucher,
	EMPTY_NOTE_TREE,
	issueVoucher,
	voucherRoot,
} from "../../../src/protocol/sapling/incremental-tree.js";
import { addressOfKeys, narrowed } from "../../../src/protocol/sapling/key-set.js";
import { noHoldings } from "../../../src/wallet/shielded/holdings.js";
import { fileStore } from "../../../src/wallet/shielded/scan.js";
import { openState, type ScanState, sealState, stateKey } from "../../../src/wallet/shielded/scan-state.js";
import { keysNumbered } from "./keys.js";
import { someLeaf } from "./simulated-prover.js";

const keys = keysNumbered(1);
const note = { ...addressOfKeys(keys), value: 12n, randomness: new Uint8Array(32).fill(3) };
const tree = appendLeaf(EMPTY_NOTE_TREE, someLeaf(1));
const voucher = appendToVoucher(issueVoucher(tree), someLeaf(2));
const place = { txID: "ab".repeat(32), block: 7n };
const full = {
	...noHoldings(9n, new Uint8Array(32).fill(9), true),
	tree: appendLeaf(tree, someLeaf(2)),
	received: [
		{
			...place,
			note,
			memo: utf8("rent"),
			index: 1,
			position: 0n,
			nullifier: new Uint8Array(32),
			voucher,
			spent: undefined,
		},
		{
			...place,
			note,
			memo: EMPTY,
			index: 0,
			position: undefined,
			nullifier: undefined,
			voucher: undefined,
			spent: place,
		},
	],
	sent: [{ ...place, note, memo: EMPTY }],
	burnt: [{ ...place, to: new Uint8Array(21).fill(65), amount: 5n }],
	hasSilentSpends: true,
};
const state: ScanState = {
	chain: "00".repeat(32),
	pool: "native",
	since: 0n,
	holdings: full,
	earlier: [noHoldings(-1n, EMPTY, false)],
	pending: [{ txID: place.txID, nullifier: new Uint8Array(32).fill(1), expirationMs: 99n }],
};

/** Bytes as text, so that the two kinds of byte arrays compare. */
const plain = (value: unknown): unknown =>
	JSON.parse(
		JSON.stringify(value, (_, item: unknown) =>
			typeof item === "bigint" ? item.toString() : item instanceof Uint8Array ? toHex(item) : item,
		).replace(/\{"type":"Buffer","data":\[([\d,]*)\]\}/g, (_, bytes: string) =>
			JSON.stringify(toHex(Uint8Array.from(bytes === "" ? [] : bytes.split(",").map(Number)))),
		),
	);

const key = stateKey(keys.ivk);
const nonce = new Uint8Array(12).fill(4);

describe("the state of reading", () => {
	it("is the same after it was sealed and opened", async () => {
		const opened = await openState(await sealState(state, key, nonce), key);
		const { received, ...rest } = opened.holdings;
		const { received: before, ...kept } = full;
		expect(plain({ ...opened, holdings: rest, earlier: [] })).toEqual(
			plain({ ...state, holdings: kept, earlier: [] }),
		);
		expect(plain(received.map(({ voucher: _, ...held }) => held))).toEqual(
			plain(before.map(({ voucher: _, ...held }) => held)),
		);
		const reopened = received[0]?.voucher;
		expect(reopened && toHex(voucherRoot(reopened))).toBe(toHex(voucherRoot(voucher)));
	});

	it("tells nothing without the key", async () => {
		const sealed = Buffer.from(await sealState(state, key, nonce));
		for (const secret of ["rent", place.txID, "native"]) expect(sealed.includes(secret)).toBe(false);
		const other = stateKey(keysNumbered(2).ivk);
		await expect(openState(sealed, other)).rejects.toMatchObject({ code: "keystore_format" });
	});

	it("is refused with any byte changed, or cut", async () => {
		const sealed = await sealState(state, key, nonce);
		for (const at of [0, 13, 30, sealed.length - 1]) {
			const changed = Uint8Array.from(sealed);
			changed[at] = (changed[at] as number) ^ 1;
			await expect(openState(changed, key)).rejects.toMatchObject({ code: "keystore_format" });
		}
		for (const length of [0, 20, sealed.length - 1])
			await expect(openState(sealed.subarray(0, length), key)).rejects.toMatchObject({
				code: "keystore_format",
			});
	});
});

describe("a file of the state", () => {
	let directory: string;
	beforeEach(() => {
		directory = mkdtempSync(join(tmpdir(), "coin-notes-"));
	});
	afterEach(() => rmSync(directory, { recursive: true }));
	const store = () => fileStore(directory, keys, state.chain, state.pool, () => undefined);
	const folder = () => join(directory, "shielded", "notes");

	it("is the owner's alone, under a name that tells nothing, and is there again", async () => {
		expect(await store().load()).toBeUndefined();
		await store().change(() => state);
		const [name = ""] = readdirSync(folder());
		expect(name).toMatch(/^[0-9a-f]{32}\.sealed$/);
		expect(statSync(join(folder(), name)).mode & 0o777).toBe(0o600);
		expect((await store().load())?.holdings.through).toBe(9n);
		await store().clear();
		expect(await store().load()).toBeUndefined();
	});

	it("is another one for keys that see less of the same notes", async () => {
		await store().change(() => state);
		for (const reach of ["viewing", "incoming"] as const) {
			const other = fileStore(directory, narrowed(keys, reach), state.chain, state.pool, () => undefined);
			expect((await other.load()) === undefined).toBe(reach === "incoming");
		}
		const { ovk: _, ...blind } = narrowed(keys, "incoming");
		await fileStore(directory, blind, state.chain, state.pool, () => undefined).change(() => state);
		expect(readdirSync(folder())).toHaveLength(2);
	});

	it("is changed by one after the other", async () => {
		await store().change(() => state);
		const add = (byte: number): Promise<ScanState> =>
			store().change((before) => ({
				...(before ?? state),
				pending: [
					...(before?.pending ?? []),
					{ txID: place.txID, nullifier: new Uint8Array(32).fill(byte), expirationMs: 1n },
				],
			}));
		await Promise.all([add(2), add(3), add(4)]);
		expect((await store().load())?.pending).toHaveLength(4);
	});

	it("is refused when it is another thing", async () => {
		await store().change(() => state);
		const [name = ""] = readdirSync(folder());
		const text = readFileSync(join(folder(), name), "utf8");
		writeFileSync(join(folder(), name), text.slice(0, 40));
		await expect(store().load()).rejects.toMatchObject({
			code: "keystore_format",
			facts: { hint: expect.stringContaining("--again") },
		});
	});
});
