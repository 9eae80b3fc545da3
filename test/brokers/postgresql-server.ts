/** A PostgreSQL server of one's own: an empty cluster in a folder, on loopback, run by a user without rights. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../free-port.js";

const DEBIAN = "/usr/lib/postgresql";
const START_LIMIT_MS = 60_000;

export const POSTGRESQL_NEEDS = "PostgreSQL's server (Debian: apt-get install postgresql)";

/** Folder of the server's programs, of the newest version; undefined: there is none. */
export function postgresqlPrograms(): string | undefined {
	const own = process.env["COIN_POSTGRESQL_PROGRAMS"];
	if (own) return own;
	if (!existsSync(DEBIAN)) return undefined;
	return readdirSync(DEBIAN)
		.sort((a, b) => Number(b) - Number(a))
		.map((version) => join(DEBIAN, version, "bin"))
		.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

/** The server refuses to run as root. */
function otherUser(): { readonly uid: number; readonly gid: number } | undefined {
	if (process.getuid?.() !== 0) return undefined;
	for (const name of ["postgres", "nobody"]) {
		try {
			const id = (flag: string): number => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
			return { uid: id("-u"), gid: id("-g") };
		} catch {
			// There is no such user.
		}
	}
	throw new Error("there is no user to run PostgreSQL as");
}

export class PostgresqlServer {
	private child: ChildProcess | undefined;

	private constructor(
		private readonly programs: string,
		private readonly folder: string,
		readonly port: number,
		private readonly user: ReturnType<typeof otherUser>,
	) {}

	/** Makes a cluster and starts it. @param folder one of its own, whose parents anybody may pass through */
	static async start(programs: string, folder: string): Promise<PostgresqlServer> {
		const user = otherUser();
		mkdirSync(folder, { recursive: true });
		chmodSync(folder, 0o755);
		const data = join(folder, "data");
		mkdirSync(data, { mode: 0o700 });
		if (user) chownSync(data, user.uid, user.gid);
		const args = ["-D", data, "-U", "coin", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
		execFileSync(join(programs, "initdb"), args, { cwd: data, stdio: "ignore", ...user });
		const server = new PostgresqlServer(programs, folder, await freePort(), user);
		await server.restart();
		return server;
	}

	get url(): string {
		return `postgres://coin@127.0.0.1:${this.port}/postgres`;
	}

	/** Starts it, and resolves once it answers: after a kill it first repairs itself. */
	async restart(): Promise<void> {
		const { folder, port, user } = this;
		const output = openSync(join(folder, "server.log"), "a");
		const data = join(folder, "data");
		const settings = { port, listen_addresses: "127.0.0.1", unix_socket_directories: "" };
		const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
		const child = spawn(join(this.programs, "postgres"), ["-D", data, ...flags], {
			cwd: data,
			stdio: ["ignore", output, output],
			...user,
		});
		this.child = child;
		for (const end = Date.now() + START_LIMIT_MS; ; ) {
			try {
				await this.query("SELECT 1");
				return;
			} catch (error) {
				if (child.exitCode !== null || Date.now() > end) throw error;
				await sleep(30);
			}
		}
	}

	/** Runs a statement over a connection of its own. */
	async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
		const client = new pg.Client({ connectionString: this.url });
		client.on("error", () => {});
		await client.connect();
		try {
			return (await client.query(text, [...values])).rows;
		} finally {
			await client.end();
		}
	}

	/** SIGKILL to the first process and to those that it started, which would go on for a moment. */
	async kill(): Promise<void> {
		const others = childrenOf(this.child?.pid);
		await this.end("SIGKILL");
		for (const pid of others) {
			while (isThere(pid)) await sleep(10);
		}
	}

	/** Ends it at once, but so that nothing has to be repaired. */
	async stop(): Promise<void> {
		await this.end("SIGINT");
	}

	private async end(signal: NodeJS.Signals): Promise<void> {
		const { child } = this;
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		const ended = once(child, "exit");
		child.kill(signal);
		await ended;
	}
}

/** Processes that a process has started. */
function childrenOf(pid: number | undefined): number[] {
	if (pid === undefined) return [];
	const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
	return list === "" ? [] : list.split(" ").map(Number);
}

/** Whether a process is there, which is told to end. */
function isThere(pid: number): boolean {
	try {
		return process.kill(pid, "SIGKILL");
	} catch {
		return false;
	}
}
