/**
 * The one connection that writes to a schema. Its session holds a lock of the database, so that there is no second writer, and none
 * as long as a transaction of this one could still come to its end. After any failure the connection is given up: what was
 * committed is found out by asking the database over a new one.
 */

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { connectionString, type DatabaseAddress, databaseName } from "./address.js";
import { DatabaseAway, databaseFailure, WriterElsewhere } from "./failures.js";
import { migrate, type TableUse } from "./migrations.js";

/** For a connection, and for any statement: then the connection counts as lost. */
const CONNECT_MS = 10_000;
const STATEMENT_MS = 30_000;
const CLOSE_MS = 2_000;

/** A server that lost this machine gives the lock free after a minute. */
const SESSION = [
	"SET tcp_keepalives_idle = 30",
	"SET tcp_keepalives_interval = 10",
	"SET tcp_keepalives_count = 3",
	// Sessions of a server may be set to read only by default, and to other levels.
	"SET default_transaction_read_only = off",
	"SET default_transaction_isolation = 'read committed'",
];

export class DatabaseWriter {
	private client: Client | undefined;
	/** The session before is over: the server frees its lock first. */
	private ended: Promise<unknown> = Promise.resolve();
	/** Called when the session is over without having been closed. */
	onLost: (failure: DatabaseAway) => void = () => {};

	constructor(
		private readonly address: DatabaseAddress,
		private readonly use: TableUse,
	) {}

	/**
	 * Makes a session, unless there is one.
	 * @throws {DatabaseAway}
	 * @throws {DatabaseRefusal} {@link WriterElsewhere} while another writer is there
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

	/** Runs statements, all or nothing. @throws {DatabaseAway | DatabaseRefusal} the session is over then */
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

	/** Gives the lock free. A server that doesn't answer any more is not waited for. */
	async close(): Promise<void> {
		const { client } = this;
		this.client = undefined;
		await (client && endOf(client));
	}
}

/** Ends a session; one that the server doesn't end any more is not waited for. */
const endOf = (client: Client): Promise<unknown> =>
	Promise.race([client.end().catch(() => {}), sleep(CLOSE_MS, undefined, { ref: false })]);

/** Number of a lock of the database, the same for every program of this kind. */
function lockNumber(schema: string, use: string): string {
	const hash = createHash("sha256").update(`coin writer ${use} ${schema}`).digest();
	return String(hash.readBigInt64BE());
}
