/** The balance of an account at a past block, from nodes that keep the history (protocol/http-endpoints §3.6). */

import { toHex } from "../../protocol/bytes.js";
import type { NodeClient, StateBlock } from "../node/node-client.js";

/**
 * Sun right after a block.
 * @throws {Failure} what the node answers; also where it has no record of the block, since it answers the balance of the
 * genesis block, or 0, of accounts whose history it didn't keep
 */
export async function balanceAt(client: NodeClient, address: Uint8Array, block: StateBlock): Promise<bigint> {
	const identifier = { hash: toHex(block.id), number: block.number };
	await client.call("getblockbalance", identifier);
	const { balance } = await client.call("getaccountbalance", {
		account_identifier: { address: toHex(address) },
		block_identifier: identifier,
	});
	return typeof balance === "bigint" ? balance : 0n;
}
