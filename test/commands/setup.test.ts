/** Commands that change nothing but the user's own files: profiles, the active wallet, entries of the keystore. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { decodeQR } from "qr/decode.js";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { fromHex } from "../../src/protocol/bytes.js";
import { writeCheapKey } from "./cheap-key.js";
import { errorRecord, Home } from "./coin-process.js";
import { BASE58, KEYS } from "./wallet-fixture.js";

const JUNK = "test test test test test test test test test test test junk";

class Desk {
	readonly home = new Home();
	readonly keystore = join(this.home.path, ".local/share/coin/keystore");
	readonly config = join(this.home.path, ".config/coin/config.conf");

	constructor() {
		writeCheapKey(this.keystore, "ann", fromHex(KEYS.ann), "password");
		writeCheapKey(this.keystore, "bob", fromHex(KEYS.bob), "password");
		this.home.write("password", "password");
	}

	/** What a command prints for people. */
	async prints(line: string, stdin?: string): Promise<string> {
		const { code, stdout, stderr } = await this.home.run(line.split(" "), stdin);
		expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: "" });
		return stdout;
	}

	async value(line: string, stdin?: string): Promise<unknown> {
		return JSON.parse(await this.prints(`${line} --json`, stdin));
	}

	async fails(line: string): Promise<Record<string, unknown>> {
		const outcome = await this.home.run([...line.split(" "), "--json"]);
		expect(outcome).toMatchObject({ code: expect.toSatisfy((code) => code === 1 || code === 2), stdout: "" });
		return errorRecord(outcome);
	}
}

const desk = test.extend<{ readonly desk: Desk }>({
	desk: async ({ task: _ }, use) => {
		const own = new Desk();
		await use(own);
		own.home.remove();
	},
});

describe.concurrent("coin profile", () => {
	desk("keeps what it didn't set, and takes back what it did", async ({ desk }) => {
		await desk.prints("profile set gate http=https://gw.example dialect=deployed tokens.GOLD=1000001");
		await desk.prints("profile use gate");
		expect(await desk.value("profile show")).toMatchObject({
			profile: "gate",
			http: "https://gw.example",
			dialect: "deployed",
			tokens: ["GOLD 1000001"],
			configuration: desk.config,
		});
		expect(await desk.prints("profile show --origins")).toMatch(/\nhttp +https:\/\/gw.example +profile\n/);
		expect(await desk.prints("profile list")).toMatch(
			/\ngate +active +https:\/\/gw.example +configuration\n/,
		);
		await desk.prints("profile set gate dialect=");
		expect(await desk.value("profile show gate")).toMatchObject({ dialect: "neutral" });
		expect(await desk.fails("profile remove gate")).toMatchObject({ code: "bad_value" });
		await desk.prints("profile use local");
		await desk.prints("profile remove gate");
		expect(readFileSync(desk.config, "utf8")).toBe('profile = "local"\n');
		expect(statSync(desk.config).mode & 0o777).toBe(0o600);
	});

	desk.for([
		["profile use nowhere", "usage"],
		["profile set gate htp=1", "bad_value"],
		["profile set gate dialect=klingon", "bad_value"],
		["profile set gate nothing", "bad_value"],
		["profile set a/b http=x", "bad_value"],
		["profile remove main", "not_found"],
		["profile show nowhere", "usage"],
	] as const)("refuses %s and leaves the file alone", async ([line, code], { desk }) => {
		expect(await desk.fails(line)).toMatchObject({ code });
		expect(existsSync(desk.config)).toBe(false);
	});

	desk("warns of keys that mean nothing", async ({ desk }) => {
		const config = desk.home.write("mine.conf", "walet = ann\nprofiles.x { htp = 1 }");
		const { code, stderr } = await desk.home.run(["wallet", "current", "--config", config]);
		expect(code).toBe(2);
		expect(stderr).toContain(`${config} has the key walet, which is unknown; did you mean wallet?`);
		expect(stderr).toContain("profiles.x.htp, which is unknown; did you mean http?");
	});
});

