/** `coin shielded` as scripts use it: keys, and the way of an amount through a contract, with proofs that a node makes. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toBase58Check } from "../../src/protocol/address.js";
import { type ProvingNode, startProvingNode } from "../wallet/shielded/proving-node.js";
import { FACTOR, type ShieldedChain, startShieldedChain } from "../wallet/shielded/shielded-chain.js";
import { writeCheapKey } from "./cheap-key.js";
import { errorRecord, Home, type Outcome } from "./coin-process.js";

type Json = Record<string, unknown>;

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));

let home: Home;
let environment: Record<string, string> = {};

function coin(line: string | readonly string[], stdin?: string): Promise<Outcome> {
	return home.run(typeof line === "string" ? line.split(" ") : line, stdin, environment);
}

async function prints(line: string | readonly string[], stdin?: string): Promise<string> {
	const { code, stdout, stderr } = await coin(line, stdin);
	expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: expect.any(String) });
	return stdout;
}

async function rows(line: string): Promise<Json[]> {
	const text = await prints(`${line} --json`);
	return text
		.split("\n")
		.slice(0, -1)
		.map((row) => JSON.parse(row) as Json);
}

async function fails(line: string | readonly string[]): Promise<Json> {
	const words = typeof line === "string" ? line.split(" ") : line;
	const outcome = await coin([...words, "--json"]);
	expect({ words, stdout: outcome.stdout }).toEqual({ words, stdout: "" });
	expect(outcome.code).not.toBe(0);
	return errorRecord(outcome);
}

beforeAll(() => {
	home = new Home();
	const password = home.write("password", "password");
	environment = { COIN_DATA_DIR: home.path, COIN_PASSWORD_FILE: password };
});
afterAll(() => home.remove());

describe.sequential("keys of shielded addresses", () => {
	it("are made, listed and have addresses", async () => {
		const [made] = await rows("shielded new ann --light");
		expect(made).toMatchObject({
			name: "ann",
			kind: "spending",
			address: expect.stringMatching(/^zcoin1[a-z0-9]{75}$/),
		});
		expect(await prints("shielded address ann")).toBe(`${made?.["address"]}\n`);
		const other = await prints("shielded address --new");
		expect(other).toMatch(/^zcoin1[a-z0-9]{75}\n$/);
		expect(other).not.toBe(`${made?.["address"]}\n`);
		expect(await rows("shielded list")).toEqual([made]);
	});

	it("are given on as less than they are", async () => {
		const viewing = await prints("shielded export viewing-key ann --yes");
		const incoming = await prints("shielded export viewing-key ann --incoming --yes");
		expect(Object.keys(JSON.parse(viewing) as object)).toEqual(["ak", "nk", "ovk", "d"]);
		expect(Object.keys(JSON.parse(incoming) as object)).toEqual(["ivk", "d"]);
		await prints("shielded import viewer - --light", viewing);
		await prints("shielded import cashier - --light", incoming);
		const kinds = (await rows("shielded list")).map(({ name, kind }) => [name, kind]);
		expect(kinds).toEqual([
			["ann", "spending"],
			["cashier", "incoming"],
			["viewer", "viewing"],
		]);
		expect(await prints("shielded address viewer")).toBe(await prints("shielded address ann"));
		expect(await fails("shielded export spending-key viewer --yes")).toMatchObject({ code: "watch_only" });
		expect(await fails("shielded export viewing-key cashier --yes")).toMatchObject({ code: "watch_only" });
	});

	it("get another label, also those whose password isn't known", async () => {
		const [before] = await rows("shielded list");
		const password = { COIN_PASSWORD_FILE: join(home.path, "nothing") };
		const renamed = await home.run(["shielded", "rename", "ann", "anna", "--json"], "", {
			...environment,
			...password,
		});
		expect(JSON.parse(renamed.stdout)).toEqual({ ...before, name: "anna" });
		expect(await fails("shielded rename anna viewer")).toMatchObject({ code: "keystore_exists" });
		expect(await fails("shielded rename nobody x")).toMatchObject({ code: "wallet_not_found" });
		expect(await prints("autocomplete --names shielded")).toBe("anna\ncashier\nviewer\n");
		expect(await prints("autocomplete --names payees")).toBe("anna\ncashier\nviewer\n");
		await prints("shielded rename anna ann");
		expect((await rows("shielded list"))[0]).toEqual(before);
	});

	it("come back from their text, which no argument and no message holds", async () => {
		const text = await prints("shielded export spending-key ann --yes");
		expect(text).toMatch(/^0[0-9a-f]{63}\n$/);
		await prints("shielded delete ann --yes");
		await prints("shielded import ann --key-file - --light", text);
		expect(await prints("shielded export spending-key ann --yes")).toBe(text);
		const wrong = await coin(["shielded", "import", "x", "-", "--json"], `${text.trim()}00`);
		expect(errorRecord(wrong)).toMatchObject({ code: "bad_value" });
		expect(wrong.stderr).not.toContain(text.trim());
		expect(await fails(["shielded", "new", text.trim()])).toMatchObject({ code: "bad_value" });
	});

	it.each([
		["shielded address nobody", { code: "wallet_not_found" }],
		["shielded new ann", { code: "keystore_exists" }],
		["shielded delete ann", { code: "confirmation_needed" }],
		["shielded export spending-key ann", { code: "confirmation_needed" }],
		[
			"shielded notes --node http://127.0.0.1:1",
			{ code: "wallet_not_found", message: expect.stringContaining("--key") },
		],
		["shielded notes --key ann --node http://127.0.0.1:1", { code: "network" }],
		[
			"shielded send zcoin1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq 5",
			{ code: "bad_address" },
		],
		["shielded send ann 5 --offline", { code: "usage" }],
		["shielded send ann 5 --prove-on-node", { code: "usage" }],
	])("are refused: %s", async (line, error) => {
		expect(await fails(line)).toMatchObject(error);
	});
});

describe.sequential("paying with notes of a contract", () => {
	let chain: ShieldedChain;
	let node: ProvingNode;
	let shield = "";

	beforeAll(async () => {
		chain = await startShieldedChain();
		node = await startProvingNode(chain.url, FACTOR);
		const keystore = join(home.path, "keystore");
		for (const [i, name] of ["bank", "carol"].entries())
			writeCheapKey(keystore, name, chain.keys[i] as Uint8Array, "password");
		shield = toBase58Check(chain.contract);
		environment = {
			...environment,
			COIN_NODE: node.url,
			COIN_SHIELDED_CONTRACT: shield,
			COIN_FROM: "bank",
		};
		await prints("shielded new bob --light");
	});
	afterAll(async () => {
		await node?.stop();
		await chain?.stop();
	});

	const acts = async (line: string): Promise<Json> => {
		const { code, stdout, stderr } = await coin(`${line} --wait`);
		expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: expect.any(String) });
		const result = JSON.parse(stdout) as Json;
		expect(result).toMatchObject({ state: "solid", result: "SUCCESS" });
		return result;
	};

	it("reads an empty pool", async () => {
		expect(await prints("shielded notes --key ann")).toBe("no notes\n");
		expect(await prints("shielded balance --key ann")).toBe("0 PLN\n");
		expect(await rows("shielded scan --key ann")).toMatchObject([{ pool: shield, notes: 0, balance: "0" }]);
	});

	it("says which allowance is missing, and takes tokens in once it is there", async () => {
		const refused = await fails("shielded send ann 25 --mint --prove-on-node --trust-node");
		expect(refused).toMatchObject({ code: "insufficient_funds", sent: false });
		const [, ...allow] = String(refused["hint"]).split(" ");
		await acts(allow.join(" "));
		const plan = await prints("shielded send ann 25 --mint --memo rent --prove-on-node --dry-run --text");
		expect(plan).toContain("calls 0x855d175e (mint of a note of 25000000 smallest units) of the contract");
		expect(plan).toMatch(/\n {2}amount {6}25 PLN \(public\)\n/);
		expect(plan).toMatch(/\n {2}note memo {3}"rent"\n/);
		expect(await prints("shielded balance --key ann")).toBe("0 PLN\n");
		expect(await acts("shielded send ann 25 --mint --memo rent --prove-on-node --trust-node")).toMatchObject({
			kind: "mint",
			pool: shield,
			amount: "25000000",
		});
		expect(await rows("shielded notes --key ann")).toMatchObject([
			{ amount: "25000000", state: "unspent", position: "0", memo: "rent" },
		]);
	});

	it("pays another key by an envelope that travels through a pipe", async () => {
		const built = await prints("shielded send bob 10 --key ann --prove-on-node --build --from carol");
		const signed = await prints("wallet sign --signer carol", built);
		expect(JSON.parse(signed)).toMatchObject({
			coin: { summary: expect.stringContaining("transfer of notes") },
		});
		await prints("wallet broadcast --wait", signed);
		expect(await prints("shielded balance --key bob")).toBe("10 PLN\n");
		expect(await prints("shielded balance --key ann")).toBe("15 PLN\n");
	});

	it("pays out to an account", async () => {
		const to = toBase58Check((await chain.people[1].actor()).owner);
		const result = await acts("shielded send carol 4.5 --key ann --prove-on-node --trust-node");
		expect(result).toMatchObject({ kind: "burn", to, amount: "4500000", change: "10500000" });
		expect(await prints(`token balance ${toBase58Check(chain.token)} carol`)).toBe("4.5\n");
		expect(await rows("shielded sent --key ann")).toMatchObject([
			{ amount: "10000000", to: expect.stringMatching(/^zcoin1/) },
			{ amount: "4500000", to },
		]);
	});

	it("shows viewing keys what they may see", async () => {
		const states = async (key: string): Promise<unknown[]> =>
			(await rows(`shielded notes --key ${key} --all`)).map(({ state }) => state);
		expect(await states("viewer")).toEqual(["spent", "spent", "unspent"]);
		expect(await states("cashier")).toEqual(["unknown", "unknown", "unknown"]);
		expect(await fails("shielded send bob 1 --key viewer --prove-on-node --trust-node")).toMatchObject({
			code: "watch_only",
		});
	});

	it("tells the node what it must and warns of it, and never the key that spends", async () => {
		const { stderr } = await coin("shielded send bob 1 --key ann --prove-on-node --dry-run");
		expect(stderr).toContain("it can watch this key from now on, but spend nothing");
		const sk = (await prints("shielded export spending-key ann --yes")).trim();
		expect(node.asked.length).toBeGreaterThan(3);
		for (const text of node.asked) expect(text).not.toContain(sk);
	});

	it("pays with keys that are opened once, and with none of their passwords", async () => {
		const pay = "shielded send bob 0.5 --key ann --prove-on-node --wait --trust-node".split(" ");
		const runtime = join(home.path, "run");
		mkdirSync(runtime, { mode: 0o700 });
		const words = [
			"keystore",
			"unlock",
			"bank",
			"--shielded",
			"ann",
			"--",
			"env",
			"-u",
			"COIN_PASSWORD_FILE",
			process.execPath,
			program,
			...pay,
		];
		const { code, stdout, stderr } = await home.run(words, "", {
			...environment,
			XDG_RUNTIME_DIR: runtime,
			COIN_TTY: "/nowhere",
		});
		expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("bank signs (unlocked)") });
		expect(JSON.parse(stdout)).toMatchObject({ state: "solid", kind: "transfer", amount: "500000" });
		// The agent is gone, and without a password nothing opens.
		const locked = { ...environment, COIN_PASSWORD_FILE: "", COIN_TTY: "/nowhere" };
		const refused = await home.run(["shielded", "balance", "--key", "ann", "--json"], "", locked);
		expect(errorRecord(refused)).toMatchObject({ code: "password_required" });
	});

	it("reads everything anew when it is told to", async () => {
		const [first] = await rows("shielded scan --key ann");
		// A development chain seals a block meanwhile where its head is old.
		const later = { irreversible: expect.any(String), through: expect.any(String) };
		expect(await rows("shielded scan --key ann --again")).toEqual([{ ...first, ...later }]);
	});

	it.each([
		["shielded send bob 100 --key ann --prove-on-node --trust-node", { code: "insufficient_funds" }],
		["shielded send bob 0.00001 --key ann --prove-on-node --trust-node", { code: "bad_value" }],
		["shielded send carol 1 --key ann --prove-on-node --memo hi --trust-node", { code: "bad_value" }],
		["shielded send carol 1 --mint --prove-on-node --trust-node", { code: "bad_value" }],
		["shielded send nobody 1 --key ann --prove-on-node --trust-node", { code: "wallet_not_found" }],
		["shielded notes --key ann --contract carol", { code: "not_found" }],
	])("refuses %s", async (line, error) => {
		expect(await fails(line)).toMatchObject({ ...error });
	});
});
