/**
 * The two generations of token records (protocol/tokens §1). Until ALLOW_SAME_TOKEN_NAME, tokens are
 * identified by name, and a second record by number is kept in sync; afterwards only by number.
 */

import { fromUtf8 } from "../../protocol/bytes.js";
import type { Account, AssetIssueContract } from "../../protocol/messages.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView, Store } from "../state/view.js";

// Token ids in contracts: number, name before the switch, or the coin itself (protocol/tokens §§1 and 2.1).

/** The id of the coin in exchange pairs and market orders: `_`. */
export const COIN_ID: Uint8Array = Buffer.from("_", "latin1");

export function isCoin(id: Uint8Array): boolean {
	return id.length === 1 && id[0] === 0x5f;
}

/** Whether an id has the form of a token number: decimal digits without a leading zero. */
function isTokenNumber(id: Uint8Array): boolean {
	if (id.length === 0 || (id.length > 1 && id[0] === 0x30)) return false;
	return id.every((byte) => byte >= 0x30 && byte <= 0x39);
}

export function isCoinOrTokenNumber(id: Uint8Array): boolean {
	return isCoin(id) || isTokenNumber(id);
}

/** An id or name as the text that keys an account's token maps. */
export function tokenText(id: Uint8Array): string {
	return fromUtf8(id);
}

/** The bytes of a token number's text. */
export function tokenBytes(id: string): Uint8Array {
	return Buffer.from(id, "utf8");
}

/** Limits on a token's texts, shared by issuing and updating (protocol/tokens §2.1). */
const MAX_NAME_LENGTH = 32;
const MAX_URL_LENGTH = 256;
const MAX_DESCRIPTION_LENGTH = 200;

/** A token's name or abbreviation: 1 to 32 visible ASCII characters. */
export function isTokenName(name: Uint8Array): boolean {
	if (name.length === 0 || name.length > MAX_NAME_LENGTH) return false;
	return name.every((byte) => byte >= 0x21 && byte <= 0x7e);
}

/** @throws {ContractValidateError} if the page is missing or too long, or the description is too long */
export function checkTokenTexts(url: Uint8Array, description: Uint8Array): void {
	if (url.length === 0 || url.length > MAX_URL_LENGTH) throw new ContractValidateError("Invalid url");
	if (description.length > MAX_DESCRIPTION_LENGTH) throw new ContractValidateError("Invalid description");
}

/** @throws {ContractValidateError} if the bandwidth for one holder or for all a day is out of range */
export function checkTokenBandwidth(state: StateView, perHolder: bigint, forAll: bigint): void {
	const limit = state.properties.get("ONE_DAY_NET_LIMIT");
	if (perHolder < 0n || perHolder >= limit) throw new ContractValidateError("Invalid FreeAssetNetLimit");
	if (forAll < 0n || forAll >= limit) throw new ContractValidateError("Invalid PublicFreeAssetNetLimit");
}

/** Whether contracts identify tokens by number. */
export function namesByNumber(state: StateView): boolean {
	return state.properties.on("ALLOW_SAME_TOKEN_NAME");
}

/** The records in current use. */
export function tokenStore(state: StateView): Store<Readonly<AssetIssueContract>> {
	return namesByNumber(state) ? state.assetIssueV2 : state.assetIssue;
}

/** A token's record by the id or name currently used by contracts. */
export function findToken(state: StateView, key: Uint8Array): Readonly<AssetIssueContract> | undefined {
	return tokenStore(state).get(key);
}

/** The token an account has issued, by the id or name currently used by contracts; empty if none. */
export function issuedToken(state: StateView, account: Readonly<Account>): Uint8Array {
	return namesByNumber(state) ? account.asset_issued_ID : account.asset_issued_name;
}

/** A token's number, as text, from the id or name currently used by contracts. */
export function tokenNumber(state: StateView, key: Uint8Array): string {
	if (namesByNumber(state)) return tokenText(key);
	const token = state.assetIssue.get(key);
	if (!token) throw new Error(`token ${tokenText(key)} is missing`);
	return token.id;
}

/** Updates a token's record, in both generations while there are two. */
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
