/** That no byte of a proof is free. */

import { expect, it } from "vitest";
import { installRecoverEngine } from "../../../src/node/signatures/engine.js";
import { InclusionError } from "../../../src/protocol/inclusion/inclusion-error.js";
import { verifyInclusion } from "../../../src/protocol/inclusion/verify.js";
import { type InclusionFacts, inclusionFacts, setOf, textOf } from "./real-proof.js";

it("a proof of the main network is refused with any byte changed, left out or added", async () => {
	installRecoverEngine();
	const payment = inclusionFacts[2] as InclusionFacts;
	const trusted = setOf(payment);
	const bytes = Buffer.from(textOf(payment));
	await verifyInclusion(bytes, trusted);
	const taken: string[] = [];
	const attempt = async (what: string, changed: Uint8Array): Promise<void> => {
		try {
			await verifyInclusion(changed, trusted);
			taken.push(what);
		} catch (error) {
			if (!(error instanceof InclusionError)) throw error;
		}
	};
	for (let at = 0; at < bytes.length; at++) {
		const old = bytes[at] as number;
		// A neighbour, which is another digit most often; the other case; a bit that no ASCII has.
		for (const value of [old ^ 1, old ^ 0x20, old ^ 0x80]) {
			bytes[at] = value;
			await attempt(`${at}: ${value}`, bytes);
		}
		bytes[at] = old;
	}
	for (const at of [0, 1, bytes.length >> 1, bytes.length - 1]) {
		const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
		await attempt(`without ${at}`, Buffer.concat([before, after.subarray(1)]));
		for (const more of [" ", "\n", "\t", "0", "00"])
			await attempt(`${more} at ${at}`, Buffer.concat([before, Buffer.from(more), after]));
	}
	await attempt("one more line", Buffer.concat([bytes, Buffer.from("\n")]));
	expect(taken).toEqual([]);
});
