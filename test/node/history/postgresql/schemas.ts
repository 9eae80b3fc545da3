/** Schemas of a PostgreSQL server that is started for a file of tests. */

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresqlStore } from "../../../../src/node/history/postgresql/postgresql-store.js";
import type { DatabaseAddress } from "../../../../src/node/postgresql/address.js";
import {
	POSTGRESQL_NEEDS,
	PostgresqlServer,
	postgresqlPrograms,
} from "../../../brokers/postgresql-server.js";

/** Why tests with the server are left out here; undefined: they run. */
export const noPostgresql =
	postgresqlPrograms() === undefined ? `skipped: needs ${POSTGRESQL_NEEDS}` : undefined;

export class Schemas {
	private count = 0;

	private constructor(
		readonly server: PostgresqlServer,
		private readonly folder: string,
	) {}

	static async open(): Promise<Schemas> {
		const folder = mkdtempSync(join(tmpdir(), "coin-postgresql-"));
		chmodSync(folder, 0o755);
		return new Schemas(await PostgresqlServer.start(postgresqlPrograms() as string, folder), folder);
	}

	/** An empty schema. */
	next(): DatabaseAddress {
		return { url: this.server.url, passwordFile: undefined, schema: `test_${++this.count}` };
	}

	async close(): Promise<void> {
		await this.server.stop();
		rmSync(this.folder, { recursive: true, force: true });
	}
}

interface OpenOptions {
	readonly readOnly?: boolean;
	readonly isDisposable?: boolean;
	readonly genesis?: Uint8Array;
}

export const storeIn = (
	address: DatabaseAddress,
	{ readOnly = false, isDisposable = true, genesis = new Uint8Array(32) }: OpenOptions = {},
): Promise<PostgresqlStore> => PostgresqlStore.create({ address, genesis, readOnly, isDisposable });
