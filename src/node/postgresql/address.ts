/** Where a PostgreSQL database is, what settings may say of it, and the password for it, which is in no setting. */

import { readSecretFile } from "../../keystore/private-file.js";
import { OperatorError } from "../../protocol/operator-error.js";

export interface DatabaseAddress {
	/** `postgres://user@host:port/database`, without a password. */
	readonly url: string;
	/** File with the password; undefined: `PGPASSWORD`, or the password file of PostgreSQL's own programs. */
	readonly passwordFile: string | undefined;
	/** Schema that the tables are in; made if it isn't there. */
	readonly schema: string;
}

const MAX_PASSWORD_BYTES = 4096;

/** A database can't be used as it is configured; one sentence. */
export class DatabaseRefusal extends OperatorError {
	override readonly name: string = "DatabaseRefusal";
}

/** A database as messages name it: host, port and name. */
export function databaseName({ url }: DatabaseAddress): string {
	const { host, pathname, searchParams } = new URL(url);
	return `postgres://${host || (searchParams.get("host") ?? "localhost")}${pathname}`;
}

/** What a connection is made with: the address with the password in it. @throws {DatabaseRefusal} if the file can't be read */
export function connectionString({ url, passwordFile }: DatabaseAddress): string {
	if (passwordFile === undefined) return url;
	const password = readSecretFile(
		passwordFile,
		MAX_PASSWORD_BYTES,
		(reason) => new DatabaseRefusal(`the password file ${passwordFile} ${reason}`),
	);
	const parsed = new URL(url);
	parsed.password = encodeURIComponent(password);
	return parsed.href;
}

/** Names that mean the same with quotation marks and without, and that are none of PostgreSQL's own. */
export const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/;
export const WRONG_SCHEMA = "must be small letters, digits and _, at most 63, and not begin with pg_";

/** Why an address isn't one of a database; without a word of it, since it may hold a password. */
export function wrongDatabaseUrl(url: string): string | undefined {
	const parsed = URL.canParse(url) ? new URL(url) : undefined;
	if (!parsed || !/^postgres(?:ql)?:$/.test(parsed.protocol) || parsed.pathname.length < 2) {
		return "must be of the form postgres://user@host:port/name";
	}
	if (parsed.password !== "" || parsed.searchParams.has("password")) {
		return "must not hold a password: use passwordFile beside it, or PGPASSWORD or PGPASSFILE of the environment";
	}
	return undefined;
}
