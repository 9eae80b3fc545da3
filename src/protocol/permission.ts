/** Account permissions: defaults, lookup, and the operations mask (protocol/permissions §2.1, §2.3). */

import { equalBytes } from "./bytes.js";
import { type Account, Key, Permission, PermissionPermissionType } from "./messages.js";

export const OWNER_PERMISSION = 0;
export const WITNESS_PERMISSION = 1;
export const FIRST_ACTIVE_PERMISSION = 2;

/** Maximum number of signatures that count. */
export const MAX_SIGNATURES = 5;

/** Length of an operations mask in bytes: one bit per contract type. */
export const OPERATIONS_LENGTH = 32;

const soleKey = (address: Uint8Array): readonly Readonly<Key>[] => [Key.create({ address, weight: 1n })];

export function defaultOwnerPermission(address: Uint8Array): Permission {
	return Permission.create({
		type: PermissionPermissionType.Owner,
		permission_name: "owner",
		threshold: 1n,
		keys: soleKey(address),
	});
}

export function defaultWitnessPermission(address: Uint8Array): Permission {
	return Permission.create({
		type: PermissionPermissionType.Witness,
		id: WITNESS_PERMISSION,
		permission_name: "witness",
		threshold: 1n,
		keys: soleKey(address),
	});
}

/** @param operations the chain's current ACTIVE_DEFAULT_OPERATIONS */
export function defaultActivePermission(address: Uint8Array, operations: Uint8Array): Permission {
	return Permission.create({
		type: PermissionPermissionType.Active,
		id: FIRST_ACTIVE_PERMISSION,
		permission_name: "active",
		threshold: 1n,
		operations,
		keys: soleKey(address),
	});
}

/**
 * An account's permission by id.
 * @param account undefined if it doesn't exist: it has the default owner and active permissions
 * @param defaultOperations mask of a default active permission
 */
export function permissionById(
	account: Readonly<Account> | undefined,
	address: Uint8Array,
	id: number,
	defaultOperations: Uint8Array,
): Readonly<Permission> | undefined {
	if (!account) {
		if (id === OWNER_PERMISSION) return defaultOwnerPermission(address);
		return id === FIRST_ACTIVE_PERMISSION ? defaultActivePermission(address, defaultOperations) : undefined;
	}
	if (id === OWNER_PERMISSION) return account.owner_permission ?? defaultOwnerPermission(address);
	if (id === WITNESS_PERMISSION) return account.witness_permission;
	return account.active_permission.find((permission) => permission.id === id);
}

/** The address that signs blocks for a witness account. */
export function witnessSigningAddress(account: Readonly<Account>): Uint8Array {
	return account.witness_permission?.keys[0]?.address ?? account.address;
}

/** Weight of the first key with this address; 0 if there is none. */
export function keyWeight(permission: Readonly<Permission>, address: Uint8Array): bigint {
	return permission.keys.find((key) => equalBytes(key.address, address))?.weight ?? 0n;
}

/** Whether a mask allows a contract type. */
export function maskAllows(operations: Uint8Array, typeId: number): boolean {
	return ((operations[typeId >> 3] ?? 0) & (1 << (typeId & 7))) !== 0;
}
