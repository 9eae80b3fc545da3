/** Balances, code and storage at the head (protocol/json-rpc §§4 and 6). */

import { readSlot } from "../../../vm/storage-keys.js";
import { wordFromBytes } from "../../../vm/word.js";
import { text } from "../declared-types.js";
import { defineMethod, type RpcMethod } from "../method.js";
import { type ParameterReaders, readersOf } from "../parameter-readers.js";
import { invalidParams } from "../rpc-error.js";
import { data, isTag, quantity, ZERO_HASH } from "../values.js";

/** State is only known at the head. @throws {RpcError} */
export function requireLatest(readers: ParameterReaders, tag: string | null): void {
	if (isTag(tag, "latest")) return;
	const { pastStates } = readers;
	if (pastStates.some((past) => isTag(tag, past))) {
		throw invalidParams(`TAG [${pastStates.join(" | ")}] not supported`);
	}
	readers.blockNumber(tag);
	throw invalidParams("QUANTITY not supported, just support TAG as latest");
}

export const stateMethods: readonly RpcMethod[] = [
	defineMethod({
		name: "eth_getBalance",
		about: "Coins of an account in sun; 0 if it doesn't exist.",
		parameters: [
			["address", text],
			["block", text],
		],
		handle: (context, address, block) => {
			const readers = readersOf(context);
			requireLatest(readers, block);
			return quantity(context.state.account.get(readers.address(address))?.balance ?? 0n);
		},
	}),
	defineMethod({
		name: "eth_getCode",
		about: "Runtime code of a contract.",
		parameters: [
			["address", text],
			["block", text],
		],
		handle: (context, address, block) => {
			const readers = readersOf(context);
			requireLatest(readers, block);
			const { state } = context;
			const owner = readers.address(address);
			const exists = state.account.has(owner) && state.contract.has(owner);
			return data((exists ? state.code.get(owner) : undefined) ?? new Uint8Array(0));
		},
	}),
	defineMethod({
		name: "eth_getStorageAt",
		about: "A slot of a contract's storage.",
		parameters: [
			["address", text],
			["slot", text],
			["block", text],
		],
		handle: (context, address, slot, block) => {
			const readers = readersOf(context);
			requireLatest(readers, block);
			const { state } = context;
			const owner = readers.address(address);
			const contract = state.account.has(owner) ? state.contract.get(owner) : undefined;
			if (!contract) return ZERO_HASH;
			const value = readSlot(
				state,
				{ address: owner, creationId: contract.trx_hash, version: contract.version },
				wordFromBytes(readers.slot(slot)),
			);
			return value ? data(value) : ZERO_HASH;
		},
	}),
];
