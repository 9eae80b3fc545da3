/** That a transaction is in a final block: from its bytes over the tree to signed headers. */

import { describe, expect, it } from "vitest";
import { merkleRoot } from "../../src/protocol/block.js";
import { concatBytes, fromHex, toHex } from "../../src/protocol/bytes.js";
import { sha256 } from "../../src/protocol/hash.js";
import type { TriggerSmartContract } from "../../src/protocol/messages.js";
import { SignedTransaction } from "../../src/protocol/transaction.js";
import { checkHeader, checkLinks, finalAt, type HeaderFacts } from "./chain-facts.js";
import { expectCount, facts } from "./facts.js";

interface Proof {
	readonly id: string;
	readonly index: number;
	readonly type: string;
	readonly owner: string;
	readonly signer: string;
	readonly bytes: string;
	readonly leaf: string;
	/** The side on which each hash stands, from the leaf up. */
	readonly proof: readonly (readonly [side: "left" | "right", hash: string])[];
	readonly root: string;
	readonly leaves?: readonly string[];
	readonly finalAt: number;
	readonly headers: readonly HeaderFacts[];
	/** The active witnesses, with the key that each signs with. */
	readonly witnesses?: readonly { readonly witness: string; readonly signer: string }[];
}

interface Part {
	readonly transactions: number;
	readonly known: readonly {
		readonly index: number;
		readonly id: string;
		readonly leaf: string;
		readonly from: string;
		readonly to: string;
		readonly amount: string;
		readonly isTransferFrom: boolean;
		readonly bytes: string;
	}[];
}

const { proofs, parts } = facts<{ proofs: Proof[]; parts: Part[] }>("inclusion.json.br");

describe("a transaction of a public chain", () => {
	it.each(proofs.map((one) => [one.id, one] as const))("%s leads to a final header", (_, one) => {
		const transaction = SignedTransaction.decode(fromHex(one.bytes));
		expect({
			id: transaction.idHex,
			type: transaction.type?.name,
			owner: toHex(transaction.owner),
			signer: toHex(transaction.signer(0)),
			leaf: toHex(sha256(transaction.bytes)),
		}).toEqual({ id: one.id, type: one.type, owner: one.owner, signer: one.signer, leaf: one.leaf });
		const root = one.proof.reduce<Uint8Array>((node, [side, hash]) => {
			const other = fromHex(hash);
			return sha256(side === "left" ? concatBytes(other, node) : concatBytes(node, other));
		}, fromHex(one.leaf));
		expect(toHex(root)).toBe(one.root);
		const raws = one.headers.map(checkHeader);
		expect(toHex(raws[0]?.txTrieRoot as Uint8Array)).toBe(one.root);
		checkLinks(one.headers);
		expect(finalAt(one.headers)).toBe(one.finalAt);
		const keys = new Map(one.witnesses?.map(({ witness, signer }) => [witness, signer]));
		for (const { witness, signer } of one.headers) if (one.witnesses) expect(signer).toBe(keys.get(witness));
		if (!one.leaves) return;
		expect(one.leaves[one.index]).toBe(one.leaf);
		expect(toHex(merkleRoot(one.leaves.map(fromHex)))).toBe(one.root);
	});

	it("says in its call data whom it pays", () => {
		const known = parts.flatMap((part) => part.known);
		expectCount(known.length, 55);
		for (const part of parts) {
			const places = new Set(part.known.map(({ index }) => index));
			expect(places.size).toBe(part.known.length);
			for (const index of places) expect(index >= 0 && index < part.transactions).toBe(true);
		}
		for (const { bytes, id, leaf, from, to, amount, isTransferFrom } of known) {
			const transaction = SignedTransaction.decode(fromHex(bytes));
			const { data } = transaction.parameter as TriggerSmartContract;
			const words = isTransferFrom ? [4, 36, 68] : [undefined, 4, 36];
			const address = (at: number) => `41${toHex(data.subarray(at + 12, at + 32))}`;
			const [payer, payee, sum] = words as [number | undefined, number, number];
			expect({
				id: transaction.idHex,
				leaf: toHex(sha256(transaction.bytes)),
				from: payer === undefined ? toHex(transaction.owner) : address(payer),
				to: address(payee),
				amount: BigInt(`0x${toHex(data.subarray(sum, sum + 32))}`),
			}).toEqual({ id, leaf, from, to, amount: BigInt(amount) });
		}
	});
});
