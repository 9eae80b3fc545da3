/** Proofs made of what nodes answer: blocks of Nile, and of a chain whose headers have post-quantum signatures. */

import { describe, expect, it } from "vitest";
import { SignedBlock } from "../../../src/protocol/block.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { readProof } from "../../../src/protocol/inclusion/proof.js";
import { verifyInclusion } from "../../../src/protocol/inclusion/verify.js";
import { blockJson } from "../../../src/protocol/json/transaction-json.js";
import { Failure } from "../../../src/wallet/failure.js";
import { proveInclusion } from "../../../src/wallet/inclusion/prove.js";
import { type JsonRecord, readJson } from "../../../src/wallet/json.js";
import { openRecordings } from "../../../tools/replay/recording.js";
import { facts } from "../../real/facts.js";
import { answering } from "../answering-client.js";

const nile = facts<{ number: number; raw: string }[]>("blocks/nile.json.br")
	.filter(({ number }) => number >= 69_590_118)
	.map(({ raw }) => SignedBlock.decode(fromHex(raw)));
const [first] = nile as [SignedBlock];
const id = first.transactions[0]?.id as Uint8Array;
const style = { visible: false, dialect: "deployed", postQuantum: true } as const;

/** A node that has some blocks. @param change of its answers */
function nodeWith(
	blocks: readonly SignedBlock[],
	witnesses: number,
	{ headers = true, change = (text: string) => text } = {},
) {
	const show = (number: bigint, detail: boolean): JsonRecord => {
		const block = blocks.find((one) => one.number === number);
		return block ? (readJson(change(blockJson(block, style, detail))) as JsonRecord) : {};
	};
	return answering({
		gettransactioninfobyid: ({ value }) => {
			const block = blocks.find(({ transactions }) => transactions.some(({ idHex }) => idHex === value));
			return block ? { id: String(value), blockNumber: block.number } : {};
		},
		getblockbynum: ({ num }) => show(num as bigint, true),
		...(headers ? { getblock: ({ id_or_num: at }) => show(BigInt(String(at)), false) } : {}),
		listwitnesses: {
			witnesses: Array.from({ length: witnesses }, (_, index) => ({
				address: `41${String(index).padStart(40, "0")}`,
				isJobs: true,
			})),
		},
	});
}

const failure = async (made: Promise<string>): Promise<Failure> => {
	const error: unknown = await made.then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	if (error instanceof Failure) return error;
	throw error;
};

describe("a proof made of a node's answers", () => {
	it("has the headers that two thirds of its witnesses take, and no more", async () => {
		const { client, asked } = nodeWith(nile, 27);
		const text = await proveInclusion(client, id);
		const { headers, witnesses } = readProof(text);
		expect([headers.length, witnesses.length]).toEqual([19, 19]);
		const { block, transaction } = await verifyInclusion(text, { witnesses });
		expect([block.number, toHex(transaction.id)]).toEqual([first.number, toHex(id)]);
		// One whole block; of the others the headers alone.
		expect(asked.filter(({ endpoint }) => endpoint === "getblockbynum").length).toBe(1);
		expect(await proveInclusion(nodeWith(nile, 27, { headers: false }).client, id)).toBe(text);
	});

	it("goes on until enough of a named set have built on the block", async () => {
		const { witnesses } = readProof(await proveInclusion(nodeWith(nile, 29).client, id));
		const some = witnesses.slice(10);
		const text = await proveInclusion(nodeWith(nile, 1).client, id, { witnesses: some });
		expect(readProof(text).headers.length).toBe(10 + Math.ceil(0.7 * some.length));
		await verifyInclusion(text, { witnesses: some });
	});

	it("is made of headers with post-quantum signatures, too", async () => {
		const [recording] = openRecordings("test/golden/pq-blocks/pq-blocks.conf");
		const blocks = [...(recording?.lines() ?? [])].flatMap(([, line]) =>
			line.t === "block" ? [SignedBlock.decode(fromHex(line.block))] : [],
		);
		const block = blocks.find((one) => one.postQuantum && one.transactions.length > 0) as SignedBlock;
		const text = await proveInclusion(nodeWith(blocks, 1).client, block.transactions[0]?.id as Uint8Array);
		const { headers, witnesses } = readProof(text);
		expect(headers[0]?.postQuantum).toBeDefined();
		await verifyInclusion(text, { witnesses });
	});

	it("is refused while too few have built on the block", async () => {
		const { code, message } = await failure(proveInclusion(nodeWith(nile.slice(0, 18), 27).client, id));
		expect([code, message]).toEqual([
			"not_final",
			`18 witnesses have built on block ${first.number}, 19 are needed`,
		]);
	});

	it("is refused for what doesn't fit together", async () => {
		expect((await failure(proveInclusion(nodeWith([], 27).client, id))).code).toBe("not_found");
		// A result that the block doesn't record.
		const change = (text: string) => text.replace(/"SUCCESS"/, '"REVERT"');
		const wrong = await failure(proveInclusion(nodeWith(nile, 27, { change }).client, id));
		expect(wrong.message).toMatch(/are not those of its root/);
		const holes = nile.map((block, index) => (index === 3 ? (nile[4] as SignedBlock) : block));
		expect((await failure(proveInclusion(nodeWith(holes, 27).client, id))).code).toBe("not_final");
	});
});
