/** Address of a PostgreSQL database, validation of its settings, and its password, which is no setting. */

import { readSecretFile } from "../../keystore/private-file.js";
import { OperatorError } from "../../protocol/operator-error.js";

export interface DatabaseAddress {
	/** `postgres://user@host:port/database`, without a password. */
	readonly url: string;
	/** File with the password; undefined: `PGPASSWORD` or PostgreSQL's own password file. */
	readonly passwordFile: string | undefined;
	/** Schema of the tables; created if missing. */
	readonly schema: string;
}

const MAX_PASSWORD_BYTES = 4096;

/** The database can't be used as configured; one sentence. */
export class DatabaseRefusal extends OperatorError {
	override readonly name: string = "DatabaseRefusal";
}

/** The database in messages: host, port and name. */
export function databaseName({ url }: DatabaseAddress): string {
	const { host, pathname, searchParams } = new URL(url);
	return `postgres://${host || (searchParams.get("host") ?? "localhost")}${pathname}`;
}

/** The URL with the password. @throws {DatabaseRefusal} if the file can't be read */
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

/** Names that mean the same quoted and unquoted, and aren't reserved by PostgreSQL. */
export const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/;
export const WRONG_SCHEMA = "must be small letters, digits and _, at most 63, and not begin with pg_";

/** Why a URL isn't a database's; the text has none of the URL, which may contain a password. */
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
