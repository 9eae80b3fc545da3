/** Classifies database failures into temporary and permanent ones. */

import { type DatabaseAddress, DatabaseRefusal, databaseName } from "./address.js";

/** The database is unreachable or temporarily unable; to be retried. */
export class DatabaseAway extends Error {
	override readonly name = "DatabaseAway";
}

/** Another program of this kind writes the tables. */
export class WriterElsewhere extends DatabaseRefusal {
	override readonly name = "WriterElsewhere";
}

/** The database can't store the values. */
export class UnstorableError extends DatabaseRefusal {
	override readonly name = "UnstorableError";
}

/** SQLSTATE classes of unstorable values: invalid data, constraint violation, limit exceeded. */
const UNSTORABLE = /^(?:22|23|54)...$/;
/** SQLSTATE classes that a retry can't fix: wrong user or database, missing rights. */
const REFUSING = /^(?:28|3D|3F|42|0A)...$/;
/** The driver's message if a password is required but unknown. */
const NO_PASSWORD = /client password must be a string/;

/** Maps an error to one of the two failure types, neither of which contains the password. */
export function databaseFailure(error: unknown, address: DatabaseAddress): DatabaseAway | DatabaseRefusal {
	if (error instanceof DatabaseAway || error instanceof DatabaseRefusal) return error;
	const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
	const text = typeof message === "string" && message !== "" ? message : String(code ?? error);
	if (NO_PASSWORD.test(text)) {
		return new DatabaseRefusal(
			`${databaseName(address)} asks for a password: set PGPASSWORD, PGPASSFILE or a password file`,
		);
	}
	const sentence = `${databaseName(address)}: ${text}`;
	const state = typeof code === "string" ? code : "";
	if (UNSTORABLE.test(state)) return new UnstorableError(sentence);
	return REFUSING.test(state) ? new DatabaseRefusal(sentence) : new DatabaseAway(sentence);
}
