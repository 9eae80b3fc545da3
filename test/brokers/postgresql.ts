/** PostgreSQL, from Debian: as a receiver of events, and as the place of the history by account and contract. */

import { mkdirSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { dirname, join } from "node:path";
import { killHistory } from "../soak/history-kills.js";
import { randomFrom } from "../soak/random.js";
import { type Broker, kindOf } from "./broker.js";
import { POSTGRESQL_NEEDS, PostgresqlServer, postgresqlPrograms } from "./postgresql-server.js";

/** Of node and server in turn; `npm run soak:history` kills more often. */
const KILLS = 10;
const SEED = 8;

/** A running server, and the handle that tests of the history need. */
interface PostgresqlBroker extends Broker {
	readonly server: PostgresqlServer;
}

async function start(programs: string, folder: string): Promise<PostgresqlBroker> {
	// The server runs as another user.
	await chmod(dirname(folder), 0o755);
	const server = await PostgresqlServer.start(programs, join(folder, "postgresql"));
	return {
		server,
		url: server.url,
		settings: () => "",
		kill: () => server.kill(),
		restart: () => server.restart(),
		stop: () => server.stop(),
		read: async () => [],
	};
}

export const postgresql = kindOf({
	name: "postgresql",
	needs: POSTGRESQL_NEEDS,
	find: async () => postgresqlPrograms(),
	start,
	check: async (broker, folder) => {
		const { server } = broker as PostgresqlBroker;
		const directory = join(folder, "node");
		mkdirSync(directory);
		const print = (text: string): void => void process.stdout.write(`history: ${text}\n`);
		await killHistory({ server, directory, kills: KILLS, random: randomFrom(SEED), print });
	},
});
