/**
 * The history index in PostgreSQL (`node.history.database`): the embedded store's rows as columns, for one
 * writer and any number of readers (protocol/history §8). Rows and position are committed together.
 */

import type { Client, Pool } from "pg";
import { toHex } from "../../../protocol/bytes.js";
import {
	connectionString,
	type DatabaseAddress,
	DatabaseRefusal,
	databaseName,
} from "../../postgresql/address.js";
import { arrayType, binaryArrays } from "../../postgresql/binary-arrays.js";
import { DatabaseWriter } from "../../postgresql/database-writer.js";
import { DatabaseAway, databaseFailure } from "../../postgresql/failures.js";
import { quoted, stepOf } from "../../postgresql/migrations.js";
import {
	type HistoryStore,
	type IndexedRange,
	knownPosition,
	type RowRange,
	StoreAway,
	type StoredPosition,
} from "../history-store.js";
import { type HistoryRow, ROW_KINDS, type RowKind } from "../rows.js";
import {
	boundValues,
	columnsOf,
	type FoundValue,
	historyTables,
	keyOf,
	kindTables,
	lastOfEach,
	placeValues,
	suffixOf,
	typeOf,
} from "./tables.js";

/** Maximum concurrent readers, and timeouts of connecting and reading. */
const READERS = 4;
const DATABASE_CONNECT_MS = 5_000;
const READ_MS = 10_000;
const KINDS = Object.keys(ROW_KINDS) as readonly RowKind[];

interface StoreOptions {
	readonly address: DatabaseAddress;
	/** Id of the genesis block, 32 bytes. */
	readonly genesis: Uint8Array;
	/** Another node writes. */
	readonly readOnly: boolean;
	/** Whether rows of another chain may be deleted: those of a development chain that was rewound. */
	readonly isDisposable: boolean;
}

interface KindStatements {
	/** One array parameter per column of the table. */
	readonly insert: string;
	/** One array parameter per key column. */
	readonly remove: string;
	/** Parameters: owner, first place, end place (exclusive), limit. */
	readonly ascending: string;
	readonly descending: string;
}

/** Statements for the rows of one kind. */
function kindStatements(kind: RowKind, schema: string): KindStatements {
	const table = kindTables[kind];
	const name = `${quoted(schema)}.${table.name}`;
	const columns = columnsOf(table);
	const key = keyOf(table).map(([column]) => column);
	const arrays = (count: number): string =>
		columns
			.slice(0, count)
			.map(([, type], at) => `$${at + 1}::${arrayType(type)}`)
			.join(", ");
	const all = columns.map(([column]) => column);
	const values = columns.map(([column, type]) => (type === "numeric" ? `${column}::numeric` : column));
	const rest = table.rest.map(([column]) => `${column} = EXCLUDED.${column}`);
	const conflict = rest.length > 0 ? `UPDATE SET ${rest.join(", ")}` : "NOTHING";
	const owner = table.owner.map(([column], at) => `${column} = $${at + 1}`);
	const place = table.place.map(([column]) => column);
	const bound = (first: number): string =>
		`(${place.map((_, at) => `$${owner.length + first + at}`).join(", ")})`;
	const read = (order: string): string =>
		[
			`SELECT ${[...place, ...table.rest.map(([column]) => column)].join(", ")} FROM ${name}`,
			`WHERE ${owner.join(" AND ")}`,
			`AND (${place.join(", ")}) >= ${bound(1)} AND (${place.join(", ")}) < ${bound(1 + place.length)}`,
			`ORDER BY ${place.map((column) => `${column} ${order}`).join(", ")}`,
			`LIMIT $${owner.length + 2 * place.length + 1}`,
		].join(" ");
	return {
		insert: `INSERT INTO ${name} (${all.join(", ")}) SELECT ${values.join(", ")} FROM unnest(${arrays(all.length)}) AS added (${all.join(", ")}) ON CONFLICT (${key.join(", ")}) DO ${conflict}`,
		remove: `DELETE FROM ${name} USING unnest(${arrays(key.length)}) AS gone (${key.join(", ")}) WHERE ${key.map((column) => `${table.name}.${column} = gone.${column}`).join(" AND ")}`,
		ascending: read("ASC"),
		descending: read("DESC"),
	};
}

export class PostgresqlStore implements HistoryStore {
	private readonly writer: DatabaseWriter;

	private readonly statements: ReadonlyMap<RowKind, KindStatements>;
	private readonly positionTable: string;
	private size = 0;

	private constructor(
		private readonly options: StoreOptions,
		private readonly pool: Pool,
	) {
		const { address } = options;
		this.writer = new DatabaseWriter(address, historyTables);
		this.statements = new Map(KINDS.map((kind) => [kind, kindStatements(kind, address.schema)]));
		this.positionTable = `${quoted(address.schema)}.history_position`;
	}

	/** Connects on the first query. @throws {DatabaseRefusal} if the password file can't be read */
	static async create(options: StoreOptions): Promise<PostgresqlStore> {
		const driver = await import("../../postgresql/driver.js");
		const pool = new driver.Pool({
			connectionString: connectionString(options.address),
			max: READERS,
			connectionTimeoutMillis: DATABASE_CONNECT_MS,
			statement_timeout: READ_MS,
			query_timeout: READ_MS + DATABASE_CONNECT_MS,
			keepAlive: true,
			application_name: "coin history reader",
			allowExitOnIdle: true,
		});
		// The pool removes idle connections that are lost.
		pool.on("error", () => {});
		return new PostgresqlStore(options, pool);
	}

	get keepsOthers(): string | undefined {
		return this.options.isDisposable ? undefined : databaseName(this.options.address);
	}

	watch(notify: (failure: StoreAway) => void): void {
		this.writer.onLost = ({ message }) => notify(new StoreAway(message));
	}

