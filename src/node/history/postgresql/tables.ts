/** The PostgreSQL tables of the history index: one per row kind, with typed columns (protocol/history §8). */

import { toKey } from "../../../protocol/bytes.js";
import type { ColumnType, ColumnValue } from "../../postgresql/binary-arrays.js";
import type { TableUse } from "../../postgresql/migrations.js";
import {
	ADDRESS_BYTES,
	assetValue,
	type HistoryRow,
	isSetKind,
	placeAtOrAbove,
	placeSuffix,
	pointerValue,
	type RowKind,
	readAssetValue,
	readPlace,
	readPointer,
	readTokenValue,
	TOKEN_TYPES,
	tokenValue,
} from "../rows.js";

/** Column names and types, in table order. */
type Columns = readonly (readonly [name: string, type: ColumnType])[];
export const typeOf = ([, type]: Columns[number]): ColumnType => type;

/** A value from the driver: 64-bit integers and numerics are text. */
export type FoundValue = Buffer | string | number | Date;

interface KindTable {
	readonly name: string;
	/** Owner of the list, then the place or a set's other address. Together they are the primary key. */
	readonly owner: Columns;
	readonly place: Columns;
	readonly rest: Columns;
	readonly ownerValues: (owner: string) => readonly ColumnValue[];
	readonly restValues: (value: Uint8Array) => readonly ColumnValue[];
	/** The row's bytes from the values of {@link rest}. */
	readonly valueOf: (found: readonly FoundValue[]) => Uint8Array;
}

const PLACE: Columns = [
	["height", "bigint"],
	["position", "integer"],
	["ordinal", "integer"],
];

const bytesOf = (key: string): Buffer => Buffer.from(key, "latin1");

const pointer = (prefix: boolean): Pick<KindTable, "rest" | "restValues" | "valueOf"> => ({
	rest: prefix
		? [
				["directions", "smallint"],
				["transaction_prefix", "bytea"],
			]
		: [["transaction_prefix", "bytea"]],
	restValues: (value) => {
		const { directions, mark } = readPointer(value);
		return prefix ? [directions, mark] : [mark];
	},
	valueOf: (found) => pointerValue(prefix ? (found[0] as number) : 0, found.at(-1) as Buffer),
});

const byAccount: Pick<KindTable, "owner" | "place" | "ownerValues"> = {
	owner: [["account", "bytea"]],
	place: PLACE,
	ownerValues: (owner) => [bytesOf(owner)],
};

const token: KindTable = {
	name: "token_transfer",
	...byAccount,
	rest: [
		["directions", "smallint"],
		["type", "text"],
		["block_time", "timestamptz"],
		["transaction_id", "bytea"],
		["contract", "bytea"],
		["sender", "bytea"],
		["receiver", "bytea"],
		["amount", "numeric"],
	],
	restValues: (value) => {
		const { directions, type, timeMs, transactionId, contract, from, to, amount } = readTokenValue(value);
		return [directions, type, timeMs, transactionId, contract, from, to, String(amount)];
	},
	valueOf: ([directions, type, time, transactionId, contract, from, to, amount]) =>
		tokenValue(
			{
				directions: directions as number,
				type: TOKEN_TYPES.find((known) => known === type) ?? "Transfer",
				timeMs: (time as Date).getTime(),
				transactionId: transactionId as Buffer,
				contract: contract as Buffer,
				from: from as Buffer,
				to: to as Buffer,
			},
			Buffer.from(
				BigInt(amount as string)
					.toString(16)
					.padStart(64, "0"),
				"hex",
			),
		),
};

const asset: KindTable = {
	name: "asset_transfer",
	...byAccount,
	rest: [
		["directions", "smallint"],
		["block_time", "timestamptz"],
		["transaction_id", "bytea"],
		["sender", "bytea"],
		["receiver", "bytea"],
		["amount", "bigint"],
		// Names of early tokens are arbitrary bytes, which text can't store.
		["token", "bytea"],
	],
	restValues: (value) => {
		const { directions, timeMs, transactionId, from, to, amount, token: name } = readAssetValue(value);
		return [directions, timeMs, transactionId, from, to, amount, Buffer.from(name, "utf8")];
	},
	valueOf: ([directions, time, transactionId, from, to, amount, name]) =>
		assetValue({
			directions: directions as number,
			timeMs: (time as Date).getTime(),
			transactionId: transactionId as Buffer,
			from: from as Buffer,
			to: to as Buffer,
			amount: BigInt(amount as string),
			token: (name as Buffer).toString("utf8"),
		}),
};

