/** Proofs of transactions of the main network, made of what it recorded (test/golden/real). */

import { fromHex } from "../../../src/protocol/bytes.js";
import { type InclusionProof, writeProof } from "../../../src/protocol/inclusion/proof.js";
import type { WitnessSet } from "../../../src/protocol/inclusion/witness-set.js";
import type { HeaderFacts } from "../../real/chain-facts.js";
import { facts } from "../../real/facts.js";

export interface InclusionFacts {
	readonly number: number;
	readonly id: string;
	readonly index: number;
	readonly bytes: string;
	readonly leaves?: readonly string[];
	readonly proof: readonly (readonly [side: "left" | "right", hash: string])[];
	readonly finalAt: number;
	readonly headers: readonly HeaderFacts[];
	readonly witnesses?: readonly { readonly witness: string; readonly signer: string }[];
}

export const { proofs: inclusionFacts } = facts<{ proofs: InclusionFacts[] }>("inclusion.json.br");

/** @param count of headers; absent: up to the one that makes the block final */
export function proofOf(one: InclusionFacts, count = one.finalAt - one.number + 1): InclusionProof {
	const headers = one.headers.slice(0, count);
	const signers = new Map(headers.map(({ witness, signer }) => [witness, signer as string]));
	return {
		transaction: fromHex(one.bytes),
		path: one.proof.map(([side, hash]) => ({ side, hash: fromHex(hash) })),
		witnesses: [...signers].map(([address, key]) => ({ address: fromHex(address), key: fromHex(key) })),
		headers: headers.map(({ raw, signature }) => ({
			raw: fromHex(raw),
			signature: fromHex(signature as string),
		})),
	};
}

export const textOf = (one: InclusionFacts, count?: number): string => writeProof(proofOf(one, count));

/** The 27 active witnesses of then. */
export function setOf({ witnesses = [] }: InclusionFacts): WitnessSet {
	return {
		witnesses: witnesses.map(({ witness, signer }) => ({ address: fromHex(witness), key: fromHex(signer) })),
	};
}
