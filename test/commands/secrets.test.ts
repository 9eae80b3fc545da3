/**
 * No secret is seen where others can look: arguments and environments of processes, output, errors, files. Watches
 * /proc while commands handle secrets of its own making.
 */

import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { entropyToMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "./coin-process.js";
import { DevelopmentChain } from "./development-chain.js";

const hex = (bytes: number): string => randomBytes(bytes).toString("hex");
const SECRETS = {
	key: hex(32),
	mnemonic: entropyToMnemonic(randomBytes(16), wordlist),
	password: `first-${hex(8)}`,
	changed: `second-${hex(8)}`,
	wrong: `wrong-${hex(8)}`,
};
const NEEDLES = Object.entries(SECRETS);

/** Files that the test itself wrote secrets into. */
const INPUTS = new Set(["key.in", "words.in", "pw", "pw2", "pw3", "exported"]);

let chain: DevelopmentChain;
let watching = true;
const seen: string[] = [];
let looks = 0;
let watch: Promise<void>;
/** Processes that were there before, and see no secret: to read of all of them takes longer than what is watched. */
const others = new Set(readdirSync("/proc"));

beforeAll(async () => {
	chain = await DevelopmentChain.start();
	const { home } = chain;
	home.write("key.in", SECRETS.key);
	home.write("words.in", `${SECRETS.mnemonic}\n`);
	home.write("pw", SECRETS.password);
	home.write("pw2", SECRETS.changed);
	home.write("pw3", SECRETS.wrong);
	watch = watchProcesses();
});
afterAll(async () => {
	watching = false;
	await watch;
	await chain.stop();
});

/** Looks at every process that was started since, about a hundred times a second. */
async function watchProcesses(): Promise<void> {
	while (watching) {
		for (const pid of readdirSync("/proc")) {
			if (!/^\d+$/.test(pid) || others.has(pid)) continue;
			for (const file of ["cmdline", "environ"]) look(`/proc/${pid}/${file}`);
		}
		looks++;
		await new Promise((resolve) => setTimeout(resolve, 8));
	}
}

function look(path: string): void {
	try {
		remember(path, readFileSync(path, "latin1"));
	} catch {
		// The process has ended, or belongs to somebody else.
	}
}

function remember(where: string, text: string): void {
	for (const [name, secret] of NEEDLES) if (text.includes(secret)) seen.push(`${name} in ${where}`);
}

async function run(line: string, stdin?: string, allowed: readonly string[] = []): Promise<Outcome> {
	// A process for each: their arguments and environments are what is looked at.
	const environment = { ...chain.environment, DEBUG: "*" };
	const outcome = await chain.home.start(line.split(" "), stdin, environment).outcome;
	const open = NEEDLES.filter(([name]) => !allowed.includes(name));
	for (const [name, secret] of open) {
		if (outcome.stdout.includes(secret)) seen.push(`${name} in the output of ${line}`);
		if (outcome.stderr.includes(secret)) seen.push(`${name} in the errors of ${line}`);
	}
	return outcome;
}

describe("secrets", () => {
	it("aren't seen while commands that succeed handle them", async () => {
		const lines: readonly (readonly [string, string?])[] = [
			["keystore import key eve --key-file key.in --light --password-file pw"],
			["keystore import mnemonic dev - --count 2 --light --password-file pw", SECRETS.mnemonic],
			["keystore verify eve --password-file -", SECRETS.password],
			["keystore passwd eve --password-file pw --new-password-file pw2 --light"],
			["keystore new new --mnemonic --yes --light --password-file pw"],
			["keystore derive dev third --light --password-file pw"],
			["keystore export file eve --yes"],
			["keystore export key eve --yes --out exported --password-file pw2"],
			["wallet send --to eve --amount 100coin --wait"],
			["wallet send --from eve --to bob --amount 1coin --wait --password-file pw2"],
			["wallet send --from eve --to bob --amount 1coin --sign --password-file -", SECRETS.changed],
			["message sign hello --signer eve --password-file pw2"],
			["keystore show eve --json"],
			["profile show --origins"],
		];
		for (const [line, stdin] of lines) {
			const { code, stderr } = await run(line, stdin);
			// DEBUG makes the framework talk on standard error; only ours is looked at.
			expect({ line, code, error: /"error"|^error:/m.test(stderr) }).toEqual({ line, code: 0, error: false });
		}
		expect(seen).toEqual([]);
	});

	it("aren't in messages about what went wrong", async () => {
		const lines: readonly (readonly [string, string?])[] = [
			["keystore verify eve --password-file pw3"],
			["keystore import key again - --password-file pw", `${SECRETS.key}zz`],
			["keystore import key again - --password-file pw --json", SECRETS.key],
			["keystore import mnemonic again - --password-file pw", `${SECRETS.mnemonic} ${SECRETS.changed}`],
			["keystore import file key.in --password-file pw"],
			["keystore import file words.in --password-file pw --json"],
			["keystore export mnemonic eve --yes --password-file pw2"],
			["wallet send --from eve --to bob --amount 1coin --password-file pw3 --json"],
			["wallet sign --signer eve --password-file pw2", SECRETS.key],
			["tx decode", SECRETS.mnemonic],
			["profile show --config key.in"],
			["profile show --config words.in"],
		];
		for (const [line, stdin] of lines) {
			expect({ line, code: (await run(line, stdin)).code }).toMatchObject({
				code: expect.toSatisfy((code) => code === 1 || code === 2),
			});
		}
		expect(seen).toEqual([]);
	});

	it("are given out where they are asked for, and nowhere else", async () => {
		const key = await run("keystore export key eve --yes --password-file pw2", undefined, ["key"]);
		expect(key.stdout.trim()).toBe(SECRETS.key);
		const words = await run("keystore export mnemonic dev --yes --password-file pw", undefined, ["mnemonic"]);
		expect(words.stdout.trim()).toBe(SECRETS.mnemonic);
		expect(seen).toEqual([]);
	});

	it("are in no file in the clear, and no process was missed", () => {
		for (const item of readdirSync(chain.home.path, { recursive: true, withFileTypes: true })) {
			const path = join(item.parentPath, item.name);
			if (item.isFile() && !INPUTS.has(item.name)) remember(path, readFileSync(path, "latin1"));
		}
		expect(seen).toEqual([]);
		expect(statSync(join(chain.home.path, "exported")).mode & 0o777).toBe(0o600);
		expect(looks).toBeGreaterThan(20);
	});
});
