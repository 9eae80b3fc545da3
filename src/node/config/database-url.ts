/** What settings may say of a PostgreSQL database. */

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
