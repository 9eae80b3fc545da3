/**
 * Builds the image of docs/deployment/Containerfile, runs it as its head says (unprivileged, with a read-only
 * root), and checks blocks, answers, SIGTERM and restart: `npm run tool check:container -- [--base <image>]`.
 * Needs podman and npm's registry; without `--base`, the base is built from Debian packages and the running
 * Node.js, which needs root, debootstrap and Debian's archive.
 */

import { execFileSync, spawnSync } from "node:child_process";
import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const NAME = `coin-check-${process.pid}`;
const IMAGE = `localhost/${NAME}`;
const PATIENCE_MS = 120_000;
const root = join(import.meta.dirname, "..");

const { values } = parseArgs({
	options: { base: { type: "string" }, keep: { type: "boolean", default: false } },
});

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}

function podman(...words: string[]): string {
	return execFileSync("podman", words, {
		cwd: root,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "inherit"],
	}).trim();
}

function needs(...programs: string[]): void {
	const missing = programs.filter((program) => spawnSync(program, ["--version"]).status !== 0);
	if (missing.length === 0) return;
	process.stderr.write(`${missing.join(" and ")} must be installed: apt install ${missing.join(" ")}\n`);
	process.exit(1);
}

/** A minimal Debian with Node.js and npm of this process. @returns the image's name */
function makeBase(folder: string): string {
	const release = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "stable";
	const tree = join(folder, "base");
	say(`a base of Debian ${release} and Node.js ${process.version}`);
	execFileSync("debootstrap", ["--variant=minbase", "--include=ca-certificates,libstdc++6", release, tree], {
		stdio: ["ignore", "ignore", "inherit"],
	});
	const npm = dirname(dirname(realpathSync(execFileSync("which", ["npm"], { encoding: "utf8" }).trim())));
	cpSync(process.execPath, join(tree, "usr/local/bin/node"));
	mkdirSync(join(tree, "usr/local/lib/node_modules"), { recursive: true });
	cpSync(npm, join(tree, "usr/local/lib/node_modules/npm"), { recursive: true, verbatimSymlinks: true });
	symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(tree, "usr/local/bin/npm"));
	// npm trusts the same certificates as this machine, which may be behind a TLS proxy.
	const trusted = "/etc/ssl/certs/ca-certificates.crt";
	cpSync(trusted, join(tree, trusted));
	writeFileSync(join(tree, "usr/local/lib/node_modules/npm/npmrc"), `cafile=${trusted}\n`);
	execFileSync("sh", ["-c", 'tar -C "$0" -c . | podman import - "$1"', tree, `${IMAGE}-base`], {
		stdio: ["ignore", "ignore", "inherit"],
	});
	rmSync(tree, { recursive: true });
	return `${IMAGE}-base`;
}

/** Starts a container as the head of the Containerfile says. @returns its id */
function run(...words: string[]): string {
	const confined = [
		"--read-only",
		"--tmpfs",
		"/tmp",
		"--cap-drop",
		"ALL",
		"--security-opt",
		"no-new-privileges",
	];
	return podman("run", "--detach", "--network", "none", ...confined, "-v", `${NAME}:/data`, IMAGE, ...words);
}

const inside = (id: string, ...words: string[]): string => podman("exec", id, ...words);

async function readyPort(id: string, file: string): Promise<number> {
	for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(200)) {
		const { stdout, status } = spawnSync("podman", ["exec", id, "cat", file], { encoding: "utf8" });
		if (status === 0 && stdout.endsWith("\n"))
			return (JSON.parse(stdout) as { ports: { full: number } }).ports.full;
	}
	throw new Error(`the container isn't ready: ${podman("logs", id)}`);
}

/** Stops a container with SIGTERM. @throws {Error} if it has to be killed, or fails */
function stop(id: string): void {
	podman("stop", "--time", "100", id);
	const code = podman("inspect", "--format", "{{.State.ExitCode}}", id);
	if (code !== "0") throw new Error(`it ended with ${code}: ${podman("logs", id)}`);
	podman("rm", id);
}

const CHAIN = "node start --dev --seal 1 -d /data/chain --ready-file /tmp/ready".split(" ");

/** Head and first block, queried by the program in the container. */
async function facts(id: string): Promise<{ head: number; first: string }> {
	const node = ["--node", `http://127.0.0.1:${await readyPort(id, "/tmp/ready")}`];
	const head = (): number => Number(inside(id, "coin", "chain", "head", ...node));
	const before = head();
	for (const end = Date.now() + PATIENCE_MS; head() < before + 2; await sleep(500))
		if (Date.now() > end) throw new Error(`it makes no blocks: ${podman("logs", id)}`);
	const first = JSON.parse(inside(id, "coin", "block", "show", "1", "--json", ...node)) as { id?: string };
	return { head: head(), first: JSON.stringify(first) };
}

async function tryImage(): Promise<void> {
	const id = run(...CHAIN);
	const user = inside(id, "id", "-un");
	if (user !== "nobody") throw new Error(`it runs as ${user}`);
	if (spawnSync("podman", ["exec", id, "touch", "/usr/x"]).status === 0)
		throw new Error("its root can be written");
	const before = await facts(id);
	stop(id);
	const again = run(...CHAIN);
	const after = await facts(again);
	if (after.first !== before.first || after.head <= before.head) throw new Error("it has lost its data");
	stop(again);
	say(
		`as ${user}: a chain of ${before.head} blocks, and of ${after.head} after a restart; SIGTERM ended both`,
	);
	const node = run("node", "start", "--network", "nile", "-d", "/data/nile", "--ready-file", "/tmp/ready");
	const port = await readyPort(node, "/tmp/ready");
	inside(node, "coin", "chain", "head", "--node", `http://127.0.0.1:${port}`);
	stop(node);
	say("a node of a public network starts and ends");
}

needs("podman", ...(values.base ? [] : ["debootstrap"]));
const folder = mkdtempSync(join(tmpdir(), "coin-container-"));
try {
	const base = values.base ?? makeBase(folder);
	const build = ["build", "--isolation", "chroot", "--build-arg", `BASE=${base}`, "-t", IMAGE];
	execFileSync("podman", [...build, "-f", "docs/deployment/Containerfile", "."], {
		cwd: root,
		stdio: "inherit",
	});
	const [size, own] = [IMAGE, base].map((image) =>
		Number(podman("image", "inspect", "--format", "{{.Size}}", image)),
	);
	say(
		`${((size as number) / 1e6).toFixed(0)} MB, of which ${((own as number) / 1e6).toFixed(0)} MB are the base`,
	);
	await tryImage();
} finally {
	rmSync(folder, { recursive: true, force: true });
	const left = podman("ps", "--all", "--quiet", "--filter", `ancestor=${IMAGE}`).split("\n").filter(Boolean);
	if (left.length > 0) podman("rm", "--force", "--time", "0", ...left);
	spawnSync("podman", ["volume", "rm", NAME]);
	if (!values.keep) spawnSync("podman", ["rmi", IMAGE, ...(values.base ? [] : [`${IMAGE}-base`])]);
}
