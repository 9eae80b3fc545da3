/** The commands that change a development chain, one story each; what the methods do is tested beside the node's API. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toBase58Check } from "../../src/protocol/address.js";
import { fromHex } from "../../src/protocol/bytes.js";
import { addressOf, DevelopmentChain } from "./development-chain.js";

const artifact = fileURLToPath(new URL("contracts/Store.json", import.meta.url));

let chain: DevelopmentChain;
let store: string;
beforeAll(async () => {
	chain = await DevelopmentChain.start();
	store = String((await chain.acts(["contract", "deploy", "--artifact", artifact, "42"]))["contractAddress"]);
});
afterAll(() => chain.stop());

const set = async (value: string): Promise<string> =>
	String((await chain.acts(["contract", "send", store, "set", value, "x"]))["txID"]);
const stored = (): Promise<string> => chain.prints(["contract", "call", store, "value"]);

describe("coin dev", () => {
	it("goes back to a snapshot", async () => {
		const id = (await chain.prints("dev snapshot")).trim();
		const sent = await set("7");
		expect(await chain.prints(`dev revert ${id}`)).toContain(`back at the snapshot ${id}`);
		expect(await stored()).toBe("42\n");
		expect(await chain.fails(`tx receipt ${sent}`, 1)).toMatchObject({ code: "not_found" });
		expect(await chain.fails(`dev revert ${id}`, 1)).toMatchObject({
			code: "rpc_error",
			message: expect.stringContaining(`unknown snapshot id: ${id}`),
			hint: expect.stringMatching(/^coin dev snapshot takes one/),
		});
	});

	it("sets balances, storage and code", async () => {
		const id = (await chain.prints("dev snapshot")).trim();
		expect(await chain.prints("dev set-balance bob 12.5coin")).toBe("bob has 12.5coin\n");
		expect(await chain.prints("account balance bob --solidity")).toBe("12.5coin\n");
		expect(await chain.prints(`dev set-storage ${store} 0 77`)).toContain("holds 77\n");
		expect(await stored()).toBe("77\n");
		expect(await chain.prints("dev set-code bob 0x600960005260206000f3")).toContain("10 bytes of code");
		expect(await chain.prints(["contract", "call", "bob", "any() returns (uint256)"])).toBe("9\n");
		expect(await chain.fails("dev set-balance bob 5", 2)).toMatchObject({ code: "amount_unit" });
		await chain.prints(`dev revert ${id}`);
	});

	it("sets stakes, tokens and permissions", async () => {
		const id = (await chain.prints("dev snapshot")).trim();
		expect(await chain.prints("dev set-stake bob --energy 50coin --votes 3")).toContain("bob has staked");
		expect(await chain.value("stake show bob")).toMatchObject({ staked: { energy: "50000000" } });
		const document = await chain.prints("permission show ann --json");
		expect((await chain.coin("dev set-permission bob -", document)).stdout).toBe(
			"the permissions of bob are replaced\n",
		);
		expect(await chain.value("permission show bob")).toMatchObject({
			owner: { keys: [{ address: addressOf("ann"), weight: "1" }] },
		});
		expect(await chain.fails("dev set-token bob 1 5", 1)).toMatchObject({
			message: expect.stringContaining("there is no token 1"),
		});
		expect(await chain.fails("dev set-stake bob", 2)).toMatchObject({ code: "usage" });
		expect((await chain.coin("dev set-permission bob - --json", "nonsense")).code).toBe(2);
		await chain.prints(`dev revert ${id}`);
	});

	it("tells how the chain runs, and switches its log and lag", async () => {
		expect(await chain.value("dev info")).toMatchObject({
			sealing: "instant",
			solidLag: "0",
			unlockAll: false,
		});
		expect(await chain.prints("dev logging off")).toBe("the log of blocks and contracts is off\n");
		expect(await chain.prints("dev solid-lag 2")).toBe("the irreversible state lags 2 blocks behind\n");
		const head = (await chain.prints("dev maintenance")).trim();
		await chain.prints("dev mine --blocks 2");
		expect(await chain.prints("chain solid")).toBe(`${head}\n`);
		expect(await chain.prints("dev solid-lag 0 --json")).toBe("true\n");
		expect(await chain.prints("dev drop")).toBe("0\n");
	});

	it("sets chain parameters by any of their names", async () => {
		expect(await chain.prints("dev set-param energyFee=210")).toBe("energyFee is 210\n");
		expect(await chain.value("chain params getEnergyFee")).toMatchObject({ value: "210" });
		expect(await chain.prints("dev set-param getEnergyFee=100 --json")).toBe("true\n");
		expect(await chain.fails("dev set-param nothing=1", 1)).toMatchObject({ code: "rpc_error" });
	});

	it("seals blocks, at once or at an interval", async () => {
		expect(await chain.prints("dev sealing")).toBe("instant\n");
		expect(await chain.prints("dev sealing manual")).toBe("manual\n");
		await chain.coin("wallet send --to bob --amount 1coin");
		const block = (await chain.value("dev mine --blocks 3 --interval 3s")) as Record<string, string>;
		expect(await chain.value(`block show ${block["number"]}`)).toMatchObject({ blockID: block["blockID"] });
		expect(await chain.prints("dev sealing instant")).toBe("instant\n");
		expect(await chain.fails("dev sealing often", 2)).toMatchObject({ code: "bad_value" });
	});

	it("moves the clock, past a maintenance too", async () => {
		const before = await chain.prints("chain maintenance");
		const { timestamp } = (await chain.value("dev time")) as { timestamp: string };
		expect(await chain.value("dev time --add 7h")).toMatchObject({ timestamp });
		await chain.prints("dev mine");
		expect(await chain.prints("chain maintenance")).not.toBe(before);
		const at = Number(timestamp) + 2 * 86_400_000;
		await chain.prints(`dev time --next @${at}`);
		expect(await chain.value("dev mine")).toMatchObject({ timestamp: String(at) });
		expect(await chain.fails("dev time --set 5", 2)).toMatchObject({ code: "bad_value" });
	});

	it("lets an account act without a signature, and not any more", async () => {
		expect(await chain.prints("dev impersonate bob")).toBe("bob acts without a signature\n");
		const built = await chain.coin("wallet send --from bob --to ann --amount 1coin --build");
		expect((await chain.coin("wallet broadcast --force --wait", built.stdout)).code).toBe(0);
		expect(await chain.prints("dev impersonate bob --stop")).toBe("bob needs its signature again\n");
		const again = await chain.coin("wallet send --from bob --to ann --amount 2coin --build");
		expect((await chain.coin("wallet broadcast --force", again.stdout)).code).toBe(1);
	});

	it("lets the wallet act for a freed account whose key isn't there, and says so", async () => {
		const stranger = toBase58Check(fromHex(`41${"77".repeat(20)}`));
		await chain.prints(`dev set-balance ${stranger} 5coin`);
		const pay = ["wallet", "send", "--from", stranger, "--to", "ann", "--amount", "1coin"];
		expect(await chain.fails(pay, 1)).toMatchObject({ code: "wallet_not_found", sent: false });
		await chain.prints(`dev impersonate ${stranger}`);
		expect(await chain.acts(pay)).toMatchObject({ from: stranger, unsigned: true });
		const built = await chain.coin([...pay, "--build"]);
		expect((await chain.coin("wallet broadcast --wait", built.stdout)).code).toBe(0);
		await chain.prints(`dev impersonate ${stranger} --stop`);
		expect(await chain.fails(pay, 1)).toMatchObject({ code: "wallet_not_found" });
	});

	it("brings the whole chain back from a dump, through a pipe", async () => {
		await set("7");
		const dump = await chain.prints("dev dump");
		await chain.prints("dev reset");
		expect(await chain.fails(["contract", "call", store, "value"], 1)).toMatchObject({ code: "not_found" });
		expect((await chain.coin("dev load -", dump)).stdout).toContain("the dumped state is the chain's");
		expect(await stored()).toBe("7\n");
		await set("9");
		const file = chain.home.write("dump", dump);
		expect(await chain.prints(`dev load ${file}`)).toContain("the dumped state is the chain's");
		expect(await stored()).toBe("7\n");
		const nonsense = chain.home.write("nonsense", "no gzip");
		expect(await chain.fails(`dev load ${nonsense}`, 1)).toMatchObject({
			message: expect.stringContaining("the dump can't be read"),
		});
	});

	it("traces a transaction, and a call", async () => {
		const steps = (await chain.values(`dev trace ${await set("8")}`)) as { cost: string; op: string }[];
		expect(steps.map(({ op }) => op)).toContain("SSTORE");
		const { stderr } = await chain.coin(`dev trace --call ${store} value --stack`);
		expect(stderr).toBe(`called by the active account, ${addressOf("ann")}\n`);
		const call = (await chain.values(`dev trace --call ${store} value --stack --quiet`)) as { op: string }[];
		expect(call.at(-1)).toMatchObject({ op: "RETURN", stack: expect.any(Array) });
		const line = [
			"dev",
			"trace",
			"--call",
			store,
			"set(uint256,string)",
			"7",
			"x",
			"--stack",
			"--json",
			"--quiet",
		];
		const asked = (await chain.prints(line)).trim().split("\n");
		const told = asked.map((text) => JSON.parse(text) as { op: string; stack: string[] });
		// The active wallet asks.
		const sender = told[told.findIndex(({ op }) => op === "CALLER") + 1]?.stack.at(-1);
		expect(toBase58Check(fromHex(`41${sender?.slice(-40)}`))).toBe(addressOf("ann"));
		expect(await chain.fails(`dev trace ${"00".repeat(32)}`, 1)).toMatchObject({
			message: expect.stringContaining("is not in a block"),
		});
	});

	it("lists its accounts", async () => {
		const accounts = (await chain.values("dev accounts")) as { address: string }[];
		expect(accounts).toHaveLength(10);
		expect(accounts[0]).toMatchObject({ address: addressOf("ann"), balance: expect.stringMatching(/^\d+$/) });
	});

	it("changes the chain of the active profile, and says which one", async () => {
		const { genesis } = (await chain.value("dev info")) as { genesis: string };
		const { stderr } = await chain.coin("dev mine");
		const { host } = new URL(chain.gateway);
		expect(stderr).toBe(`on the chain ${genesis.slice(-8)} at ${host}\n`);
		expect((await chain.coin("dev mine --quiet")).stderr).toBe("");
		await chain.prints(`profile set other gateway=${chain.gateway} genesis=00000000`);
		const head = await chain.prints("chain head");
		expect(await chain.fails("dev mine --profile other", 1)).toMatchObject({ code: "wrong_network" });
		expect(await chain.prints("chain head")).toBe(head);
	});

	it("says so where there is no development chain", async () => {
		const error = { code: -32601, message: "method not found" };
		const network = createServer((_, answer) => answer.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error })));
		await new Promise((resolve) => network.listen(0, "127.0.0.1", () => resolve(undefined)));
		const { port } = network.address() as AddressInfo;
		expect(await chain.fails(`dev mine --node http://127.0.0.1:${port}`, 1)).toMatchObject({
			code: "not_served",
			message: expect.stringContaining("no development chain"),
		});
		network.close();
	});

	it("works at the JSON-RPC listener as at the gateway", async () => {
		expect(await chain.prints("dev mine --profile here")).toMatch(/^number +\d+/);
	});
});
