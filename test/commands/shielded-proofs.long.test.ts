/**
 * The walk of the README through notes, by the built program and with real proofs, on a chain that it starts itself; then the way of
 * an ORC-20 amount: mint, and burn with change. Parameters are made on first use, in the home of the walk: those of spends
 * take most of a minute of a core, and so do the three spends.
 */

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DEVELOPMENT_SPEND_KEY } from "../../src/node/shielded/development-proofs.js";
import { fromBase58Check } from "../../src/protocol/address.js";
import { EMPTY, toHex } from "../../src/protocol/bytes.js";
import { DevelopmentChain } from "./development-chain.js";
import { madeKey, payIntoNotes, plainKey } from "./notes.js";

const SUPPLY = 1_000_000n;
const FACTOR = 100n;

const bytecode = JSON.parse(
	readFileSync(new URL("../wallet/shielded/contracts/Shielded.json", import.meta.url), "utf8"),
) as { readonly Plain: string; readonly Shielded: string };
const word = (value: bigint): string => value.toString(16).padStart(64, "0");

let chain: DevelopmentChain;
beforeAll(async () => {
	chain = await DevelopmentChain.start(["--parameter", "allowShieldedTransaction=1"]);
});
afterAll(() => chain.stop());

async function deploy(code: string): Promise<string> {
	const path = chain.home.write("code", code);
	const made = await chain.acts(["contract", "deploy", "--bin", `@${path}`]);
	return String(made["contractAddress"]);
}

const balance = (key: string): Promise<unknown> => chain.value(`shielded balance --key ${key}`);

it("pays from a public balance into notes", () => payIntoNotes(chain));

it("pays between notes", async () => {
	const sent = await chain.acts("shielded send sam 30 --key vera --memo rent --trust-node --quiet");
	expect(sent).toMatchObject({ from: "notes", kind: "transfer", amount: "30000000", change: "69900000" });
	expect(await balance("vera")).toBe("69900000");
});

it("pays from notes to a public balance, and to nobody only if that is agreed to", async () => {
	const toNobody = "shielded send T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb 10 --key sam --trust-node --quiet";
	expect(await chain.fails(toNobody, 2)).toMatchObject({ code: "confirmation_needed", sent: false });
	await chain.acts("shielded send bob 10 --key sam --trust-node --quiet");
	expect(await balance("sam")).toBe("19900000");
	expect(await chain.value("token balance 1000001 bob")).toBe("10000000");
});

it("mints and burns a token whose contract asks for proofs", async () => {
	const token = await deploy(bytecode.Plain + word(SUPPLY));
	const account = toHex(fromBase58Check(token) ?? EMPTY).slice(2);
	const shield = await deploy(bytecode.Shielded + account.padStart(64, "0") + word(FACTOR));
	const pool = `--contract ${shield}`;
	await chain.prints("shielded new tess --light");
	const held = (key: string): Promise<unknown> => chain.value(`shielded balance --key ${key} ${pool}`);
	const tokens = (person: string): Promise<unknown> => chain.value(`token balance ${token} ${person}`);

	await chain.acts(`token allow ${token} ${shield} 5000raw`);
	const minted = await chain.acts(`shielded send tess 5000raw --mint ${pool} --memo hello --quiet`);
	expect(minted).toMatchObject({ kind: "mint", amount: "5000" });
	expect(await chain.values(`shielded notes --key tess ${pool}`)).toMatchObject([
		{ amount: "5000", state: "unspent", memo: "hello" },
	]);

	const burnt = await chain.acts(`shielded send bob 3000raw --key tess ${pool} --quiet`);
	expect(burnt).toMatchObject({ kind: "burn", amount: "3000", change: "2000" });
	expect(await held("tess")).toBe("2000");
	expect(await tokens("bob")).toBe("3000");
	expect(await tokens(shield)).toBe("2000");
});

it("has made the parameters whose key of spends is shipped", () => {
	expect(madeKey(chain, "spend", 7)).toEqual(plainKey(DEVELOPMENT_SPEND_KEY));
});
