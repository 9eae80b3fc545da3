import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeCheapKey } from "./cheap-key.js";
import { Home } from "./coin-process.js";

const home = new Home();
afterAll(() => home.remove());

/** What deriving that key takes, and nothing else in the program does. */
const DERIVING_BYTES = 256 << 20;

/** Bytes of memory that a process holds. */
function residentBytes(pid: number | undefined): number {
	const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
	return Number(kilobytes) * 1024;
}

/** A key file that takes ten seconds and more to open, within what is allowed. */
function costlyFile(): string {
	const folder = join(home.path, "files");
	writeCheapKey(folder, "costly", new Uint8Array(32).fill(7), "sesame-open");
	const [name = ""] = readdirSync(folder);
	const file = JSON.parse(readFileSync(join(folder, name), "utf8"));
	file.crypto.kdfparams = { ...file.crypto.kdfparams, n: 262144, r: 8, p: 16 };
	return home.write("costly.json", JSON.stringify(file));
}

test.each(["SIGTERM", "SIGINT"] as const)("%s ends a command that derives a key", async (signal) => {
	const password = home.write("pw", "sesame-open");
	const words = ["keystore", "import", "file", costlyFile(), "name", "--password-file", password];
	const { child, outcome } = home.start(words);
	// Until it has read the file there is nothing to interrupt.
	await expect.poll(() => residentBytes(child.pid)).toBeGreaterThan(DERIVING_BYTES);
	expect(child.exitCode).toBeNull();
	child.kill(signal);
	await outcome;
	expect(child.signalCode).toBe(signal);
	// Had the key been derived first, it would be stored now.
	await expect(home.run(["keystore", "list", "--json"])).resolves.toMatchObject({ code: 0, stdout: "" });
});
