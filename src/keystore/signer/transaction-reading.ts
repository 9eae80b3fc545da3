/**
 * Determines what a transaction does from its bytes alone: who receives something, what is called, and what it can cost of each asset.
 * Anything that isn't understood to the last byte is refused, so that exactly what was evaluated is executed.
 *
 * Contract: the bytes, including the parameter's, are in canonical encoding. This excludes repeated fields, unknown
 * fields and overlong integers, so that every decoder reads the same.
 */

import { SELECTOR_BYTES } from "../../abi/selector.js";
import { addressFromHash, isAddress, toBase58Check } from "../../protocol/address.js";
import { equalBytes, fromUtf8, toHex, utf8 } from "../../protocol/bytes.js";
import type { DecodeBudget } from "../../protocol/codec/budget.js";
import { getField, type Message, unknownPath } from "../../protocol/codec/descriptor.js";
import { BudgetError, DecodeError } from "../../protocol/codec/reader.js";
import {
	type BuildableType,
	type ContractType,
	isBuildable,
	TYPE_URL_PREFIX,
} from "../../protocol/contract-types.js";
import { keccak256 } from "../../protocol/hash.js";
import * as m from "../../protocol/messages.js";
import { idleField, SignedTransaction } from "../../protocol/transaction.js";
import { MAX_JUDGED_BYTES } from "./requests.js";

/** Name of the coin as an asset; tokens are named by their id, or by the address of their contract. */
export const COIN_ASSET = "coin";

/** Why bytes can't be evaluated, as a clause. */
export class UnreadableError extends Error {
	override readonly name = "UnreadableError";
}

export interface JudgedTransaction {
	readonly id: Uint8Array;
	/** Length of the signed bytes. */
	readonly byteLength: number;
	readonly type: ContractType;
	/** The acting account, in Base58 like all addresses here. */
	readonly owner: string;
	/** The account's permission that the transaction uses. */
	readonly permissionId: number;
	readonly expirationMs: bigint;
	/** In hexadecimal if it isn't valid text. */
	readonly memo: string;
	/** Everyone who receives something: coins, tokens, resources, votes, an allowance, or a key's part in a permission. */
	readonly recipients: readonly string[];
	/** The contract that is called or changed. */
	readonly contract: string | undefined;
	/** Selector of a call in hexadecimal; empty if the data is too short for one. */
	readonly selector: string | undefined;
	/** Whether the amount or the recipients of the call's transfers are unknown, so that a rule must list its function. */
	readonly isUncounted: boolean;
	/** Whether what it pays can go to anyone: to any trader, a contract that has no address yet, or the called contract. */
	readonly isToAnyone: boolean;
	readonly feeLimitSun: bigint;
	/** What it can cost by asset, in smallest units; coins include the fee limit. Staked and delegated amounts count. */
	readonly sums: ReadonlyMap<string, bigint>;
}

/** Indexes of the call data words that give the recipient and amount. */
interface TokenCall {
	readonly recipient: number;
	/** Absent if something other than an amount is transferred. */
	readonly amount?: number;
}

const TOKEN_CALLS: Readonly<Record<string, TokenCall>> = {
	"transfer(address,uint256)": { recipient: 0, amount: 1 },
	"transferFrom(address,address,uint256)": { recipient: 1, amount: 2 },
	"approve(address,uint256)": { recipient: 0, amount: 1 },
	"increaseAllowance(address,uint256)": { recipient: 0, amount: 1 },
	"increaseApproval(address,uint256)": { recipient: 0, amount: 1 },
	"transferAndCall(address,uint256,bytes)": { recipient: 0, amount: 1 },
	"approveAndCall(address,uint256,bytes)": { recipient: 0, amount: 1 },
	"transferAndCall(address,uint256)": { recipient: 0, amount: 1 },
	"approveAndCall(address,uint256)": { recipient: 0, amount: 1 },
	"transferFromAndCall(address,address,uint256)": { recipient: 1, amount: 2 },
	"transferFromAndCall(address,address,uint256,bytes)": { recipient: 1, amount: 2 },
	"safeTransferFrom(address,address,uint256)": { recipient: 1, amount: 2 },
	"safeTransferFrom(address,address,uint256,bytes)": { recipient: 1, amount: 2 },
	"safeTransferFrom(address,address,uint256,uint256,bytes)": { recipient: 1 },
	"safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)": { recipient: 1 },
	"setApprovalForAll(address,bool)": { recipient: 0 },
};

/** The selector of a function's signature, in hexadecimal. */
export const selectorOfSignature = (signature: string): string =>
	toHex(keccak256(utf8(signature)).subarray(0, SELECTOR_BYTES));

const CALLS_BY_SELECTOR: ReadonlyMap<string, TokenCall & { readonly signature: string }> = new Map(
	Object.entries(TOKEN_CALLS).map(([signature, call]) => [
		selectorOfSignature(signature),
		{ ...call, signature },
	]),
);

