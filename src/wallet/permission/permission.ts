/** An account's stored permissions, and the weight of signatures under them (protocol/permissions §§2 and 3.3). */

import { toBase58Check } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { type Account, Key, Permission, PermissionPermissionType } from "../../protocol/messages.js";
import { Failure } from "../failure.js";
import { hasOperation, operationName } from "./operations.js";

const OWNER_ID = 0;
const WITNESS_ID = 1;
export const MAX_KEYS = 5;

/** A key of a permission that has signed or could sign. */
export interface WeighedKey {
	readonly address: Uint8Array;
	readonly weight: bigint;
}

/** The owner permission of an account that stores none: just its own key. */
function defaultOwner(address: Uint8Array): Permission {
	return Permission.create({
		type: PermissionPermissionType.Owner,
		permission_name: "owner",
		threshold: 1n,
		keys: [Key.create({ address, weight: 1n })],
	});
}

/** The stored permission with an id; undefined if the account doesn't have it. */
export function permissionOf(account: Readonly<Account>, id: number): Readonly<Permission> | undefined {
	if (id === OWNER_ID) return account.owner_permission ?? defaultOwner(account.address);
	if (id === WITNESS_ID) return account.witness_permission;
	return account.active_permission.find((permission) => permission.id === id);
}

/** A permission's label in messages. */
export function permissionLabel(permission: Readonly<Permission>): string {
	return permission.permission_name === ""
		? `${permission.id}`
		: `${permission.permission_name} (${permission.id})`;
}

/**
 * Finds a permission by number or by the name of an active one.
 * @returns the id
 * @throws {Failure} `bad_value`; `not_authorized` for the witness permission, which signs blocks only
 */
export function permissionId(account: Readonly<Account>, text: string): number {
	if (/^\d+$/.test(text)) {
		const id = Number(text);
		if (id === WITNESS_ID) throw new Failure("not_authorized", "witness permission can't sign");
		if (id > 9) throw new Failure("bad_value", `permission ids go from 0 to 9, not ${text}`);
		return id;
	}
	const named = account.active_permission.filter((permission) => permission.permission_name === text);
	const [first, second] = named;
	if (second)
		throw new Failure("bad_value", `${named.length} active permissions are named "${text}": use the id`);
	if (first) return first.id;
	if (text === "owner") return OWNER_ID;
	const names = account.active_permission.map(permissionLabel).join(", ");
	throw new Failure("bad_value", `there is no permission "${text}"; the active ones are ${names || "none"}`);
}

/**
 * Checks that a permission may authorise a contract type at all.
 * @throws {Failure} `not_authorized` with the node's text
 */
export function checkPermission(
	permission: Readonly<Permission> | undefined,
	id: number,
	contractType: number,
): Readonly<Permission> {
	if (id === WITNESS_ID)
		throw new Failure("not_authorized", "Permission type is error: witness permission can't sign");
	if (!permission)
		throw new Failure("not_authorized", `permission isn't exit: the account has no permission ${id}`);
	if (id !== OWNER_ID) {
		if (permission.type !== PermissionPermissionType.Active)
			throw new Failure("not_authorized", "Permission type is error");
		if (!hasOperation(permission.operations, contractType)) {
			throw new Failure(
				"not_authorized",
				`Permission denied: ${permissionLabel(permission)} may not do ${operationName(contractType)}`,
			);
		}
	}
	return permission;
}

/** The weight of a transaction's signers under a permission. */
export interface Approval {
	/** Keys that have signed, in the order of the signatures. */
	readonly approved: readonly WeighedKey[];
	/** Keys that haven't, in the order of the permission. */
	readonly outstanding: readonly WeighedKey[];
	readonly weight: bigint;
	/** Weight missing to the threshold; 0 if it is reached. */
	readonly missing: bigint;
	readonly ready: boolean;
}

/**
 * Weighs signers.
 * @throws {Failure} `not_authorized` if a signer is not a key of the permission
 */
export function weigh(permission: Readonly<Permission>, signers: readonly Uint8Array[]): Approval {
	const approved = signers.map((signer) => {
		const key = permission.keys.find((candidate) => equalBytes(candidate.address, signer));
		if (!key) {
			throw new Failure(
				"not_authorized",
				`it is signed by ${toBase58Check(signer)}, which is not a key of the permission ${permissionLabel(permission)}`,
				{ details: { keys: permission.keys.map(({ address }) => toBase58Check(address)) } },
			);
		}
		return { address: key.address, weight: key.weight };
	});
	const outstanding = permission.keys.filter(
		(key) => !signers.some((signer) => equalBytes(signer, key.address)),
	);
	const weight = approved.reduce((sum, key) => sum + key.weight, 0n);
	const missing = weight >= permission.threshold ? 0n : permission.threshold - weight;
	return { approved, outstanding, weight, missing, ready: missing === 0n };
}

/** Whether two permissions are equal as far as a signer is concerned. */
export function samePermission(a: Readonly<Permission>, b: Readonly<Permission>): boolean {
	return (
		a.threshold === b.threshold &&
		equalBytes(a.operations, b.operations) &&
		a.keys.length === b.keys.length &&
		a.keys.every((key, index) => {
			const other = b.keys[index] as Readonly<Key>;
			return key.weight === other.weight && equalBytes(key.address, other.address);
		})
	);
}

/** The least number of signatures that can reach a permission's threshold, distinguishing only one and more than one (given as two). */
export function leastSignatures(permission: Readonly<Permission> | undefined): number {
	const heaviest = permission?.keys.reduce((most, { weight }) => (weight > most ? weight : most), 0n) ?? 1n;
	return (permission?.threshold ?? 1n) > heaviest ? 2 : 1;
}

/**
 * How many signatures a transaction of an account will have, wherever they are made: more than one costs a fee.
 * @param permission by id or name; if absent, the owner permission
 * @param signers number of signers named for it
 * @throws {Failure} as {@link permissionId}
 */
export function signaturesToExpect(
	account: Readonly<Account>,
	permission: string | undefined,
	signers = 0,
): number {
	const id = permission === undefined ? OWNER_ID : permissionId(account, permission);
	return Math.max(leastSignatures(permissionOf(account, id)), signers);
}
