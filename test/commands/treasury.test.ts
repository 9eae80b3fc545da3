/** A treasury's key at a signer: its policies stand between every command that signs and the key, whoever is killed. */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Outcome } from "./coin-process.js";
import { BASE58, RECIPIENT, Wallet } from "./wallet-fixture.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));

/** The signer of a wallet's key, and the commands of others that reach it by their sockets. */
class Treasury {
	private readonly child;
	private text = "";
	readonly closed: Promise<number | null>;

	constructor(
		private readonly wallet: Wallet,
		words: readonly string[],
	) {
		const { path } = wallet.home;
		this.child = spawn(
			process.execPath,
			[program, "signer", "serve", "ann", "--directory", join(path, "state"), ...words, ...wallet.password()],
			{
				cwd: path,
				env: { PATH: process.env["PATH"] ?? "", HOME: path, COIN_TTY: join(path, "none") },
				stdio: ["ignore", "pipe", "pipe"],
			},
		);
		for (const stream of [this.child.stdout, this.child.stderr])
			stream.setEncoding("utf8").on("data", (part: string) => {
				this.text += part;
			});
		this.closed = new Promise((resolve) => this.child.once("close", resolve));
	}

	/** Waits for what it prints once it listens. @returns all of it so far */
	async says(what: string): Promise<string> {
		await expect.poll(() => this.text).toContain(what);
		return this.text;
	}

	end(signal: NodeJS.Signals): Promise<number | null> {
		this.child.kill(signal);
		return this.closed;
	}

	/** A command of a home that holds no key. */
	coin(words: readonly string[], stdin?: string): Promise<Outcome> {
		const { home, node } = this.wallet;
		return home.run(words, stdin, { COIN_NODE: node.url, COIN_KEYSTORE_DIR: join(home.path, "elsewhere") });
	}
}

const rules = (clients: string): string => `
clients { ${clients} }
rules = [
  { name = small, keys = [ann], clients = [payroll], types = [Transfer], recipients = [${RECIPIENT}]
    transaction { coin = 30 }, day { coin = 60 } }
  { name = large, keys = [ann], clients = [payroll], types = [Transfer], recipients = [${RECIPIENT}]
    transaction { coin = 200 }, day { coin = 500 }, approval = [ops] }
]`;

const pay = (amount: string): string[] => [
	"send",
	RECIPIENT,
	amount,
	"--from",
	"treasury",
	"--yes",
	"--json",
];

test.skipIf(process.platform === "win32")(
	"pays what a rule allows, says which one refuses, and waits for an approval, through a kill",
	async () => {
		const wallet = await Wallet.open();
		const { home } = wallet;
		const [payroll, ops] = [join(home.path, "payroll"), join(home.path, "ops")];
		const file = home.write(
			"policies.conf",
			rules(`payroll { socket = "${payroll}" }, ops { socket = "${ops}" }`),
		);
		let signer = new Treasury(wallet, ["--policies", file]);
		try {
			await signer.says(ops);
			const stored = await signer.coin(["keystore", "import", "signer", payroll, "treasury", "--json"]);
			expect(stored.code, stored.stderr).toBe(0);
			expect(JSON.parse(stored.stdout)).toMatchObject({
				name: "treasury",
				address: BASE58.ann,
				kind: "signer",
				signer: payroll,
			});
			expect(await signer.coin(["keystore", "export", "key", "treasury", "--yes"])).toMatchObject({
				code: 1,
				stderr: expect.stringContaining("is at the signer"),
			});

			const sent = await signer.coin(pay("25coin"));
			expect(sent.code, sent.stderr).toBe(0);
			expect(wallet.node.received.length).toBe(1);

			await signer.end("SIGKILL");
			const away = await signer.coin(pay("25coin"));
			expect(JSON.parse(away.stderr).error).toMatchObject({ code: "signer_unavailable", sent: false });
			signer = new Treasury(wallet, ["--policies", file]);
			await signer.says(ops);

			const refused = await signer.coin(pay("300coin"));
			expect(refused.code).toBe(1);
			expect(JSON.parse(refused.stderr).error).toMatchObject({
				code: "signer_refused",
				message: "the signer refuses: rule small: 300000000sun is above its 30000000sun a transaction",
				sent: false,
			});

			// 25 of 60 coins are used up: the rule without an approval has 35 left.
			expect((await signer.coin(pay("30coin"))).code).toBe(0);
			const waiting = await signer.coin(pay("6coin"));
			expect(waiting.code).toBe(3);
			const { error } = JSON.parse(waiting.stderr);
			expect(error).toMatchObject({ code: "approval_pending", sent: false, details: { awaits: ["ops"] } });
			const { id, raw_data_hex: raw } = error.details;

			const listed = await signer.coin(["signer", "pending", "--signer", ops, "--json"]);
			expect(JSON.parse(listed.stdout)).toMatchObject({
				id,
				client: "payroll",
				sum: "6000000sun",
				rule: "large",
			});
			const agreed = await signer.coin(["signer", "approve", id, "--signer", ops, "--yes"]);
			expect(agreed, agreed.stderr).toMatchObject({ code: 0 });
			const signed = await signer.coin(["wallet", "sign", "--raw", raw, "--signer", "treasury", "--yes"]);
			expect(signed.code, signed.stderr).toBe(0);
			expect(JSON.parse(signed.stdout)).toMatchObject({ txID: id, signature: [expect.any(String)] });

			expect(await signer.end("SIGTERM")).toBe(0);
			const log = await signer.coin(["signer", "log", "--directory", join(home.path, "state")]);
			const decisions = log.stdout
				.trim()
				.split("\n")
				.map((line) => JSON.parse(line).decision);
			expect(decisions).toEqual([
				"signed",
				expect.stringMatching(/^rule small/),
				"signed",
				"waiting",
				"approved",
				"signed",
			]);
			expect(readFileSync(join(home.path, "state", "decisions.log"), "utf8")).not.toContain("11".repeat(32));
		} finally {
			await signer.end("SIGKILL");
			await wallet.close();
		}
	},
);
