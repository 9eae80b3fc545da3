/** A treasury's key at a signer: its policies stand between every command that signs and the key, whoever is killed. */

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Outcome } from "./coin-process.js";
import { certificate, Endless, nodeConfiguration } from "./endless.js";
import { BASE58, RECIPIENT, Wallet } from "./wallet-fixture.js";

/** The signer of a wallet's key, and the commands of others that reach it. */
class Treasury extends Endless {
	constructor(
		private readonly wallet: Wallet,
		words: readonly string[],
	) {
		const own = [
			"signer",
			"serve",
			"ann",
			"--directory",
			join(wallet.home.path, "state"),
			...wallet.password(),
		];
		super(wallet.home, [...own, ...words]);
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
    transaction { coin = 31 }, day { coin = 61 } }
  { name = large, keys = [ann], clients = [payroll], types = [Transfer], recipients = [${RECIPIENT}]
    transaction { coin = 200 }, day { coin = 500 }, approval = [ops] }
  { name = logins, keys = [ann], clients = [payroll], messages { prefixes = ["Sign in: "] }, day { messages = 5 } }
]`;

/** The flags of one side of mutual TLS. */
const tlsFlags = (name: string): string[] => [
	...["--certificate", certificate(`${name}.pem`), "--certificate-key", certificate(`${name}.key`)],
	...["--ca", certificate("ca.pem")],
];

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
				message: expect.stringMatching(
					/^the signer refuses: rule small: 300\d{6}sun, \d{6}sun of it fees, is above its 31000000sun a transaction; rule large: .* above its 200000000sun a transaction$/,
				),
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
				to: RECIPIENT,
			});
			const table = await signer.coin(["signer", "pending", "--signer", ops]);
			const expires = new Date(Number(JSON.parse(listed.stdout).expires)).toISOString();
			expect(table.stdout).toMatch(new RegExp(` expires\n${id} .* ${RECIPIENT} .* ${expires}\n$`));
			expect(error.hint).toContain(`by ${expires}`);
			const early = await signer.coin(["wallet", "sign", "--raw", raw, "--signer", "treasury", "--yes"]);
			expect(early).toMatchObject({ code: 3, stderr: expect.stringContaining(`coin signer approve ${id} `) });
			const agreed = await signer.coin(["signer", "approve", id, "--signer", ops, "--yes"]);
			expect(agreed, agreed.stderr).toMatchObject({ code: 0 });
			const signed = await signer.coin(["wallet", "sign", "--raw", raw, "--signer", "treasury", "--yes"]);
			expect(signed.code, signed.stderr).toBe(0);
			expect(JSON.parse(signed.stdout)).toMatchObject({ txID: id, signature: [expect.any(String)] });

			const message = ["message", "sign", "--signer", "treasury", "--json"];
			const login = await signer.coin([...message, "Sign in: 42"]);
			expect(login.code, login.stderr).toBe(0);
			const { signature } = JSON.parse(login.stdout);
			const verified = await signer.coin(["message", "verify", "Sign in: 42", signature]);
			expect(verified.stdout).toBe(`${BASE58.ann}\n`);
			const other = await signer.coin([...message, "I pay"]);
			expect(JSON.parse(other.stderr).error).toMatchObject({ code: "signer_refused" });
			const hash = await signer.coin([...message, "--hash", "22".repeat(32)]);
			expect(JSON.parse(hash.stderr).error).toMatchObject({ code: "bad_value" });

			expect(await signer.end("SIGTERM")).toBe(0);
			const log = await signer.coin(["signer", "log", "--directory", join(home.path, "state")]);
			const decisions = log.stdout
				.trim()
				.split("\n")
				.map((line) => JSON.parse(line).decision);
			expect(decisions).toEqual([
				"read",
				"signed",
				"read",
				expect.stringMatching(/^rule small/),
				"signed",
				"waiting",
				"approved",
				"signed",
				"signed",
				expect.stringMatching(/^rule logins/),
			]);
			expect(readFileSync(join(home.path, "state", "decisions.log"), "utf8")).not.toContain("11".repeat(32));
		} finally {
			await signer.end("SIGKILL");
			await wallet.close();
		}
	},
);

test.skipIf(process.platform === "win32")(
	"pays over mutual TLS, and a node signs its blocks there",
	async () => {
		const wallet = await Wallet.open();
		const { home } = wallet;
		const { fingerprint256 } = new X509Certificate(readFileSync(certificate("payroll.pem")));
		const clients = `payroll { certificate = "${fingerprint256}", node = true }, ops { socket = "${join(home.path, "ops")}" }`;
		const signer = new Treasury(wallet, [
			...["--policies", home.write("policies.conf", rules(clients)), "--listen", "127.0.0.1:0"],
			...tlsFlags("server"),
		]);
		let node: Endless | undefined;
		try {
			const [, place = ""] = /(tls:\/\/127\.0\.0\.1:\d+)\n/.exec(await signer.says("tls://")) ?? [];
			const refused = await signer.coin([
				"keystore",
				"import",
				"signer",
				place,
				"treasury",
				...tlsFlags("unnamed"),
			]);
			expect(refused.stderr).toContain("the policies name no client with this certificate");
			const stored = await signer.coin([
				"keystore",
				"import",
				"signer",
				place,
				"treasury",
				...tlsFlags("payroll"),
			]);
			expect(stored.code, stored.stderr).toBe(0);
			const sent = await signer.coin(pay("25coin"));
			expect(sent.code, sent.stderr).toBe(0);
			expect(wallet.node.received.length).toBe(1);

			const file = home.write("node.conf", nodeConfiguration(BASE58.ann, place));
			node = new Endless(home, [
				"node",
				"start",
				"-w",
				"-c",
				file,
				"-d",
				join(home.path, "node"),
				"--p2p-disable",
				"true",
			]);
			await signer.says("block ");
			await signer.says(": signed\n");
			expect(await node.end("SIGTERM")).toBe(0);
		} finally {
			await node?.end("SIGKILL");
			await signer.end("SIGKILL");
			await wallet.close();
		}
	},
);
