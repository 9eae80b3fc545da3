/** PostgreSQL, from Debian: as a receiver of events, and as the place of the history by account and contract. */

import { mkdirSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { killHistory } from "../soak/history-kills.js";
import { randomFrom } from "../soak/random.js";
import { type Broker, type Held, kindOf } from "./broker.js";
import { POSTGRESQL_NEEDS, PostgresqlServer, postgresqlPrograms } from "./postgresql-server.js";

/** Of node and server in turn; `npm run tool soak:history` kills more often. */
const KILLS = 10;
const SEED = 8;

/** A running server, and the handle that tests of the history need. */
interface PostgresqlBroker extends Broker {
	readonly server: PostgresqlServer;
}

async function start(programs: string, folder: string): Promise<PostgresqlBroker> {
	// The server runs as another user.
	for (const each of [folder, dirname(folder), dirname(dirname(folder)), dirname(dirname(dirname(folder)))]) {
		if (each.startsWith(join(tmpdir(), "coin-"))) await chmod(each, 0o755);
	}
	const server = await PostgresqlServer.start(programs, join(folder, "postgresql"));
	return {
		server,
		url: server.url,
		settings: () => `postgresql { database = "${server.url}" }`,
		kill: () => server.kill(),
		restart: () => server.restart(),
		stop: () => server.stop(),
		read: () => readAll(server),
	};
}

/** All messages, in their order; throws if what was taken back isn't marked so. */
async function readAll(server: PostgresqlServer): Promise<readonly Held[]> {
	const [made] = await server.query("SELECT to_regclass('coin_events.event') AS name");
	if (made?.["name"] === null) return [];
	const unmarked = await server.query(
		`SELECT told.id FROM coin_events.event AS told JOIN coin_events.event AS gone ON gone.id = told.id || '/removed'
		WHERE NOT told.taken_back`,
	);
	if (unmarked.length > 0) throw new Error(`${unmarked.length} rows were taken back and aren't marked`);
	const rows = await server.query("SELECT event FROM coin_events.event ORDER BY sequence");
	return rows.map(({ event }) => event as Held);
}

export const postgresql = kindOf({
	name: "postgresql",
	needs: POSTGRESQL_NEEDS,
	find: async () => postgresqlPrograms(),
	start,
	check: async (broker, folder) => {
		const { server } = broker as PostgresqlBroker;
		const directory = join(folder, "history-node");
		mkdirSync(directory);
		const print = (text: string): void => void process.stdout.write(`history: ${text}\n`);
		await killHistory({ server, directory, kills: KILLS, random: randomFrom(SEED), print });
	},
});
