/** Building on a machine without network, with a reference that another machine fetched. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { errorRecord } from "./coin-process.js";
import { it, RECIPIENT, type Wallet } from "./wallet-fixture.js";

async function fetched(wallet: Wallet): Promise<{ text: string; record: Record<string, string> }> {
	const { code, stdout, stderr } = await wallet.coin(["chain", "head", "--ref", "--expires", "6h"]);
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	return { text: stdout, record: JSON.parse(stdout) as Record<string, string> };
}

describe.concurrent("coin chain head --ref", () => {
	it("lets a transaction be built and signed without a node, which takes it", async ({ wallet }) => {
		const { text, record } = await fetched(wallet);
		writeFileSync(join(wallet.home.path, "ref.json"), text);
		const words = [
			"send",
			RECIPIENT,
			"25coin",
			"--from",
			"ann",
			"--ref",
			"ref.json",
			"--sign",
			...wallet.password(),
		];
		const signed = await wallet.home.run(words, "", { COIN_NODE: "http://127.0.0.1:1" });
		expect(signed).toMatchObject({ code: 0, stderr: "" });
		expect(JSON.parse(signed.stdout)).toMatchObject({
			raw_data: {
				ref_block_bytes: record["refBlockBytes"],
				ref_block_hash: record["refBlockHash"],
				expiration: Number(record["expiration"]),
			},
			coin: { chain: record["chain"] },
			signature: [expect.stringMatching(/^[0-9a-f]{130}$/)],
		});
		const sent = await wallet.coin(["wallet", "broadcast"], signed.stdout);
		expect(sent).toMatchObject({ code: 0 });
		expect(wallet.node.received).toHaveLength(1);
	});

	it("comes through a pipe too", async ({ wallet }) => {
		const { text } = await fetched(wallet);
		const built = await wallet.home.run(["send", RECIPIENT, "1coin", "--ref", "-", "--build"], text);
		expect(built).toMatchObject({ code: 0, stderr: "" });
	});

	it.for([
		[["--ref", "-"], "conflicting_flags"],
		[["--ref", "-", "--build", "--ref-block", "head"], "usage"],
		[["--ref", "missing.json", "--build"], "bad_value"],
		[["--ref", "-", "--build", "--expires", "5m"], "usage"],
	] as const)("refuses %j", async ([flags, code], { wallet }) => {
		const { text } = await fetched(wallet);
		const outcome = await wallet.home.run(["send", RECIPIENT, "1coin", ...flags], text);
		expect(outcome).toMatchObject({ code: 2, stdout: "" });
		expect(errorRecord(outcome)).toMatchObject({ code });
	});

	it("refuses a life that the network wouldn't accept", async ({ wallet }) => {
		const outcome = await wallet.coin(["chain", "head", "--ref", "--expires", "25h", "--json"]);
		expect(errorRecord(outcome)).toMatchObject({ code: "bad_value" });
	});
});
