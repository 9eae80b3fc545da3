/** A hardware signer at the command line: the USB library is replaced by one that holds a key, the app's is the vendor's. */

import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { Endless } from "./endless.js";
import { ADDRESSES, BASE58, it, KEYS, RECIPIENT, send, type Wallet } from "./wallet-fixture.js";

const require = createRequire(import.meta.url);

/** Answers as the app does, with the key of `bob`; `refuses` makes its owner press the other button. A file can say it later than the environment. */
const DEVICE = `
const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const file = join(process.env.HOME, "device");
const state = () => (existsSync(file) ? readFileSync(file, "utf8") : process.env.DEVICE);
const { createECDH, createHash } = require("node:crypto");
const { secp256k1 } = require(${JSON.stringify(require.resolve("@noble/curves/secp256k1.js"))});
const key = Buffer.from("${KEYS.bob}", "hex");
let data = Buffer.alloc(0);
const signed = (hash) => {
	const [recid, ...signature] = secp256k1.sign(hash, key, { prehash: false, format: "recovered" });
	return Buffer.from([...signature, recid]);
};
class Device {
	static async open() {
		if (state() === "absent") throw Object.assign(new Error("NoDevice"), { id: "NoDevice" });
		return new Device();
	}
	decorateAppAPIMethods() {}
	async close() {}
	async send(cla, ins, p1, p2, bytes) {
		if (ins === 0x02) {
			const pair = createECDH("secp256k1");
			pair.setPrivateKey(key);
			const publicKey = pair.getPublicKey();
			return Buffer.concat([Buffer.from([65]), publicKey, Buffer.from([0])]);
		}
		if (ins === 0x06) return Buffer.from([3, 0, 5, 0]);
		if (state() === "silent") return new Promise(() => setInterval(() => undefined, 1_000));
		if (state() === "refuses") throw Object.assign(new Error("denied"), { statusCode: 0x6985 });
		const isFirst = p1 === 0x00 || p1 === 0x10;
		data = isFirst ? bytes.subarray(21) : Buffer.concat([data, bytes]);
		if (p1 === 0x00 || p1 === 0x80) return Buffer.alloc(0);
		return signed(createHash("sha256").update(data).digest());
	}
}
exports.default = Device;
`;

/** Directory of modules with the replaced library. */
function modules({ home }: Wallet): string {
	const directory = join(home.path, "modules");
	const library = join(directory, "@ledgerhq/hw-transport-node-hid-noevents");
	mkdirSync(library, { recursive: true });
	writeFileSync(join(library, "index.js"), DEVICE);
	return directory;
}

describe("--signer ledger", () => {
	it("signs for the device's own account, and says what its screen will show", async ({ wallet }) => {
		wallet.node.fund(ADDRESSES.bob, 1_000_000_000n);
		const environment = { COIN_NODE: wallet.node.url, NODE_PATH: modules(wallet) };
		const words = [...send, "--from", "ledger", "--sign", "--memo", "x".repeat(90)];
		const { stdout, stderr, code } = await wallet.home.run(words, undefined, environment);
		expect([code, stderr]).toEqual([0, expect.stringContaining("on device   amount 25coin")]);
		const envelope = JSON.parse(stdout) as { signature: string[]; coin: { approved: unknown } };
		expect(envelope.coin.approved).toEqual([{ address: BASE58.bob, weight: "1" }]);
	});

	it("is refused for an account whose permission doesn't list the device's key", async ({ wallet }) => {
		const environment = { COIN_NODE: wallet.node.url, NODE_PATH: modules(wallet) };
		const words = [...send, "--from", "ann", "--signer", "ledger:1"];
		const { stderr, code } = await wallet.home.run(words, undefined, environment);
		expect(code).toBe(1);
		expect(JSON.parse(stderr)).toMatchObject({
			error: { code: "not_authorized", message: expect.stringContaining(`ledger:1 (${BASE58.bob})`) },
		});
	});

	it.for([
		["refuses", "confirmation_refused"],
		["absent", "signer_unavailable"],
	] as const)("a device that is %s", async ([state, code], { wallet }) => {
		wallet.node.fund(ADDRESSES.bob, 1_000_000_000n);
		const environment = { COIN_NODE: wallet.node.url, NODE_PATH: modules(wallet), DEVICE: state };
		const outcome = await wallet.home.run([...send, "--from", "ledger", "-q"], undefined, environment);
		expect(JSON.parse(outcome.stderr)).toMatchObject({ error: { code, sent: false } });
	});

	it("without the library says in one sentence what to install", async ({ wallet }) => {
		const outcome = await wallet.home.run([...send, "--from", "ledger"], undefined, {
			COIN_NODE: wallet.node.url,
		});
		expect(JSON.parse(outcome.stderr)).toMatchObject({
			error: { code: "signer_unavailable", hint: expect.stringContaining("npm install --global @ledgerhq/") },
		});
	});

	it("labels the device's address once it was compared on the screen", async ({ wallet }) => {
		const environment = { COIN_NODE: wallet.node.url, NODE_PATH: modules(wallet) };
		const words = ["keystore", "import", "watch", "ledger", "vault", "--json"];
		const outcome = await wallet.home.run(words, undefined, environment);
		expect(JSON.parse(outcome.stdout)).toMatchObject({ name: "vault", address: BASE58.bob, kind: "watch" });
	});
});

