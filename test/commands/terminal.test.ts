/** What a person sees on the terminal although standard input and output are pipes. */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { Key, Permission } from "../../src/protocol/messages.js";
import { ADDRESSES, BASE58, RECIPIENT, send, type Wallet, it as walletTest } from "./wallet-fixture.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));
/** Gives a command a terminal of its own. */
const SCRIPT = "/usr/bin/script";
const it = walletTest.skipIf(!existsSync(SCRIPT));

/**
 * Runs a shell's line on a terminal, and returns what the terminal showed.
 * @param answers what is typed once a question is asked, in this order
 */
function onTerminal(
	wallet: Wallet,
	line: string,
	answers: readonly (readonly [question: RegExp, answer: string])[] = [[/Password of \w+:/, "password"]],
): Promise<string> {
	const child = spawn(SCRIPT, ["-qec", line, "/dev/null"], {
		cwd: wallet.home.path,
		env: {
			PATH: process.env["PATH"] ?? "",
			HOME: wallet.home.path,
			COIN_NODE: wallet.node.url,
			COIN: `${process.execPath} ${program}`,
			SHELL: "/bin/sh",
			TERM: "dumb",
		},
		stdio: ["pipe", "pipe", "inherit"],
	});
	let shown = "";
	let asked = 0;
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		shown += text;
		// A prompt is drawn again with every key.
		const [question, answer] = answers[asked] ?? [];
		if (question?.test(shown)) {
			asked++;
			child.stdin.write(`${answer}\r`);
		}
	});
	return new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("close", () => resolve(shown));
	});
}

describe("a command in a pipe that asks for a password", () => {
	it.for<[string, string]>([
		["wallet sign", "$COIN wallet sign < unsigned.json 2> notes | cat > signed.json"],
		["wallet send", `$COIN ${send.join(" ")} --sign --quiet < /dev/null 2> notes | cat > signed.json`],
	])("shows what %s signs before it asks", async ([, line], { wallet }) => {
		const built = await wallet.coin([...send, "--build"]);
		wallet.home.write("unsigned.json", built.stdout);
		const shown = await onTerminal(wallet, line);
		const summary = shown.indexOf(RECIPIENT);
		expect(summary).toBeGreaterThanOrEqual(0);
		expect(shown).toContain("25coin");
		expect(summary).toBeLessThan(shown.indexOf("Password of ann:"));
		const signed = await wallet.coin(["wallet", "approvals", "--json"], wallet.home.read("signed.json"));
		expect(JSON.parse(signed.stdout)).toMatchObject({ ready: true });
	});

	it("shows the message that it signs", async ({ wallet }) => {
		wallet.home.write("message", "I owe you a house\n");
		const shown = await onTerminal(wallet, "$COIN message sign < message 2> notes | cat > signature");
		const message = shown.indexOf("I owe you a house");
		expect(message).toBeGreaterThanOrEqual(0);
		expect(message).toBeLessThan(shown.indexOf("Password of ann:"));
		expect(wallet.home.read("signature")).toContain("0x");
	});
});

describe("keys that only the node says are there", () => {
	const shares = (wallet: Wallet): void => {
		const keys = [ADDRESSES.ann, ADDRESSES.carol].map((address) => Key.create({ address, weight: 1n }));
		wallet.node.fund(ADDRESSES.ann, 1_000_000_000n, {
			owner_permission: Permission.create({ permission_name: "owner", threshold: 1n, keys }),
		});
	};
	const line = "$COIN permission update --active pay=1/ann --yes --password-file pw";
	const question = /Type its last 6 characters/;

	it.for<[string, string, number]>([
		["the end of the address", BASE58.carol.slice(-6), 1],
		["a plain y", "y", 0],
	])("stay by %s, not by a plain y", async ([, answer, sent], { wallet }) => {
		shares(wallet);
		wallet.home.write("pw", "password\n");
		const shown = await onTerminal(wallet, line, [[question, answer]]);
		expect(shown).toContain(`Only the node says that ${BASE58.carol}`);
		expect(wallet.node.received).toHaveLength(sent);
	});
});
