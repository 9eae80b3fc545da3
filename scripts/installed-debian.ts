/**
 * Installs a package for Debian with dpkg, as root does: in a copy of this machine's root that lives in memory and in a mount
 * namespace of its own, so that nothing of the machine changes. There it is started, removed and purged.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UNITS } from "./debian-package.js";
import { withStartedChain } from "./started-chain.js";

const repository = join(import.meta.dirname, "..");
/** Only the copy has it: no start by hand can install anything on the machine. */
const MARKER = "/this-is-a-copy";
/** Units whose exposure by `systemd-analyze security` is above two of ten aren't hardened. */
const MAX_EXPOSURE = "20";
const CALLS = "/run/systemctl-calls";
const DATA = "/var/lib/coin";

const CANT = 77;

/** Makes the copy, and runs the rest of the words in it. */
const ENTER = `
copy="$1"; repository="$2"; package="$3"; shift 3
{
	mount -t tmpfs tmpfs "$copy" && mkdir "$copy/upper" "$copy/work" "$copy/root" &&
	mount -t overlay overlay -o "lowerdir=/,upperdir=$copy/upper,workdir=$copy/work" "$copy/root" &&
	mount --rbind /proc "$copy/root/proc" && mount --rbind /dev "$copy/root/dev" &&
	mkdir -p "$copy/root$repository" && mount --bind -o ro "$repository" "$copy/root$repository" &&
	cp "$package" "$copy/root${MARKER}" && chroot "$copy/root" dpkg --version >/dev/null
} || exit ${CANT}
exec chroot "$copy/root" "$@"
`;

/**
 * Tries an archive, and prints what was found.
 * @param copy an empty folder, at which the copy is mounted for as long as this takes
 * @throws {Error} if something isn't as it should be
 */
export function tryInstallation(archive: string, copy: string): void {
	const aside = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
	const loader = import.meta.resolve("tsx");
	const words = [copy, repository, archive, process.execPath, "--import", loader, import.meta.filename];
	const canAside = spawnSync("unshare", [...aside, "true"]).status === 0;
	const { status } = canAside
		? spawnSync("unshare", [...aside, "sh", "-c", ENTER, "sh", ...words], { stdio: "inherit" })
		: { status: CANT };
	if (status === CANT) say("it isn't installed: that takes root, dpkg, unshare and overlay file systems");
	else if (status !== 0) throw new Error(`the installed package failed (${status})`);
}

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}

const environment = {
	PATH: `/usr/local/sbin:${dirname(process.execPath)}:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
	HOME: DATA,
	LC_ALL: "C",
};

function run(program: string, ...words: readonly string[]): string {
	return execFileSync(program, words, { cwd: "/", env: environment, encoding: "utf8" }).trim();
}

/** @throws {Error} unless it is so */
function expect(isSo: boolean, what: string): void {
	if (!isSo) throw new Error(`not so: ${what}`);
}

/** As on a machine with systemd, of which systemctl is noted and not called. @returns what it was called for since the last time */
function systemctlCalls(): string[] {
	const calls = existsSync(CALLS) ? readFileSync(CALLS, "utf8").trim().split("\n") : [];
	rmSync(CALLS, { force: true });
	return calls;
}

function standInForSystemd(): void {
	mkdirSync("/run/systemd/system", { recursive: true });
	const path = "/usr/local/sbin/systemctl";
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, `#!/bin/sh\necho "$*" >>${CALLS}\n`);
	chmodSync(path, 0o755);
}

function install(): void {
	// Node.js may be from elsewhere than from a package of Debian's.
	run("dpkg", "--install", "--force-depends", "--force-confnew", MARKER);
	expect(systemctlCalls().join() === "daemon-reload", "an installation has the units read, and starts none");
	expect(run("dpkg", "--verify", "coin") === "", "all files are there as they were packed");
	for (const user of ["coin", "coin-signer", "coin-treasury"])
		expect(
			run("getent", "passwd", user).endsWith(`:/var/lib/${user}:/usr/sbin/nologin`),
			`the user ${user} is there`,
		);
	expect(run("id", "-Gn", "coin-signer").split(" ").includes("coin"), "the signer is in the node's group");
	for (const [folder, owner] of [
		["coin-signer", "coin-signer:coin"],
		["coin-treasury", "coin-treasury:coin-treasury"],
	] as const)
		expect(
			run("stat", "-c", "%a %U:%G", `/var/lib/${folder}`) === `700 ${owner}`,
			`${folder} is for its user`,
		);
	say(`installed by dpkg: ${run("/usr/bin/coin", "--version")}`);
}

