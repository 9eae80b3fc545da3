/** ORC-10 tokens (sheet 06 §7.5). */

import { equalBytes } from "../../../protocol/bytes.js";
import { Account, AssetIssueContract, AssetIssueList } from "../../../protocol/messages.js";
import { increase } from "../../resources/window.js";
import type { StateView } from "../../state/view.js";
import { addressParameter, defineEndpoint, type Endpoint, messageRequest, printed } from "../endpoint.js";

/** Every token, in the order of its store's keys. */
function allTokens(state: StateView): readonly Readonly<AssetIssueContract>[] {
	return (state.properties.on("ALLOW_SAME_TOKEN_NAME") ? state.assetIssueV2 : state.assetIssue).values();
}

/** A token as queries show it: its public usage brought to the head. */
function tokenView(state: StateView, token: Readonly<AssetIssueContract>): AssetIssueContract {
	const copy = AssetIssueContract.copy(token);
	copy.public_free_asset_net_usage = increase(
		token.public_free_asset_net_usage,
		0n,
		token.public_latest_free_net_time,
		state.properties.headSlot,
	);
	return copy;
}

export const tokenEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "getassetissuebyaccount",
		about: "Tokens that an account has issued.",
		get: "query",
		post: "body",
		servers: ["full"],
		request: messageRequest(Account, { address: addressParameter }),
		reply: printed(AssetIssueList),
		handle: ({ state }, { address }) => {
			const issued = allTokens(state).filter((token) => equalBytes(token.owner_address, address));
			return AssetIssueList.create({ assetIssue: issued.map((token) => tokenView(state, token)) });
		},
	}),
];