	async position(): Promise<StoredPosition | undefined> {
		const { readOnly } = this.options;
		try {
			if (!readOnly) await this.writer.open();
			const position = await this.readPosition();
			// Only a statistic: losing a reader's connection here is no error.
			await this.readSize().catch(() => {});
			return position;
		} catch (error) {
			throw this.awayOf(error);
		}
	}

	private async readPosition(): Promise<StoredPosition | undefined> {
		const { readOnly, address, genesis } = this.options;
		if (readOnly && (await stepOf(this.pool as never, address, historyTables)) === 0) {
			throw new DatabaseAway(`${databaseName(address)} has no history yet: another node must write it`);
		}
		const text = `SELECT rows_version, genesis, ranges FROM ${this.positionTable}`;
		const { rows } = readOnly
			? await this.pool.query(text)
			: await this.writer.transaction((client) => client.query(text));
		const [row] = rows;
		if (!row) return undefined;
		if (toHex(row.genesis) !== toHex(genesis)) {
			throw new DatabaseRefusal(
				`schema ${address.schema} of ${databaseName(address)} holds the history of another chain: name another schema`,
			);
		}
		return knownPosition({ version: row.rows_version, ranges: row.ranges as IndexedRange[] });
	}

	private async readSize(): Promise<void> {
		const { schema } = this.options.address;
		const { rows } = await this.pool.query(
			`SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes FROM pg_class
			WHERE relnamespace = to_regnamespace($1) AND relkind = 'r' AND relname = ANY ($2)`,
			[quoted(schema), KINDS.map((kind) => kindTables[kind].name)],
		);
		this.size = Number(rows[0].bytes);
	}

	async write(
		put: readonly HistoryRow[],
		removed: readonly HistoryRow[],
		position: StoredPosition,
	): Promise<void> {
		try {
			await this.writer.transaction(async (client) => {
				for (const [kind, rows] of byKind(removed)) await this.remove(client, kind, rows);
				for (const [kind, rows] of byKind(put)) await this.insert(client, kind, rows);
				await client.query(
					`INSERT INTO ${this.positionTable} (rows_version, genesis, ranges) VALUES ($1, $2, $3)
					ON CONFLICT (one) DO UPDATE SET rows_version = $1, genesis = $2, ranges = $3, written_at = now()`,
					[position.version, Buffer.from(this.options.genesis), JSON.stringify(position.ranges)],
				);
			});
		} catch (error) {
			throw this.awayOf(error);
		}
	}

	private async insert(client: Client, kind: RowKind, given: readonly HistoryRow[]): Promise<void> {
		const table = kindTables[kind];
		const rows = lastOfEach(given).map((row) => [
			...table.ownerValues(row.owner),
			...placeValues(kind, row.suffix),
			...table.restValues(row.value),
		]);
		const text = this.statementsOf(kind).insert;
		await client.query({
			name: `insert ${kind}`,
			text,
			values: binaryArrays(columnsOf(table).map(typeOf), rows),
		});
	}

	private async remove(client: Client, kind: RowKind, given: readonly HistoryRow[]): Promise<void> {
		const table = kindTables[kind];
		const rows = given.map(({ owner, suffix }) => [
			...table.ownerValues(owner),
			...placeValues(kind, suffix),
		]);
		await client.query(this.statementsOf(kind).remove, binaryArrays(keyOf(table).map(typeOf), rows));
	}

	async rows(kind: RowKind, owner: string, range: RowRange): Promise<readonly HistoryRow[]> {
		if (range.from >= range.end || range.limit <= 0) return [];
		const table = kindTables[kind];
		const { ascending, descending } = this.statementsOf(kind);
		const values = [
			...table.ownerValues(owner),
			...boundValues(kind, range.from),
			...boundValues(kind, range.end),
			range.limit,
		];
		try {
			const { rows } = await this.pool.query<FoundValue[]>({
				name: `${range.descending ? "descending" : "ascending"} ${kind}`,
				text: range.descending ? descending : ascending,
				values,
				rowMode: "array",
			});
			const places = table.place.length;
			return rows.map((found) => ({
				kind,
				owner,
				suffix: suffixOf(kind, found.slice(0, places)),
				value: table.valueOf(found.slice(places)),
			}));
		} catch (error) {
			throw new StoreAway(databaseFailure(error, this.options.address).message);
		}
	}

	async clear(): Promise<void> {
		const schema = quoted(this.options.address.schema);
		const names = [...KINDS.map((kind) => kindTables[kind].name), "history_position"];
		try {
			await this.writer.transaction((client) =>
				client.query(`TRUNCATE ${names.map((name) => `${schema}.${name}`).join(", ")}`),
			);
		} catch (error) {
			throw this.awayOf(error);
		}
	}

	get bytes(): number {
		return this.size;
	}

	async close(): Promise<void> {
		await this.writer.close();
		// The pool's connections close by themselves; a hanging one is not awaited.
		if (!this.pool.ending) void this.pool.end();
	}

	private statementsOf(kind: RowKind): KindStatements {
		return this.statements.get(kind) as KindStatements;
	}

	/** Maps a failure to one that is retried, or to a refusal. */
	private awayOf(error: unknown): Error {
		const failure = databaseFailure(error, this.options.address);
		return failure instanceof DatabaseRefusal ? failure : new StoreAway(failure.message);
	}
}

function byKind(rows: readonly HistoryRow[]): ReadonlyMap<RowKind, HistoryRow[]> {
	const found = new Map<RowKind, HistoryRow[]>();
	for (const row of rows) {
		const list = found.get(row.kind);
		if (list) list.push(row);
		else found.set(row.kind, [row]);
	}
	return found;
}
