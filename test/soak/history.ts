/**
 * Kills a node and the PostgreSQL server of its history ({@link killHistory}).
 *
 *     npm run tool soak:history -- [100] [--seed 1]
 */

import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { POSTGRESQL_NEEDS, PostgresqlServer, postgresqlPrograms } from "../brokers/postgresql-server.js";
import { killHistory } from "./history-kills.js";
import { randomFrom } from "./random.js";

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { seed: { type: "string", default: String(Date.now() % 1_000_000) } },
});
const print = (text: string): void => {
	process.stdout.write(`${text}\n`);
};
const programs = postgresqlPrograms();
if (!programs) print(`skipped: needs ${POSTGRESQL_NEEDS}`);
else {
	const kills = Number(positionals[0] ?? 100);
	const folder = await mkdtemp(join(tmpdir(), "coin-history-kills-"));
	await chmod(folder, 0o755);
	const directory = join(folder, "node");
	await mkdir(directory);
	print(`${kills} kills, seed ${values.seed}, in ${folder}`);
	const server = await PostgresqlServer.start(programs, join(folder, "postgresql"));
	try {
		await killHistory({ server, directory, kills, random: randomFrom(Number(values.seed)), print });
	} finally {
		await server.stop();
	}
	await rm(folder, { recursive: true, force: true });
}
