/** Whole blocks of public chains: bytes, ids, roots, signatures, and what is in them. */

import { describe, expect, it } from "vitest";
import { addressFromHash } from "../../src/protocol/address.js";
import { SignedBlock } from "../../src/protocol/block.js";
import { concatBytes, fromHex, toHex } from "../../src/protocol/bytes.js";
import { keccak256, sha256 } from "../../src/protocol/hash.js";
import { facts } from "./facts.js";

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

const nile = facts<BlockFacts[]>("blocks/nile.json.br");
const blocks = [
	...["main-79072107", "main-84861706"].map((name) => facts<BlockFacts>(`blocks/${name}.json.br`)),
	...nile,
];

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
		const byNumber = new Map(nile.map((one) => [Number(one.number), one]));
		const links = nile.filter((one) => byNumber.has(Number(one.number) - 1));
		expect(links.length).toBeGreaterThan(20);
		for (const one of links) expect(one.expected.parentId).toBe(byNumber.get(Number(one.number) - 1)?.id);
	});

	it("may be signed by a post-quantum key, from which its address comes", () => {
		const { publicKey, address } = facts<{ publicKey: string; address: string }>(
			"blocks/post-quantum-69200000.json",
		);
		const key = fromHex(publicKey);
		const body = key[0] === 0x09 && key.length === 897 ? key.subarray(1) : key;
		expect(body).toHaveLength(896);
		expect(toHex(addressFromHash(keccak256(body)))).toBe(address);
	});
});
