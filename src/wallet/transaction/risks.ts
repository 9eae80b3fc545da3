/** Detects irreversible actions that are easily done by mistake, from what is signed: burns, and allowances without a limit. */

import { addressFromHash, toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import * as m from "../../protocol/messages.js";
import { BURN_ACCOUNT, SHIELDED_CALLS } from "../shielded/shielded-call.js";
import type { Contract } from "./contract.js";

const WORD = 32;

/** No token has this many units: an allowance of this amount or more is effectively unlimited. */
export const UNLIMITED_ALLOWANCE = 2n ** 255n;

/** Approvals of ORC-20, ORC-721 and ORC-1155: the spender, followed by an amount, an id, or whether all tokens are approved. */
const ALLOWANCES: Readonly<Record<string, { readonly from: bigint }>> = {
	"095ea7b3": { from: UNLIMITED_ALLOWANCE }, // approve(address,uint256)
	"39509351": { from: UNLIMITED_ALLOWANCE }, // increaseAllowance(address,uint256)
	d73dd623: { from: UNLIMITED_ALLOWANCE }, // increaseApproval(address,uint256)
	a22cb465: { from: 1n }, // setApprovalForAll(address,bool)
};

/** Transfers of these interfaces, with the index of the word that is the recipient. */
const RECIPIENTS: Readonly<Record<string, number>> = {
	a9059cbb: 0, // transfer(address,uint256)
	"23b872dd": 1, // transferFrom(address,address,uint256)
	"42842e0e": 1, // safeTransferFrom(address,address,uint256)
	b88d4fde: 1, // safeTransferFrom(address,address,uint256,bytes)
	f242432a: 1, // safeTransferFrom(address,address,uint256,uint256,bytes)
	"2eb2c2d6": 1, // safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)
	[SHIELDED_CALLS.burn.selector]: BURN_ACCOUNT,
};

/** Why a contract needs confirmation whoever built it, as a clause; undefined if it has no such risk. */
export function riskOf({
	parameter,
	risk,
}: Pick<Contract, "parameter"> & { readonly risk?: string }): string | undefined {
	if (risk !== undefined) return risk;
	if (parameter instanceof m.TriggerSmartContract) return riskOfCall(parameter);
	const isPayment = parameter instanceof m.TransferContract || parameter instanceof m.TransferAssetContract;
	const to = isPayment
		? parameter.to_address
		: parameter instanceof m.ShieldedTransferContract
			? parameter.transparent_to_address
			: undefined;
	return to && riskOfRecipient(to);
}

/** Why a payment to an account needs confirmation. @param recipient 21 bytes, or none if no account is paid */
export function riskOfRecipient(recipient: Uint8Array): string | undefined {
	return recipient.length > 0 && isZero(recipient.subarray(1)) ? burns(recipient) : undefined;
}

/** The risk as a line of a summary. */
export function riskLine(risk: string): string {
	return `  look twice  ${risk}`;
}

function riskOfCall({ data, contract_address: contract }: m.TriggerSmartContract): string | undefined {
	const selector = toHex(data.subarray(0, 4));
	// Contracts ignore trailing bytes, and older ones read zeros where bytes are missing.
	const word = (index: number): Uint8Array => {
		const start = 4 + index * WORD;
		return Uint8Array.from({ length: WORD }, (_, at) => data[start + at] ?? 0);
	};
	const addressAt = (index: number): Uint8Array => word(index).subarray(WORD - 20);
	const allowance = ALLOWANCES[selector];
	if (allowance && BigInt(`0x${toHex(word(1))}`) >= allowance.from) {
		const spender = toBase58Check(addressFromHash(addressAt(0)));
		return `lets ${spender} move everything of the token ${toBase58Check(contract)}`;
	}
	const recipient = RECIPIENTS[selector];
	if (recipient === undefined || !isZero(addressAt(recipient))) return undefined;
	return burns(addressFromHash(addressAt(recipient)));
}

function isZero(bytes: Uint8Array): boolean {
	return bytes.every((byte) => byte === 0);
}

function burns(recipient: Uint8Array): string {
	return `burns it: ${toBase58Check(recipient)} is the zero address, which nobody has a key of`;
}
