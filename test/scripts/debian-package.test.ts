import { execFileSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MAINTAINER_SCRIPTS, VERSION } from "../../scripts/debian-package.js";

let root: string;

const at = (name: string): string => join(root, "usr/lib/coin", name);

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "coin-maintainer-"));
	mkdirSync(join(root, "run/systemd/system"), { recursive: true });
	mkdirSync(join(root, "bin"));
	mkdirSync(at(VERSION), { recursive: true });
	// In place of what would change this machine; getent knows nobody.
	for (const [name, code] of [
		...(["groupadd", "useradd", "install", "systemctl"] as const).map((name) => [name, 0] as const),
		["getent", 2] as const,
	]) {
		const path = join(root, "bin", name);
		writeFileSync(path, `#!/bin/sh\necho "${name} $*" >>"${root}/calls"\nexit ${code}\n`);
		chmodSync(path, 0o755);
	}
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What a script of the package has called. */
function callsOf(script: keyof typeof MAINTAINER_SCRIPTS, ...words: readonly string[]): string {
	rmSync(join(root, "calls"), { force: true });
	const env = { PATH: `${join(root, "bin")}:/usr/bin:/bin`, DPKG_ROOT: root };
	execFileSync("/bin/sh", ["-c", MAINTAINER_SCRIPTS[script], script, ...words], { env });
	return existsSync(join(root, "calls")) ? readFileSync(join(root, "calls"), "utf8") : "";
}

test.skipIf(process.platform === "win32")(
	"the package makes the signer's directories, its home for it alone, and leaves those that are there",
	() => {
		const calls = callsOf("postinst", "configure");
		expect(calls).toContain(`install -d -m 700 -o coin-signer -g coin ${root}/var/lib/coin-signer\n`);
		expect(existsSync(join(root, "etc/coin-signer"))).toBe(true);
		for (const user of ["coin-signer", "coin-treasury"])
			mkdirSync(join(root, "var/lib", user), { recursive: true });
		expect(callsOf("postinst", "configure")).not.toContain("install");
	},
);

test.skipIf(process.platform === "win32")(
	"removing the package stops the units and disables them, an upgrade does neither",
	() => {
		expect(callsOf("prerm", "remove")).toBe(
			"systemctl disable --now coin-node.socket coin-node.service coin-snapshots.service coin-signer.service coin-treasury.service\n",
		);
		expect(callsOf("prerm", "upgrade")).toBe("");
	},
);

test.skipIf(process.platform === "win32")(
	"an upgrade keeps the release that a process still uses, and no other",
	() => {
		for (const name of ["0.0.7", "0.0.8", "0.0.9"]) mkdirSync(at(`releases/${name}`), { recursive: true });
		writeFileSync(join(at(VERSION), "program.js"), "new");
		mkdirSync(join(root, "proc/77"), { recursive: true });
		writeFileSync(join(root, "proc/77/maps"), `7f00 r-xp ${at("releases/0.0.8")}/node_modules/level.node\n`);
		const releases = (): string[] => readdirSync(at("releases")).sort();
		// The former release stays at first: what maps no file of it may still run.
		callsOf("postinst", "configure", "0.0.9");
		expect(releases()).toEqual(["0.0.8", "0.0.9", VERSION].sort());
		rmSync(at(VERSION), { recursive: true });
		expect(readFileSync(at(`releases/${VERSION}/program.js`), "utf8")).toBe("new");
		mkdirSync(at(VERSION));
		rmSync(join(root, "proc"), { recursive: true });
		callsOf("postinst", "configure", VERSION);
		expect(releases()).toEqual([VERSION]);
		callsOf("postrm", "remove");
		expect(existsSync(join(root, "usr/lib/coin"))).toBe(false);
	},
);

test.skipIf(process.platform === "win32")(
	"a purge removes empty directories of signers, and no other",
	() => {
		for (const name of ["etc/coin-signer", "etc/coin-treasury", "var/lib/coin-signer"])
			mkdirSync(join(root, name), { recursive: true });
		writeFileSync(join(root, "var/lib/coin-signer/key"), "");
		callsOf("postrm", "remove");
		expect(readdirSync(join(root, "etc"))).toHaveLength(2);
		callsOf("postrm", "purge");
		expect([readdirSync(join(root, "etc")), readdirSync(join(root, "var/lib"))]).toEqual([
			[],
			["coin-signer"],
		]);
	},
);
