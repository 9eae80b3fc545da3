/** Fetches what a node knows about contracts: their record, code and interface (protocol/http-endpoints §3.7). */

import { type ContractInterface, isComplete } from "../../abi/parameter.js";
import { addressInWord, IMPLEMENTATION_SELECTOR, minimalTarget, PROXY_SLOTS } from "../../abi/proxy.js";
import { readStorageLayout, type StorageLayout } from "../../abi/storage-layout.js";
import { addressFromHash, toBase58Check } from "../../protocol/address.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { SmartContractDataWrapper } from "../../protocol/messages.js";
import { interfaceOf } from "../abi/interface.js";
import { commonInterface, joinedInterfaces } from "../abi/signature-list.js";
import { contactNamed } from "../configuration/contacts.js";
import { ownInterface, ownInterfaces, ownLayout } from "../configuration/own-interfaces.js";
import type { Settings } from "../configuration/settings.js";
import { Failure, onRefusal } from "../failure.js";
import { isRecord, type JsonRecord } from "../json.js";
import { messageFrom } from "../node/answer.js";
import { fetchGenesisId } from "../node/chain-query.js";
import { callConstant } from "../node/constant-call.js";
import { historyPath, historyRows } from "../node/history-client.js";
import { callJsonRpc } from "../node/json-rpc.js";
import type { NodeClient } from "../node/node-client.js";

/** Looks up the known interface of a contract. @param address 20 bytes */
export type InterfaceOf = (address: Uint8Array) => Promise<ContractInterface>;

/** The most contracts that are looked up for one tree, or one receipt. */
export const MAX_CONTRACTS = 200;

/** Looks up the given interface and that stored with the contract; fetches each contract only once. */
export function ownSource(client: NodeClient, given: ContractInterface): InterfaceOf {
	const known = new Map<string, Promise<ContractInterface>>();
	return (address) => {
		const key = toHex(address);
		const found = known.get(key);
		if (found) return found;
		// Addresses of precompiled contracts are small numbers.
		const stored =
			known.size >= MAX_CONTRACTS || /^0{32}/.test(key)
				? Promise.resolve([])
				: storedInterface(client, addressFromHash(address)).catch(onRefusal([], "not_found"));
		const all = stored.then((items) => [...given, ...items]);
		known.set(key, all);
		return all;
	};
}

/** For what no interface of its own contract names: what is common, and all that is kept of other contracts. */
export async function otherInterfaces(settings: Pick<Settings, "contactsFile">): Promise<ContractInterface> {
	return [...commonInterface(), ...(await ownInterfaces(settings))];
}

/** Fetches a contract's record with its runtime code. @throws {Failure} `not_found` */
export async function fetchContract(
	client: NodeClient,
	address: Uint8Array,
): Promise<Readonly<SmartContractDataWrapper>> {
	const answer = await client.call("getcontractinfo", { value: toHex(address) });
	if (!isRecord(answer["smart_contract"])) throw noContract(address);
	return messageFrom(SmartContractDataWrapper, answer);
}

/** Whether a label belongs to a deployment that isn't on the chain: it failed, or a development chain was restarted. */
export async function isGone(client: NodeClient, label: string): Promise<boolean> {
	const contact = await contactNamed(client.settings.contactsFile, label);
	if (contact?.contract === undefined) return false;
	if (contact.contract !== toHex(await fetchGenesisId(client))) return false;
	return !(await fetchContract(client, contact.address).catch(onRefusal(undefined, "not_found")));
}

/** Where an interface comes from, which determines how far it can be trusted. */
export type InterfaceOrigin = "given" | "own" | "source" | "record" | "implementation" | "common";

/** An interface, with its origin. */
export interface InterfaceLayer {
	readonly origin: InterfaceOrigin;
	readonly items: ContractInterface;
}

/**
 * The known interfaces of a contract, in the order of precedence that all commands use: saved by the user, from sources stored by the
 * node's owner, from the on-chain record, which lacks the members of tuples. An interface given to a command precedes these.
 * @throws {Failure} `not_found` if there is no contract
 */
