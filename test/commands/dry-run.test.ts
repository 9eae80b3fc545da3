/** What a dry run tells where the node simulates. */

import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorRecord } from "./coin-process.js";
import { addressOf, DevelopmentChain } from "./development-chain.js";

const artifact = fileURLToPath(new URL("contracts/Store.json", import.meta.url));

let chain: DevelopmentChain;
let store: string;
beforeAll(async () => {
	chain = await DevelopmentChain.start();
	store = String((await chain.acts(["contract", "deploy", "--artifact", artifact, "42"]))["contractAddress"]);
});
afterAll(() => chain.stop());

interface Plan {
	readonly txID: string;
	readonly sent: boolean;
	readonly simulation: Readonly<Record<string, unknown>>;
}

async function plan(...words: string[]): Promise<Plan> {
	const { stdout } = await chain.coin([...words, "--dry-run", "--json"]);
	return JSON.parse(stdout) as Plan;
}

const pay = (amount: string): string[] => ["wallet", "send", "--to", addressOf("bob"), "--amount", amount];

describe("--dry-run", () => {
	it("tells what would move and change, and sends nothing", async () => {
		const before = await chain.value("account balance bob");
		const { simulation, sent } = await plan(...pay("25coin"));
		expect(sent).toBe(false);
		expect(simulation).toMatchObject({
			status: "success",
			energy: "0",
			feeSun: "0",
			movements: [{ asset: "coin", from: addressOf("ann"), to: addressOf("bob"), amount: "25000000" }],
			changes: expect.arrayContaining([
				expect.objectContaining({ address: addressOf("bob"), balance: expect.any(Object) }),
			]),
		});
		expect(await chain.value("account balance bob")).toBe(before);
	});

	it("tells energy and fee of a call as its receipt does afterwards", async () => {
		const words = ["contract", "send", store, "set(uint256,string)", "7", "seven", "--value", "5sun"];
		const { simulation } = await plan(...words);
		expect(simulation).toMatchObject({
			status: "success",
			movements: [{ asset: "coin", to: store, amount: "5" }],
		});
		const sent = await chain.acts(words);
		expect({ energy: simulation["energy"], fee: simulation["feeSun"] }).toEqual({
			energy: sent["energy"],
			fee: sent["fee"],
		});
	});

	it("is for people, too", async () => {
		const { stdout } = await chain.coin([
			"stake",
			"freeze",
			"3coin",
			"--for",
			"energy",
			"--dry-run",
			"--text",
		]);
		expect(stdout).toContain("  outcome     success, fee 0coin\n");
		expect(stdout).toContain(`  moves       3coin from ${addressOf("ann")} (ann)\n`);
		expect(stdout).toMatch(/ {2}changes {5}\S+ \(ann\): .*balance -3coin.*stake for energy \+3coin/);
		expect(stdout).toContain("not signed, not sent (--dry-run)\n");
	});

	it("says that tokens go to a contract, alone and in a list, which asks for no agreement without a terminal", async () => {
		// Answers 6 to whatever is asked: decimals, balances, transfers.
		const code = "0x600a600c600039600a6000f3600660005260206000f3";
		const deployed = await chain.acts(["contract", "deploy", "--bin", code, "--name", "Token"]);
		const token = String(deployed["contractAddress"]);
		const words = ["wallet", "send", store, "5raw", "--token", token];
		const doubt = `goes to the contract ${store}: `;
		const warnings = [{ code: "look_twice", message: expect.stringContaining(doubt) }];
		expect(await plan(...words)).toMatchObject({ warnings });
		const { stdout } = await chain.coin([...words, "--dry-run", "--text"]);
		expect(stdout).toContain(`  look twice  goes to the contract ${store}`);
		expect(await plan("wallet", "send", addressOf("bob"), "5raw", "--token", token)).not.toHaveProperty(
			"warnings",
		);
		const list = chain.home.write("tokens.csv", `to,amount,token\n${store},5raw,${token}\n`);
		const batch = await chain.coin(["send", "--batch", list, "--dry-run", "--text"]);
		expect(batch.stdout).toContain(`  contracts   ${store}`);
		expect(batch.stdout).toContain(`  look twice  line 2 ${doubt}`);
		expect(await chain.acts(words)).toMatchObject({ warnings });
	});

	it("fails as the transaction would, with the plan printed", async () => {
		const words = ["contract", "send", store, "set(uint256,string)", "13", "no", "--fee-limit", "100coin"];
		const outcome = await chain.coin([...words, "--dry-run", "--json"]);
		expect(outcome.code).toBe(1);
		expect(JSON.parse(outcome.stdout)).toMatchObject({
			sent: false,
			simulation: { status: "failed", error: { code: "REVERT", reason: "no thirteen" } },
		});
		expect(errorRecord(outcome)).toMatchObject({
			code: "contract_revert",
			message: "the transaction would fail: no thirteen",
		});
	});

	it("tells an error of the contract's own as its interface has it", async () => {
		const words = ["contract", "send", store, "set(uint256,string)", "2000", "no", "--fee-limit", "100coin"];
		const outcome = await chain.coin([...words, "--dry-run", "--json"]);
		expect(JSON.parse(outcome.stdout)).toMatchObject({
			simulation: { status: "failed", error: { reason: "TooLarge(2000, 1000)" } },
		});
		expect(errorRecord(outcome)).toMatchObject({
			message: "the transaction would fail: TooLarge(2000, 1000)",
		});
	});
});
