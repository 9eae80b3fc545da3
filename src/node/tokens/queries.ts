/** Token queries (protocol/tokens §9.1). Public bandwidth usage in records is recovered to the head slot. */

import { equalBytes, fromUtf8 } from "../../protocol/bytes.js";
import { minInt } from "../../protocol/int64.js";
import { AssetIssueContract, AssetIssueList } from "../../protocol/messages.js";
import { increase } from "../resources/window.js";
import { RuntimeRuleError } from "../rules/errors.js";
import { valuesInStoreOrder } from "../state/store-order.js";
import type { StateView } from "../state/view.js";
import { namesByNumber, tokenBytes, tokenStore } from "./token-store.js";

/** Maximum page size of a list. */
const MAX_PAGE = 1_000n;

/** A record as queries return it. */
function shownToken(state: StateView, token: Readonly<AssetIssueContract>): AssetIssueContract {
	const copy = AssetIssueContract.copy(token);
	copy.public_free_asset_net_usage = increase(
		state.properties,
		token.public_free_asset_net_usage,
		0n,
		token.public_latest_free_net_time,
		state.properties.headSlot,
	);
	return copy;
}

/** Records as a list; undefined if there are none. */
function list(state: StateView, tokens: readonly Readonly<AssetIssueContract>[]): AssetIssueList | undefined {
	if (tokens.length === 0) return undefined;
	return AssetIssueList.create({ assetIssue: tokens.map((token) => shownToken(state, token)) });
}

/** The current records as stored, in store order. */
export function tokenRecords(state: StateView): Readonly<AssetIssueContract>[] {
	return valuesInStoreOrder(tokenStore(state));
}

/** All tokens, in store order. */
export function allTokens(state: StateView): AssetIssueList | undefined {
	return list(state, tokenRecords(state));
}

/** A page of all tokens, by name, then in store order. PERF: sorts all tokens. */
export function pageOfTokens(state: StateView, offset: bigint, limit: bigint): AssetIssueList | undefined {
	const tokens = tokenRecords(state);
	if (offset < 0n || limit <= 0n || offset >= BigInt(tokens.length)) return undefined;
	const named = tokens.map((token) => ({ token, name: fromUtf8(token.name) }));
	named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
	const page = named.slice(Number(offset), Number(offset + minInt(limit, MAX_PAGE)));
	return list(
		state,
		page.map(({ token }) => token),
	);
}

/** The token that an account issued, as a list. PERF: iterates over all tokens. */
export function tokensOfAccount(state: StateView, owner: Uint8Array): AssetIssueList | undefined {
	return list(
		state,
		tokenRecords(state).filter((token) => equalBytes(token.owner_address, owner)),
	);
}

/** The token with a number. @param id the number as text */
export function tokenById(state: StateView, id: Uint8Array): AssetIssueContract | undefined {
	const token = id.length > 0 ? state.assetIssueV2.get(id) : undefined;
	return token && shownToken(state, token);
}

/** All tokens with exactly this name, in store order. PERF: iterates over all tokens. */
export function tokensByName(state: StateView, name: Uint8Array): AssetIssueList | undefined {
	return list(
		state,
		tokenRecords(state).filter((token) => equalBytes(token.name, name)),
	);
}

/** The token that owned a name while names were unique; later ones with the same name are others. */
export function tokenByOldName(state: StateView, name: Uint8Array): Readonly<AssetIssueContract> | undefined {
	const token = state.assetIssue.get(name);
	return token && namesByNumber(state) ? state.assetIssueV2.get(tokenBytes(token.id)) : token;
}

/**
 * The only token with this name; once names aren't unique, also the token with this number.
 * @throws {RuntimeRuleError} if more than one token answers to it
 */
export function tokenByName(state: StateView, name: Uint8Array): AssetIssueContract | undefined {
	if (!namesByNumber(state)) {
		const token = state.assetIssue.get(name);
		return token && shownToken(state, token);
	}
	const named = state.assetIssueV2.values().filter((token) => equalBytes(token.name, name));
	const numbered = state.assetIssueV2.get(name);
	const answers = numbered ? [...named.filter((token) => token.id !== numbered.id), numbered] : named;
	if (answers.length > 1) {
		throw new RuntimeRuleError(
			"NonUniqueObjectException",
			"To get more than one asset, please use getAssetIssueById syntax",
		);
	}
	const [token] = answers;
	return token && shownToken(state, token);
}
