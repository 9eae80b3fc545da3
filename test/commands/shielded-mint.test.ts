/** A payment into notes by the built program, with a real proof and parameters that it makes; spends: shielded-proofs.long.test.ts. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { DEVELOPMENT_OUTPUT_KEY } from "../../src/node/shielded/development-proofs.js";
import { DevelopmentChain } from "./development-chain.js";
import { madeKey, payIntoNotes, plainKey } from "./notes.js";

let chain: DevelopmentChain;
beforeAll(async () => {
	chain = await DevelopmentChain.start(["--parameter", "allowShieldedTransaction=1"]);
});
afterAll(() => chain.stop());

it("pays from a public balance into notes", () => payIntoNotes(chain));

it("has made the parameters whose key of outputs is shipped", () => {
	expect(madeKey(chain, "output", 5)).toEqual(plainKey(DEVELOPMENT_OUTPUT_KEY));
});
