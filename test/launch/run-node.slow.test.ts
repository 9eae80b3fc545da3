import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/commands/table.js";
import { LISTENERS } from "../../src/launch/listeners.js";
import { notifyReady } from "../../src/launch/service-manager.js";
import { defaultConfig, loadConfig } from "../../src/node/config/config.js";

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "coin-notify-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(text: string): string {
	const path = join(folder, "systemd-notify");
	writeFileSync(path, `#!/bin/sh\n${text}\n`);
	chmodSync(path, 0o755);
	return `${folder}:/usr/bin:/bin`;
}

describe("telling systemd", () => {
	it("is done where it asks, with nothing of the environment but the socket", async () => {
		const PATH = program(`echo "$NOTIFY_SOCKET $* \${COIN_TOKEN:-none}" > ${folder}/said`);
		expect(
			await notifyReady("head 7", { PATH, NOTIFY_SOCKET: "/run/x", COIN_TOKEN: "secret" }),
		).toBeUndefined();
		expect(readFileSync(join(folder, "said"), "utf8")).toBe("/run/x --ready --status=head 7 none\n");
	});

	it("is not done where nobody asks", async () => {
		const PATH = program(`touch ${folder}/said`);
		expect(await notifyReady("head 7", { PATH })).toBeUndefined();
		expect(() => readFileSync(join(folder, "said"))).toThrow();
	});

	it("says why it couldn't be told", async () => {
		const asked = { NOTIFY_SOCKET: "/run/x" };
		expect(await notifyReady("x", { ...asked, PATH: program("exit 3") })).toBe("systemd-notify ended with 3");
		expect(await notifyReady("x", { ...asked, PATH: "/nowhere" })).toBe(
			"systemd-notify can't be run (ENOENT)",
		);
	});
});

/** What systemd has against a unit, beside the node's. */
function systemdSays(unit: string): string {
	for (const name of ["coin-node.service", unit]) {
		const text = readFileSync(`docs/deployment/${name}`, "utf8");
		writeFileSync(join(folder, name), text.replace("ExecStart=coin", `ExecStart=${process.execPath}`));
	}
	const words = ["verify", "--man=no", join(folder, unit)];
	return execFileSync("systemd-analyze", words, { encoding: "utf8", stdio: "pipe" });
}

it("the unit of sockets is one that systemd takes, for ports of the default configuration", () => {
	const text = readFileSync("docs/deployment/coin-node.socket", "utf8");
	const ports = [...text.matchAll(/^ListenStream=(\d+)$/gm)].map(([, port]) => Number(port));
	for (const config of [defaultConfig(), loadConfig("examples/network-node.conf")]) {
		const servers = LISTENERS.filter(({ of }) => of(config).enabled).map(({ of }) => of(config).port);
		expect(servers).toEqual(expect.arrayContaining(ports));
	}
	expect(ports).toHaveLength(4);
	if (!hasSystemd) return;
	expect(systemdSays("coin-node.socket")).toBe("");
});

describe.each([
	["coin-node.service", "node:start"],
	["coin-snapshots.service", "node:snapshot:serve"],
	["coin-signer.service", "signer:serve"],
	["coin-treasury.service", "signer:serve"],
] as const)("the unit %s", (name, id) => {
	const unit = readFileSync(`docs/deployment/${name}`, "utf8");
	const [command = ""] = /(?<=^ExecStart=).*$/m.exec(unit) ?? [];

	it("starts its command with flags that there are", async () => {
		const start = await (COMMANDS[id] as () => Promise<{ flags: Record<string, { char?: string }> }>)();
		const known = Object.entries(start.flags).flatMap(([name, { char }]) => [`--${name}`, `-${char}`]);
		const words = command.split(" ");
		expect(words.join(" ")).toMatch(new RegExp(`^coin ${id.replaceAll(":", " ")} `));
		expect(words.filter((word) => word.startsWith("-") && !known.includes(word))).toEqual([]);
	});

	it.skipIf(!hasSystemd)("is one that systemd takes", () => {
		expect(systemdSays(name)).toBe("");
	});
});
