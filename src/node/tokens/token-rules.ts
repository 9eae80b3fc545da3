/** Rules on a token's texts and limits that issuing and updating share (protocol/tokens §2.1). */

import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";

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