export async function storedLayers(
	client: NodeClient,
	address: Uint8Array,
): Promise<readonly InterfaceLayer[]> {
	const [answer, own, source] = await Promise.all([
		client.call("getcontract", { value: toHex(address) }),
		ownInterface(client.settings, address),
		sourceInterface(client, address),
	]);
	if (Object.keys(answer).length === 0) throw noContract(address);
	const { abi } = answer;
	const record = isRecord(abi) && abi["entrys"] !== undefined ? interfaceOf(abi) : [];
	return [
		{ origin: "own", items: own ?? [] },
		{ origin: "source", items: source },
		{ origin: "record", items: record },
	];
}

/** The known interfaces of a contract, merged. @param address 21 bytes @throws {Failure} `not_found` */
export async function storedInterface(client: NodeClient, address: Uint8Array): Promise<ContractInterface> {
	return mergedInterface((await storedLayers(client, address)).map(({ items }) => items));
}

/** Merges interfaces: an earlier item hides a later one that is the same or less complete. */
function mergedInterface(lists: readonly ContractInterface[]): ContractInterface {
	const items = joinedInterfaces(...lists);
	const complete = new Set(
		items.filter(({ inputs }) => isComplete(inputs)).map(({ kind, name }) => `${kind} ${name}`),
	);
	return items.filter(({ kind, name, inputs }) => isComplete(inputs) || !complete.has(`${kind} ${name}`));
}

/**
 * The contract whose code a proxy runs, 21 bytes; undefined if it isn't a known kind of proxy.
 * @throws {Failure} `not_served` as {@link proxyOf}
 */
export async function implementationOf(
	client: NodeClient,
	address: Uint8Array,
): Promise<Uint8Array | undefined> {
	return (await proxyOf(client, address, await runtimeCode(client, address)))?.implementation;
}

/** The interface of the contract whose code a proxy runs; undefined if it isn't a known kind of proxy. */
export async function implementationInterface(
	client: NodeClient,
	address: Uint8Array,
): Promise<ContractInterface | undefined> {
	const implementation = await implementationOf(client, address).catch(onRefusal(undefined, "not_served"));
	return implementation && storedInterface(client, implementation).catch(onRefusal(undefined, "not_found"));
}

async function runtimeCode(client: NodeClient, address: Uint8Array): Promise<Uint8Array | undefined> {
	try {
		return (await fetchContract(client, address)).runtimecode;
	} catch (error) {
		if (error instanceof Failure && error.code !== "network" && error.code !== "timeout") return undefined;
		throw error;
	}
}

/** A contract's own interface, together with that of its implementation if it is a proxy. @throws {Failure} `not_found` */
export async function interfaceThroughProxy(
	client: NodeClient,
	address: Uint8Array,
): Promise<ContractInterface> {
	const [own, behind] = await Promise.all([
		storedInterface(client, address),
		implementationInterface(client, address),
	]);
	return behind ? mergedInterface([own, behind]) : own;
}

/** The interface from sources that a node's owner stored; empty if the node has none, or doesn't store sources. */
async function sourceInterface(client: NodeClient, address: Uint8Array): Promise<ContractInterface> {
	for (const { abi } of await storedSources(client, address)) if (Array.isArray(abi)) return interfaceOf(abi);
	return [];
}

/**
 * The layout of a contract's storage: the one that the user saved, else that of the sources stored by the node's owner.
 * @returns undefined if neither exists
 * @throws {Failure} `bad_value` for a damaged file
 */
async function storedLayout(client: NodeClient, address: Uint8Array): Promise<StorageLayout | undefined> {
	const own = readStorageLayout(await ownLayout(client.settings, address));
	if (own) return own;
	for (const row of await storedSources(client, address)) {
		const layout = readStorageLayout(row["storage_layout"]);
		if (layout) return layout;
	}
	return undefined;
}

