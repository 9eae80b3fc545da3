/**
 * Checks a transaction's reference block with a second node. A transaction is valid on every chain that has this block,
 * and the first node chose it: a test network's node could trick the user into signing a payment that is valid on another chain.
 */

import { equalBytes } from "../../protocol/bytes.js";
import type { TransactionRaw } from "../../protocol/messages.js";
import { Failure } from "../failure.js";
import { fetchBlockByNumber, fetchGenesisId, fetchHead, referredNumber } from "../node/chain-query.js";
import { NodeClient } from "../node/node-client.js";

/**
 * Compares the reference with the node of the setting `referenceNode`, if set.
 * @throws {Failure} `wrong_network` if that node has another block at this height
 */
export async function checkReference(
	{ settings }: NodeClient,
	{ raw }: { readonly raw?: Pick<TransactionRaw, "ref_block_bytes" | "ref_block_hash"> | undefined },
): Promise<void> {
	if (settings.referenceNode === undefined || !raw) return;
	const second = new NodeClient({
		...settings,
		http: settings.referenceNode,
		solidity: undefined,
		jsonrpc: undefined,
		headers: {},
	});
	await fetchGenesisId(second);
	const { number: head } = await fetchHead(second);
	const number = referredNumber(head, raw);
	const block = number < 0n ? undefined : await fetchBlockByNumber(second, number);
	if (block && equalBytes(block.id.subarray(8, 16), raw.ref_block_hash)) return;
	throw new Failure(
		"wrong_network",
		`the transaction refers to a block that ${settings.referenceNode} doesn't have: the node may serve another chain`,
		{ sent: false, hint: "if one of the two only lags behind, try again" },
	);
}
