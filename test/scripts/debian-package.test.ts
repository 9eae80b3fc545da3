import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MAINTAINER_SCRIPTS } from "../../scripts/debian-package.js";

let root: string;

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "coin-maintainer-"));
	mkdirSync(join(root, "run/systemd/system"), { recursive: true });
	mkdirSync(join(root, "bin"));
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
function callsOf(script: keyof typeof MAINTAINER_SCRIPTS, word: string): string {
	rmSync(join(root, "calls"), { force: true });
	const env = { PATH: `${join(root, "bin")}:/usr/bin:/bin`, DPKG_ROOT: root };
	execFileSync("/bin/sh", ["-c", MAINTAINER_SCRIPTS[script], script, word], { env });
	return existsSync(join(root, "calls")) ? readFileSync(join(root, "calls"), "utf8") : "";
}

test.skipIf(process.platform === "win32")(
	"the package makes the signer's directories, its home for it alone, and leaves those that are there",
	() => {
		const calls = callsOf("postinst", "configure");
		expect(calls).toContain(`install -d -m 700 -o coin-signer -g coin ${root}/var/lib/coin-signer\n`);
		expect(existsSync(join(root, "etc/coin-signer"))).toBe(true);
		mkdirSync(join(root, "var/lib/coin-signer"), { recursive: true });
		expect(callsOf("postinst", "configure")).not.toContain("install");
	},
);

test.skipIf(process.platform === "win32")(
	"removing the package stops the units and disables them, an upgrade does neither",
	() => {
		expect(callsOf("prerm", "remove")).toBe(
			"systemctl disable --now coin-node.service coin-signer.service\n",
		);
		expect(callsOf("prerm", "upgrade")).toBe("");
	},
);