const WORD = 32;
const ADDRESS_OFFSET = 12;

/** Decoding limits: a large contract's interface has some hundred entries, and decoding more than this would delay a witness's slot. */
const JUDGED: DecodeBudget = { bytes: MAX_JUDGED_BYTES, items: 4_096, depth: 16 };
/** More than the network allows for votes, and for keys in an account's permissions. */
const MAX_RECIPIENTS = 64;

/** Fields with a recipient; empty if there is no other recipient. */
const RECIPIENT_FIELDS = ["to_address", "receiver_address", "account_address"] as const;

/** The amount that a market order asks for is received, not paid. */
const NOT_PAID = "buy_token_quantity";

/**
 * Reads the raw data of a transaction.
 * @throws {UnreadableError} unless it contains one canonically encoded contract, and nothing that can't be evaluated
 */
export function readTransaction(rawBytes: Uint8Array): JudgedTransaction {
	const { transaction, raw, type, parameter } = decoded(rawBytes);
	const sums = new Map<string, bigint>();
	const add = (asset: string, amount: bigint): void => {
		if (amount < 0n) throw new UnreadableError("it holds a negative amount");
		if (amount > 0n) sums.set(asset, (sums.get(asset) ?? 0n) + amount);
	};
	add(COIN_ASSET, raw.fee_limit);
	for (const path of type.sunFields ?? []) add(COIN_ASSET, amountAt(parameter, path));
	for (const [amount, token] of type.tokenFields ?? [])
		if (amount !== NOT_PAID)
			add(tokenOf(getField(parameter, token) as Uint8Array), amountAt(parameter, amount));
	if (parameter instanceof m.TransferAssetContract) add(tokenOf(parameter.asset_name), parameter.amount);
	if (parameter instanceof m.TriggerSmartContract || parameter instanceof m.CreateSmartContract)
		add(String(parameter.token_id), parameter.call_token_value);
	const recipients = recipientsIn(parameter);
	const contract = getField(parameter, "contract_address");
	const contractText = contract instanceof Uint8Array ? addressText(contract) : undefined;
	let call: ReturnType<typeof readCall> | undefined;
	if (parameter instanceof m.TriggerSmartContract) {
		call = readCall(parameter.data);
		recipients.push(...call.recipients);
		// Even if it is 0, which is the id of the first piece of a non-fungible token.
		if (call.amount !== undefined) sums.set(contractText as string, call.amount);
	}
	return {
		id: transaction.id,
		byteLength: rawBytes.length,
		type,
		owner: addressText(transaction.owner),
		permissionId: raw.contract[0]?.Permission_id ?? 0,
		expirationMs: raw.expiration,
		memo: memoText(raw.data),
		recipients,
		contract: contractText,
		selector: call?.selector,
		isUncounted: call?.isUncounted ?? false,
		isToAnyone: isToAnyone(type, parameter),
		feeLimitSun: raw.fee_limit,
		sums,
	};
}

/** Decodes a transaction and its parameter, and checks that both are canonical and complete. @throws {UnreadableError} */
function decoded(rawBytes: Uint8Array): {
	readonly transaction: SignedTransaction;
	readonly raw: Readonly<m.TransactionRaw>;
	readonly type: ContractType;
	readonly parameter: Readonly<Message>;
} {
	let raw: m.TransactionRaw;
	let parameter: Readonly<Message>;
	let transaction: SignedTransaction;
	let type: BuildableType;
	let value: Uint8Array;
	try {
		raw = m.TransactionRaw.decode(rawBytes, JUDGED);
		transaction = new SignedTransaction(m.Transaction.create({ raw_data: raw }));
		if (raw.contract.length !== 1)
			throw new UnreadableError(`it has ${raw.contract.length} contracts instead of one`);
		({ type, value } = anyOf(transaction));
		parameter = type.message.decode(value, JUDGED);
		transaction.carrying(parameter);
	} catch (error) {
		if (error instanceof BudgetError)
			throw new UnreadableError(`it has more than ${JUDGED.bytes} bytes or ${JUDGED.items} parts`);
		if (error instanceof DecodeError) throw new UnreadableError("the bytes are not a transaction");
		throw error;
	}
	const unknown =
		unknownPath(m.TransactionRaw, raw, "raw_data") ?? unknownPath(type.message, parameter, type.name);
	if (unknown !== undefined) throw new UnreadableError(`it holds fields without a name, in ${unknown}`);
	if (!equalBytes(transaction.rawBytes, rawBytes) || !equalBytes(type.message.encode(parameter), value))
		throw new UnreadableError("its bytes are not in the form that the network writes");
	const idle = idleField(raw);
	if (idle !== undefined) throw new UnreadableError(`it holds ${idle}, which means nothing`);
	if (parameter instanceof m.ShieldedTransferContract)
		throw new UnreadableError("what a shielded transfer pays can't be seen");
	return { transaction, raw, type, parameter };
}

