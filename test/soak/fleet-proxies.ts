/** Installed proxies with the configurations of docs/deployment, in front of local nodes. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export type ProxyName = "haproxy" | "nginx";

/** Ports of a proxy and its nodes. */
export interface Addresses {
	readonly http: number;
	readonly jsonrpc: number;
	readonly nodes: readonly { readonly http: number; readonly jsonrpc: number }[];
}

/** Debian's administrative programs aren't in every PATH. */
const FOLDERS = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];

/** @returns path of the program; undefined if not installed */
export const programOf = (name: ProxyName): string | undefined =>
	FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));

/** The documented file with local addresses. @throws {Error} if one to replace is missing */
export function withAddresses(text: string, { http, jsonrpc, nodes }: Addresses): string {
	let replaced = text;
	const replace = (from: RegExp, to: string): void => {
		if (!from.test(replaced)) throw new Error(`${from} isn't in the configuration`);
		replaced = replaced.replace(from, to);
	};
	replace(/^(\s*(?:bind|listen) )(?:[^\s;]*:)?8090/gm, `$1127.0.0.1:${http}`);
	replace(/^(\s*(?:bind|listen) )(?:[^\s;]*:)?8545/gm, `$1127.0.0.1:${jsonrpc}`);
	for (const [at, node] of nodes.entries()) {
		replace(new RegExp(`10\\.0\\.0\\.1${at + 1}:8090`, "g"), `127.0.0.1:${node.http}`);
		replace(
			new RegExp(`10\\.0\\.0\\.1${at + 1}:8545(?: port 8090)?`, "g"),
			`127.0.0.1:${node.jsonrpc}${/ port 8090/.test(replaced) ? ` port ${node.http}` : ""}`,
		);
	}
	return replaced;
}

/** Starts a proxy and waits until it listens. @param folder created for its files @returns the process */
export async function startProxy(
	name: ProxyName,
	addresses: Addresses,
	folder: string,
): Promise<ChildProcess> {
	const documented = readFileSync(join(import.meta.dirname, "../../docs/deployment", fileOf(name)), "utf8");
	mkdirSync(folder, { recursive: true });
	const file = join(folder, fileOf(name));
	writeFileSync(
		file,
		withAddresses(documented, addresses)
			.replace("/var/lib/nginx/coin", join(folder, "cache"))
			// Runs as the current user.
			.replace(/^\t(?:user|group|chroot) .*\n/gm, ""),
	);
	const log = openSync(join(folder, "log"), "a");
	const child = spawn(programOf(name) ?? name, wordsOf(name, file, folder), {
		stdio: ["ignore", log, log],
	});
	for (const end = Date.now() + 20_000; !(await isOpen(addresses.http)); await sleep(50))
		if (child.exitCode !== null || Date.now() > end) throw new Error(`${name} does not start`);
	return child;
}

const fileOf = (name: ProxyName): string => (name === "haproxy" ? "haproxy.cfg" : "nginx.conf");

function wordsOf(name: ProxyName, file: string, folder: string): readonly string[] {
	if (name === "haproxy") return ["-db", "-f", file];
	const main = join(folder, "main.conf");
	// If started as root, nginx runs workers as nobody, who can't access this folder.
	const user = process.getuid?.() === 0 ? "user root; " : "";
	writeFileSync(
		main,
		`${user}daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log warn;
events { worker_connections 4096; }
http {
	access_log off;
	${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(" ")}
	include ${file};
}
`,
	);
	return ["-c", main, "-p", folder, "-e", join(folder, "error.log")];
}

function isOpen(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1")
			.once("connect", () => {
				socket.destroy();
				resolve(true);
			})
			.once("error", () => resolve(false));
	});
}
