/** What a release shows of blocks, transactions and logs beside what all do (protocol/json-rpc §§7, 8). */

import { isFrom, type Release } from "../../../rules/release.js";
import type { ApiContext } from "../../context.js";
import { ZERO_NONCE } from "../values.js";

export interface ObjectStyle {
	/** The nonce of transactions, which have none. */
	readonly transactionNonce: string;
	/** Whether transactions can be marked with a nonce: on development chains (protocol/development-chain §4.8). */
	readonly countsNonces?: boolean;
	/** Whether logs say the time of their block. */
	readonly timesLogs: boolean;
}

const FIRST: ObjectStyle = { transactionNonce: ZERO_NONCE, timesLogs: false };
const LATER: ObjectStyle = { transactionNonce: "0x0", timesLogs: true };

export function objectStyle(release: Release): ObjectStyle {
	return isFrom(release, "4.8.2") ? LATER : FIRST;
}

/** The style of the node's release. */
export function objectStyleOf({ node }: Pick<ApiContext, "node">): ObjectStyle {
	const style = objectStyle(node.config.node.release);
	return node.rules.development ? { ...style, countsNonces: true } : style;
}