describe.concurrent("the active wallet", () => {
	desk("is chosen for good", async ({ desk }) => {
		expect(await desk.fails("wallet current")).toMatchObject({ code: "usage" });
		await desk.prints("wallet use bob");
		expect(await desk.value("wallet current")).toEqual({
			name: "bob",
			address: BASE58.bob,
			profile: "local",
		});
		expect(await desk.fails("wallet use zoe")).toMatchObject({ code: "wallet_not_found" });
	});

	desk("shows as a code that any reader of codes reads", async ({ desk }) => {
		expect(read(await desk.prints("wallet qr bob --amount 5coin"))).toBe(BASE58.bob);
		const long = JSON.stringify({ text: "x".repeat(2500) });
		expect(read(await desk.prints("wallet qr --stdin", long))).toBe(long);
		await desk.prints("wallet qr bob --svg bob.svg");
		expect(readFileSync(join(desk.home.path, "bob.svg"), "utf8")).toContain(
			'<svg xmlns="http://www.w3.org/2000/svg"',
		);
		expect(await desk.fails("wallet qr bob --svg bob.svg")).toMatchObject({ code: "keystore_exists" });
		const tooLong = await desk.home.run(["wallet", "qr", "--stdin", "--json"], "x".repeat(3000));
		expect(errorRecord(tooLong)).toMatchObject({ code: "bad_value" });
		expect(await desk.fails("wallet qr --stdin")).toMatchObject({ code: "stdin_empty" });
	});
});

/** Reads a code from the blocks that a terminal shows. */
function read(text: string): string {
	const rows = text.split("\n").filter((line) => /^[█▀▄ ]+$/.test(line) && line.length > 20);
	const light = rows.flatMap((row) => [
		[...row].map((char) => char === "█" || char === "▀"),
		[...row].map((char) => char === "█" || char === "▄"),
	]);
	const scale = 4;
	const [width, height] = [(light[0]?.length ?? 0) * scale, light.length * scale];
	const data = new Uint8Array(width * height * 4).fill(255);
	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++)
			data.fill(
				light[Math.floor(y / scale)]?.[Math.floor(x / scale)] ? 255 : 0,
				(y * width + x) * 4,
				(y * width + x) * 4 + 3,
			);
	return decodeQR({ width, height, data });
}

describe.concurrent("entries of the keystore", () => {
	desk("are renamed, shown and deleted, and the file of a deleted one is kept", async ({ desk }) => {
		expect(await desk.value("keystore rename bob robert")).toMatchObject({
			name: "robert",
			address: BASE58.bob,
		});
		expect(await desk.prints("keystore verify robert --password-file password")).toBe("true\n");
		expect(await desk.fails("keystore rename robert ann")).toMatchObject({ code: "keystore_exists" });
		expect(await desk.value("keystore show robert")).toMatchObject({
			name: "robert",
			kind: "key",
			kdf: "scrypt",
			strength: "light",
			n: 2,
			mode: "0600",
		});
		expect(await desk.fails("keystore delete robert")).toMatchObject({ code: "confirmation_needed" });
		const deleted = (await desk.value("keystore delete robert --yes")) as { movedTo: string[] };
		expect(deleted.movedTo).toEqual([join(desk.keystore, ".deleted", `${BASE58.bob}.json`)]);
		expect(existsSync(deleted.movedTo[0] as string)).toBe(true);
		expect(await desk.fails("keystore show robert")).toMatchObject({ code: "wallet_not_found" });
		await desk.prints("keystore delete ann --purge --yes");
		expect(readdirSync(desk.keystore)).toEqual([".deleted"]);
	});

	desk("may be addresses without keys, until the key comes", async ({ desk }) => {
		const words = `keystore import watch ${BASE58.carol} cold`;
		expect(await desk.value(words)).toMatchObject({ name: "cold", kind: "watch", address: BASE58.carol });
		expect(await desk.fails(words)).toMatchObject({ code: "keystore_exists" });
		expect(await desk.fails("keystore verify cold")).toMatchObject({ code: "watch_only" });
		expect(await desk.fails("keystore export key cold --yes")).toMatchObject({ code: "watch_only" });
		expect(await desk.fails("keystore passwd cold")).toMatchObject({ code: "watch_only" });
		expect(await desk.prints("keystore list --kind watch --addresses")).toBe(`${BASE58.carol}\n`);
		expect(await desk.value("keystore rename cold colder")).toMatchObject({ name: "colder", kind: "watch" });
		await desk.prints("keystore import key carol - --light --password-file password", KEYS.carol);
		expect(await desk.value("keystore list --kind watch").catch(() => "none")).toBe("none");
		expect(await desk.value("keystore show carol")).toMatchObject({ kind: "key", address: BASE58.carol });
		expect(await desk.fails("keystore import watch nonsense")).toMatchObject({ code: "bad_address" });
	});

	desk("come from one sentence, the next account each time", async ({ desk }) => {
		const flags = "--light --password-file password";
		await desk.prints(`keystore import mnemonic dev - ${flags}`, JUNK);
		expect(await desk.value(`keystore derive dev next ${flags}`)).toMatchObject({
			path: "m/44'/195'/0'/0/1",
		});
		expect(await desk.value(`keystore derive dev ${flags}`)).toMatchObject({ path: "m/44'/195'/0'/0/2" });
		expect(await desk.value(`keystore derive dev ninth --index 9 ${flags}`)).toMatchObject({
			path: "m/44'/195'/0'/0/9",
			name: "ninth",
		});
		const old = (await desk.value(`keystore derive dev --path m/44'/195'/1'/0/0 ${flags}`)) as {
			path: string;
		};
		expect(old.path).toBe("m/44'/195'/1'/0/0");
		expect(await desk.fails(`keystore derive next ${flags}`)).toMatchObject({ code: "wallet_not_found" });
		expect(await desk.fails(`keystore derive dev --index 9 ${flags}`)).toMatchObject({
			code: "keystore_exists",
		});
		expect(await desk.fails("keystore derive dev --password-file password --path x")).toMatchObject({
			code: "bad_value",
		});
	});

	desk("may begin with chosen letters", async ({ desk }) => {
		const made = (await desk.value("keystore new shop --prefix TX --light --password-file password")) as {
			readonly address: string;
		};
		expect(made.address).toMatch(/^TX/);
		const printed = (await desk.value("keystore new --print --prefix TY")) as { address: string };
		expect(printed).toMatchObject({ address: expect.stringMatching(/^TY/), privateKey: expect.any(String) });
		expect(await desk.fails("keystore new x --prefix TO")).toMatchObject({ code: "bad_value" });
		expect(await desk.fails("keystore new x --prefix TXabcdefgh")).toMatchObject({ code: "bad_value" });
	});
});

