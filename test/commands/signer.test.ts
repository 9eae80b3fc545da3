import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keysOfSigner } from "../../src/keystore/signer/client.js";
import { toBase58Check } from "../../src/protocol/address.js";
import { be64 } from "../../src/protocol/bytes.js";
import { sha256 } from "../../src/protocol/hash.js";
import { recoverAddress } from "../../src/protocol/signature.js";
import { Home } from "./coin-process.js";
import { Endless, nodeConfiguration, program } from "./endless.js";

const KEY = "e58f33f9baf9305dc6f82b9f1934ea8f0ade2defb951258d50167028c780351f";
const WITNESS = "TKXQJfLRSmRpqAM5e5GX4PHQVk9SqiFqkB";

interface Decision {
	readonly timestamp: string;
	readonly decision: string;
}

/** Keeps the witness's key in the keystore of a home. @param password a file */
async function importKey(home: Home, password: string): Promise<void> {
	const words = [
		"keystore",
		"import",
		"key",
		"witness",
		"--light",
		"--password-file",
		password,
		"--key-file",
	];
	expect(await home.run([...words, home.write("key", KEY)])).toMatchObject({ code: 0 });
}

test.skipIf(process.platform === "win32")(
	"a signer signs for two nodes with one key once a slot, whoever is killed, and costs slots while it is away",
	async () => {
		const home = new Home();
		const running: Endless[] = [];
		const begin = (words: readonly string[]): Endless => {
			const started = new Endless(home, words);
			running.push(started);
			return started;
		};
		try {
			const password = home.write("pw", "sesame-open");
			await importKey(home, password);
			const [socket, directory] = [join(home.path, "socket"), join(home.path, "signer")];
			const file = home.write("node.conf", nodeConfiguration(WITNESS, socket));
			const serve = async (at = socket, state = directory): Promise<Endless> => {
				const places = ["--socket", at, "--directory", state];
				const signer = begin(["signer", "serve", "witness", ...places, "--password-file", password]);
				await signer.says(`${at}\n`);
				return signer;
			};
			const produce = (name: string, by = file): Endless =>
				begin(["node", "start", "-w", "-c", by, "-d", join(home.path, name), "--p2p-disable", "true"]);
			// With a signer of its own: the key's blocks of two chains don't have rising heights.
			const later = join(home.path, "later");
			const early = produce("alone", home.write("early.conf", nodeConfiguration(WITNESS, later)));
			await early.says(`no block is made until the signer answers: no signer answers at ${later}`);
			await early.says("coin node ready");
			const checked = await home.run(["node", "check", "-c", file, "-d", join(home.path, "early")]);
			expect(checked).toMatchObject({
				code: 0,
				stdout: expect.stringContaining(
					"(there is no such socket): with --witness no block is made until one does",
				),
			});

			const its = await serve(later, join(home.path, "other-signer"));
			await early.says("block produced");
			for (const each of [early, its]) expect(await each.end("SIGTERM")).toBe(0);
			let signer = await serve();
			const nodes = [produce("a"), produce("b")];
			await signer.says("signed", 2);
			// On a busy machine one may have had both: the other must know the signer's key before it is away.
			await nodes[1]?.says(/block produced|the last slot was lost/);
			await nodes[0]?.end("SIGKILL");
			await signer.end("SIGKILL");
			await nodes[1]?.says("the last slot was lost: no signer answers");
			signer = await serve();
			await signer.says("signed");
			await nodes[1]?.end("SIGTERM");
			expect(await signer.end("SIGTERM")).toBe(0);

			const log = await home.run(["signer", "log", "--directory", directory]);
			expect(log).toMatchObject({ code: 0, stdout: readFileSync(join(directory, "decisions.log"), "utf8") });
			const lines = log.stdout.trim().split("\n");
			const decisions = lines.map((line) => JSON.parse(line) as Decision);
			const signed = decisions.filter(({ decision }) => decision === "signed");
			const slots = signed.map(({ timestamp }) => Number(timestamp));
			expect(slots).toEqual([...new Set(slots)].sort((a, b) => a - b));
			home.write("signer/decisions.log", `${lines.slice(0, -1).join("\n")}\n`);
			expect(await home.run(["signer", "log", "--directory", directory])).toMatchObject({
				code: 2,
				stderr: expect.stringContaining(`decision ${lines.length} isn't in it`),
			});
		} finally {
			await Promise.all(running.map((each) => each.end("SIGKILL")));
			home.remove();
		}
	},
);

test.skipIf(process.platform === "win32")(
	"a signer reads its policies again on SIGHUP, and goes on with those before where they have a fault",
	async () => {
		const home = new Home();
		let signer: Endless | undefined;
		try {
			const password = home.write("pw", "sesame-open");
			await importKey(home, password);
			const [one, other, directory] = ["one", "other", "signer"].map((name) => join(home.path, name));
			const write = (client: string, rules = "rules = []"): string =>
				home.write("p.conf", `clients { c { socket = "${client}" } }\n${rules}`);
			const places = ["--policies", write(one as string), "--directory", directory as string];
			signer = new Endless(home, ["signer", "serve", "witness", ...places, "--password-file", password]);
			await signer.says(`${one}\n`);
			write(other as string, "rules = [{ name = r, whatever = 1 }]");
			signer.hangUp();
			await signer.says("p.conf: 2: rules[0].whatever isn't one of");
			expect(existsSync(one as string)).toBe(true);
			write(other as string);
			for (let count = 0; count < 20; count++) signer.hangUp();
			await signer.says("its policies hold now");
			expect([existsSync(one as string), existsSync(other as string)]).toEqual([false, true]);
			expect(await signer.end("SIGTERM")).toBe(0);
			const log = await home.run(["signer", "log", "--directory", directory as string]);
			const lines = log.stdout.trim().split("\n");
			expect(lines.map((line) => JSON.parse(line))).toMatchObject([
				{ asked: "policies", decision: "read" },
				{ asked: "policies", decision: "read", was: expect.any(String) },
			]);
		} finally {
			await signer?.end("SIGKILL");
			home.remove();
		}
	},
);

test.skipIf(process.platform === "win32")("a signer signs with a key that stays at an agent", async () => {
	const home = new Home();
	let signer: Endless | undefined;
	try {
		const password = home.write("pw", "sesame-open");
		await importKey(home, password);
		const [socket, directory] = [join(home.path, "socket"), join(home.path, "signer")];
		const serve = ["signer", "serve", "witness", "--socket", socket, "--directory", directory];
		const unlock = ["keystore", "unlock", "witness", "--password-file", password, "--"];
		signer = new Endless(home, [...unlock, process.execPath, program, ...serve]);
		await signer.says(`${socket}\n`);
		const [key] = await keysOfSigner({ at: socket }, 600_000);
		const nowMs = BigInt(Date.now());
		const signature = (await key?.sign("hello", nowMs)) as Uint8Array;
		expect(toBase58Check(recoverAddress(sha256(be64(nowMs)), signature))).toBe(WITNESS);
		expect(signature[64]).toBeLessThan(2);
		expect(await signer.end("SIGTERM")).toBe(0);
	} finally {
		// Not SIGKILL, which would leave the signer behind the agent running.
		await signer?.end("SIGTERM");
		home.remove();
	}
});
