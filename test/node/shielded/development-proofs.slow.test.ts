import { expect, test } from "vitest";
import { developmentVerifier } from "../../../src/node/shielded/development-proofs.js";
import { compiledGroth16 } from "../../../src/node/shielded/groth16-compiled.js";
import { emptyNoteRoot } from "../../../src/protocol/sapling/incremental-tree.js";
import { recordedCalls } from "./recorded-proofs.js";

/** Of the first recorded mint: it holds under other parameters. */
const MINT = recordedCalls[0]?.input ?? new Uint8Array(0);
const output = {
	noteCommitment: MINT.subarray(0, 32),
	valueCommitment: MINT.subarray(32, 64),
	ephemeralKey: MINT.subarray(64, 96),
	proof: MINT.subarray(96, 288),
};

test("a development chain's proofs are checked at once, and by the faster library as soon as it is there", async () => {
	const asked: string[] = [];
	let arrived: () => void = () => {};
	const arrival = new Promise<void>((resolve) => {
		arrived = resolve;
	});
	const proofs = developmentVerifier(async () => {
		asked.push("compiled");
		const library = await compiledGroth16();
		arrived();
		return library;
	});
	expect(asked).toEqual([]);
	const root = emptyNoteRoot(3);
	expect(proofs.merkleHash(3, root, root)).toEqual(emptyNoteRoot(4));
	expect(asked, "tree hashes need no library").toEqual([]);
	expect(proofs.holdsOutput(output)).toBe(false);
	expect(asked).toEqual(["compiled"]);
	await arrival;
	await Promise.resolve();
	expect(proofs.holdsOutput(output)).toBe(false);
	expect(asked).toEqual(["compiled"]);
});
