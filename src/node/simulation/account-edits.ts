/** Overrides of account state in simulations: coins, code, storage, tokens, stakes and permissions. */

import type { AccountPermissionUpdateContract } from "../../protocol/messages.js";
import {
	EditError,
	type StakedResources,
	setBalance,
	setCode,
	setPermissions,
	setResources,
	setStorageAt,
	setTokenBalance,
} from "../development/state-edits.js";
import { stores } from "../state/definition.js";
import { readOnly, type StateBackend } from "../state/entry.js";
import { StateLayer } from "../state/layer.js";
import { createView, type StateView } from "../state/view.js";
import { ROW_PREFIX_LENGTH, RowKeys } from "../vm/storage-keys.js";
import { SimulationError } from "./simulation-error.js";

/** Overrides of an account; absent members are unchanged. */
export interface AccountEdit {
	/** 21 bytes. */
	readonly address: Uint8Array;
	readonly balanceSun?: bigint | undefined;
	/** Empty: the account is not a contract any more. */
	readonly code?: Uint8Array | undefined;
	/** Slots and values, 32 bytes each. */
	readonly slots: readonly (readonly [slot: Uint8Array, value: Uint8Array])[];
	/** Whether all other storage slots are cleared. */
	readonly clearsStorage: boolean;
	/** Units of ORC-10 tokens by id. */
	readonly tokens: readonly (readonly [id: bigint, units: bigint])[];
	readonly stakes?: StakedResources | undefined;
	readonly permissions?: Readonly<AccountPermissionUpdateContract> | undefined;
}

/** Name of contracts that exist only in a simulation. */
const CONTRACT_NAME = "simulated";

/**
 * Applies edits to a layer.
 * @returns the layer, or one on top of it if storage is cleared
 * @throws {SimulationError} for an edit that is impossible in the chain's state
 */
export function applyAccountEdits(layer: StateLayer, edits: readonly AccountEdit[]): StateLayer {
	try {
		return applied(layer, edits);
	} catch (error) {
		if (error instanceof EditError) throw new SimulationError("override", error.message);
		throw error;
	}
}

function applied(layer: StateLayer, edits: readonly AccountEdit[]): StateLayer {
	for (const { address, balanceSun, code } of edits) {
		if (balanceSun !== undefined) setBalance(layer.view, address, balanceSun);
		if (code !== undefined) setCode(layer.view, address, code, CONTRACT_NAME);
	}
	const cleared = edits.filter(({ clearsStorage }) => clearsStorage);
	const top = cleared.length === 0 ? layer : new StateLayer(withoutStorageOf(layer.view, cleared));
	const state = top.view;
	for (const { address, slots, tokens, stakes, permissions } of edits) {
		for (const [slot, value] of slots) setStorageAt(state, address, slot, value);
		for (const [id, units] of tokens) setTokenBalance(state, address, id, units);
		if (stakes) setResources(state, address, stakes);
		if (permissions) setPermissions(state, address, permissions);
	}
	return top;
}

/** The same state without the storage of some contracts: rows can't be enumerated, only hidden. */
function withoutStorageOf({ account, contract, backend, seed }: StateView, of: readonly AccountEdit[]) {
	const hidden = new Set(
		of.map(({ address }) => {
			const record = account.has(address) ? contract.get(address) : undefined;
			return new RowKeys(address, record?.trx_hash, record?.version).prefix;
		}),
	);
	const rows = stores.storageRow.index;
	const hiding: StateBackend = {
		get: (store, key) =>
			store.index === rows && hidden.has(key.slice(0, ROW_PREFIX_LENGTH))
				? undefined
				: backend.get(store, key),
		put: readOnly,
		delete: readOnly,
		keys: (store) => backend.keys(store),
		keysEver: (store, prefix) => backend.keysEver(store, prefix),
	};
	return createView(hiding, seed);
}
