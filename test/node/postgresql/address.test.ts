import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { connectionString, DatabaseRefusal, databaseName } from "../../../src/node/postgresql/address.js";
import { DatabaseAway, databaseFailure } from "../../../src/node/postgresql/failures.js";

const folder = mkdtempSync(join(tmpdir(), "coin-password-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "password");
const address = { url: "postgres://anna@db.example:5433/chain", passwordFile: file, schema: "a" };

describe("the address of a database", () => {
	it("takes the password from its file, whatever is in it, and never shows it", () => {
		writeFileSync(file, "p%s@/: ü\n");
		const parsed = new URL(connectionString(address));
		expect(decodeURIComponent(parsed.password)).toBe("p%s@/: ü");
		expect(parsed.username).toBe("anna");
		expect(databaseName(address)).toBe("postgres://db.example:5433/chain");
		expect(databaseName({ ...address, url: "postgres:///chain?host=/run/postgresql" })).toBe(
			"postgres:///run/postgresql/chain",
		);
	});

	it("is refused with a sentence where the file can't be read, or is empty", () => {
		writeFileSync(file, "\n");
		expect(() => connectionString(address)).toThrow("must hold 1 to 4096 bytes");
		const missing = { ...address, passwordFile: join(folder, "missing") };
		expect(() => connectionString(missing)).toThrow("can't be read (ENOENT)");
	});
});

describe("a failure of a database", () => {
	it.each([
		["ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:5432", DatabaseAway],
		["57P03", "the database system is starting up", DatabaseAway],
		["53300", "sorry, too many clients already", DatabaseAway],
		[undefined, "Connection terminated unexpectedly", DatabaseAway],
		["28P01", "password authentication failed", DatabaseRefusal],
		["3D000", 'database "a" does not exist', DatabaseRefusal],
		["42501", "permission denied for schema a", DatabaseRefusal],
		[undefined, "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string", DatabaseRefusal],
	])("%s: %s", (code, message, kind) => {
		const failure = databaseFailure(Object.assign(new Error(message), { code }), address);
		expect(failure).toBeInstanceOf(kind);
		expect(failure.message).toContain("postgres://db.example:5433/chain");
	});
});
