/** Interfaces and sources of contracts, each asked for once: what the chain keeps, and what somebody has compared and stored with the node. */

import { type AbiItem, hashedSignature } from "../abi/parameter.js";
import { addressInWord, IMPLEMENTATION_SELECTOR, minimalTarget, PROXY_SLOTS } from "../abi/proxy.js";
import { readStorageLayout, type StorageLayout } from "../abi/storage-layout.js";
import { isKnown, itemsOf, itemsOfList } from "./abi.js";
import { addressText, hexAddress } from "./address-text.js";
import { type Json, objectsOf, textOf } from "./answer.js";
import { textOfHex } from "./format.js";
import { type NodeClient, NodeError } from "./node-client.js";
import { TokenUnits } from "./tokens.js";

/** Contracts of one page that are asked for, and accounts of lists for their names. */
const MOST = 60;

/** What a page says of a contract. */
interface ContractFacts {
	/** Its own, and that of the contract whose code it runs. */
	readonly items: readonly AbiItem[];
	/** As its owner has called it; may be empty. */
	readonly name: string;
	/** What its stored source calls it; may be empty. */
	readonly sourceName: string;
	/** Its creation code, hexadecimal; empty for what another contract made. */
	readonly code: string;
	/** Its variables by its stored source, or that of the contract whose code it runs. */
	readonly layout: StorageLayout | undefined;
}

/** The address of zeros, in Base58Check. */
const NOBODY = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb";

const UNKNOWN: ContractFacts = { items: [], name: "", sourceName: "", code: "", layout: undefined };

/** Asks once for each of some addresses; beyond the most that are asked for the answer is another. */
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

	/** What counts the tokens that contracts are. */
	readonly units: TokenUnits;

	constructor(private readonly client: NodeClient) {
		this.units = new TokenUnits(client);
	}

	/** The items of a contract's interface; none where nobody knows them. @param contract an address in any form */
	async itemsOf(contract: string): Promise<readonly AbiItem[]> {
		return (await this.factsOf(contract)).items;
	}

	/** @param contract an address in any form */
	factsOf(contract: string): Promise<ContractFacts> {
		return once(this.known, contract, (address) => this.ask(address), UNKNOWN);
	}

	/** What an account, or whoever made a contract, calls it; may be empty. @param account an address in any form */
	labelOf(account: string): Promise<string> {
		// What was asked for its interface has told its name, too.
		const known = this.known.get(addressText(account) ?? "");
		const ask = async (address: string) => (await known)?.name || this.askLabel(address);
		return once(this.labels, account, ask, "");
	}

	private async askLabel(address: string): Promise<string> {
		// Tokens come from there when they are made, and go there when they are destroyed.
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

/** As an account has called itself; may be empty. */
export function accountName(account: Json): string {
	const name = textOf(account, "account_name");
	return /^([\da-f]{2})+$/i.test(name) ? textOfHex(name) : name;
}

/**
 * By which a contract's storage is read: its own layout, or for a proxy without variables that of the contract behind it.
 * @param behind of {@link itemsBehind}
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
 * The contract whose code a proxy runs in place of its own, and whose interface is the proxy's too, in Base58Check.
 * @param contract in Base58Check
 * @returns undefined for what is no known proxy, and where the node doesn't answer JSON-RPC here
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
 * The interface of the contract whose code a proxy runs.
 * @param own the proxy's items: one that hands calls on has a fallback, or no interface at all
 * @returns undefined for what is no known proxy
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

/** Items of several interfaces, each once, the first of those that are the same. */
export function joined(...lists: readonly (readonly AbiItem[])[]): readonly AbiItem[] {
	const items = new Map<string, AbiItem>();
	for (const item of lists.flat()) {
		const name = `${item.kind} ${hashedSignature(item)}`;
		if (!items.has(name)) items.set(name, item);
	}
	return [...items.values()];
}

/** What is stored with the node of a contract's source (protocol/history §7); undefined where nothing is. */
export async function sourceOf(client: NodeClient, address: string): Promise<Json | undefined> {
	const answer = await client.history(`contracts/${address}/source`).catch((): Json => ({}));
	return objectsOf(answer, "data")[0];
}

/** Items of both, each once: the chain's record lacks errors, and the members of tuples. */
export function allItems(contract: Json, source: Json | undefined): readonly AbiItem[] {
	const record = itemsOf(contract);
	const stored = source ? itemsOfList(objectsOf(source, "abi")) : [];
	return source ? joined([...stored, ...record].filter(isKnown)) : joined(record);
}
