/** Which failures of a database pass by themselves. */

import { type DatabaseAddress, DatabaseRefusal, databaseName } from "./address.js";

/** The database can't be reached, or can't do it now: to be tried again. */
export class DatabaseAway extends Error {
	override readonly name = "DatabaseAway";
}

/** Another program of this kind writes the tables. */
export class WriterElsewhere extends DatabaseRefusal {
	override readonly name = "WriterElsewhere";
}

/** Values are of a form that the database doesn't have. */
export class UnstorableError extends DatabaseRefusal {
	override readonly name = "UnstorableError";
}

/** Classes of SQLSTATE of values that can't be stored: wrong form, a rule of the table, too large. */
const UNSTORABLE = /^(?:22|23|54)...$/;
/** Classes of SQLSTATE that another try doesn't help: wrong user or database, missing rights. */
const REFUSING = /^(?:28|3D|3F|42|0A)...$/;
/** What the library says where a password is asked for and none is known. */
const NO_PASSWORD = /client password must be a string/;

/** The failure of a question to a database, as one of the two kinds there are. The password is in neither. */
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
