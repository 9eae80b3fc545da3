import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { installRecoverEngine } from "../../../src/node/signatures/engine.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { sha256 } from "../../../src/protocol/hash.js";
import {
	type InclusionProof,
	MAX_PROOF_HEADERS,
	MAX_PROOF_LENGTH,
	type ProofHeader,
	signatureInOneForm,
	writeProof,
} from "../../../src/protocol/inclusion/proof.js";
import { headerSigner, verifyInclusion } from "../../../src/protocol/inclusion/verify.js";
import { InclusionError, type WitnessSet } from "../../../src/protocol/inclusion/witness-set.js";
import { BlockHeaderRaw } from "../../../src/protocol/messages.js";
import {
	addressOfPrivateKey,
	CURVE_ORDER,
	recoverAddress,
	signBlock,
} from "../../../src/protocol/signature.js";
import { type InclusionFacts, inclusionFacts, proofOf, setOf, textOf } from "./real-proof.js";

const [, delegation, payment] = inclusionFacts as [InclusionFacts, InclusionFacts, InclusionFacts];
const trusted = setOf(payment);
const text = textOf(payment);

beforeAll(() => {
	installRecoverEngine();
});

/** Why a proof is refused. */
async function refusal(proof: string | Uint8Array | InclusionProof, set = trusted): Promise<string> {
	const isRead = typeof proof === "string" || proof instanceof Uint8Array;
	const error: unknown = await verifyInclusion(isRead ? proof : writeProof(proof), set).then(
		() => new Error("it was taken"),
		(thrown: unknown) => thrown,
	);
	if (error instanceof InclusionError) return error.message;
	throw error;
}

describe("a proof of a transaction of the main network", () => {
	it.each(inclusionFacts)("holds: $id", async (one) => {
		const proven = await verifyInclusion(textOf(one), trusted);
		expect({
			id: proven.transaction.idHex,
			block: proven.block.number,
			blockId: toHex(proven.block.id),
			last: proven.last.number,
			builders: proven.builders.length,
			needed: proven.needed,
			others: proven.others,
		}).toEqual({
			id: one.id,
			block: BigInt(one.number),
			blockId: one.headers[0]?.id,
			last: BigInt(one.finalAt),
			builders: 19,
			needed: 19,
			others: [],
		});
	});

	it("is the same as bytes, and names delegated keys", async () => {
		const { builders } = await verifyInclusion(Buffer.from(text), trusted);
		expect(builders.filter(({ address, key }) => toHex(address) !== toHex(key)).length).toBeGreaterThan(0);
	});

	it("counts each trusted witness once, and no other", async () => {
		expect(await refusal(textOf(payment, 18))).toMatch(
			/^not proven: 18 of the 27 trusted witnesses .* 19 are/,
		);
		const { witnesses } = trusted;
		const stranger = { address: fromHex(`41${"00".repeat(20)}`), key: fromHex(`41${"00".repeat(20)}`) };
		const [signed] = proofOf(payment).witnesses;
		const without = witnesses.filter(
			({ address }) => toHex(address) !== toHex(signed?.address as Uint8Array),
		);
		expect(await refusal(text, { witnesses: [...without, stranger] })).toMatch(/^not proven: 18 of the 27/);
		// One header more makes up for it, and the one that isn't trusted is named.
		const { others, builders } = await verifyInclusion(textOf(payment, 20), {
			witnesses: [...without, stranger],
		});
		expect([builders.length, others]).toEqual([19, [signed]]);
		expect(await refusal(text, { witnesses: [] })).toMatch(/^not proven/);
	});

	it("is refused where a trusted witness signs with another key than the trusted one", async () => {
		const set: WitnessSet = {
			witnesses: trusted.witnesses.map(({ address }) => ({ address, key: address })),
		};
		expect(await refusal(text, set)).toMatch(/^not proven: 1\d of the 27/);
	});
});

