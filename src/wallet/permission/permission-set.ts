/**
 * The permissions of an account as one value: read from the chain or from a document, edited step by step, and written as
 * a document for the next command (protocol/wallet-formats §5). The chain numbers active permissions by their position.
 */

import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import {
	type Account,
	AccountPermissionUpdateContract,
	Key,
	Permission,
	PermissionPermissionType,
	PermissionPermissionTypeEnum,
} from "../../protocol/messages.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, member } from "../json.js";
import { unknownMember } from "../values/suggestion.js";
import { operationNames, parseOperations } from "./operations.js";
import { permissionOf } from "./permission.js";

/** Id of the first active permission. */
export const FIRST_ACTIVE_ID = 2;

export interface PermissionSet {
	readonly owner: Readonly<Permission>;
	readonly witness: Readonly<Permission> | undefined;
	readonly actives: readonly Readonly<Permission>[];
}

/** The permissions that an account has now; the defaults if it stores none. */
export function storedPermissions(account: Readonly<Account>): PermissionSet {
	return {
		owner: permissionOf(account, 0) as Readonly<Permission>,
		witness: account.witness_permission,
		actives: account.active_permission,
	};
}

/** The contract of a transaction that stores a set. */
export function updateContract(owner: Uint8Array, set: PermissionSet): AccountPermissionUpdateContract {
	return AccountPermissionUpdateContract.create({
		owner_address: owner,
		owner: set.owner,
		...(set.witness ? { witness: set.witness } : {}),
		actives: set.actives,
	});
}

/** A set as the chain will store it, with ids by position. */
export function numbered(set: PermissionSet): PermissionSet {
	const withId = (permission: Readonly<Permission>, id: number): Permission => {
		const copy = Permission.copy(permission);
		copy.id = id;
		return copy;
	};
	return {
		owner: withId(set.owner, 0),
		witness: set.witness && withId(set.witness, 1),
		actives: set.actives.map((active, index) => withId(active, FIRST_ACTIVE_ID + index)),
	};
}

/** A permission as shown to people and programs. */
export interface PermissionView {
	readonly id: number;
	readonly type: string;
	readonly name: string;
	readonly threshold: bigint;
	readonly keys: readonly {
		readonly address: string;
		readonly weight: bigint;
		readonly local?: boolean | undefined;
	}[];
	readonly operations?: string | undefined;
	readonly operationNames?: readonly string[] | undefined;
}

/** Writes a set as a document. @param isLocal whether a key is in the local keystore */
export function permissionDocument(
	account: Uint8Array,
	set: PermissionSet,
	isLocal?: (address: Uint8Array) => boolean,
): {
	readonly account: string;
	readonly owner: PermissionView;
	readonly witness?: PermissionView | undefined;
	readonly actives: readonly PermissionView[];
} {
	const view = (permission: Readonly<Permission>): PermissionView => ({
		id: permission.id,
		type: PermissionPermissionTypeEnum.names.get(permission.type) ?? String(permission.type),
		name: permission.permission_name,
		threshold: permission.threshold,
		keys: permission.keys.map(({ address, weight }) => ({
			address: toBase58Check(address),
			weight,
			...(isLocal ? { local: isLocal(address) } : {}),
		})),
		...(permission.operations.length > 0
			? {
					operations: toHex(permission.operations),
					operationNames: operationNames(permission.operations),
				}
			: {}),
	});
	return {
		account: toBase58Check(account),
		owner: view(set.owner),
		...(set.witness ? { witness: view(set.witness) } : {}),
		actives: set.actives.map(view),
	};
}

/** The members that documents have; those of the chain's own form may be among them. */
const SET_MEMBERS = ["account", "owner", "witness", "actives", "source"];
const PERMISSION_MEMBERS = ["name", "threshold", "keys", "operations", "operationNames", "id", "type"];
const CHAIN_MEMBERS = ["permission_name", "parent_id"];
const KEY_MEMBERS = ["address", "weight", "local"];

