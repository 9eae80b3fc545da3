/** Interfaces and sources of contracts, each asked for once: what the chain keeps, and what somebody has compared and stored with the node. */

import { type AbiItem, hashedSignature } from "../abi/parameter.js";
import { isKnown, itemsOf, itemsOfList } from "./abi.js";
import { addressText } from "./address-text.js";
import { type Json, objectsOf } from "./answer.js";
import type { NodeClient } from "./node-client.js";

/** Contracts of one page that are asked for. */
const MOST = 50;

export class Contracts {
	private readonly known = new Map<string, Promise<readonly AbiItem[]>>();

	constructor(private readonly client: NodeClient) {}

	/** The items of a contract's interface; none where nobody knows them. @param contract an address in any form */
	itemsOf(contract: string): Promise<readonly AbiItem[]> {
		const address = addressText(contract);
		if (address === undefined) return Promise.resolve([]);
		let found = this.known.get(address);
		if (!found && this.known.size >= MOST) return Promise.resolve([]);
		if (!found) {
			found = Promise.all([
				this.client.call("getcontract", { value: address }).catch((): Json => ({})),
				sourceOf(this.client, address),
			]).then(([contract_, source]) => allItems(contract_, source));
			this.known.set(address, found);
		}
		return found;
	}
}

/** What is stored with the node of a contract's source (protocol/history §7); undefined where nothing is. */
export async function sourceOf(client: NodeClient, address: string): Promise<Json | undefined> {
	const answer = await client.history(`contracts/${address}/source`).catch((): Json => ({}));
	return objectsOf(answer, "data")[0];
}

/** Items of both, each once: the chain's record lacks errors, and the members of tuples. */
export function allItems(contract: Json, source: Json | undefined): readonly AbiItem[] {
	const items = new Map<string, AbiItem>();
	for (const item of [...itemsOfList(objectsOf(source ?? {}, "abi")), ...itemsOf(contract)]) {
		if (source && !isKnown(item)) continue;
		const name = `${item.kind} ${hashedSignature(item)}`;
		if (!items.has(name)) items.set(name, item);
	}
	return [...items.values()];
}
