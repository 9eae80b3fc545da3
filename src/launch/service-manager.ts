/** Telling systemd that a service of `Type=notify` is ready. */

import { spawn } from "node:child_process";

/** What tells it: a program of systemd, since Node.js has no sockets of the kind that it listens on. */
const PROGRAM = "systemd-notify";
const TIME_LIMIT_MS = 5_000;

/**
 * Tells that the service is ready, where the manager has asked for it by `NOTIFY_SOCKET`.
 * @param status one line, which `systemctl status` shows
 * @returns why it couldn't be told; undefined: it was, or nobody asks
 */
export function notifyReady(
	status: string,
	environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
	const { NOTIFY_SOCKET } = environment;
	if (!NOTIFY_SOCKET) return Promise.resolve(undefined);
	const child = spawn(PROGRAM, ["--ready", `--status=${status}`], {
		stdio: "ignore",
		timeout: TIME_LIMIT_MS,
		env: { NOTIFY_SOCKET, PATH: environment["PATH"] },
	});
	return new Promise((resolve) => {
		child.once("error", (error: NodeJS.ErrnoException) =>
			resolve(`${PROGRAM} can't be run (${error.code ?? error.message})`),
		);
		child.once("close", (code) =>
			resolve(code === 0 ? undefined : `${PROGRAM} ended with ${code ?? "a signal"}`),
		);
	});
}
