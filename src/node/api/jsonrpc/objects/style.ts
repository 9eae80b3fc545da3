/** Release-specific members of blocks, transactions and logs (protocol/json-rpc §§7, 8). */

import type { NetworkName } from "../../../rules/chain-rules.js";
import type { ApiContext } from "../../context.js";
import { rpcAnswersOf } from "../answers.js";

export interface ObjectStyle {
	/** The nonce shown for transactions, which have none. */
	readonly transactionNonce: string;
	/** Whether transactions can carry a nonce mark, as on development chains (protocol/development-chain §4.8). */
	readonly countsNonces?: boolean;
	/** Whether logs include their block's timestamp. */
	readonly timesLogs: boolean;
	/** Whether transactions do, for answers in the form Ethereum libraries expect. */
	readonly timesTransactions?: boolean;
	/** The network, which decides the signature types of transactions. */
	readonly network?: NetworkName | undefined;
}

/** The style of the node's release. */
export function objectStyleOf({ node }: Pick<ApiContext, "node">): ObjectStyle {
	const { jsonrpc } = node.config.node;
	return {
		...rpcAnswersOf(node.config.node).objects,
		countsNonces: node.rules.development !== undefined,
		timesTransactions: jsonrpc.lenient,
		network: node.rules.network,
	};
}