/** A mistyped member would leave what it was meant to change. @throws {Failure} `bad_value` */
function refuseUnknown(
	value: JsonRecord,
	place: string,
	known: readonly string[],
	more: string[] = [],
): void {
	const unknown = Object.keys(value).find((name) => !known.includes(name) && !more.includes(name));
	if (unknown !== undefined) throw unknownMember(place, unknown, known);
}

/**
 * Reads a document; members that are only for display are ignored, unknown ones refused.
 * @param resolve resolves a key, given by address or label, to its address
 * @throws {Failure} `bad_value` with the path
 */
export async function readPermissionDocument(
	document: Json,
	resolve: (text: string) => Promise<Uint8Array>,
): Promise<PermissionSet> {
	if (!isRecord(document)) throw new Failure("bad_value", "the permissions document is not a JSON object");
	refuseUnknown(document, "the permissions document", SET_MEMBERS);
	const { owner, witness, actives } = document;
	if (!isRecord(owner)) throw new Failure("bad_value", "the permissions document has no owner");
	if (!Array.isArray(actives)) throw new Failure("bad_value", "the permissions document has no list actives");
	const { Owner, Witness, Active } = PermissionPermissionType;
	const read: Permission[] = [];
	for (const [index, active] of actives.entries()) {
		read.push(await readPermission(active, Active, `actives[${index}]`, FIRST_ACTIVE_ID + index, resolve));
	}
	return {
		owner: await readPermission(owner, Owner, "owner", 0, resolve),
		witness: isRecord(witness) ? await readPermission(witness, Witness, "witness", 1, resolve) : undefined,
		actives: read,
	};
}

async function readPermission(
	value: Json,
	type: number,
	place: string,
	id: number,
	resolve: (text: string) => Promise<Uint8Array>,
): Promise<Permission> {
	if (!isRecord(value)) throw new Failure("bad_value", `${place} is not an object`);
	refuseUnknown(value, place, PERMISSION_MEMBERS, CHAIN_MEMBERS);
	const { name, threshold, keys } = value;
	if (!Array.isArray(keys)) {
		const hint = "if the account has no active permission yet, coin permission template makes one";
		const isActive = type === PermissionPermissionType.Active;
		throw new Failure("bad_value", `${place} has no list keys`, isActive ? { hint } : {});
	}
	const read: Key[] = [];
	for (const [index, key] of keys.entries()) {
		if (!isRecord(key)) throw new Failure("bad_value", `${place}.keys[${index}] is not an object`);
		refuseUnknown(key, `${place}.keys[${index}]`, KEY_MEMBERS);
		const { address, weight } = key;
		read.push(
			Key.create({
				address: await resolve(String(address)),
				weight: weight === undefined ? 1n : integer(weight, `${place}.keys[${index}].weight`),
			}),
		);
	}
	return Permission.create({
		type,
		id,
		permission_name: String(name ?? member(value, "permission_name") ?? ""),
		threshold: integer(threshold, `${place}.threshold`),
		operations:
			type === PermissionPermissionType.Active ? operationsOfDocument(value, place) : new Uint8Array(0),
		keys: read,
	});
}

function operationsOfDocument(value: JsonRecord, place: string): Uint8Array {
	const { operations, operationNames: names } = value;
	const fromHex = operations === undefined ? undefined : parseOperations(String(operations));
	const fromNames = Array.isArray(names) ? parseOperations(names.join(",")) : undefined;
	if (fromHex && fromNames && !equalBytes(fromHex, fromNames)) {
		throw new Failure("bad_value", `${place}: operations and operationNames disagree`);
	}
	const found = fromHex ?? fromNames;
	if (!found) throw new Failure("bad_value", `${place} has neither operations nor operationNames`);
	return found;
}

function integer(value: Json | undefined, place: string): bigint {
	if (typeof value === "bigint") return value;
	if (typeof value === "string" && /^\d+$/.test(value)) return BigInt(value);
	throw new Failure("bad_value", `${place} is not a whole number`);
}
