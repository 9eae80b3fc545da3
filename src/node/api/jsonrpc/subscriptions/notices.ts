/** What subscribers are sent of blocks, accounts and events (protocol/json-rpc §15.2). */

import type { AbiView } from "../../../../abi/coder.js";
import { addressPrefix } from "../../../../protocol/address.js";
import type { SignedBlock } from "../../../../protocol/block.js";
import { concatBytes } from "../../../../protocol/bytes.js";
import type { Account } from "../../../../protocol/messages.js";
import type { StateView } from "../../../state/view.js";
import { readStoredEvent } from "../../queries/stored-events.js";
import type { RpcValue } from "../method.js";
import { blockObject } from "../objects/block.js";
import { logObject, type PlacedLog } from "../objects/log.js";
import type { ObjectStyle } from "../objects/style.js";
import { addressData, data, quantity } from "../values.js";

/** What a block's object has, and its header has not. */
const ONLY_OF_BLOCKS: ReadonlySet<string> = new Set(["size", "totalDifficulty", "transactions", "uncles"]);

/** The header of a block: its object without what is not in a header. */
export function headerObject(state: StateView, block: SignedBlock, style: ObjectStyle): RpcValue {
	const object = blockObject(state, block, false, style) as Readonly<Record<string, RpcValue>>;
	return Object.fromEntries(Object.entries(object).filter(([name]) => !ONLY_OF_BLOCKS.has(name)));
}

/** An account as a block left it. @param account undefined: there is none any more */
export function accountNotice(
	address: Uint8Array,
	account: Readonly<Account> | undefined,
	block: SignedBlock,
): RpcValue {
	return {
		address: addressData(address),
		blockNumber: quantity(block.number),
		blockHash: data(block.id),
		exists: account !== undefined,
		balance: quantity(account?.balance ?? 0n),
	};
}

/** A log with its event, as the interface reads it that is stored with its contract; `event` is null where it can't. */
export async function eventNotice(
	state: StateView,
	placed: PlacedLog,
	block: SignedBlock,
	removed: boolean,
	style: ObjectStyle,
): Promise<RpcValue> {
	const object = logObject(placed, block, removed, style) as Readonly<Record<string, RpcValue>>;
	const contract = concatBytes(Uint8Array.of(addressPrefix()), placed.log.address);
	const { decoded } = readStoredEvent(state.abi.get(contract), placed.log) ?? {};
	return {
		...object,
		event: decoded?.event ?? null,
		signature: decoded?.signature ?? null,
		args: decoded ? shownValues(decoded.args) : null,
	};
}

/** Whole numbers as decimal text: many are longer than a number of JSON can be. */
function shownValues(view: AbiView): RpcValue {
	if (typeof view === "bigint") return view.toString();
	if (typeof view === "boolean" || typeof view === "string") return view;
	if (Array.isArray(view)) return view.map(shownValues);
	return Object.fromEntries(
		Object.entries(view as Readonly<Record<string, AbiView>>).map(([name, value]) => [
			name,
			shownValues(value),
		]),
	);
}
