/** Balances, code and storage (protocol/json-rpc §§4 and 6). */

import { toHex } from "../../../../protocol/bytes.js";
import { STATE_HASH_VERSION } from "../../../state/state-hash/state-hash.js";
import { readSlot } from "../../../vm/storage-keys.js";
import { wordFromBytes } from "../../../vm/word.js";
import type { ApiContext } from "../../context.js";
import { readersOf } from "../answers.js";
import { text } from "../declared-types.js";
import { JsonNumber, type RawArray, type RawValue } from "../json-reader.js";
import { defineMethod, type RpcMethod, type RpcResult } from "../method.js";
import { internal, invalidParams, notAvailable } from "../rpc-error.js";
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

const NAME = "coin_getStateHash";

/** Undefined for the newest. @throws {RpcError} */
function numberOf(value: RawValue | undefined): bigint | undefined {
	if (value === undefined || value === null || value === "finalized") return undefined;
	const text = value instanceof JsonNumber ? value.text : value;
	if (typeof text === "string" && /^(?:0x[0-9a-f]{1,16}|\d{1,19})$/i.test(text)) return BigInt(text);
	throw invalidParams(`a block of ${NAME} is a number, or "finalized" for the newest`);
}

function getStateHash({ node }: ApiContext, [block]: RawArray): RpcResult {
	const { stateHash } = node;
	if (!stateHash) throw notAvailable(NAME, ": node.state.hash is off");
	const { kept, progress } = stateHash;
	if (stateHash.hasFailed) throw internal("the hash of the state is not followed any more; the log says why");
	if (progress !== undefined) throw internal(`the state is still being hashed: ${progress} entries so far`);
	const number = numberOf(block);
	const hash = number === undefined ? kept.newest : kept.at(number);
	if (!hash) {
		const newest = kept.newest ? `; the newest is ${kept.newest.number}` : "";
		throw internal(`no hash is kept of the state after block ${number ?? "finalized"}${newest}`);
	}
	return {
		version: STATE_HASH_VERSION,
		block: Number(hash.number),
		endsCycle: hash.endsCycle,
		hash: toHex(hash.hash),
		entries: hash.entries,
		stores: Object.fromEntries(
			[...hash.stores].map(([store, one]) => [store, { entries: one.entries, hash: toHex(one.hash) }]),
		),
	};
}

/** The state hash after a finalized block (protocol/json-rpc §19), with which nodes compare their states. */
export const stateHashMethods: readonly RpcMethod[] = [
	{
		name: NAME,
		alias: undefined,
		about: "The hash of the whole state after a final block, and of each store of it.",
		parameters: [{ name: "block", type: "any" }],
		least: 0,
		call: (context, values) => getStateHash(context, values),
	},
];
