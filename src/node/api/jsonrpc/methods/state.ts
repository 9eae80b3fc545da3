/** Balances, code and storage at the head (protocol/json-rpc §§4 and 6). */

import { toHex } from "../../../../protocol/bytes.js";
import { NamedError } from "../../../../protocol/json/exceptions.js";
import { decodeHexText } from "../../../../protocol/json/hex-text.js";
import { readSlot as readStoredSlot } from "../../../vm/storage-keys.js";
import { wordFromBytes } from "../../../vm/word.js";
import { text } from "../declared-types.js";
import { defineMethod, type Method } from "../method.js";
import { invalidParams } from "../rpc-error.js";
import { data, isTag, quantity, readAddress, readBlockNumber, ZERO_HASH } from "../values.js";

const WORD_BYTES = 32;

/** State is only known at the head. @throws {RpcError} */
export function requireLatest(tag: string | null): void {
	if (isTag(tag, "latest")) return;
	if (isTag(tag, "earliest") || isTag(tag, "pending") || isTag(tag, "finalized")) {
		throw invalidParams("TAG [earliest | pending | finalized] not supported");
	}
	readBlockNumber(tag);
	throw invalidParams("QUANTITY not supported, just support TAG as latest");
}

/** A storage slot: 32 bytes, zeros in front. @throws {NamedError} */
function readSlot(slot: string | null): Uint8Array {
	const bytes = decodeHexText(slot);
	if (bytes.length > WORD_BYTES) {
		throw new NamedError("RuntimeException", `Data word can't exceed 32 bytes: ${toHex(bytes)}`);
	}
	const word = new Uint8Array(WORD_BYTES);
	word.set(bytes, WORD_BYTES - bytes.length);
	return word;
}

export const stateMethods: readonly Method[] = [
	defineMethod({
		name: "eth_getBalance",
		about: "Coins of an account in sun; 0 if it doesn't exist.",
		parameters: [
			["address", text],
			["block", text],
		],
		handle: ({ state }, address, block) => {
			requireLatest(block);
			return quantity(state.account.get(readAddress(address))?.balance ?? 0n);
		},
	}),
	defineMethod({
		name: "eth_getCode",
		about: "Runtime code of a contract.",
		parameters: [
			["address", text],
			["block", text],
		],
		handle: ({ state }, address, block) => {
			requireLatest(block);
			const owner = readAddress(address);
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
		handle: ({ state }, address, slot, block) => {
			requireLatest(block);
			const owner = readAddress(address);
			const contract = state.account.has(owner) ? state.contract.get(owner) : undefined;
			if (!contract) return ZERO_HASH;
			const value = readStoredSlot(
				state,
				{ address: owner, creationId: contract.trx_hash, version: contract.version },
				wordFromBytes(readSlot(slot)),
			);
			return value ? data(value) : ZERO_HASH;
		},
	}),
];
