/** The walk of the README through notes, by the built program and with real proofs, on a chain that it starts itself. */

import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DevelopmentChain } from "./development-chain.js";

/** A spend takes seconds on a quiet machine, minutes on a busy one; the first also makes its parameters. */
const PATIENCE_MS = 900_000;

let chain: DevelopmentChain;
beforeAll(async () => {
	chain = await DevelopmentChain.start(["--parameter", "allowShieldedTransaction=1"]);
	// The parameters of development chains are made once a machine.
	const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
	chain.environment = { ...chain.environment, XDG_CACHE_HOME: cache };
});
afterAll(() => chain.stop());

const balance = async (key: string): Promise<unknown> => await chain.value(`shielded balance --key ${key}`);

it(
	"pays from a public balance into notes, between notes, and back",
	async () => {
		await chain.acts(
			"token issue --name Veil --supply 1000000 --decimals 6 --price 1coin/1 --start 1h --end 2h --url http://localhost --yes",
		);
		for (const name of ["vera", "sam"]) await chain.prints(`shielded new ${name} --light`);
		await chain.acts("shielded send vera 100 --mint --memo hello --decimals 6 --quiet");
		expect(await chain.values("shielded notes --key vera")).toMatchObject([
			{ amount: "100000000", state: "unspent", memo: "hello" },
		]);
		const sent = await chain.acts("shielded send sam 30 --key vera --memo rent --trust-node --quiet");
		expect(sent).toMatchObject({ from: "notes", kind: "transfer", amount: "30000000", change: "69900000" });
		expect(await balance("vera")).toBe("69900000");
		await chain.acts("shielded send bob 10 --key sam --trust-node --quiet");
		expect(await balance("sam")).toBe("19900000");
		expect(await chain.value("token balance 1000001 bob")).toBe("10000000");
	},
	PATIENCE_MS,
);
