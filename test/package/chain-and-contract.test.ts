/** A development chain and a contract in a program: what `coin/node` and `coin/wallet` give tests. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningDevelopmentChain, startDevelopmentChain } from "../../src/library/node.js";
import { fromHex, parseAddress } from "../../src/library/protocol.js";
import {
	callConstant,
	callInWords,
	callPlan,
	deploymentPlan,
	type Failure,
	interfaceOf,
	outputView,
	Wallet,
} from "../../src/library/wallet.js";
import { addressOf, DevelopmentChain } from "../commands/development-chain.js";

const artifact = JSON.parse(
	readFileSync(new URL("../commands/contracts/Store.json", import.meta.url), "utf8"),
);

let chain: RunningDevelopmentChain;
let wallet: Wallet;
beforeAll(async () => {
	chain = await startDevelopmentChain({ accounts: 2 });
	wallet = new Wallet({ node: chain.url, privateKey: chain.accounts[0]?.privateKey ?? "" });
});
afterAll(() => chain.stop());

test("a contract is deployed, called and read, and says why it refuses", async () => {
	const items = interfaceOf(artifact.abi);
	const code = fromHex(`0x${String(artifact.bytecode).replace(/^0x/, "")}`);
	const actor = await wallet.actor();
	const plan = await deploymentPlan(actor, { code, abi: artifact.abi, arguments: ["42"], name: "Store" });
	const made = await (await wallet.perform(plan)).wait();
	const contract = parseAddress(String(made["contractAddress"])) as Uint8Array;

	const set = await callInWords(actor, contract, items, ["set", "7", "seven"]);
	const done = await (await wallet.perform(await callPlan(actor, set, { valueSun: 5n }))).wait();
	expect(done["logs"]).toMatchObject([
		{ event: "Changed", args: { by: wallet.address, value: 7n, note: "seven" } },
	]);

	const value = await callInWords(actor, contract, items, ["value"]);
	const { data } = await callConstant(wallet.client, { owner: actor.owner, contract, data: value.data });
	expect(await outputView(value.item, data)).toBe(7n);

	const refused = await callInWords(actor, contract, items, ["set", "5000", "much"]);
	const failure = await callPlan(actor, refused).catch((error: Failure) => error);
	expect(failure).toMatchObject({ code: "contract_revert" });
	expect((failure as Failure).message).toContain("TooLarge(5000, 1000)");
});

test("snapshots, blocks, the clock and accounts that act unsigned", async () => {
	const before = await wallet.balanceSun();
	const id = await chain.snapshot();
	const [, other] = chain.accounts;
	await (await wallet.transfer({ to: other?.address ?? "", amount: "1coin" })).wait();
	expect(await wallet.balanceSun()).toBeLessThan(before);
	await chain.revert(id);
	expect(await wallet.balanceSun()).toBe(before);
	await expect(chain.revert(id)).rejects.toMatchObject({ code: "rpc_error" });

	const first = await chain.mine();
	await chain.increaseTime(3_600_000);
	const last = await chain.mine({ blocks: 2 });
	expect(last.number).toBe(first.number + 2n);
	expect(last.timestampMs - first.timestampMs).toBeGreaterThanOrEqual(3_600_000n);

	const unlocked = async () => ((await chain.request("dev_info")) as { unlocked: string[] }).unlocked;
	const none = await unlocked();
	await chain.impersonate(other?.address ?? "");
	expect(await unlocked()).toHaveLength(none.length + 1);
	await chain.stopImpersonating(other?.address ?? "");
	expect(await unlocked()).toEqual(none);
});

test("a chain begins with the state of another one", async () => {
	const { data } = (await chain.request("dev_dumpState")) as { data: string };
	const second = await startDevelopmentChain({ accounts: 2, initialState: Buffer.from(data, "base64") });
	try {
		const same = new Wallet({ node: second.url, privateKey: chain.accounts[0]?.privateKey ?? "" });
		// It has deployed a contract there, and paid for that.
		expect(await same.balanceSun()).toBe(await wallet.balanceSun());
	} finally {
		await second.stop();
	}
});

test("a chain begins with the state of a node in another process", async () => {
	const source = await DevelopmentChain.start();
	// A fork asks its source on a thread, which the built program has.
	const built = (await import(pathToFileURL(resolve("dist/library/node.js")).href)) as {
		startDevelopmentChain: typeof startDevelopmentChain;
	};
	try {
		const both = { forkUrl: source.gateway, initialState: new Uint8Array(1) };
		await expect(built.startDevelopmentChain(both)).rejects.toMatchObject({ code: "usage" });
		const fork = await built.startDevelopmentChain({ accounts: 1, forkUrl: source.gateway });
		const there = new Wallet({ node: fork.url, privateKey: "11".repeat(32) });
		expect(await there.balanceSun(addressOf("ann"))).toBe(10_000_000_000n);
		await fork.stop();
	} finally {
		await source.stop();
	}
});
