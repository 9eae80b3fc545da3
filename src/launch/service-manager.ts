/** What systemd and a process that it runs as a service give each other: notifications (`Type=notify`) and open sockets. */

import { spawn } from "node:child_process";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import type { NodeConfig } from "../node/config/config.js";
import type { ListeningSocket } from "../node/listening/connection-gate.js";
import { OperatorError } from "../protocol/operator-error.js";
import { LISTENERS } from "./listeners.js";

/** The program that notifies systemd, since Node.js doesn't support the kind of socket on which it listens. */
const SYSTEMD_NOTIFY = "systemd-notify";
const NOTIFY_MS = 5_000;

/**
 * Notifies systemd that a service of `Type=notify` is ready, if the manager has set `NOTIFY_SOCKET`.
 * @param status one line, shown by `systemctl status`
 * @returns why the notification failed; undefined if it succeeded or isn't needed
 */
export function notifyReady(status: string, environment: Environment): Promise<string | undefined> {
	return notifyManager(["--ready", `--status=${status}`], environment);
}

/** The first descriptor that systemd passes (sd_listen_fds). */
const FIRST_FD = 3;
/** State of a listening socket in the system's lists of TCP sockets. */
const LISTENING = "0A";
const SOCKET_LISTS = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/**
 * The sockets that systemd has opened for this process (a unit with `ListenStream=`). Their variables are removed from the environment.
 * @throws {OperatorError} if one isn't a listening TCP socket, or not for exactly one server of the configuration: its clients would
 *     wait forever
 */
export function socketsOfManager(
	{ env, pid }: Pick<NodeJS.Process, "env" | "pid">,
	config: NodeConfig,
): ListeningSocket[] {
	const { LISTEN_PID, LISTEN_FDS } = env;
	for (const name of ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]) delete env[name];
	const count = Number(LISTEN_PID) === pid ? Number(LISTEN_FDS) : 0;
	if (!(count > 0)) return [];
	const ports = new Map<string, number>();
	for (const list of SOCKET_LISTS.filter(existsSync))
		for (const line of readFileSync(list, "utf8").split("\n")) {
			const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
			if (state === LISTENING) ports.set(`socket:[${inode}]`, Number.parseInt(local.split(":")[1] ?? "", 16));
		}
	const servers = LISTENERS.filter(({ owner }) => owner !== "peer network").map(({ of }) => of(config));
	const sockets: ListeningSocket[] = [];
	for (let fd = FIRST_FD; fd < FIRST_FD + count; fd++) {
		const port = ports.get(readlinkSync(`/proc/self/fd/${fd}`));
		if (port === undefined)
			throw new OperatorError("systemd has opened something else than a listening TCP socket for the node");
		if (!servers.some((server) => server.enabled && server.port === port))
			throw new OperatorError(
				`systemd has opened port ${port} for the node, and no server of its configuration listens there`,
			);
		if (sockets.some((other) => other.port === port))
			throw new OperatorError(`systemd has opened two sockets of port ${port}, and a server has one`);
		sockets.push({ port, fd, isManaged: true });
	}
	return sockets;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Sends a notification by `systemd-notify`, with its words. */
export function notifyManager(
	words: readonly string[],
	environment: Environment,
): Promise<string | undefined> {
	const { NOTIFY_SOCKET } = environment;
	if (!NOTIFY_SOCKET) return Promise.resolve(undefined);
	const child = spawn(SYSTEMD_NOTIFY, words, {
		stdio: "ignore",
		timeout: NOTIFY_MS,
		env: { NOTIFY_SOCKET, PATH: environment["PATH"] },
	});
	return new Promise((resolve) => {
		child.once("error", (error: NodeJS.ErrnoException) =>
			resolve(`${SYSTEMD_NOTIFY} can't be run (${error.code ?? error.message})`),
		);
		child.once("close", (code) =>
			resolve(code === 0 ? undefined : `${SYSTEMD_NOTIFY} ended with ${code ?? "a signal"}`),
		);
	});
}
