/**
 * The single connection that writes to a schema. Its session holds an advisory lock, so that there is no
 * second writer while a transaction of this one could still commit. After any failure the connection is
 * closed; what was committed is read over a new one.
 */

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { connectionString, type DatabaseAddress, databaseName } from "./address.js";
import { DatabaseAway, databaseFailure, WriterElsewhere } from "./failures.js";
import { migrate, type TableUse } from "./migrations.js";

/** Timeouts of connecting and of a statement; the connection counts as lost after either. */
const CONNECT_MS = 10_000;
const STATEMENT_MS = 30_000;
const CLOSE_MS = 2_000;

/** The server releases the lock of an unreachable client after a minute. */
const SESSION = [
	"SET tcp_keepalives_idle = 30",
	"SET tcp_keepalives_interval = 10",
	"SET tcp_keepalives_count = 3",
	// A server's defaults may be read-only sessions and other isolation levels.
	"SET default_transaction_read_only = off",
	"SET default_transaction_isolation = 'read committed'",
];

export class DatabaseWriter {
	private client: Client | undefined;
	/** The end of the previous session: the server must release its lock first. */
	private ended: Promise<unknown> = Promise.resolve();
	/** Called when the session ends without {@link close}. */
	onLost: (failure: DatabaseAway) => void = () => {};

	constructor(
		private readonly address: DatabaseAddress,
		private readonly use: TableUse,
	) {}

	/**
	 * Opens a session, unless there is one.
	 * @throws {DatabaseAway}
	 * @throws {DatabaseRefusal} {@link WriterElsewhere} while there is another writer
	 */
	async open(): Promise<void> {
		if (this.client) return;
		await this.ended;
		const driver = await import("./driver.js");
		const client = new driver.Client({
			connectionString: connectionString(this.address),
			connectionTimeoutMillis: CONNECT_MS,
			query_timeout: STATEMENT_MS,
			keepAlive: true,
			application_name: `coin ${this.use.name}`,
		});
		client.on("error", () => this.drop(client));
		client.on("end", () => this.drop(client));
		try {
			await client.connect();
			for (const statement of SESSION) await client.query(statement);
			await this.lock(client);
			await migrate(client, this.address, this.use);
		} catch (error) {
			this.ended = endOf(client);
			throw databaseFailure(error, this.address);
		}
		this.client = client;
	}

	private async lock(client: Client): Promise<void> {
		const number = lockNumber(this.address.schema, this.use.name);
		const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS locked", [number]);
		if (rows[0].locked) return;
		throw new WriterElsewhere(
			`another node writes the ${this.use.name} tables in schema ${this.address.schema} of ${databaseName(this.address)}`,
		);
	}

	/** Runs a transaction; failure ends the session. @throws {DatabaseAway | DatabaseRefusal} */
	async transaction<T>(work: (client: Client) => Promise<T>): Promise<T> {
		const { client } = this;
		if (!client) throw new DatabaseAway(`${databaseName(this.address)}: there is no connection`);
		try {
			await client.query("BEGIN");
			const result = await work(client);
			await client.query("COMMIT");
			return result;
		} catch (error) {
			this.drop(client);
			throw databaseFailure(error, this.address);
		}
	}

	private drop(client: Client): void {
		const ended = endOf(client);
		if (this.client !== client) return;
		this.ended = ended;
		this.client = undefined;
		this.onLost(new DatabaseAway(`${databaseName(this.address)}: the connection is lost`));
	}

	/** Releases the lock. An unresponsive server is not awaited. */
	async close(): Promise<void> {
		const { client } = this;
		this.client = undefined;
		await (client && endOf(client));
	}
}

/** Ends a session; an unresponsive server is not awaited. */
const endOf = (client: Client): Promise<unknown> =>
	Promise.race([client.end().catch(() => {}), sleep(CLOSE_MS, undefined, { ref: false })]);

/** Number of the advisory lock, the same for all programs of this kind. */
function lockNumber(schema: string, use: string): string {
	const hash = createHash("sha256").update(`coin writer ${use} ${schema}`).digest();
	return String(hash.readBigInt64BE());
}
