/** Balances, code and storage (protocol/json-rpc §§4 and 6). */

import { readSlot } from "../../../vm/storage-keys.js";
import { wordFromBytes } from "../../../vm/word.js";
import { readersOf } from "../answers.js";
import { text } from "../declared-types.js";
import { defineMethod, type RpcMethod } from "../method.js";
import { contextOfTag } from "../state-block.js";
import { data, quantity, ZERO_HASH_TEXT } from "../values.js";

export const stateMethods: readonly RpcMethod[] = [
	defineMethod({
		name: "eth_getBalance",
		about: "Coins of an account in sun; 0 if it doesn't exist.",
		parameters: [
			["address", text],
			["block", text],
		],
		handle: (context, address, block) => {
			const { state } = contextOfTag(context, block);
			return quantity(state.account.get(readersOf(context).address(address))?.balance ?? 0n);
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
			const { state } = contextOfTag(context, block);
			const owner = readersOf(context).address(address);
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
			const { state } = contextOfTag(context, block);
			const owner = readers.address(address);
			const contract = state.account.has(owner) ? state.contract.get(owner) : undefined;
			if (!contract) return ZERO_HASH_TEXT;
			const value = readSlot(
				state,
				{ address: owner, creationId: contract.trx_hash, version: contract.version },
				wordFromBytes(readers.slot(slot)),
			);
			return value ? data(value) : ZERO_HASH_TEXT;
		},
	}),
];