function checkUnits(): void {
	if (spawnSync("systemd-analyze", ["--version"]).status !== 0) {
		say("the units aren't verified: there is no systemd-analyze");
		return;
	}
	const paths = UNITS.map((unit) => `/usr/lib/systemd/system/${unit}`);
	const options = { env: environment, encoding: "utf8" } as const;
	const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...paths], options);
	// Units of the machine's own are read along with these.
	const ours = stderr.split("\n").filter((line) => /\bcoin\b|coin-/.test(line));
	expect(status === 0 && ours.length === 0, `the units are right: ${stderr}`);
	const services = paths.filter((path) => path.endsWith(".service"));
	const security = ["security", "--offline=yes", `--threshold=${MAX_EXPOSURE}`, ...services];
	const judged = spawnSync("systemd-analyze", security, options);
	const levels = [...judged.stdout.matchAll(/level for (\S+): ([\d.]+)/g)].map(([, ...each]) =>
		each.join(" "),
	);
	expect(
		judged.status === 0 && levels.length === services.length,
		`the units are hardened: ${judged.stderr}`,
	);
	say(`units verified; exposure of ten: ${levels.join(", ")}`);
}

/** A chain of the user that the unit names, in the folder that systemd makes for it. */
async function startNode(): Promise<void> {
	const [uid, gid] = ["-u", "-g"].map((of) => Number(run("id", of, "coin"))) as [number, number];
	run("install", "-d", "-m", "700", "-o", "coin", "-g", "coin", DATA);
	const words = ["-d", join(DATA, "chain")];
	const runtime = {
		node: process.execPath,
		program: "/usr/bin/coin",
		place: DATA,
		environment,
		words,
		uid,
		gid,
	};
	await withStartedChain(runtime, async (url) => {
		const answer = await fetch(`${url}/wallet/getnowblock`, { method: "POST", body: "{}" });
		const { blockID } = (await answer.json()) as { readonly blockID?: string };
		expect(/^[0-9a-f]{64}$/.test(blockID ?? ""), "it answers /wallet/getnowblock");
		say(`as the user coin it answers /wallet/getnowblock: ${blockID}`);
		// What a release upgrade does, as far as one package can show it.
		run("dpkg", "--install", "--force-depends", MARKER);
		expect(
			systemctlCalls().every((call) => call === "daemon-reload"),
			"an upgrade stops nothing",
		);
		const again = await fetch(`${url}/wallet/getnodeinfo`);
		expect(again.ok, "it answers beside an upgrade");
		await again.arrayBuffer();
	});
	expect(statSync(join(DATA, "chain")).uid === uid, "its data are the user's");
}

function remove(): void {
	const kept = [join(DATA, "chain"), "/etc/coin/config.conf", "/var/lib/coin-signer/state/decisions.log"];
	for (const path of kept.slice(1)) {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, "");
	}
	const isGone = (): boolean => !["/usr/bin/coin", "/usr/lib/coin"].some((path) => existsSync(path));
	run("dpkg", "--remove", "coin");
	expect(isGone() && !existsSync(`/usr/lib/systemd/system/${UNITS[0]}`), "a removal leaves no program");
	expect(
		systemctlCalls().join() === `disable --now ${UNITS.join(" ")},daemon-reload`,
		"a removal stops the units",
	);
	run("dpkg", "--purge", "coin");
	expect(spawnSync("dpkg", ["--status", "coin"]).status !== 0, "dpkg knows nothing of it after a purge");
	for (const path of kept) expect(existsSync(path), `${path} outlives a purge`);
	const empty = ["/etc/coin-signer", "/etc/coin-treasury", "/var/lib/coin-treasury"];
	for (const path of empty) expect(!existsSync(path), `${path}, which is empty, is purged`);
	say("removed and purged: program and empty folders are gone, data, keys and configuration are there");
}

if (process.argv[1] === import.meta.filename) {
	if (!existsSync(MARKER)) throw new Error("this is for a copy of the machine: npm run tool check:package");
	standInForSystemd();
	install();
	checkUnits();
	await startNode();
	remove();
}
