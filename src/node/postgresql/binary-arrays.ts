/**
 * Columns of many rows as PostgreSQL binary arrays, so that one statement writes them all without text
 * encoding. Source: PostgreSQL, array_recv and the receive functions of the types (`src/backend/utils/adt`).
 */

export type ColumnType = "bytea" | "bigint" | "integer" | "smallint" | "text" | "timestamptz" | "numeric";

/** For timestamptz milliseconds since 1970, for numeric decimal text. */
export type ColumnValue = Uint8Array | string | number | bigint;

interface Encoding {
	/** OID of the element type. */
	readonly oid: number;
	/** Type the array is sent as, if not the column's. */
	readonly sentAs?: ColumnType;
	readonly bytesOf: (value: ColumnValue) => Uint8Array;
}

/** Milliseconds from 1970 to PostgreSQL's epoch, 2000-01-01. */
const EPOCH_MS = 946_684_800_000;

const encodings: Readonly<Record<ColumnType, Encoding>> = {
	bytea: { oid: 17, bytesOf: (value) => value as Uint8Array },
	bigint: { oid: 20, bytesOf: (value) => int64(BigInt(value as number | bigint)) },
	integer: { oid: 23, bytesOf: (value) => fixed(4, (bytes) => bytes.writeInt32BE(value as number)) },
	smallint: { oid: 21, bytesOf: (value) => fixed(2, (bytes) => bytes.writeInt16BE(value as number)) },
	text: { oid: 25, bytesOf: (value) => Buffer.from(value as string, "utf8") },
	timestamptz: { oid: 1184, bytesOf: (value) => int64(BigInt((value as number) - EPOCH_MS) * 1000n) },
	numeric: { oid: 25, sentAs: "text", bytesOf: (value) => Buffer.from(value as string, "utf8") },
};

/** Parameter type for the {@link binaryArray} of a column. */
export const arrayType = (type: ColumnType): string => `${encodings[type].sentAs ?? type}[]`;

/** A one-dimensional array without nulls. */
export function binaryArray(type: ColumnType, values: readonly ColumnValue[]): Buffer {
	const { oid, bytesOf } = encodings[type];
	if (values.length === 0) return head(0, oid);
	const parts: Uint8Array[] = [head(1, oid), int32Pair(values.length, 1)];
	for (const value of values) {
		const bytes = bytesOf(value);
		parts.push(
			fixed(4, (length) => length.writeInt32BE(bytes.length)),
			bytes,
		);
	}
	return Buffer.concat(parts);
}

/** Rows as one array per column. */
export const binaryArrays = (
	types: readonly ColumnType[],
	rows: readonly (readonly ColumnValue[])[],
): Buffer[] =>
	types.map((type, at) =>
		binaryArray(
			type,
			rows.map((row) => row[at] as ColumnValue),
		),
	);

/** Header: dimensions, has-nulls flag, element type. */
function head(dimensions: number, oid: number): Buffer {
	const bytes = Buffer.alloc(12);
	bytes.writeInt32BE(dimensions, 0);
	bytes.writeInt32BE(oid, 8);
	return bytes;
}

function int32Pair(first: number, second: number): Buffer {
	const bytes = Buffer.alloc(8);
	bytes.writeInt32BE(first, 0);
	bytes.writeInt32BE(second, 4);
	return bytes;
}

const int64 = (value: bigint): Buffer => fixed(8, (bytes) => bytes.writeBigInt64BE(value));

function fixed(length: number, write: (bytes: Buffer) => void): Buffer {
	const bytes = Buffer.allocUnsafe(length);
	write(bytes);
	return bytes;
}
