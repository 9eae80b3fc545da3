/**
 * Methods that are listed but never served: the network has no such thing, or the node would need keys
 * (protocol/json-rpc §5).
 */

import { type DeclaredType, text } from "../declared-types.js";
import { defineMethod, type RpcMethod } from "../method.js";
import { notAvailable } from "../rpc-error.js";
import { callObject } from "../values.js";

const ROWS: readonly (readonly [name: string, ...types: readonly DeclaredType<unknown>[]])[] = [
	["eth_submitWork", text, text, text],
	["eth_sendRawTransaction", text],
	["eth_sendTransaction", callObject],
	["eth_sign", text, text],
	["eth_signTransaction", callObject],
	["parity_nextNonce", text],
	["eth_getTransactionCount", text, text],
	["eth_getCompilers"],
	["eth_compileSolidity", text],
	["eth_compileLLL", text],
	["eth_compileSerpent", text],
	["eth_submitHashrate", text, text],
];

export const unavailableMethods: readonly RpcMethod[] = ROWS.map(([name, ...types]) =>
	defineMethod<unknown[]>({
		name,
		about: "Not available.",
		parameters: types.map((type, i) => [`parameter ${i + 1}`, type] as const),
		handle: () => {
			throw notAvailable(name);
		},
	}),
);
