/** The first steps through notes of the chain's own pool, which two walks with real proofs begin with. */

import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { readVerifyingKey, type VerifyingKey } from "../../src/node/shielded/verifying-key.js";
import { toHex } from "../../src/protocol/bytes.js";
import type { DevelopmentChain } from "./development-chain.js";

/** Issues the token of the pool, makes the keys vera and sam, and pays 100 to vera. */
export async function payIntoNotes(chain: DevelopmentChain): Promise<void> {
	await chain.acts(
		"token issue --name Veil --supply 1000000 --decimals 6 --price 1coin/1 --start 1h --end 2h --url http://localhost --yes",
	);
	for (const name of ["vera", "sam"]) await chain.prints(`shielded new ${name} --light`);
	await chain.acts("shielded send vera 100 --mint --memo hello --decimals 6 --quiet");
	expect(await chain.values("shielded notes --key vera")).toMatchObject([
		{ amount: "100000000", state: "unspent", memo: "hello" },
	]);
}

/** A key as text, whatever kind of bytes it has. */
export const plainKey = ({ alpha, beta, gamma, delta, inputs }: VerifyingKey): string[] =>
	[alpha, beta, gamma, delta, ...inputs].map(toHex);

/** The key of the parameters that a command has made. @param inputs number of the circuit's public inputs */
export function madeKey(chain: DevelopmentChain, circuit: "spend" | "output", inputs: number): string[] {
	const path = `${chain.home.path}/.cache/coin/development-parameters/sapling-${circuit}.params`;
	return plainKey(readVerifyingKey(readFileSync(path), inputs));
}
