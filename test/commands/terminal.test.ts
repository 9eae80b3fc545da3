/** What a person sees on the terminal although standard input and output are pipes. */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
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

describe("a list of payments", () => {
	const list = `to,amount\n${RECIPIENT},1coin\n${RECIPIENT},2coin\n`;
	const pay = "$COIN wallet send --password-file pw --batch";
	const paid = async (wallet: Wallet): Promise<void> => {
		wallet.home.write("pw", "password\n");
		const path = wallet.home.write("pay.csv", list);
		await wallet.coin(["wallet", "send", "--batch", path, ...wallet.password()]);
	};

	it("is asked about where a copy of it in another folder was paid", async ({ wallet }) => {
		await paid(wallet);
		expect(wallet.node.received).toHaveLength(2);
		mkdirSync(join(wallet.home.path, "other"));
		wallet.home.write("other/pay.csv", list);
		const shown = await onTerminal(wallet, `${pay} other/pay.csv`, [[/Send\?/, "n"]]);
		expect(shown).toContain("lines 2-3 said the same in a list before");
		expect(wallet.node.received).toHaveLength(2);
	});

	it("is shown with what --resume sends again", async ({ wallet }) => {
		let count = 0;
		wallet.node.handlers.set("broadcasthex", (body) =>
			++count === 1 ? wallet.node.take(body) : '{"code":"CONTRACT_VALIDATE_ERROR","message":""}',
		);
		await paid(wallet);
		const shown = await onTerminal(wallet, `${pay} pay.csv --resume --dry-run`);
		expect(shown).toMatch(/sent again {2}line 3: 2coin from /);
		expect(shown).toMatch(/coins {7}2coin with what is sent again/);
		expect(shown).toMatch(/paid before line 2, left out/);
		expect(wallet.node.received).toHaveLength(1);
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