/**
 * The layout for reading a contract's storage: its own, or, for a proxy without variables, that of its implementation.
 * @returns the layout and the contract that it belongs to; undefined if there is none
 * @throws {Failure} `bad_value` for a damaged file; `not_served` as {@link proxyOf}
 */
export async function layoutThroughProxy(
	client: NodeClient,
	address: Uint8Array,
): Promise<{ readonly layout: StorageLayout; readonly of: Uint8Array } | undefined> {
	const own = await storedLayout(client, address);
	if (own && own.variables.length > 0) return { layout: own, of: address };
	const implementation = await implementationOf(client, address);
	const behind = implementation && (await storedLayout(client, implementation));
	if (behind) return { layout: behind, of: implementation };
	return own && !implementation ? { layout: own, of: address } : undefined;
}

/** The sources that a node's owner stored for a contract; empty if the node doesn't store sources. */
export async function storedSources(client: NodeClient, address: Uint8Array): Promise<readonly JsonRecord[]> {
	const found: JsonRecord[] = [];
	try {
		for await (const row of historyRows(client, historyPath("contracts", address, "source"))) found.push(row);
	} catch (error) {
		// Only for display: the contract exists whatever the server's response.
		if (!(error instanceof Failure)) throw error;
	}
	return found;
}

function noContract(address: Uint8Array): Failure {
	return new Failure("not_found", `there is no contract at ${toBase58Check(address)}`);
}

interface Proxy {
	readonly kind: "eip1967" | "eip1822" | "beacon" | "minimal";
	/** 21 bytes, like the other addresses here. */
	readonly implementation: Uint8Array;
	readonly admin?: Uint8Array;
	readonly beacon?: Uint8Array;
}

/**
 * The implementation to which a proxy delegates; undefined if it isn't a known kind of proxy.
 * @param code its runtime code, if known
 * @throws {Failure} `not_served` if the node doesn't serve storage
 */
export async function proxyOf(
	client: NodeClient,
	address: Uint8Array,
	code?: Uint8Array,
): Promise<Proxy | undefined> {
	const minimal = code && minimalTarget(toHex(code.subarray(0, 64)));
	if (minimal) return { kind: "minimal", implementation: addressFromHash(fromHex(minimal)) };
	try {
		const [implementation, beacon, admin, proxiable] = await Promise.all(
			[PROXY_SLOTS.implementation, PROXY_SLOTS.beacon, PROXY_SLOTS.admin, PROXY_SLOTS.proxiable].map((slot) =>
				addressAt(client, address, slot),
			),
		);
		const more = admin ? { admin } : {};
		if (implementation) return { kind: "eip1967", implementation, ...more };
		if (beacon) {
			const behind = await implementationOfBeacon(client, beacon);
			return behind && { kind: "beacon", implementation: behind, beacon, ...more };
		}
		return proxiable && { kind: "eip1822", implementation: proxiable };
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		if (error.code !== "not_served") return undefined;
		const why = `whether ${toBase58Check(address)} is a proxy isn't known: ${error.message}`;
		throw new Failure("not_served", why, error.facts);
	}
}

/** The address stored in a slot; undefined if it contains anything else. */
async function addressAt(
	client: NodeClient,
	contract: Uint8Array,
	slot: string,
): Promise<Uint8Array | undefined> {
	const { stateBlock } = client;
	const tag = stateBlock ? `0x${stateBlock.number.toString(16)}` : "latest";
	const word = await callJsonRpc(client, "eth_getStorageAt", [`0x${toHex(contract.subarray(1))}`, slot, tag]);
	const digits = addressInWord(word);
	return digits === undefined ? undefined : addressFromHash(fromHex(digits));
}

async function implementationOfBeacon(
	client: NodeClient,
	beacon: Uint8Array,
): Promise<Uint8Array | undefined> {
	const { data } = await callConstant(client, {
		owner: addressFromHash(new Uint8Array(20)),
		contract: beacon,
		data: fromHex(IMPLEMENTATION_SELECTOR),
	});
	const digits = addressInWord(`0x${toHex(data)}`);
	return digits === undefined ? undefined : addressFromHash(fromHex(digits));
}
