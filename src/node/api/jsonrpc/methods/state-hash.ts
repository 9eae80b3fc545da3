/** The hash of the state after a final block (protocol/json-rpc §19): by it nodes compare theirs. */

import { toHex } from "../../../../protocol/bytes.js";
import { STATE_HASH_VERSION } from "../../../state/state-hash/state-hash.js";
import type { ApiContext } from "../../context.js";
import { JsonNumber, type RawArray, type RawValue } from "../json-reader.js";
import type { RpcMethod, RpcResult } from "../method.js";
import { internal, invalidParams, notAvailable } from "../rpc-error.js";

const NAME = "coin_getStateHash";

/** undefined: the newest @throws {RpcError} */
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