describe("the catalogue of commands", () => {
	let home: Home;
	beforeAll(() => {
		home = new Home();
	});
	afterAll(() => home.remove());

	it("describes every command to programs", async () => {
		const { stdout } = await home.run(["commands", "--json"]);
		const entries = stdout
			.trim()
			.split("\n")
			.map(
				(line) =>
					JSON.parse(line) as { readonly id: string; readonly class: string; readonly schema: object },
			);
		expect(entries.length).toBeGreaterThan(150);
		expect(entries.find(({ id }) => id === "wallet send")).toMatchObject({
			class: "acts",
			schema: {
				properties: { flags: { properties: { amount: { type: "string" }, wait: { type: "boolean" } } } },
			},
		});
		const one = await home.run(["wallet", "send", "--json-schema"]);
		expect(JSON.parse(one.stdout)).toEqual(entries.find(({ id }) => id === "wallet send")?.schema);
		expect((await home.run(["commands", "--topic", "vote"])).stdout).toMatch(/\ncoin vote cast +Vote/);
	});

	it("completes in the shell without starting the program", async () => {
		const script = home.write("coin.bash", (await home.run(["autocomplete", "bash"])).stdout);
		const complete = async (...words: string[]): Promise<string> => {
			const { execFile } = await import("node:child_process");
			const { promisify } = await import("node:util");
			const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}`;
			const shell = `source ${script}; ${line}; _coin; echo "\${COMPREPLY[@]}"`;
			return (
				await promisify(execFile)("bash", ["-c", shell], { env: { PATH: process.env["PATH"] ?? "" } })
			).stdout.trim();
		};
		expect(await complete("coin", "keys")).toBe("keystore");
		expect(await complete("coin", "wallet", "b")).toBe("broadcast build");
		expect(await complete("coin", "keystore", "import", "m")).toBe("mnemonic");
		expect(await complete("coin", "wallet", "send", "--to", "bob", "--am")).toBe("--amount");
		expect((await home.run(["autocomplete", "zsh"])).stdout).toMatch(/^#compdef coin\n/);
		expect((await home.run(["autocomplete", "powershell"])).stdout).toContain("Register-ArgumentCompleter");
		expect((await home.run(["autocomplete", "tcsh"])).code).toBe(2);
	});
});
