/**
 * Manual state edits on a development chain (protocol/development-chain §4.4). Each function writes to a view
 * provided by {@link Chain.edit}; edits take effect immediately, and no block records them.
 */

import { toBase58Check } from "../../protocol/address.js";
import { utf8 } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import { SUN_PER_COIN } from "../../protocol/int64.js";
import {
	Account,
	type AccountPermissionUpdateContract,
	AccountType,
	Permission,
	PermissionPermissionType,
	ResourceCode,
	SmartContract,
	SmartContractABI,
} from "../../protocol/messages.js";
import { FIRST_ACTIVE_PERMISSION, OWNER_PERMISSION, WITNESS_PERMISSION } from "../../protocol/permission.js";
import { chainParameterNamed, valueRefusal } from "../consensus/parameters.js";
import { newAccount } from "../resources/balance.js";
import { addStakeV2, addTotalWeight, ownStakeV2, weightV2 } from "../resources/stake.js";
import type { NetworkName } from "../rules/chain-rules.js";
import type { ForkGates } from "../rules/fork-gates.js";
import type { StateView } from "../state/view.js";
import { writeSlot } from "../vm/storage-keys.js";
import { wordFromBytes } from "../vm/word.js";

/** An invalid edit; the message is for the caller. */
export class EditError extends Error {
	override readonly name = "EditError";
}

/** An account's record for editing; a new one if it doesn't exist. */
function accountAt(state: StateView, address: Uint8Array): Account {
	const stored = state.account.get(address);
	return stored ? Account.copy(stored) : newAccount(state, address, AccountType.Normal);
}

/** Sets the coins of an account, in sun; the chain's totals don't change. */
export function setBalance(state: StateView, address: Uint8Array, sun: bigint): void {
	const account = accountAt(state, address);
	account.balance = sun;
	state.account.put(address, account);
}

/** Sets an account's balance of an ORC-10 token. @throws {EditError} if there is no such token */
export function setTokenBalance(state: StateView, address: Uint8Array, tokenId: bigint, units: bigint): void {
	if (!state.assetIssueV2.has(utf8(tokenId.toString()))) throw new EditError(`there is no token ${tokenId}`);
	const account = accountAt(state, address);
	account.assetV2 = new Map(account.assetV2).set(tokenId.toString(), units);
	state.account.put(address, account);
}

/** Makes an account a contract with this code; empty code removes code and record. */
export function setCode(state: StateView, address: Uint8Array, code: Uint8Array, name: string): void {
	const account = accountAt(state, address);
	if (code.length === 0) {
		state.code.delete(address);
		state.contract.delete(address);
		state.abi.delete(address);
		account.type = AccountType.Normal;
		state.account.put(address, account);
		return;
	}
	account.type = AccountType.Contract;
	account.owner_permission = undefined;
	account.witness_permission = undefined;
	account.active_permission = [];
	state.account.put(address, account);
	state.code.put(address, code);
	const stored = state.contract.get(address);
	const contract = stored
		? SmartContract.copy(stored)
		: SmartContract.create({
				contract_address: address,
				origin_address: address,
				name,
				consume_user_resource_percent: 100n,
			});
	contract.code_hash = keccak256(code);
	state.contract.put(address, contract);
	if (!state.abi.has(address)) state.abi.put(address, new SmartContractABI());
}

/**
 * Sets a slot of a contract's storage; zero empties it.
 * @param slot 32 bytes
 * @param value 32 bytes
 * @throws {EditError} if there is no contract
 */
export function setStorageAt(
	state: StateView,
	address: Uint8Array,
	slot: Uint8Array,
	value: Uint8Array,
): void {
	const contract = state.contract.get(address);
	if (!contract || !state.account.has(address)) {
		throw new EditError(`there is no contract at ${toBase58Check(address)}`);
	}
	const keys = { address, creationId: contract.trx_hash, version: contract.version };
	writeSlot(state, keys, wordFromBytes(slot), value);
}

