/** Builds a proof that a transaction is in a finalized block from a node's responses (protocol/inclusion-proof §1). */

import { equalBytes, toHex, toKey } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { sha256 } from "../../protocol/hash.js";
import { makeProof, proofHeader, type SignedHeader } from "../../protocol/inclusion/make.js";
import { rootOfPath } from "../../protocol/inclusion/merkle-path.js";
import { MAX_PROOF_HEADERS, writeProof } from "../../protocol/inclusion/proof.js";
import { headerSigner } from "../../protocol/inclusion/verify.js";
import { InclusionError, type WitnessSet } from "../../protocol/inclusion/witness-set.js";
import { loadPostQuantum } from "../../protocol/post-quantum/algorithms.js";
import { witnessesForFinality } from "../../protocol/timing.js";
import { Failure } from "../failure.js";
import { isRecord } from "../json.js";
import { type BlockReference, fetchBlockByNumber, fetchHeader, fetchReceipt } from "../node/chain-query.js";
import type { NodeClient } from "../node/node-client.js";
import { transactionFrom } from "../transaction/transaction-view.js";
import { activeWitnessCount } from "../view/witnesses.js";

/**
 * Fetches from a node the block of a transaction and the headers after it, up to the one with which two thirds of the witnesses
 * have built on it.
 * @param trusted the witnesses whose headers count; if absent, all headers count, and the number of witnesses is the node's active set
 * @returns the text of the proof
 * @throws {Failure} `not_found`; `not_final` while too few have built on the block; `rpc_error` if the responses don't form a proof
 */
export async function proveInclusion(
	client: NodeClient,
	id: Uint8Array,
	trusted?: WitnessSet,
): Promise<string> {
	const receipt = await fetchReceipt(client, id);
	if (!receipt) throw new Failure("not_found", `there is no receipt of ${toHex(id)}: it is in no block`);
	const block = await blockAt(client, receipt.blockNumber, fetchBlockByNumber);
	const transactions = bytesOf(block);
	const index = transactions.findIndex((one) => equalBytes(one.id, id));
	if (index < 0) throw new Failure("rpc_error", `the node's block ${block.number} doesn't hold ${toHex(id)}`);
	const headers = await headersFrom(client, block, trusted);
	const proof = makeProof(
		transactions.map(({ bytes }) => bytes),
		index,
		headers,
	);
	const root = rootOfPath(sha256(proof.transaction), proof.path);
	if (!equalBytes(root, block.header.raw_data?.txTrieRoot ?? new Uint8Array(0))) {
		throw new Failure(
			"rpc_error",
			`the transactions that the node shows of block ${block.number} are not those of its root`,
			{ hint: "a node that shows other fields than it has can't be asked for proofs: another one can" },
		);
	}
	return writeProof(proof);
}

/** The serialized transactions of a block, from which the leaves of its Merkle tree are made. @throws {Failure} */
function bytesOf({ answer }: BlockReference) {
	const { transactions } = answer;
	return (Array.isArray(transactions) ? transactions : [])
		.filter(isRecord)
		.map((one) => transactionFrom(one));
}

async function headersFrom(
	client: NodeClient,
	block: BlockReference,
	trusted: WitnessSet | undefined,
): Promise<readonly SignedHeader[]> {
	const keys = trusted && new Map(trusted.witnesses.map(({ address, key }) => [toKey(address), key]));
	const needed = witnessesForFinality(keys?.size ?? (await activeWitnessCount(client)));
	const headers: SignedHeader[] = [];
	const builders = new Set<string>();
	for (let next = block; ; ) {
		const signed = await signedHeader(next);
		headers.push(signed);
		const witness = toKey(signed.address);
		const isCounted = !keys || equalBytes(keys.get(witness) ?? new Uint8Array(0), signed.key);
		if (isCounted) builders.add(witness);
		if (builders.size >= needed) return headers;
		const { id, number } = next;
		if (headers.length === MAX_PROOF_HEADERS) {
			throw notFinal(
				`of ${MAX_PROOF_HEADERS} blocks from ${block.number} on, ${builders.size} witnesses count`,
				needed,
			);
		}
		next = await blockAt(client, number + 1n, fetchHeader, () =>
			notFinal(`${builders.size} witnesses have built on block ${block.number}`, needed),
		);
		if (!equalBytes(next.header.raw_data?.parentHash ?? new Uint8Array(0), id))
			throw new Failure("rpc_error", `the node's block ${next.number} doesn't follow its block ${number}`);
	}
}

const notFinal = (what: string, needed: number): Failure =>
	new Failure("not_final", `${what}, ${needed} are needed`, { details: { needed } });

/** @throws {Failure} if the node doesn't have the block */
async function blockAt(
	client: NodeClient,
	number: bigint,
	fetch: (client: NodeClient, number: bigint) => Promise<BlockReference | undefined>,
	missing = () => new Failure("rpc_error", `the node has no block ${number}`),
): Promise<BlockReference> {
	const block = await fetch(client, number);
	if (!block) throw missing();
	if (block.number !== number)
		throw new Failure("rpc_error", `the node answers block ${block.number} in place of ${number}`);
	return block;
}

async function signedHeader({ header, number }: BlockReference): Promise<SignedHeader> {
	try {
		const proven = proofHeader(header);
		if (proven.postQuantum) await loadPostQuantum();
		const key = headerSigner(proven, sha256(proven.raw), number);
		return { header: proven, address: header.raw_data?.witness_address ?? new Uint8Array(0), key };
	} catch (error) {
		if (!(error instanceof InclusionError || error instanceof DecodeError)) throw error;
		throw new Failure("rpc_error", `the node's block ${number} has no signature that can be shown`, {
			cause: error,
		});
	}
}
