/** Statements for the rows of one kind. */

import { arrayType } from "../../postgresql/binary-arrays.js";
import { quoted } from "../../postgresql/migrations.js";
import type { RowKind } from "../rows.js";
import { columnsOf, keyOf, kindTables } from "./tables.js";

interface KindStatements {
	/** A parameter for each column of the table, an array of the rows' values. */
	readonly insert: string;
	/** The same for each column of the key. */
	readonly remove: string;
	/** Owner, first place, the place behind the last, number of rows. */
	readonly ascending: string;
	readonly descending: string;
}

export function kindStatements(kind: RowKind, schema: string): KindStatements {
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
