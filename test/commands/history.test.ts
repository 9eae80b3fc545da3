/** Histories by account on a development chain, which keeps an index. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf, DevelopmentChain } from "./development-chain.js";

type Json = Record<string, string>;

let chain: DevelopmentChain;
let first: string;
let token: string;

beforeAll(async () => {
	chain = await DevelopmentChain.start();
	first = String((await chain.acts("wallet send bob 5coin"))["txID"]);
	await chain.acts("wallet send carol 2.5coin");
	await chain.acts("wallet send ann 1coin --from bob");
	await chain.acts("stake freeze 10coin --for energy");
	const path = new URL("../clients/contracts/Coupon.json", import.meta.url).pathname;
	const deployed = await chain.acts([
		"contract",
		"deploy",
		"--artifact",
		path,
		"Coupon",
		"1000",
		"--fee-limit",
		"1000coin",
	]);
	token = String(deployed["contractAddress"]);
	await chain.acts(["contract", "send", token, "transfer", addressOf("bob"), "7", "--fee-limit", "100coin"]);
});
afterAll(() => chain.stop());

async function lines(line: string): Promise<Json[]> {
	const { code, stdout, stderr } = await chain.coin(`${line} --json`);
	expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: "" });
	return stdout
		.split("\n")
		.filter((text) => text !== "")
		.map((text) => JSON.parse(text) as Json);
}

describe("coin tx history", () => {
	it("lists transactions, the newest first, with signed amounts", async () => {
		const all = await lines("tx history ann");
		expect(all.map(({ type }) => type).slice(0, 6)).toEqual([
			"TriggerSmart",
			"CreateSmart",
			"FreezeBalanceV2",
			"Transfer",
			"Transfer",
			"Transfer",
		]);
		expect(all[5]).toMatchObject({
			txID: first,
			direction: "out",
			counterparty: addressOf("bob"),
			amount: "-5000000",
			fee: "0",
			result: "SUCCESS",
		});
		expect(all[3]).toMatchObject({ direction: "in", counterparty: addressOf("bob"), amount: "1000000" });
		expect(all[2]).toMatchObject({ amount: "-10000000" });
		expect((await lines("tx history ann --limit 2")).length).toBe(2);
		expect((await lines("tx history bob --direction out")).map(({ amount }) => amount)).toEqual(["-1000000"]);
		expect(await lines("tx history ann --until 2001-01-01T00:00:00Z --since @1")).toEqual([]);
	});

	it("writes CSV, amounts with their point", async () => {
		const { stdout } = await chain.coin("tx history bob --format csv --direction out");
		const [head, row, end] = stdout.split("\n");
		expect(head).toBe("time,block,txID,type,direction,counterparty,amount,fee,energy,bandwidth,result");
		expect(row).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z,\d+,[0-9a-f]{64},Transfer,out,T\w+,-1,0,0,\d+,SUCCESS$/);
		expect(end).toBe("");
	});

	it("tells what is wrong with a time, and what a node without an index lacks", async () => {
		const late = await chain.coin("tx history ann --since 1h");
		expect(late.stderr).toContain('"1h" is not a time');
		const swapped = await chain.coin("tx history ann --since @5 --until @4");
		expect(swapped.stderr).toContain("--since is later than --until");
	});
});

describe("coin account history", () => {
	it("counts balances back to what the account had at the beginning", async () => {
		const entries = await lines("account history bob");
		const sums = entries.map(({ amount = "0", fee = "0", balance = "0" }) => [amount, fee, balance]);
		const now = BigInt((await lines("account balance bob"))[0] as unknown as string);
		expect(BigInt(sums[0]?.[2] ?? 0)).toBe(now);
		for (const [at, [amount = "0", fee = "0", balance = "0"]] of sums.entries()) {
			const before = sums[at + 1]?.[2];
			if (before !== undefined) expect(BigInt(before)).toBe(BigInt(balance) - BigInt(amount) + BigInt(fee));
		}
	});

	it("has the fees of contracts in its sums, and warns of what it can't explain", async () => {
		const entries = await lines("account history ann --limit 3");
		expect(entries.some(({ fee }) => BigInt(fee ?? 0) > 0n)).toBe(true);
		expect(BigInt(entries[1]?.["balance"] ?? 0)).toBe(
			BigInt(entries[0]?.["balance"] ?? 0) -
				BigInt(entries[0]?.["amount"] ?? 0) +
				BigInt(entries[0]?.["fee"] ?? 0),
		);
	});

	it("says that what waits for a block is in the balance already", async () => {
		await chain.coin("dev sealing manual");
		expect((await chain.coin("wallet send ann 1coin --from bob")).code).toBe(0);
		const { stderr } = await chain.coin("account history bob --json");
		await chain.coin("dev mine");
		await chain.coin("dev sealing instant");
		expect(stderr).toContain("-1coin are not explained: transactions wait for a block (1 at this node)");
		expect((await chain.coin("account history bob --json")).stderr).toBe("");
	});

	it("does the same for a token", async () => {
		const [entry, ...rest] = await lines(`account history bob --token ${token}`);
		expect(rest).toEqual([]);
		expect(entry).toMatchObject({
			amount: "7",
			balance: "7",
			direction: "in",
			counterparty: addressOf("ann"),
			decimals: 6,
		});
		const { stdout } = await chain.coin(`account history ann --token ${token} --format csv`);
		expect(stdout.split("\n")[1]).toMatch(/,out,T\w+,-0\.000007,,0\.000993$/);
	});
});

describe("coin contract logs --history", () => {
	it("lists all events of a contract, the newest last", async () => {
		const events = await lines(`contract logs --address ${token} --event Transfer --history`);
		expect(events.map(({ event, args }) => [event, (args as unknown as Json)["value"]])).toEqual([
			["Transfer", "1000"],
			["Transfer", "7"],
		]);
		expect(events[0]).toMatchObject({ contract: token, txID: expect.stringMatching(/^[0-9a-f]{64}$/) });
		expect(await lines(`contract logs --address ${token} --history --limit 1`)).toEqual(events.slice(1));
		const { stdout } = await chain.coin(`contract logs --address ${token} --history --limit 1 --text`);
		expect(stdout).toContain(token);
	});
});