function setTable(name: string, owner: string, member: string): KindTable {
	return {
		name,
		owner: [[owner, "bytea"]],
		place: [[member, "bytea"]],
		rest: [],
		ownerValues: (key) => [bytesOf(key)],
		restValues: () => [],
		valueOf: () => new Uint8Array(0),
	};
}

export const kindTables: Readonly<Record<RowKind, KindTable>> = {
	transaction: { name: "account_transaction", ...byAccount, ...pointer(true) },
	internal: { name: "internal_transaction", ...byAccount, ...pointer(true) },
	token,
	asset,
	log: {
		name: "contract_log",
		owner: [["contract", "bytea"]],
		place: PLACE,
		ownerValues: (owner) => [bytesOf(owner)],
		...pointer(false),
	},
	event: {
		name: "contract_event",
		owner: [
			["contract", "bytea"],
			["topic_prefix", "bytea"],
		],
		place: PLACE,
		ownerValues: (owner) => [bytesOf(owner.slice(0, ADDRESS_BYTES)), bytesOf(owner.slice(ADDRESS_BYTES))],
		...pointer(false),
	},
	holder: setTable("token_holder", "contract", "account"),
	holding: setTable("token_holding", "account", "contract"),
};

export const columnsOf = ({ owner, place, rest }: KindTable): Columns => [...owner, ...place, ...rest];
export const keyOf = ({ owner, place }: KindTable): Columns => [...owner, ...place];

/** The place columns of a suffix. */
export function placeValues(kind: RowKind, suffix: string): readonly ColumnValue[] {
	if (isSetKind(kind)) return [bytesOf(suffix)];
	const { height, position, ordinal } = readPlace(suffix);
	return [height, position, ordinal];
}

/** The first place not below a bound, which may have any length. */
export function boundValues(kind: RowKind, bound: string): readonly ColumnValue[] {
	if (isSetKind(kind)) return [bytesOf(bound)];
	const { height, position, ordinal } = placeAtOrAbove(bound);
	return [height, position, ordinal];
}

/** The suffix of place columns. */
export function suffixOf(kind: RowKind, found: readonly FoundValue[]): string {
	if (isSetKind(kind)) return toKey(found[0] as Buffer);
	const [height, position, ordinal] = found.map(Number) as [number, number, number];
	return placeSuffix(height, position, ordinal);
}

/** Rows unique by key: the last one wins, as in a key-value store. */
export function lastOfEach(rows: readonly HistoryRow[]): readonly HistoryRow[] {
	const last = new Map(rows.map((row) => [row.owner + row.suffix, row]));
	return last.size === rows.length ? rows : [...last.values()];
}

const sqlOf = (columns: Columns): string[] => columns.map(([name, type]) => `${name} ${type} NOT NULL`);

/** Step 1 creates all tables as defined here: before changing one, copy its present DDL into step 1. */
const create = Object.values(kindTables).map((table) => {
	const key = keyOf(table).map(([name]) => name);
	return `CREATE TABLE $schema.${table.name} (${sqlOf(columnsOf(table)).join(", ")}, PRIMARY KEY (${key.join(", ")}))`;
});

export const historyTables: TableUse = {
	name: "history",
	steps: [
		[
			...create,
			`CREATE TABLE $schema.history_position (
				one boolean PRIMARY KEY DEFAULT true CHECK (one),
				rows_version integer NOT NULL,
				genesis bytea NOT NULL,
				ranges jsonb NOT NULL,
				written_at timestamptz NOT NULL DEFAULT now())`,
			"COMMENT ON TABLE $schema.history_position IS 'Which blocks the tables beside this one have: written together with their rows.'",
			"COMMENT ON COLUMN $schema.account_transaction.account IS '20 bytes: the address without its first byte.'",
			"COMMENT ON COLUMN $schema.account_transaction.directions IS '1: sent, 2: received, 3: both.'",
		],
	],
};
