/** The balance of an account at a past block, from nodes that keep the history (protocol/http-endpoints §3.6). */

import { toHex } from "../../protocol/bytes.js";
import type { NodeClient, StateBlock } from "../node/node-client.js";

/** Sun right after a block. @throws {Failure} what the node answers, such as a missing history */
export async function balanceAt(client: NodeClient, address: Uint8Array, block: StateBlock): Promise<bigint> {
	const { balance } = await client.call("getaccountbalance", {
		account_identifier: { address: toHex(address) },
		block_identifier: { hash: toHex(block.id), number: block.number },
	});
	return typeof balance === "bigint" ? balance : 0n;
}