describe("a proof that somebody made up", () => {
	const real = proofOf(payment);
	const other = proofOf(delegation);

	it.each<[string, InclusionProof, RegExp]>([
		["another transaction", { ...real, transaction: other.transaction }, /path doesn't lead/],
		[
			"another block's headers",
			{ ...real, headers: other.headers, witnesses: other.witnesses },
			/path doesn't/,
		],
		["no path", { ...real, path: [] }, /path doesn't lead/],
		["a gap", { ...real, headers: real.headers.filter((_, index) => index !== 4) }, /doesn't follow/],
		["headers in another order", { ...real, headers: [...real.headers].reverse() }, /doesn't follow/],
		[
			"a witness that signed nothing",
			{ ...real, witnesses: [...real.witnesses, { address: new Uint8Array(21), key: new Uint8Array(21) }] },
			/signed none of its headers/,
		],
		["a witness too few", { ...real, witnesses: real.witnesses.slice(0, -1) }, /^not proven: 18 of the 27/],
		["witnesses in another order", { ...real, witnesses: [...real.witnesses].reverse() }, /not signed by/],
		[
			"a signature in the other numbering",
			{ ...real, headers: real.headers.map(renumbered) },
			/not in its one form/,
		],
		["a negated s", { ...real, headers: real.headers.map(negated) }, /not in its one form/],
		[
			"a node of the tree in the transaction's place",
			{ ...real, transaction: new Uint8Array(64) },
			/too short/,
		],
	])("with %s is refused", async (_, proof, why) => {
		expect(await refusal(proof)).toMatch(why);
	});

	it("is refused by its keys before its transaction is decoded", async () => {
		const transaction = new Uint8Array(2_000_000).fill(0x0a, 0).map((_, index) => (index & 1 ? 0 : 0x0a));
		const [header] = real.headers as [ProofHeader];
		const raw = BlockHeaderRaw.copy(BlockHeaderRaw.decode(header.raw));
		raw.txTrieRoot = sha256(transaction);
		const signature = signBlock(sha256(BlockHeaderRaw.encode(raw)), new Uint8Array(32).fill(7));
		const key = addressOfPrivateKey(new Uint8Array(32).fill(7));
		const made: InclusionProof = {
			transaction,
			path: [],
			witnesses: [{ address: raw.witness_address, key }],
			headers: [{ raw: BlockHeaderRaw.encode(raw), signature }],
		};
		expect(await refusal(made)).toMatch(/^not proven: 0 of the 27/);
	});

	it("is only ever refused, whatever it is", async () => {
		const { format, ...members } = JSON.parse(text) as Record<string, unknown>;
		const anything = fc.record({ format: fc.constant(format), ...objectOf(members, () => fc.jsonValue()) });
		const oneWrong = fc
			.tuple(fc.constantFrom(...Object.keys(members)), fc.jsonValue())
			.map(([name, value]) => ({ format, ...members, [name]: value }));
		await fc.assert(
			fc.asyncProperty(fc.oneof(anything, oneWrong, fc.jsonValue()), async (value) => {
				expect(await refusal(`${JSON.stringify(value, undefined, "\t")}\n`)).not.toBe("");
			}),
			{ numRuns: 300 },
		);
	});

	it("is refused by its size before it is read", async () => {
		expect(await refusal(new Uint8Array(MAX_PROOF_LENGTH + 1))).toMatch(/longer than/);
		const { headers } = real;
		const many = Array.from({ length: MAX_PROOF_HEADERS + 1 }, () => headers[0] as ProofHeader);
		const deep = "[".repeat(100_000);
		for (const [proof, why] of [
			[" ".repeat(MAX_PROOF_LENGTH + 1), /longer than/],
			[deep, "more parts than any"],
			[writeProof({ ...real, headers: many }), /list of|parts/],
			[writeProof({ ...real, path: Array.from({ length: 17 }, () => real.path[0] as never) }), /path is not/],
			["null\n", /not an object/],
			["{", /not JSON/],
			["{}", /not a proof in the format/],
			[text.replace("proof 1", "proof 2"), /not a proof in the format/],
			[text.replaceAll("\t", " "), /one form/],
			[text.replace('"headers"', '"headers": [],\n\t"headers"'), /one form/],
		] as const)
			expect(await refusal(proof)).toMatch(why);
	});
});

function objectOf<T>(members: object, value: () => T): Record<string, T> {
	return Object.fromEntries(Object.keys(members).map((name) => [name, value()]));
}

function renumbered({ raw, signature }: ProofHeader): ProofHeader {
	const changed = Uint8Array.from(signature as Uint8Array);
	changed[64] = (changed[64] as number) + 27;
	return { raw, signature: changed };
}

/** The same key signs with the negative of s and the point's other sign. */
function negated({ raw, signature }: ProofHeader): ProofHeader {
	const changed = Uint8Array.from(signature as Uint8Array);
	const s = CURVE_ORDER - BigInt(`0x${toHex(changed.subarray(32, 64))}`);
	changed.set(fromHex(s.toString(16).padStart(64, "0")), 32);
	changed[64] = (changed[64] as number) ^ 1;
	const { number } = BlockHeaderRaw.decode(raw);
	const before = headerSigner({ raw, signature }, sha256(raw), number);
	expect(recoverAddress(sha256(raw), changed)).toEqual(before);
	return { raw, signature: changed };
}

it("is made in one form, however a header is signed", () => {
	const [{ raw, signature }] = proofOf(payment).headers as [ProofHeader];
	const forms = [
		signature as Uint8Array,
		...[negated, renumbered].map((form) => form({ raw, signature }).signature),
	];
	for (const form of forms)
		expect(toHex(signatureInOneForm(Uint8Array.from([...(form as Uint8Array), 7])))).toBe(
			toHex(signature as Uint8Array),
		);
	const freak = Uint8Array.from(signature as Uint8Array).fill(0, 32, 64);
	freak[64] = 28;
	expect(signatureInOneForm(freak)[64]).toBe(0);
});
