import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROWS_VERSION, StoreAway, type StoredPosition } from "../../../../src/node/history/history-store.js";
import { historyTables } from "../../../../src/node/history/postgresql/tables.js";
import {
	assetValue,
	eventOwner,
	type HistoryRow,
	placeSuffix,
	pointerValue,
	tokenValue,
} from "../../../../src/node/history/rows.js";
import { toKey } from "../../../../src/protocol/bytes.js";
import { noPostgresql, Schemas, storeIn } from "./schemas.js";

const position: StoredPosition = {
	version: ROWS_VERSION,
	ranges: [{ from: 0, to: 9, id: "ab".repeat(32) }],
};
const [anna, bert] = [Buffer.alloc(20, 0xaa), Buffer.alloc(20, 0xff)];
const id = Buffer.alloc(32, 7);
const time = { timeMs: 1_700_000_000_123, transactionId: id };

const token = (height: number, amount: bigint): HistoryRow => ({
	kind: "token",
	owner: toKey(anna),
	suffix: placeSuffix(height, 1, 2),
	value: tokenValue(
		{ ...time, directions: 3, type: "Approval721", contract: bert, from: anna, to: bert },
		Buffer.from(amount.toString(16).padStart(64, "0"), "hex"),
	),
});

const asset = (height: number, amount: bigint, name: string): HistoryRow => ({
	kind: "asset",
	owner: toKey(anna),
	suffix: placeSuffix(height, 0, 0),
	value: assetValue({ ...time, directions: 1, from: anna, to: bert, amount, token: name }),
});

/** One row or more of each kind, with values at their bounds. */
const ROWS: readonly HistoryRow[] = [
	{
		kind: "transaction",
		owner: toKey(anna),
		suffix: placeSuffix(2 ** 40 - 1, 0xff_ff_ff, 0),
		value: pointerValue(2, id),
	},
	{ kind: "internal", owner: toKey(bert), suffix: placeSuffix(0, 0, 0xff_ff_ff), value: pointerValue(1, id) },
	token(3, 0n),
	token(4, 1n),
	token(5, 2n ** 256n - 1n),
	asset(3, -(2n ** 63n), "1000001"),
	asset(4, 2n ** 63n - 1n, "a\0b ü"),
	asset(5, 0n, ""),
	{ kind: "log", owner: toKey(bert), suffix: placeSuffix(8, 1, 1), value: pointerValue(0, id) },
	{
		kind: "event",
		owner: eventOwner(toKey(bert), id),
		suffix: placeSuffix(8, 1, 1),
		value: pointerValue(0, id),
	},
	{ kind: "holder", owner: toKey(bert), suffix: toKey(anna), value: new Uint8Array(0) },
	{ kind: "holding", owner: toKey(anna), suffix: toKey(bert), value: new Uint8Array(0) },
];

const shown = ({ kind, owner, suffix, value }: HistoryRow): string =>
	[kind, owner, suffix, Buffer.from(value).toString("hex")].join(" ");

const WHOLE = { from: "", end: "\xff".repeat(24), descending: false, limit: 1_000 };

