/** ABIs and sources of contracts, each fetched once: from the chain, and verified ones from the node. */

import { type AbiItem, hashedSignature } from "../abi/parameter.js";
import { addressInWord, IMPLEMENTATION_SELECTOR, minimalTarget, PROXY_SLOTS } from "../abi/proxy.js";
import { readStorageLayout, type StorageLayout } from "../abi/storage-layout.js";
import { isKnown, itemsOf, itemsOfList } from "./abi.js";
import { addressText, hexAddress } from "./address-text.js";
import { type Json, objectsOf, textOf } from "./answer.js";
import { textOfHex } from "./format.js";
import { type NodeClient, NodeError } from "./node-client.js";
import { TokenUnits } from "./tokens.js";

/** The most contracts fetched per page, and accounts whose names are fetched. */
const MOST = 60;

/** What a page shows about a contract. */
interface ContractFacts {
	/** Its own items, and those of its implementation if it is a proxy. */
	readonly items: readonly AbiItem[];
	/** Name given by its owner; may be empty. */
	readonly name: string;
	/** Name in its stored source; may be empty. */
	readonly sourceName: string;
	/** Its creation code, hexadecimal; empty if created by another contract. */
	readonly code: string;
	/** Storage layout from its stored source, or from that of its implementation. */
	readonly layout: StorageLayout | undefined;
}

/** The zero address, in Base58Check. */
const NOBODY = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb";

const UNKNOWN: ContractFacts = { items: [], name: "", sourceName: "", code: "", layout: undefined };

/** Fetches a value once per address; beyond the limit, returns `none`. */
function once<T>(
	known: Map<string, Promise<T>>,
	text: string,
	ask: (address: string) => Promise<T>,
	none: T,
): Promise<T> {
	const address = addressText(text);
	const found = known.get(address ?? "");
	if (found || address === undefined || known.size >= MOST) return found ?? Promise.resolve(none);
	const asked = ask(address);
	known.set(address, asked);
	return asked;
}

export class Contracts {
	private readonly known = new Map<string, Promise<ContractFacts>>();
	private readonly labels = new Map<string, Promise<string>>();

	/** Units of the tokens that contracts implement. */
	readonly units: TokenUnits;

	constructor(private readonly client: NodeClient) {
		this.units = new TokenUnits(client);
	}

	/** The items of a contract's interface; empty if unknown. @param contract an address in any form */
	async itemsOf(contract: string): Promise<readonly AbiItem[]> {
		return (await this.factsOf(contract)).items;
	}

	/** @param contract an address in any form */
	factsOf(contract: string): Promise<ContractFacts> {
		return once(this.known, contract, (address) => this.ask(address), UNKNOWN);
	}

	/**
	 * The name given to an account, or to a contract by its creator; may be empty.
	 * @param account an address in any form
	 */
	labelOf(account: string): Promise<string> {
		// The contract's facts include its name.
		const known = this.known.get(addressText(account) ?? "");
		const ask = async (address: string) => (await known)?.name || this.askLabel(address);
		return once(this.labels, account, ask, "");
	}

	private async askLabel(address: string): Promise<string> {
		// The zero address: the sender of mints and the receiver of burns.
		if (address === NOBODY) return "nobody";
		const account = await this.client.call("getaccount", { address }).catch((): Json => ({}));
		return textOf(account, "type") === "Contract"
			? textOf(await this.client.call("getcontract", { value: address }).catch((): Json => ({})), "name")
			: accountName(account);
	}

	private async ask(address: string): Promise<ContractFacts> {
		const { items, record, source } = await ownFacts(this.client, address);
		const behind = await itemsBehind(this.client, address, items);
		return {
			items: joined(items, behind?.items ?? []),
			name: textOf(record, "name"),
			sourceName: textOf(source ?? {}, "contract").replace(/^.*:/, ""),
			code: textOf(record, "bytecode"),
			layout: layoutOf(source, behind),
		};
	}
}

/**
 * Labels by address from what `coin contact export` prints. Its signature isn't checked: the reader chose the file.
 * @throws {Error} for any other text, in words
 */
export function contactsOf(text: string): ReadonlyMap<string, string> {
	const refusal = new Error("this is no list that coin contact export prints");
	let list: { readonly contacts?: unknown } | null;
	try {
		list = JSON.parse(text);
	} catch {
		throw refusal;
	}
	if (!Array.isArray(list?.contacts)) throw refusal;
	return new Map(
		list.contacts.map((each: Readonly<Record<string, unknown>> | null) => {
			const address = addressText(String(each?.["address"]));
			if (address === undefined || typeof each?.["label"] !== "string") throw refusal;
			return [address, each["label"].slice(0, 64)];
		}),
	);
}

