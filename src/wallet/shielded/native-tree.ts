/**
 * The tree of the chain's own pool where reading begins late: a node is asked for the voucher of the first note that was read,
 * whosever it is, which tells the tree up to it and nothing about the holder (protocol/shielded §5).
 */

import { IncrementalMerkleVoucherInfo } from "../../protocol/messages.js";
import type { NoteTree } from "../../protocol/sapling/incremental-tree.js";
import { Failure } from "../failure.js";
import { messageFrom } from "../node/answer.js";
import type { NodeClient } from "../node/node-client.js";

/** The tree whose last leaf is the first note of a transaction. @param txID 64 hexadecimal digits @throws {Failure} */
export async function treeWith(client: NodeClient, txID: string): Promise<NoteTree> {
	const answer = await client.call("getmerkletreevoucherinfo", {
		out_points: [{ hash: txID, index: 0 }],
		block_num: 0,
	});
	const tree = messageFrom(IncrementalMerkleVoucherInfo, answer).vouchers[0]?.tree;
	if (!tree) throw new Failure("rpc_error", "the node doesn't tell the tree of notes");
	return tree;
}
