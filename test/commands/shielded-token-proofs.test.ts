/** The way of an ORC-20 amount through notes, by the built program and with real proofs: mint, then burn with change. */

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fromBase58Check } from "../../src/protocol/address.js";
import { EMPTY, toHex } from "../../src/protocol/bytes.js";
import { DevelopmentChain } from "./development-chain.js";

/** A spend takes seconds on a quiet machine, minutes on a busy one; the first also makes its parameters. */
const PATIENCE_MS = 900_000;
const SUPPLY = 1_000_000n;
const FACTOR = 100n;

const bytecode = JSON.parse(
	readFileSync(new URL("../wallet/shielded/contracts/Shielded.json", import.meta.url), "utf8"),
) as { readonly Plain: string; readonly Shielded: string };
const word = (value: bigint): string => value.toString(16).padStart(64, "0");

let chain: DevelopmentChain;
beforeAll(async () => {
	chain = await DevelopmentChain.start();
	// The parameters of development chains are made once a machine.
	const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
	chain.environment = { ...chain.environment, XDG_CACHE_HOME: cache };
});
afterAll(() => chain.stop());

async function deploy(code: string): Promise<string> {
	const path = chain.home.write("code", code);
	const made = await chain.acts(["contract", "deploy", "--bin", `@${path}`]);
	return String(made["contractAddress"]);
}

it(
	"mints and burns a token whose contract asks for proofs",
	async () => {
		const token = await deploy(bytecode.Plain + word(SUPPLY));
		const account = toHex(fromBase58Check(token) ?? EMPTY).slice(2);
		const shield = await deploy(bytecode.Shielded + account.padStart(64, "0") + word(FACTOR));
		const pool = `--contract ${shield}`;
		await chain.prints("shielded new vera --light");
		const balance = (key: string): Promise<unknown> => chain.value(`shielded balance --key ${key} ${pool}`);
		const tokens = (person: string): Promise<unknown> => chain.value(`token balance ${token} ${person}`);

		await chain.acts(`token allow ${token} ${shield} 5000raw`);
		const minted = await chain.acts(`shielded send vera 5000raw --mint ${pool} --memo hello --quiet`);
		expect(minted).toMatchObject({ kind: "mint", amount: "5000" });
		expect(await chain.values(`shielded notes --key vera ${pool}`)).toMatchObject([
			{ amount: "5000", state: "unspent", memo: "hello" },
		]);

		const burnt = await chain.acts(`shielded send bob 3000raw --key vera ${pool} --quiet`);
		expect(burnt).toMatchObject({ kind: "burn", amount: "3000", change: "2000" });
		expect(await balance("vera")).toBe("2000");
		expect(await tokens("bob")).toBe("3000");
		expect(await tokens(shield)).toBe("2000");
	},
	PATIENCE_MS,
);
