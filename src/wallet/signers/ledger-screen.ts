/** What the network's app on the device can take and what it shows of it, by the app's public protocol. */

import { toBase58Check } from "../../protocol/address.js";
import { fromUtf8 } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { contractTypeById } from "../../protocol/contract-types.js";
import { TransferAssetContract, TransferContract, TriggerSmartContract } from "../../protocol/messages.js";
import { ParameterError, type SignedTransaction } from "../../protocol/transaction.js";
import { operationName } from "../permission/operations.js";
import { tokenCallText } from "../token/token-call.js";
import { formatCoin } from "../values/amount.js";

/** A piece of the exchange; the app reads raw data field by field, and no field may be cut. Bytes. */
const PIECE = 250;

/** Whether every field of the raw data fits into one piece, so that the app can read the transaction. */
export function fitsDevice(rawBytes: Uint8Array): boolean {
	for (let at = 0; at < rawBytes.length; ) {
		const size = fieldSize(rawBytes, at);
		if (size > PIECE) return false;
		at += size;
	}
	return true;
}

/** Bytes of the field that begins there: a number, or a length and as many bytes. */
function fieldSize(bytes: Uint8Array, start: number): number {
	const tag = varint(bytes, start);
	const body = varint(bytes, tag.end);
	return (tag.value & 7n) === 0n ? body.end - start : body.end - start + Number(body.value);
}

function varint(bytes: Uint8Array, start: number): { readonly value: bigint; readonly end: number } {
	let value = 0n;
	for (let at = start; at < bytes.length && at < start + 10; at++) {
		const byte = bytes[at] as number;
		value |= BigInt(byte & 0x7f) << BigInt(7 * (at - start));
		if (byte < 0x80) return { value, end: at + 1 };
	}
	return { value, end: bytes.length };
}

/** What a person is to compare with the screen, line by line. */
export function screenLines(transaction: SignedTransaction): string[] {
	const from = toBase58Check(transaction.owner);
	const lines = fitsDevice(transaction.rawBytes) ? contractLines(transaction) : undefined;
	if (lines) return [...lines.map(row), row(["from", from])];
	const type = contractTypeById(transaction.contract?.type ?? -1);
	return [
		row(["kind", type ? operationName(type.id) : "unknown"]),
		row(["from", from]),
		row(["hash", transaction.idHex.toUpperCase()]),
	];
}

type Row = readonly [name: string, value: string];

function row([name, value]: Row): string {
	return `  on device   ${name} ${value}`;
}

/** Of the kinds that the app reads; undefined: it shows the hash. */
function contractLines(transaction: SignedTransaction): Row[] | undefined {
	let parameter: unknown;
	try {
		parameter = transaction.parameter;
	} catch (error) {
		if (error instanceof ParameterError || error instanceof DecodeError) return undefined;
		throw error;
	}
	if (parameter instanceof TransferContract) {
		return [
			["amount", formatCoin(parameter.amount)],
			["to", toBase58Check(parameter.to_address)],
		];
	}
	if (parameter instanceof TransferAssetContract) {
		return [
			["token", fromUtf8(parameter.asset_name)],
			["amount", `${parameter.amount} units`],
			["to", toBase58Check(parameter.to_address)],
		];
	}
	if (parameter instanceof TriggerSmartContract) {
		const call = tokenCallText(parameter.data);
		return [
			["contract", toBase58Check(parameter.contract_address)],
			...(call === undefined ? [] : [["call", call] as const]),
			...(parameter.call_value > 0n ? [["amount", formatCoin(parameter.call_value)] as const] : []),
		];
	}
	return undefined;
}
