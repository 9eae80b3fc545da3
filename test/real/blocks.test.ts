/** Whole blocks of public chains: bytes, ids, roots, signatures, and what is in them. */

import { describe, expect, it } from "vitest";
import { SignedBlock } from "../../src/protocol/block.js";
import { concatBytes, fromHex, toHex } from "../../src/protocol/bytes.js";
import { sha256 } from "../../src/protocol/hash.js";
import { PQAuthSig } from "../../src/protocol/messages.js";
import { isPostQuantumSignature, loadPostQuantum } from "../../src/protocol/post-quantum/algorithms.js";
import { addressOfPostQuantumKey, FN_DSA_512 } from "../../src/protocol/post-quantum/schemes.js";
import { expectCount, factFilesIn, facts } from "./facts.js";

interface BlockFacts {
	readonly network: string;
	readonly number: number;
	readonly id: string;
	readonly version: number;
	readonly raw: string;
	readonly expected: {
		readonly transactions: number;
		readonly txTrieRoot: string;
		readonly parentId: string;
		readonly witnessAddress: string;
		/** Null: not known. */
		readonly signerAddress?: string | null;
		readonly postQuantum?: boolean;
		readonly types?: Readonly<Record<string, number>>;
		readonly signedByOwner?: number;
		readonly signedByOther?: number;
		readonly withPermission?: number;
		readonly idsHash?: string;
	};
}

/** A key of post-quantum signatures and what comes of it, of a block whose bytes aren't known. */
interface KeyFacts {
	readonly headerHash: string;
	readonly publicKey: string;
	readonly signature: string;
	readonly address: string;
	readonly expected: { readonly verifies: boolean };
}

const all = factFilesIn("blocks").flatMap((file) => {
	const found = facts<BlockFacts | BlockFacts[] | KeyFacts>(file);
	return Array.isArray(found) ? found : [found];
});
const blocks = all.filter((one) => "raw" in one);
const keys = all.filter((one) => "headerHash" in one);

/** What the transactions of a block are, and who signed them. */
function contents({ transactions }: SignedBlock) {
	const types: Record<string, number> = {};
	let [signedByOwner, signedByOther, withPermission] = [0, 0, 0];
	for (const transaction of transactions) {
		const name = transaction.type?.name ?? "unknown";
		types[name] = (types[name] ?? 0) + 1;
		if ((transaction.contract?.Permission_id ?? 0) !== 0) withPermission++;
		if (transaction.message.signature.length === 0) continue;
		if (toHex(transaction.signer(0)) === toHex(transaction.owner)) signedByOwner++;
		else signedByOther++;
	}
	const idsHash = toHex(sha256(concatBytes(...transactions.map(({ id }) => id))));
	return { types, signedByOwner, signedByOther, withPermission, idsHash };
}

describe("a block of a public chain", () => {
	it.each(blocks.map((one) => [`${one.network} ${one.number}`, one] as const))("%s", (_, one) => {
		const block = SignedBlock.decode(fromHex(one.raw));
		const { transactions, txTrieRoot, parentId, witnessAddress, signerAddress, ...inside } = one.expected;
		const { postQuantum, ...counts } = inside;
		expect(toHex(SignedBlock.decode(block.bytes).bytes)).toBe(one.raw);
		expect({
			number: Number(block.number),
			id: block.idHex,
			version: block.raw.version,
			transactions: block.transactions.length,
			root: toHex(block.computeMerkleRoot()),
			inHeader: toHex(block.raw.txTrieRoot),
			parentId: toHex(block.parentId),
			witnessAddress: toHex(block.witness),
		}).toEqual({
			number: Number(one.number),
			id: one.id,
			version: Number(one.version),
			transactions,
			root: txTrieRoot,
			inHeader: txTrieRoot,
			parentId,
			witnessAddress,
		});
		if (signerAddress) expect(toHex(block.signer())).toBe(signerAddress);
		else expect(postQuantum ? block.header.witness_signature.length : 0).toBe(0);
		expect(contents(block)).toMatchObject(counts);
	});

	it("stands on the one before it", () => {
		const place = ({ network, number }: BlockFacts, before = 0) => `${network} ${Number(number) - before}`;
		const byPlace = new Map(blocks.map((one) => [place(one), one]));
		const links = blocks.filter((one) => byPlace.has(place(one, 1)));
		expectCount(links.length, 25);
		for (const one of links) expect(one.expected.parentId).toBe(byPlace.get(place(one, 1))?.id);
	});

	it.each(keys)("may be signed by a post-quantum key, from which its address comes", async (one) => {
		const key = fromHex(one.publicKey);
		const public_key = key[0] === 0x09 && key.length === 897 ? key.subarray(1) : key;
		expect(toHex(addressOfPostQuantumKey(public_key))).toBe(one.address);
		await loadPostQuantum();
		const entry = PQAuthSig.create({
			scheme: FN_DSA_512.id,
			public_key,
			signature: fromHex(one.signature),
		});
		const hash = fromHex(one.headerHash);
		expect(isPostQuantumSignature(hash, entry)).toBe(one.expected.verifies);
		hash[0] = (hash[0] as number) ^ 1;
		expect(isPostQuantumSignature(hash, entry)).toBe(false);
	});
});
