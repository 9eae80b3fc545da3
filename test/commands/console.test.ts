/** `coin console` as a script: the same names and the same steps as at its prompt. */

import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf, DevelopmentChain } from "./development-chain.js";

const artifact = fileURLToPath(new URL("contracts/Store.json", import.meta.url));

let chain: DevelopmentChain;
beforeAll(async () => {
	chain = await DevelopmentChain.start();
	const { contractAddress } = await chain.acts(["contract", "deploy", "--artifact", artifact, "42"]);
	await chain.prints(["contact", "add", "store", String(contractAddress)]);
});
afterAll(() => chain.stop());

/** What a script prints. */
async function runs(words: string, script: string): Promise<string> {
	const { code, stdout, stderr } = await chain.coin(words, script);
	expect({ script, code, notes: stderr.replace(/^sent [0-9a-f]{64}\n/gm, "") }).toEqual({
		script,
		code: 0,
		notes: "",
	});
	return stdout;
}

describe("coin console", () => {
	it("has accounts and contracts by their labels", async () => {
		const script =
			'balance("bob")\nbob.address\nstore.value()\nstore.div(7, b = 2)\naccounts.carol.balance()\n';
		expect(await runs("console", script)).toBe(`10000coin\n${addressOf("bob")}\n42n\n3n\n10000coin\n`);
	});

	it("reckons with balances and with numbers beyond JavaScript's", async () => {
		const script = 'await balance("bob") - 1coin\nstore.div(5e18, 1e18)\nString(await bob.balance())\n';
		expect(await runs("console", script)).toBe("9999000000n\n5n\n10000coin\n");
	});

	it("signs and sends as the commands do, and waits for the block", async () => {
		const script = [
			"const r = await send(bob, 5coin, { from: carol, memo: 'rent' })",
			"r.state + ' ' + r.amount + ' ' + (await tx(r.txID)).memo",
			"(await store.set(7, 'x', { value: 3sun })).result",
			"store.value()",
			"use('carol')",
			"balance",
		].join("\n");
		const lines = (await runs("console --yes", script)).trim().split("\n");
		expect(lines).toEqual([
			expect.stringMatching(/^(solid|included) 5000000 72656e74$/),
			"SUCCESS",
			"7n",
			addressOf("carol"),
			expect.stringMatching(/^999[34](\.\d+)?coin$/),
		]);
	});

	it("refuses to pay contracts, as the commands do", async () => {
		const { code, stderr } = await chain.coin("console --yes", "await send(store, 1coin)\n");
		expect({ code, stderr }).toEqual({
			code: 2,
			stderr: expect.stringContaining("the recipient is a contract"),
		});
		await runs("console --yes", "await send(store, 1coin, { force: true })\n");
	});

	it("sends nothing that would fail, and says what was sent before", async () => {
		const script = "await send(bob, 1coin)\nstore.set(1)\n";
		const { code, stdout, stderr } = await chain.coin("console", script);
		expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringContaining("TransferContract") });
		expect(stderr).toContain("2 are needed: uint256 next, string note; one transaction was sent before");
	});
});