/**
 * The type and bytes of the parameter. Its type name must be exactly the network's: otherwise any prefix would be possible, such as
 * hundreds of kilobytes of text, for whose bandwidth the account would pay.
 * @throws {UnreadableError}
 */
function anyOf({ type, contract }: SignedTransaction): {
	readonly type: BuildableType;
	readonly value: Uint8Array;
} {
	const { type_url: name, value } = contract?.parameter ?? {};
	if (!isBuildable(type) || value === undefined || name !== TYPE_URL_PREFIX + type.name)
		throw new UnreadableError("its parameter is not of the type that it names");
	return { type, value };
}

/** The amount at a dotted path; 0 if a message on the path is absent. */
function amountAt(message: Readonly<Message>, path: string): bigint {
	let value: unknown = message;
	for (const name of path.split(".")) value = value && getField(value as Message, name);
	return (value as bigint | undefined) ?? 0n;
}

/** A token's id as text, or the coin. @throws {UnreadableError} for a name, which several tokens may have */
function tokenOf(id: Uint8Array): string {
	const text = fromUtf8(id);
	if (text === "_") return COIN_ASSET;
	if (/^[1-9]\d{0,18}$/.test(text)) return text;
	throw new UnreadableError("it names a token otherwise than by its id");
}

function addressText(bytes: Uint8Array): string {
	if (!isAddress(bytes)) throw new UnreadableError("it holds an address that is none");
	return toBase58Check(bytes);
}

/** Bytes that aren't text are given a form that no rule can list, since memos of digits look like bytes. */
function memoText(data: Uint8Array): string {
	const text = fromUtf8(data);
	return equalBytes(utf8(text), data) ? text : `\0${toHex(data)}`;
}

function recipientsIn(parameter: Readonly<Message>): string[] {
	const found = RECIPIENT_FIELDS.map((name) => getField(parameter, name)).filter(
		(value): value is Uint8Array => value instanceof Uint8Array && value.length > 0,
	);
	if (parameter instanceof m.VoteWitnessContract)
		found.push(...parameter.votes.map(({ vote_address }) => vote_address));
	if (parameter instanceof m.AccountPermissionUpdateContract) {
		const { owner, witness, actives } = parameter;
		const permissions = [owner, witness, ...actives].filter((each) => each !== undefined);
		found.push(...permissions.flatMap(({ keys }) => keys.map(({ address }) => address)));
	}
	if (found.length > MAX_RECIPIENTS)
		throw new UnreadableError(`it has ${found.length} recipients, more than ${MAX_RECIPIENTS}`);
	return found.map(addressText);
}

/** Whether the payment can go to anyone: for example, an order at a bad price pays whoever takes it. */
function isToAnyone({ tokenFields, movesFunds }: ContractType, parameter: Readonly<Message>): boolean {
	if (parameter instanceof m.CreateSmartContract)
		return (parameter.new_contract?.call_value ?? 0n) > 0n || parameter.call_token_value > 0n;
	if (parameter instanceof m.TriggerSmartContract)
		return parameter.call_value > 0n || parameter.call_token_value > 0n;
	return tokenFields !== undefined && movesFunds === true;
}

/**
 * Recipient and amount of a call of a token's function, whatever the contract really is.
 * @throws {UnreadableError} for arguments that contracts interpret differently
 */
function readCall(data: Uint8Array): {
	readonly selector: string;
	readonly recipients: readonly string[];
	/** Undefined if it isn't an amount, or isn't known. */
	readonly amount: bigint | undefined;
	readonly isUncounted: boolean;
} {
	if (data.length < SELECTOR_BYTES)
		return { selector: "", recipients: [], amount: undefined, isUncounted: false };
	const selector = toHex(data.subarray(0, SELECTOR_BYTES));
	const call = CALLS_BY_SELECTOR.get(selector);
	if (!call) return { selector, recipients: [], amount: undefined, isUncounted: true };
	const { signature, recipient, amount } = call;
	const words = signature.split(",").length;
	const isFixed = !/bytes|\[/.test(signature);
	const head = SELECTOR_BYTES + words * WORD;
	const word = (index: number): Uint8Array =>
		data.subarray(SELECTOR_BYTES + index * WORD, SELECTOR_BYTES + (index + 1) * WORD);
	const isWhole = isFixed ? data.length === head : data.length >= head;
	if (
		!isWhole ||
		word(recipient)
			.subarray(0, ADDRESS_OFFSET)
			.some((byte) => byte !== 0)
	)
		throw new UnreadableError(`the arguments of ${signature} are not in their usual form`);
	return {
		selector,
		recipients: [addressText(addressFromHash(word(recipient).subarray(ADDRESS_OFFSET)))],
		amount: amount === undefined ? undefined : BigInt(`0x${toHex(word(amount))}`),
		isUncounted: amount === undefined,
	};
}