/** The name that an account has set; may be empty. */
export function accountName(account: Json): string {
	const name = textOf(account, "account_name");
	return /^([\da-f]{2})+$/i.test(name) ? textOfHex(name) : name;
}

/**
 * The layout to read a contract's storage by: its own, or for a proxy without one its implementation's.
 * @param behind from {@link itemsBehind}
 */
export function layoutOf(
	source: Json | undefined,
	behind: { readonly source: Json | undefined } | undefined,
): StorageLayout | undefined {
	const own = readStorageLayout(source?.["storage_layout"]);
	if (own && own.variables.length > 0) return own;
	return behind ? readStorageLayout(behind.source?.["storage_layout"]) : own;
}

async function ownFacts(client: NodeClient, address: string) {
	const [record, source] = await Promise.all([
		client.call("getcontract", { value: address }).catch((): Json => ({})),
		sourceOf(client, address),
	]);
	return { record, source, items: allItems(record, source) };
}

/**
 * The implementation of a proxy, whose ABI applies to the proxy as well. All addresses in Base58Check.
 * @returns undefined if it isn't a known kind of proxy, or the node doesn't serve JSON-RPC here
 */
async function implementationOf(client: NodeClient, contract: string): Promise<string | undefined> {
	const digits = hexAddress(contract)?.slice(2);
	if (digits === undefined) return undefined;
	const at = async (slot: string) =>
		addressInWord(await client.rpc("eth_getStorageAt", [`0x${digits}`, slot, "latest"]));
	try {
		const code = await client.rpc("eth_getCode", [`0x${digits}`, "latest"]);
		const found =
			minimalTarget(String(code).replace(/^0x/, "")) ??
			(await at(PROXY_SLOTS.implementation)) ??
			(await behindBeacon(client, await at(PROXY_SLOTS.beacon))) ??
			(await at(PROXY_SLOTS.proxiable));
		return found === undefined ? undefined : addressText(found);
	} catch (error) {
		if (error instanceof NodeError) return undefined;
		throw error;
	}
}

async function behindBeacon(client: NodeClient, beacon: string | undefined): Promise<string | undefined> {
	if (beacon === undefined) return undefined;
	const call = { to: `0x${beacon}`, data: `0x${IMPLEMENTATION_SELECTOR}` };
	return addressInWord(await client.rpc("eth_call", [call, "latest"]));
}

/**
 * The ABI of a proxy's implementation.
 * @param own the proxy's items: proxies that delegate calls have a fallback, or no ABI at all
 * @returns undefined if it isn't a known kind of proxy
 */
export async function itemsBehind(
	client: NodeClient,
	address: string,
	own: readonly AbiItem[],
): Promise<
	| { readonly implementation: string; readonly items: readonly AbiItem[]; readonly source: Json | undefined }
	| undefined
> {
	const handsOn = own.some(({ kind }) => kind === "fallback") || !own.some(({ kind }) => kind === "function");
	const implementation = handsOn ? await implementationOf(client, address) : undefined;
	if (implementation === undefined) return undefined;
	const { items, source } = await ownFacts(client, implementation);
	return { implementation, items, source };
}

/** Merges ABIs; of equal items the first is kept. */
export function joined(...lists: readonly (readonly AbiItem[])[]): readonly AbiItem[] {
	const items = new Map<string, AbiItem>();
	for (const item of lists.flat()) {
		const name = `${item.kind} ${hashedSignature(item)}`;
		if (!items.has(name)) items.set(name, item);
	}
	return [...items.values()];
}

/** A contract's source as stored with the node (protocol/history §7); undefined if none. */
export async function sourceOf(client: NodeClient, address: string): Promise<Json | undefined> {
	const answer = await client.history(`contracts/${address}/source`).catch((): Json => ({}));
	return objectsOf(answer, "data")[0];
}

/** Items of both, merged: the chain's record lacks errors and tuple components. */
export function allItems(contract: Json, source: Json | undefined): readonly AbiItem[] {
	const record = itemsOf(contract);
	const stored = source ? itemsOfList(objectsOf(source, "abi")) : [];
	return source ? joined([...stored, ...record].filter(isKnown)) : joined(record);
}