describe.skipIf(process.platform === "win32")("coin signer serve ledger", () => {
	it("signs what policies allow and somebody confirms, and outlives a device that is gone", async ({
		wallet,
	}) => {
		const { home, node } = wallet;
		node.fund(ADDRESSES.bob, 1_000_000_000n);
		const payroll = join(home.path, "payroll");
		const file = home.write(
			"policies.conf",
			`clients { payroll { socket = "${payroll}" }, till { socket = "${payroll}.till" } }, rules = [
				{ name = small, keys = [ledger], clients = [payroll, till], types = [Transfer], recipients = [${RECIPIENT}]
				  transaction { coin = 31 }, day { coin = 500 } }
			]`,
		);
		const state = join(home.path, "state");
		const words = ["signer", "serve", "ledger", "--policies", file, "--directory", state];
		const others = home.write(
			"others.conf",
			`clients { a { socket = "${payroll}", node = true } }, rules = []`,
		);
		const refused = await home.start(words.with(4, others), "", { NODE_PATH: modules(wallet) }).outcome;
		expect([refused.code === 0, refused.stderr]).toEqual([
			false,
			expect.stringContaining("a device needs a signer of its own"),
		]);
		const signer = new Endless(home, words, { NODE_PATH: modules(wallet) });
		try {
			expect(await signer.says(`${payroll}.till`)).toContain(
				`ledger is ${BASE58.bob}: somebody has to confirm each`,
			);
			const coin = (more: readonly string[], keys = "treasury") =>
				home.run(more, undefined, { COIN_NODE: node.url, COIN_KEYSTORE_DIR: join(home.path, keys) });
			const imported = await coin(["keystore", "import", "signer", payroll, "treasury", "--json"]);
			expect(JSON.parse(imported.stdout), imported.stderr).toMatchObject({ address: BASE58.bob });

			await coin(["keystore", "import", "signer", `${payroll}.till`, "till"], "till");

			const pay = (from = "treasury") =>
				coin(["send", RECIPIENT, "25coin", "--from", from, "--yes", "--json"], from);
			const paid = await pay();
			expect(paid.code, paid.stderr).toBe(0);
			for (const [what, code, reason] of [
				["absent", "signer_unavailable", "no device is connected"],
				["refuses", "signer_refused", "refused on the device"],
				["present", "signer_refused", "it can ask again after a minute"],
			] as const) {
				home.write("device", what);
				const { stderr } = await pay();
				const message = expect.stringContaining(reason);
				expect(JSON.parse(stderr).error).toMatchObject({ code, sent: false, message });
			}
			expect((await pay("till")).code).toBe(0);

			home.write("device", "silent");
			const left = pay("till");
			await signer.says(": allowed\n", 5);
			const ended = signer.end("SIGTERM");
			expect(JSON.parse((await left).stderr).error.message).toContain(
				"the signer ended before anybody confirmed",
			);
			// By the signal itself: the fake's timer, like a device that still asks, would keep the process.
			expect(await ended).toBeNull();
			const log = await coin(["signer", "log", "--directory", state]);
			const lines = log.stdout.trim().split("\n");
			const outcomes = ["signed", "no device", "refused on", "signed", "the signer ended"];
			expect(lines.slice(1).map((line) => JSON.parse(line).decision)).toEqual(
				outcomes.flatMap((outcome) => ["allowed", expect.stringMatching(new RegExp(`^${outcome}`))]),
			);
		} finally {
			await signer.end("SIGKILL");
		}
	});

	it.for([
		["without policies", ["--socket", "s"], "--policies is needed"],
		["for nodes, too", ["--socket", "s", "--policies", "p"], "a device needs a signer of its own"],
		["with a wait that no client has", ["--policies", "p", "--confirm-timeout", "11m"], "at most 10m"],
		["without its library", ["--policies", "p"], "npm install --global @ledgerhq/"],
	] as const)("is refused %s", async ([, flags, reason], { wallet }) => {
		const { stderr, code } = await wallet.home.run([
			"signer",
			"serve",
			"ledger",
			"--directory",
			"d",
			...flags,
		]);
		expect([code === 0, stderr]).toEqual([false, expect.stringContaining(reason)]);
	});
});
