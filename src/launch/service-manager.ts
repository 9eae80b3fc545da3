/** Tells systemd about a process that it runs as a service of `Type=notify`. */

import { spawn } from "node:child_process";

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
