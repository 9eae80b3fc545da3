/** What a release shows of blocks, transactions and logs beside what all do (protocol/json-rpc §§7, 8). */

import type { NetworkName } from "../../../rules/chain-rules.js";
import type { ApiContext } from "../../context.js";
import { rpcAnswersOf } from "../answers.js";

export interface ObjectStyle {
	/** The nonce of transactions, which have none. */
	readonly transactionNonce: string;
	/** Whether transactions can be marked with a nonce: on development chains (protocol/development-chain §4.8). */
	readonly countsNonces?: boolean;
	/** Whether logs say the time of their block. */
	readonly timesLogs: boolean;
	/** Whether transactions do: where Ethereum's libraries are answered as they expect it. */
	readonly timesTransactions?: boolean;
	/** Whose signatures transactions may carry. */
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
