/** Where a PostgreSQL database is, and the password for it, which is in no setting. */

import { readSecretFile } from "../../keystore/secret-file.js";
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
