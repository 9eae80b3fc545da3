/** Creates and changes a schema's tables in numbered steps. */

import type { Client } from "pg";
import { type DatabaseAddress, DatabaseRefusal, databaseName } from "./address.js";

/** A use of a schema: each has its own tables and steps, so that two can share one schema. */
export interface TableUse {
	/** Prefix of its table names. */
	readonly name: string;
	/** Statements of step 1 and on; `$schema` stands for the schema. A released step never changes. */
	readonly steps: readonly (readonly string[])[];
}

export const quoted = (schema: string): string => `"${schema}"`;

/** Applies all missing steps, each atomically. @throws {DatabaseRefusal} for tables of a newer program */
export async function migrate(client: Client, address: DatabaseAddress, use: TableUse): Promise<void> {
	const schema = quoted(address.schema);
	const versions = `${schema}.${use.name}_version`;
	const found = await client.query("SELECT to_regnamespace($1) IS NULL AS missing", [schema]);
	if (found.rows[0].missing) await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
	const step = await stepOf(client, address, use);
	for (const [at, statements] of use.steps.entries()) {
		if (at < step) continue;
		await client.query("BEGIN");
		if (at === 0) {
			await client.query(
				`CREATE TABLE ${versions} (step integer PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now())`,
			);
		}
		for (const statement of statements) await client.query(statement.replaceAll("$schema", schema));
		await client.query(`INSERT INTO ${versions} (step) VALUES ($1)`, [at + 1]);
		await client.query("COMMIT");
	}
}

/** The current step; 0 without tables. @throws {DatabaseRefusal} for a step unknown to this program */
export async function stepOf(
	client: Pick<Client, "query">,
	address: DatabaseAddress,
	use: TableUse,
): Promise<number> {
	const versions = `${quoted(address.schema)}.${use.name}_version`;
	const { rows: there } = await client.query("SELECT to_regclass($1) IS NOT NULL AS made", [versions]);
	if (!there[0].made) return 0;
	const { rows } = await client.query(`SELECT coalesce(max(step), 0) AS step FROM ${versions}`);
	const step = Number(rows[0].step);
	if (step > use.steps.length) {
		throw new DatabaseRefusal(
			`the ${use.name} tables in schema ${address.schema} of ${databaseName(address)} are of a newer version of this program (step ${step}, this one knows ${use.steps.length})`,
		);
	}
	return step;
}
