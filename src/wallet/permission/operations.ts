/**
 * Operations of an active permission, by name instead of as a bitmap of 32 bytes: bit n, least significant first, stands
 * for contract type n (protocol/permissions §2.3).
 */

import { equalBytes, fromHex } from "../../protocol/bytes.js";
import {
	contractType,
	contractTypeById,
	contractTypeByName,
	contractTypes,
	operationsMask,
	shortName,
} from "../../protocol/contract-types.js";
import { OPERATIONS_LENGTH } from "../../protocol/permission.js";
import { Failure } from "../failure.js";

const BITS = OPERATIONS_LENGTH * 8;
const PERMISSION_UPDATE = contractType("AccountPermissionUpdateContract").id;

/** Short name of an operation as people write it: without the suffix `Contract`. */
export function operationName(id: number): string {
	const type = contractTypeById(id);
	return type ? shortName(type) : String(id);
}

/** Ids of the bits that are set, ascending. */
export function operationIds(operations: Uint8Array): number[] {
	const ids: number[] = [];
	for (let id = 0; id < operations.length * 8; id++) if (hasOperation(operations, id)) ids.push(id);
	return ids;
}

/** Names of the bits that are set; a bit without a name is given by its number. */
export function operationNames(operations: Uint8Array): string[] {
	return operationIds(operations).map(operationName);
}

/** What a permission may do, in words where these are all operations or the default ones. */
export function operationsText(operations: Uint8Array): string {
	if (equalBytes(operations, ALL_OPERATIONS)) return "do everything";
	if (equalBytes(operations, DEFAULT_OPERATIONS)) return "do everything but change permissions";
	return operationNames(operations).join(", ") || "do nothing";
}

export function hasOperation(operations: Uint8Array, id: number): boolean {
	return ((operations[id >> 3] ?? 0) & (1 << (id & 7))) !== 0;
}

/** 32 bytes with these bits set. @throws {Failure} for an id outside 0 to 255 */
export function operationsOf(ids: Iterable<number>): Uint8Array {
	const operations = new Uint8Array(OPERATIONS_LENGTH);
	for (const id of ids) {
		if (!Number.isInteger(id) || id < 0 || id >= BITS)
			throw new Failure("bad_value", `${id} is not an operation: they go from 0 to 255`);
		operations[id >> 3] = (operations[id >> 3] ?? 0) | (1 << (id & 7));
	}
	return operations;
}

/**
 * The operations that the network currently grants to new accounts, with all upgrades active: all types available to
 * ordinary accounts except the permission update itself (`7fff1fc0033ef30f…`).
 */
export const DEFAULT_OPERATIONS: Uint8Array = operationsMask(
	({ granted }) => granted !== undefined && granted !== "permissions",
);

/** All operations that a permission may have: the default ones and the permission update (`7fff1fc0037ef30f…`). */
const ALL_OPERATIONS: Uint8Array = operationsMask(({ granted }) => granted !== undefined);

/** One operation by name (with or without `Contract`, any case) or number. @throws {Failure} `bad_value` */
export function parseOperation(text: string): number {
	const word = text.trim();
	if (/^\d+$/.test(word)) {
		const id = Number(word);
		if (id >= BITS) throw new Failure("bad_value", `${word} is not an operation: they go from 0 to 255`);
		return id;
	}
	const exact = contractTypeByName(word) ?? contractTypeByName(`${word}Contract`);
	if (exact) return exact.id;
	const wanted = word.toLowerCase().replace(/contract$/, "");
	const found = contractTypes.find((type) => shortName(type).toLowerCase() === wanted);
	if (!found)
		throw new Failure(
			"bad_value",
			`"${word}" is not an operation; coin permission operations all lists the names`,
		);
	return found.id;
}

/**
 * Reads a list of operations: names, numbers, `default`, `all`, 64 hex digits; `+Name` and `-Name` modify what precedes them,
 * or the present operations if they come first.
 * @param present operations that relative entries start from
 * @throws {Failure} `bad_value`
 */
export function parseOperations(text: string, present?: Uint8Array): Uint8Array {
	const trimmed = text.trim();
	if (/^(0x)?[0-9a-fA-F]{64}$/.test(trimmed)) return fromHex(trimmed.replace(/^0x/, ""));
	const words = trimmed.split(/[\s,]+/).filter((word) => word !== "");
	if (words.length === 0) throw new Failure("bad_value", "the list of operations is empty");
	const relative = /^[+-]/.test(words[0] as string);
	if (relative && !present)
		throw new Failure("bad_value", `"${words[0]}" changes operations, and there are none yet`);
	const ids = new Set(relative && present ? operationIds(present) : []);
	for (const word of words) {
		if (word === "default") for (const id of operationIds(DEFAULT_OPERATIONS)) ids.add(id);
		else if (word === "all") for (const id of operationIds(ALL_OPERATIONS)) ids.add(id);
		else if (word.startsWith("-")) ids.delete(parseOperation(word.slice(1)));
		else ids.add(parseOperation(word.replace(/^\+/, "")));
	}
	return operationsOf(ids);
}

/** Bits that are set but belong to no contract type known here. */
export function unknownOperations(operations: Uint8Array): number[] {
	return operationIds(operations).filter((id) => contractTypeById(id) === undefined);
}

/** Whether a permission can change the account's permissions. */
export function canUpdatePermissions(operations: Uint8Array): boolean {
	return hasOperation(operations, PERMISSION_UPDATE);
}

/**
 * Types that move coins or tokens out of the account, or let others do so: transfers, calls and deployments with a value,
 * purchases, the exchange, the order book, and the permission update, which could allow any of them.
 */
const MOVING: readonly number[] = contractTypes.filter(({ movesFunds }) => movesFunds).map(({ id }) => id);

/** The operations of a permission that move funds. */
export function movingOperations(operations: Uint8Array): number[] {
	return MOVING.filter((id) => hasOperation(operations, id));
}