/** Staked coins of an account; undefined members don't change. */
export interface StakedResources {
	readonly bandwidthSun?: bigint | undefined;
	readonly energySun?: bigint | undefined;
	/** A vote is a coin staked for nothing else. */
	readonly votes?: bigint | undefined;
}

/**
 * Sets an account's stakes without changing its balance; the chain's totals are updated.
 * @throws {EditError} for votes while stakes for bandwidth and energy carry the votes
 */
export function setResources(state: StateView, address: Uint8Array, resources: StakedResources): void {
	const account = accountAt(state, address);
	const { bandwidthSun, energySun, votes } = resources;
	if (votes !== undefined && !state.properties.on("ALLOW_NEW_RESOURCE_MODEL")) {
		throw new EditError("stakes for bandwidth and energy vote here: allowNewResourceModel is off");
	}
	const wanted: readonly (readonly [number, bigint | undefined])[] = [
		[ResourceCode.BANDWIDTH, bandwidthSun],
		[ResourceCode.ENERGY, energySun],
		[ResourceCode.COIN_POWER, votes === undefined ? undefined : votes * SUN_PER_COIN],
	];
	for (const [code, sun] of wanted) {
		if (sun === undefined) continue;
		const before = weightV2(account, code);
		addStakeV2(account, code, sun - ownStakeV2(account, code));
		addTotalWeight(state.properties, code, weightV2(account, code) - before);
	}
	state.account.put(address, account);
}

/** Replaces the permissions of an account. @throws {EditError} without an owner permission */
export function setPermissions(
	state: StateView,
	address: Uint8Array,
	{ owner, witness, actives }: Readonly<AccountPermissionUpdateContract>,
): void {
	if (!owner) throw new EditError("the permissions have no owner permission");
	const account = accountAt(state, address);
	const numbered = (permission: Readonly<Permission>, id: number, type: number, name: string): Permission => {
		const copy = Permission.copy(permission);
		copy.id = id;
		copy.type = type;
		if (copy.permission_name === "") copy.permission_name = name;
		return copy;
	};
	account.owner_permission = numbered(owner, OWNER_PERMISSION, PermissionPermissionType.Owner, "owner");
	account.witness_permission =
		witness && numbered(witness, WITNESS_PERMISSION, PermissionPermissionType.Witness, "witness");
	account.active_permission = actives.map((active, index) => {
		const copy = numbered(active, FIRST_ACTIVE_PERMISSION + index, PermissionPermissionType.Active, "active");
		if (copy.operations.length === 0) copy.operations = state.properties.get("ACTIVE_DEFAULT_OPERATIONS");
		return copy;
	});
	state.account.put(address, account);
}

/** Sets a chain parameter by its number or any of its names. @throws {EditError} */
export function setParameter(
	state: StateView,
	forks: ForkGates,
	{ name, value, network }: { readonly name: string; readonly value: bigint; readonly network: NetworkName },
): void {
	const row = chainParameterNamed(name, network);
	if (!row) throw new EditError(`there is no chain parameter ${name}`);
	const refusal = value < 0n ? `the chain parameter ${name} can't be ${value}` : valueRefusal(row, value);
	// Unlike a proposal, this may also turn off one-way switches.
	if (refusal !== undefined && value !== 0n) throw new EditError(refusal);
	const { headTimestampMs: sinceMs } = state.properties;
	if (value === 0n) state.properties.set(row.property, 0n);
	else row.apply({ state, forks, property: row.property, value, sinceMs });
}

/**
 * Makes the next block perform maintenance.
 * @param nowMs the chain's time: proposals that expired by then are processed, too
 */
export function makeMaintenanceDue(state: StateView, nowMs: bigint): void {
	const { properties } = state;
	const head = properties.headTimestampMs;
	properties.set("NEXT_MAINTENANCE_TIME", nowMs > head ? nowMs : head);
}
