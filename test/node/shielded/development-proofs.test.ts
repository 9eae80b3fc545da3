import { expect, test } from "vitest";
import { developmentProofs } from "../../../src/node/shielded/development-proofs.js";
import { compiledGroth16 } from "../../../src/node/shielded/groth16-compiled.js";
import { holdsTransfer } from "../../../src/node/shielded/proofs.js";
import { emptyNoteRoot } from "../../../src/protocol/sapling/note-tree.js";

test("a development chain's proofs are checked at once, and by the faster library as soon as it is there", async () => {
	const asked: string[] = [];
	let arrived: () => void = () => {};
	const arrival = new Promise<void>((resolve) => {
		arrived = resolve;
	});
	const proofs = developmentProofs(async () => {
		asked.push("compiled");
		const library = await compiledGroth16();
		arrived();
		return library;
	});
	expect(asked).toEqual([]);
	const question = [[], [], 0n, new Uint8Array(64).fill(255), new Uint8Array(32)] as const;
	expect(holdsTransfer(proofs, ...question)).toBe(false);
	const root = emptyNoteRoot(3);
	expect(proofs.merkleHash(3, root, root)).toEqual(emptyNoteRoot(4));
	expect(asked).toEqual(["compiled"]);
	await arrival;
	await Promise.resolve();
	expect(holdsTransfer(proofs, ...question)).toBe(false);
	expect(asked).toEqual(["compiled"]);
});
