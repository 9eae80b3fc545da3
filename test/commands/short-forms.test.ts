/** Short forms of commands, and recipients and amounts without flags. */

import { describe, expect } from "vitest";
import { errorRecord } from "./coin-process.js";
import { ADDRESSES, BASE58, it, RECIPIENT } from "./wallet-fixture.js";

describe.concurrent("short forms", () => {
	it("pays with a recipient and an amount alone", async ({ wallet }) => {
		const paid = await wallet.coin(["send", RECIPIENT, "25coin", "--build"]);
		expect(paid).toMatchObject({ code: 0, stderr: "" });
		expect(JSON.parse(paid.stdout)).toMatchObject({
			raw_data: { contract: [{ parameter: { value: { amount: 25_000_000, to_address: RECIPIENT } } }] },
		});
		const mixed = await wallet.coin(["wallet", "send", RECIPIENT, "--amount", "3coin", "--build"]);
		expect(mixed).toMatchObject({ code: 0, stderr: "" });
		expect(JSON.parse(mixed.stdout)).toMatchObject({
			raw_data: { contract: [{ parameter: { value: { amount: 3_000_000 } } }] },
		});
	});

	it.for([
		[["send", RECIPIENT, "25coin", "--amount", "26coin"], "conflicting_flags"],
		[["send", RECIPIENT, "25coin", "--to", RECIPIENT], "conflicting_flags"],
		[["send", RECIPIENT, "--batch", "pay.csv"], "conflicting_flags"],
		[["send", RECIPIENT], "usage"],
		[["send"], "usage"],
	] as const)("refuses %j", async ([words, code], { wallet }) => {
		const outcome = await wallet.coin([...words]);
		expect(outcome).toMatchObject({ code: 2, stdout: "" });
		expect(errorRecord(outcome)).toMatchObject({ code, sent: false });
		expect(wallet.node.received).toEqual([]);
	});

	it("answers a balance, an account and the list of keys", async ({ wallet }) => {
		wallet.node.fund(ADDRESSES.ann, 12_500_000n);
		expect((await wallet.coin(["balance", "ann"])).stdout).toBe("12.5coin\n");
		expect(JSON.parse((await wallet.coin(["account", "ann", "--json"])).stdout)).toMatchObject({
			address: BASE58.ann,
		});
		expect((await wallet.coin(["wallet", "list", "--addresses"])).stdout).toBe(`${BASE58.ann}\n`);
		expect((await wallet.coin(["version"])).stdout).toMatch(/^coin\/\d/);
	});
});
