/** That no byte of a proof is free; every third is tried, or every thirteenth where a signature takes longest. */

import { expect, it } from "vitest";
import { installRecoverEngine } from "../../../src/node/signatures/engine.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { makeProof, proofHeader } from "../../../src/protocol/inclusion/make.js";
import { writeProof } from "../../../src/protocol/inclusion/proof.js";
import { headerSigner, verifyInclusion } from "../../../src/protocol/inclusion/verify.js";
import { InclusionError, type WitnessSet } from "../../../src/protocol/inclusion/witness-set.js";
import { loadPostQuantum } from "../../../src/protocol/post-quantum/algorithms.js";
import { FN_DSA_512, ML_DSA_44, type PostQuantumScheme } from "../../../src/protocol/post-quantum/schemes.js";
import { openRecordings } from "../../../tools/replay/recording.js";
import { type InclusionFacts, inclusionFacts, setOf, textOf } from "./real-proof.js";

/**
 * Changes, drops and adds bytes of a good proof, one at a time.
 * @param stride every so many bytes one is changed
 * @returns those that were taken all the same
 */
async function takenChanges(text: string, trusted: WitnessSet, stride = 1): Promise<string[]> {
	installRecoverEngine();
	const bytes = Buffer.from(text);
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
	for (let at = 0; at < bytes.length; at += stride) {
		const old = bytes[at] as number;
		// Every byte becomes a neighbour, which is another digit most often; some the other case, or no ASCII at all.
		for (const value of at % 8 === 0 ? [old ^ 1, old ^ 0x20, old ^ 0x80] : [old ^ 1]) {
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
	return taken;
}

it("a proof of the main network is refused with a byte changed, left out or added", async () => {
	const payment = inclusionFacts[2] as InclusionFacts;
	expect(await takenChanges(textOf(payment), setOf(payment), 3)).toEqual([]);
});

/** Signatures are long, and each takes milliseconds: a prime number of bytes apart every kind of place comes up. */
it.each<[PostQuantumScheme, number]>([
	[FN_DSA_512, 3],
	[ML_DSA_44, 13],
])("so is one with a header signed by $0.name", async ({ id }, stride) => {
	await loadPostQuantum();
	const [recording] = openRecordings("test/golden/pq-blocks/pq-blocks.conf");
	const blocks = [...(recording?.lines() ?? [])].flatMap(([, line]) =>
		line.t === "block" ? [SignedBlock.decode(fromHex(line.block))] : [],
	);
	const isWanted = ({ postQuantum, transactions }: SignedBlock): boolean =>
		postQuantum?.scheme === id && transactions.length > 0;
	const block = blocks.find(isWanted) as SignedBlock;
	const header = proofHeader(block.header);
	const signed = { header, address: block.witness, key: headerSigner(header, block.rawHash, block.number) };
	const transactions = block.transactions.map(({ bytes }) => bytes);
	const text = writeProof(makeProof(transactions, 0, [signed]));
	expect(await takenChanges(text, { witnesses: [signed] }, stride)).toEqual([]);
});
