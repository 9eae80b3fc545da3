/**
 * PostgreSQL receiver (protocol/events §7.7): one table with a row per message. Ids prevent duplicates after
 * a crash; rows, retraction marks and position are committed together.
 */

import type { Client } from "pg";
import type { DatabaseAddress } from "../../postgresql/address.js";
import { binaryArrays, type ColumnType, type ColumnValue } from "../../postgresql/binary-arrays.js";
import { DatabaseWriter } from "../../postgresql/database-writer.js";
import { UnstorableError } from "../../postgresql/failures.js";
import { quoted, type TableUse } from "../../postgresql/migrations.js";
import { type Publication, type Receiver, RefusedError } from "./receiver.js";

const eventTables: TableUse = {
	name: "event",
	steps: [
		[
			`CREATE TABLE $schema.event (
				id text PRIMARY KEY,
				sequence bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
				kind text NOT NULL,
				block_number bigint,
				block_hash text,
				transaction_id text,
				contract_address text,
				event_name text,
				removed boolean NOT NULL,
				taken_back boolean NOT NULL DEFAULT false,
				event jsonb NOT NULL,
				stored_at timestamptz NOT NULL DEFAULT now())`,
			"CREATE INDEX event_block ON $schema.event (block_number)",
			"CREATE INDEX event_transaction ON $schema.event (transaction_id) WHERE transaction_id IS NOT NULL",
			"CREATE INDEX event_contract ON $schema.event (contract_address, event_name, sequence) WHERE contract_address IS NOT NULL",
			`CREATE TABLE $schema.event_position (
				one boolean PRIMARY KEY DEFAULT true CHECK (one),
				block_number bigint,
				block_hash text,
				told_at timestamptz NOT NULL DEFAULT now())`,
			"COMMENT ON COLUMN $schema.event.sequence IS 'Ascending in the order of telling, with gaps.'",
			"COMMENT ON COLUMN $schema.event.removed IS 'This message takes back another one.'",
			"COMMENT ON COLUMN $schema.event.taken_back IS 'Another message has taken this one back.'",
		],
	],
};

/** Characters of a name in its indexed column: index entries have a size limit. The JSON has it whole. */
const MAX_INDEXED_NAME = 256;

/** Columns of a row, in the order of {@link insertion}. Empty text and -1 mean absent. */
const COLUMNS: readonly ColumnType[] = [
	"text",
	"text",
	"bigint",
	"text",
	"text",
	"text",
	"text",
	"text",
	"text",
];

const insertion = (schema: string): string => `
INSERT INTO ${schema}.event (id, kind, block_number, block_hash, transaction_id, contract_address, event_name, removed, event)
SELECT id, kind, nullif(number, -1), nullif(hash, ''), nullif(transaction, ''), nullif(contract, ''), nullif(name, ''), removed::boolean, event::jsonb
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
	WITH ORDINALITY AS published (id, kind, number, hash, transaction, contract, name, removed, event, at)
ORDER BY at
ON CONFLICT (id) DO NOTHING
RETURNING id, removed`;

export function openPostgresql(address: DatabaseAddress): Receiver {
	const schema = quoted(address.schema);
	const writer = new DatabaseWriter(address, eventTables);
	const insert = insertion(schema);
	return {
		deliver: async (publications) => {
			try {
				await writer.open();
				await writer.transaction((client) => write(client, publications, { schema, insert }));
			} catch (error) {
				throw error instanceof UnstorableError ? new RefusedError(error.message) : error;
			}
		},
		close: () => writer.close(),
	};
}

async function write(
	client: Client,
	publications: readonly Publication[],
	{ schema, insert }: { readonly schema: string; readonly insert: string },
): Promise<void> {
	const rows = publications.map(rowOf);
	const { rows: added } = await client.query<{ id: string; removed: boolean }>({
		name: "publish",
		text: insert,
		values: binaryArrays(COLUMNS, rows),
	});
	const back = added.filter(({ removed }) => removed).map(({ id }) => takenBackBy(id));
	if (back.length > 0) {
		await client.query(`UPDATE ${schema}.event SET taken_back = true WHERE id = ANY ($1)`, [back]);
	}
	const last = rows.at(-1);
	await client.query(
		`INSERT INTO ${schema}.event_position (block_number, block_hash) VALUES (nullif($1::bigint, -1), nullif($2, ''))
		ON CONFLICT (one) DO UPDATE SET block_number = EXCLUDED.block_number, block_hash = EXCLUDED.block_hash, told_at = now()`,
		[last?.[2] ?? -1, last?.[3] ?? ""],
	);
}

function rowOf({ message, id }: Publication): readonly ColumnValue[] {
	const { kind, body, json } = message;
	const text = (name: string): string => {
		const value = body[name];
		return typeof value === "string" ? storable(value) : "";
	};
	const height = body["blockNumber"] ?? body["latestSolidifiedBlockNumber"];
	const number = typeof height === "bigint" || typeof height === "number" ? height : -1;
	return [
		id,
		kind,
		number,
		text("blockHash"),
		text("transactionId"),
		text("contractAddress"),
		text("eventName").slice(0, MAX_INDEXED_NAME),
		String(body["removed"] === true),
		storableJson(json),
	];
}

/** Id of the message that a retraction refers to. */
const takenBackBy = (id: string): string => id.replace(/\/removed(?=$|\/again\d+$)/, "");

/** Contract texts may contain NUL, which PostgreSQL text can't. */
const storable = (text: string): string => text.replaceAll("\0", "\ufffd");

/** The same for JSON, where NUL is `\u0000`; escapes are matched whole, since `\\` may precede `u0000`. */
const storableJson = (json: string): string =>
	json.replace(/\\(?:u0000|.)/g, (found) => (found === "\\u0000" ? "\\ufffd" : found));
