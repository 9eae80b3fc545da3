/** Proofs made of whole blocks, with the signatures that each network has. */

import { describe, expect, it } from "vitest";
import { SignedBlock } from "../../../src/protocol/block.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { makeProof, proofHeader } from "../../../src/protocol/inclusion/make.js";
import { type InclusionProof, readProof, writeProof } from "../../../src/protocol/inclusion/proof.js";
import { headerSigner, verifyInclusion } from "../../../src/protocol/inclusion/verify.js";
import { InclusionError } from "../../../src/protocol/inclusion/witness-set.js";
import { loadPostQuantum } from "../../../src/protocol/post-quantum/algorithms.js";
import { openRecordings } from "../../../tools/replay/recording.js";
import { facts } from "../../real/facts.js";

async function proofOf(blocks: readonly SignedBlock[], index: number): Promise<InclusionProof> {
	await loadPostQuantum();
	const headers = blocks.map((block) => {
		const header = proofHeader(block.header);
		return { header, address: block.witness, key: headerSigner(header, block.rawHash, block.number) };
	});
	const [first] = blocks as [SignedBlock];
	return makeProof(
		first.transactions.map(({ bytes }) => bytes),
		index,
		headers,
	);
}

describe("blocks of Nile", () => {
	const blocks = facts<{ number: number; raw: string }[]>("blocks/nile.json.br")
		.filter(({ number }) => number >= 69_590_118)
		.map(({ raw }) => SignedBlock.decode(fromHex(raw)));

	it("prove each of their transactions, once 19 of 27 have built on it", async () => {
		const [first] = blocks as [SignedBlock];
		const strangers = Array.from({ length: 5 }, (_, index) => {
			const address = new Uint8Array(21).fill(index);
			return { address, key: address };
		});
		const everyone = (await proofOf(blocks, 0)).witnesses;
		const set = { witnesses: [...everyone, ...strangers] };
		expect(set.witnesses.length).toBe(27);
		for (const index of first.transactions.keys()) {
			const proof = await proofOf(blocks.slice(0, 19), index);
			const { transaction } = await verifyInclusion(writeProof(proof), set);
			expect(transaction.idHex).toBe(first.transactions[index]?.idHex);
		}
		const short = writeProof(await proofOf(blocks.slice(0, 18), 0));
		await expect(verifyInclusion(short, set)).rejects.toThrow(/^not proven: 18 of the 27/);
	});
});

describe("headers with post-quantum signatures", () => {
	const [recording] = openRecordings("test/golden/pq-blocks/pq-blocks.conf");
	const blocks = [...(recording?.lines() ?? [])].flatMap(([, line]) =>
		line.t === "block" ? [SignedBlock.decode(fromHex(line.block))] : [],
	);

	it("prove what their block holds", async () => {
		const quantum = blocks.filter((block) => block.postQuantum && block.transactions.length > 0);
		expect(quantum.length).toBeGreaterThan(0);
		for (const block of quantum.slice(0, 3)) {
			const proof = await proofOf([block], 0);
			const text = writeProof(proof);
			expect(writeProof(readProof(text))).toBe(text);
			const { builders } = await verifyInclusion(text, { witnesses: proof.witnesses });
			expect(builders.map(({ address }) => toHex(address))).toEqual([toHex(block.witness)]);
			const [header] = proof.headers;
			const entry = Uint8Array.from(header?.postQuantum as Uint8Array);
			for (const at of [1, 40, entry.length - 1]) {
				const changed = Uint8Array.from(entry);
				changed[at] = (changed[at] as number) ^ 1;
				const wrong = writeProof({
					...proof,
					headers: [{ raw: header?.raw as Uint8Array, postQuantum: changed }],
				});
				await expect(verifyInclusion(wrong, { witnesses: proof.witnesses })).rejects.toThrow(InclusionError);
			}
		}
	});
});
