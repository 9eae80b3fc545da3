/**
 * The two generations of token records (protocol/tokens §1). Until ALLOW_SAME_TOKEN_NAME a token is known by its name, and a
 * second record by its number is kept up beside it; from then on there is only the number.
 */

import type { Account, AssetIssueContract } from "../../protocol/messages.js";
import type { StateView, Store } from "../state/view.js";
import { tokenBytes, tokenText } from "./token-id.js";

/** Whether contracts name tokens by number. */
export function namesByNumber(state: StateView): boolean {
	return state.properties.on("ALLOW_SAME_TOKEN_NAME");
}

/** The records that count now. */
export function tokenStore(state: StateView): Store<Readonly<AssetIssueContract>> {
	return namesByNumber(state) ? state.assetIssueV2 : state.assetIssue;
}

/** The record of a token by the id or name that contracts use now. */
export function findToken(state: StateView, key: Uint8Array): Readonly<AssetIssueContract> | undefined {
	return tokenStore(state).get(key);
}

/** The token that an account has issued, by the id or name that contracts use now; empty if it has issued none. */
export function issuedToken(state: StateView, account: Readonly<Account>): Uint8Array {
	return namesByNumber(state) ? account.asset_issued_ID : account.asset_issued_name;
}

/** The number of a token, as text, from the id or name that contracts use now. */
export function tokenNumber(state: StateView, key: Uint8Array): string {
	if (namesByNumber(state)) return tokenText(key);
	const token = state.assetIssue.get(key);
	if (!token) throw new Error(`token ${tokenText(key)} is missing`);
	return token.id;
}

/** Changes a token's record, in both generations while there are two. */
export function updateToken(
	state: StateView,
	key: Uint8Array,
	change: (token: Readonly<AssetIssueContract>) => AssetIssueContract,
): void {
	const number = tokenBytes(tokenNumber(state, key));
	if (!namesByNumber(state)) {
		const named = state.assetIssue.get(key);
		if (named) state.assetIssue.put(key, change(named));
	}
	const numbered = state.assetIssueV2.get(number);
	if (numbered) state.assetIssueV2.put(number, change(numbered));
}
