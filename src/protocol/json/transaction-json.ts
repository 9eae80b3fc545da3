/** Transactions and blocks as JSON (protocol/http §2.5, §2.6), always in the map-ordered form. */

import type { SignedBlock } from "../block.js";
import { toHex } from "../bytes.js";
import { getField, type Message } from "../codec/descriptor.js";
import { DecodeError } from "../codec/reader.js";
import { contractTypeById } from "../contract-types.js";
import { deploymentAddress } from "../deployment.js";
import { spell } from "../dialect.js";
import {
	BlockHeader,
	PQAuthSig,
	Transaction,
	type TransactionContract,
	TransactionContractContractType,
	TransactionRaw,
} from "../messages.js";
import { signatureOfHeader, signaturesOfTransaction } from "../post-quantum/fields.js";
import { ParameterError, type SignedTransaction, unpackParameter } from "../transaction.js";
import { nullPointer } from "./exceptions.js";
import { type Member, mapOrderedObject } from "./map-ordered-json.js";
import { type JsonStyle, mapOrderedMessage, mapOrderedMessageWith, printMessage } from "./message-writer.js";
import { quoteMapOrdered } from "./quoting.js";

const CREATE_SMART_CONTRACT = TransactionContractContractType.CreateSmartContract;

/**
 * A transaction: its fields, each contract's decoded parameter, `raw_data_hex`, `txID`, and the address of a
 * deployed contract.
 * @param shown `visible` adds that member, as builders do; without `id` there is no `txID`
 * @throws {NamedError} NullPointerException if the transaction has no `raw_data`
 */
export function transactionJson(
	transaction: SignedTransaction,
	style: JsonStyle,
	{ visible = false, id = true }: { readonly visible?: boolean; readonly id?: boolean } = {},
): string {
	const raw = transaction.raw;
	if (!raw) throw nullPointer();
	const members: Member[] = [...postQuantumMembers(transaction, style)];
	const contracts: string[] = [];
	for (const contract of raw.contract) {
		const parameter = readableParameter(contract);
		if (parameter === "unreadable") continue;
		if (parameter && contract.type === CREATE_SMART_CONTRACT) {
			const owner = getField(parameter, "owner_address") as Uint8Array;
			members.push([
				"contract_address",
				`"${toHex(deploymentAddress(transaction, owner, style.countsNonces === true))}"`,
			]);
		}
		contracts.push(contractJson(contract, parameter, style));
	}
	const rawMembers: Member[] = [["contract", `[${contracts.join(",")}]`]];
	members.push(
		["raw_data", mapOrderedMessageWith(TransactionRaw, raw, style, rawMembers)],
		["raw_data_hex", `"${toHex(transaction.rawBytes)}"`],
	);
	if (id) members.push(["txID", `"${transaction.idHex}"`]);
	if (visible) members.push(["visible", String(style.visible)]);
	return mapOrderedMessageWith(Transaction, transaction.message, style, members);
}

/** A transaction's fields in the printed form, as returned for its bytes. */
export function printedTransaction({ message }: SignedTransaction, style: JsonStyle): string {
	const printed = printMessage(Transaction, message, style);
	const all = postQuantumTexts(message, style, printMessage);
	if (all.length === 0) return printed;
	const before = printed === "{}" ? "{" : `${printed.slice(0, -1)},`;
	return `${before}"pq_auth_sig": [${all.join(",")}]}`;
}

function postQuantumMembers({ message }: SignedTransaction, style: JsonStyle): readonly Member[] {
	const all = postQuantumTexts(message, style, mapOrderedMessage);
	return all.length === 0 ? [] : [["pq_auth_sig", `[${all.join(",")}]`]];
}

/** Nile-only signatures; unreadable ones are omitted. */
function postQuantumTexts(
	message: Readonly<Transaction>,
	style: JsonStyle,
	write: typeof printMessage,
): readonly string[] {
	if (!style.postQuantum || message.$unknown === undefined) return [];
	const signatures = readable(() => signaturesOfTransaction(message)) ?? [];
	return signatures.map((one) => write(PQAuthSig, one, style));
}

function headerJson(header: Readonly<BlockHeader>, style: JsonStyle): string {
	const signature =
		style.postQuantum && header.$unknown ? readable(() => signatureOfHeader(header)) : undefined;
	if (!signature) return mapOrderedMessage(BlockHeader, header, style);
	const members: Member[] = [["pq_auth_sig", mapOrderedMessage(PQAuthSig, signature, style)]];
	return mapOrderedMessageWith(BlockHeader, header, style, members);
}

/** The result of `read`; undefined if the bytes don't decode. */
function readable<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch (error) {
		if (error instanceof DecodeError) return undefined;
		throw error;
	}
}

/** A contract's parameter; undefined if its type has no message, "unreadable" if it doesn't decode. */
function readableParameter(contract: Readonly<TransactionContract>): Message | undefined | "unreadable" {
	if (!contractTypeById(contract.type)?.message) return undefined;
	try {
		return unpackParameter(contract);
	} catch (error) {
		if (error instanceof ParameterError || error instanceof DecodeError) return "unreadable";
		throw error;
	}
}

function contractJson(
	contract: Readonly<TransactionContract>,
	parameter: Message | undefined,
	style: JsonStyle,
): string {
	const type = contractTypeById(contract.type);
	const inner: Member[] = [];
	if (type?.message && parameter) inner.push(["value", mapOrderedMessage(type.message, parameter, style)]);
	inner.push(["type_url", quoteMapOrdered(contract.parameter?.type_url ?? "")]);
	const members: Member[] = [
		["parameter", mapOrderedObject(inner, style.library)],
		["type", `"${spell(type?.name ?? "UNRECOGNIZED", style.dialect)}"`],
	];
	if (contract.Permission_id > 0) members.push(["Permission_id", String(contract.Permission_id)]);
	return mapOrderedObject(members, style.library);
}

/** A block with its id. `transactions` is absent if there are none, or without detail. */
export function blockJson(block: SignedBlock, style: JsonStyle, detail = true): string {
	const transactions: Member[] =
		detail && block.transactions.length > 0
			? [["transactions", `[${block.transactions.map((tx) => transactionJson(tx, style)).join(",")}]`]]
			: [];
	const id: Member = ["blockID", `"${block.idHex}"`];
	const header = block.message.block_header;
	const headers: Member[] = header ? [["block_header", headerJson(header, style)]] : [];
	return mapOrderedObject([id, ...headers, ...transactions], style.library);
}