describe.skipIf(noPostgresql)(`the history in PostgreSQL${noPostgresql ? ` (${noPostgresql})` : ""}`, () => {
	let schemas: Schemas;
	beforeAll(async () => {
		schemas = await Schemas.open();
	});
	afterAll(() => schemas?.close());

	it("gives each kind of row back as it was, and its position", async () => {
		const address = schemas.next();
		const store = await storeIn(address);
		expect(await store.position()).toBeUndefined();
		await store.write(ROWS, [], position);
		// The same once more changes nothing.
		await store.write([...ROWS, ...ROWS], [], position);
		await store.close();
		const again = await storeIn(address);
		expect(await again.position()).toEqual(position);
		for (const { kind, owner } of ROWS) {
			const wanted = ROWS.filter((row) => row.kind === kind && row.owner === owner).map(shown);
			expect((await again.rows(kind, owner, WHOLE)).map(shown)).toEqual(wanted);
			const back = await again.rows(kind, owner, { ...WHOLE, descending: true });
			expect(back.map(shown)).toEqual(wanted.reverse());
		}
		expect(again.bytes).toBeGreaterThan(8_192);
		await again.write([], ROWS.slice(0, -2), position);
		for (const { kind, owner } of ROWS.slice(0, -2)) expect(await again.rows(kind, owner, WHOLE)).toEqual([]);
		await again.clear();
		expect(await again.position()).toBeUndefined();
		await again.close();
	});

	it("reads between bounds of any length, as texts are compared", async () => {
		const store = await storeIn(schemas.next());
		await store.position();
		const rows = [3, 4, 5, 6].map((height) => token(height, BigInt(height)));
		await store.write(rows, [], position);
		const [three, four, five] = rows.map(({ suffix }) => suffix) as [string, string, string];
		const between = async (from: string, end: string): Promise<string[]> => {
			const found = await store.rows("token", toKey(anna), { ...WHOLE, from, end });
			const wanted = rows.filter(({ suffix }) => suffix >= from && suffix < end);
			expect(found.map(shown)).toEqual(wanted.map(shown));
			return found.map(({ suffix }) => suffix);
		};
		expect(await between(four, five)).toEqual([four]);
		expect(await between(`${three}\0`, `${five}\0`)).toEqual([four, five]);
		for (const bound of [
			"",
			"\0",
			three.slice(0, 5),
			`${four.slice(0, 7)}\xff`,
			`${four}abc`,
			"\xff".repeat(60),
		]) {
			await between("", bound);
			await between(bound, "\xff".repeat(24));
		}
		await store.close();
	});

	it("has one writer, whose rows others read", async () => {
		const address = schemas.next();
		const reader = await storeIn(address, { readOnly: true });
		await expect(reader.position()).rejects.toThrow("has no history yet");
		const writer = await storeIn(address);
		await writer.position();
		const second = await storeIn(address);
		await expect(second.position()).rejects.toThrow(
			`another node writes the history tables in schema ${address.schema}`,
		);
		await writer.write(ROWS, [], position);
		expect(await reader.position()).toEqual(position);
		expect(await reader.rows("log", toKey(bert), WHOLE)).toHaveLength(1);
		await writer.close();
		expect(await second.position()).toEqual(position);
		for (const store of [reader, second]) await store.close();
	});

	it("refuses tables of a newer program, and those of another chain", async () => {
		const address = schemas.next();
		const store = await storeIn(address);
		await store.position();
		await store.write([], [], position);
		await store.close();
		const other = await storeIn(address, { genesis: Buffer.alloc(32, 1) });
		await expect(other.position()).rejects.toThrow("holds the history of another chain");
		await other.close();
		const step = historyTables.steps.length + 1;
		await schemas.server.query(`INSERT INTO ${address.schema}.history_version (step) VALUES ($1)`, [step]);
		for (const readOnly of [false, true]) {
			const newer = await storeIn(address, { readOnly });
			await expect(newer.position()).rejects.toThrow("of a newer version of this program");
			await newer.close();
		}
	});

	it("is refused for a wrong user, without telling the password", async () => {
		const url = schemas.server.url.replace("coin@", "nobody@");
		const store = await storeIn({ ...schemas.next(), url });
		await expect(store.position()).rejects.toThrow('role "nobody" does not exist');
		await store.close();
	});

	it("writes nothing over a connection that was lost until it was asked where it stands", async () => {
		const address = schemas.next();
		const store = await storeIn(address);
		await store.position();
		await store.write(ROWS.slice(0, 1), [], position);
		await schemas.server.query(
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'coin history%'",
		);
		const next = { ...position, ranges: [{ from: 0, to: 10, id: "cd".repeat(32) }] };
		await expect(store.write(ROWS, [], next)).rejects.toThrow(StoreAway);
		await expect(store.write(ROWS, [], next)).rejects.toThrow(StoreAway);
		expect(await store.position()).toEqual(position);
		await store.write(ROWS, [], next);
		expect(await store.position()).toEqual(next);
		await store.close();
	});
});
