/** Movements of ORC-10 tokens (protocol/history §5): ours, in the form of those of ORC-20. */

import { fromUtf8, toHex, utf8 } from "../../../protocol/bytes.js";
import { ownerKey } from "../../history/history-index.js";
import { type HistoryRow, readAssetValue } from "../../history/rows.js";
import { tokenById, tokensByName } from "../../tokens/queries.js";
import type { ApiContext } from "../context.js";
import { type AnswerPage, type HistoryRequest, heightsOf, indexedPage } from "./page.js";
import { base58Of } from "./token-facts.js";
import { directionFilter } from "./transaction-rows.js";

/** Transfers of an account. `token_id` leaves those of one token: its number, or before proposal 14 its name. */
export function assetMovementPage(request: HistoryRequest, address: Uint8Array): Promise<AnswerPage> {
	const { context, parameters } = request;
	const wanted = parameters.text("token_id");
	const isWay = directionFilter(request);
	const accepts = (row: HistoryRow): boolean =>
		(!isWay || isWay(row)) && (wanted === undefined || readAssetValue(row.value).token === wanted);
	return indexedPage(request, {
		lists: [{ kind: "asset", owner: ownerKey(address) }],
		heights: heightsOf(request),
		accepts,
		write: (row) => {
			const movement = readAssetValue(row.value);
			return {
				transaction_id: toHex(movement.transactionId),
				token_info: { token_id: movement.token, ...factsOf(context, movement.token) },
				block_timestamp: movement.timeMs,
				from: base58Of(movement.from),
				to: base58Of(movement.to),
				type: "Transfer",
				value: String(movement.amount),
			};
		},
	});
}

/** What the issuer said of a token; nothing where there is none of the name or number. */
function factsOf({ node }: ApiContext, name: string) {
	const state = node.view("full");
	const key = utf8(name);
	const token = /^\d{1,18}$/.test(name) ? tokenById(state, key) : tokensByName(state, key)?.assetIssue[0];
	if (!token) return {};
	return { symbol: fromUtf8(token.abbr), decimals: token.precision, name: fromUtf8(token.name) };
}
