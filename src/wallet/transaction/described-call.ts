/** Decodes a contract call from its bytes, by the best interface known, for whoever is about to sign it. */

import { AbiDataError } from "../../abi/codec.js";
import { type AbiView, decodeValues, isCanonical, keyedValues, parameterKeys } from "../../abi/coder.js";
import {
	type AbiItem,
	type AbiParameter,
	type ContractInterface,
	hashedSignature,
} from "../../abi/parameter.js";
import { toHex } from "../../protocol/bytes.js";
import type { Message } from "../../protocol/codec/descriptor.js";
import { TriggerSmartContract } from "../../protocol/messages.js";
import { itemBySelector } from "../abi/interface.js";
import { commonInterface } from "../abi/signature-list.js";
import { ownInterface } from "../configuration/own-interfaces.js";
import { onRefusal } from "../failure.js";
import type { NodeClient } from "../node/node-client.js";
import { Orc20 } from "../token/orc20.js";
import {
	type InterfaceLayer,
	type InterfaceOrigin,
	implementationInterface,
	storedLayers,
} from "../view/contract-record.js";
import { UNLIMITED_ALLOWANCE } from "./risks.js";

/** A decoded call, or its bytes if no interface matches. */
export type DescribedCall = NamedBytes | UnnamedBytes;

interface NamedBytes {
	readonly signature: string;
	readonly arguments: { readonly [name: string]: AbiView };
	/** Where the interface comes from. */
	readonly source: InterfaceOrigin;
	/** `set(note="a", count=5)`, as arguments are given by name; without the names that can't be given. */
	readonly text: string;
	/** The amount of a token that the call moves or allows, in the unit that the contract gives. */
	readonly amount?: string | undefined;
	/** The whole call data, if only an interface that isn't the contract's own matches. */
	readonly data?: string;
}

interface UnnamedBytes {
	readonly signature?: undefined;
	/** All bytes. */
	readonly data: string;
}

/** Descriptions of each {@link InterfaceOrigin}. */
const SOURCES: Readonly<Record<InterfaceOrigin, string>> = {
	given: "the interface that the call was made by, or that --abi gives",
	own: "the interface that you have kept",
	source: "the sources that the node has, as it says",
	record: "the contract's record, as the node says",
	implementation: "the contract behind the proxy, as the node says",
	common: "the list of common signatures",
};

/** Functions of ORC-20, with the index of the argument that is an amount of the token. */
const AMOUNTS: Readonly<Record<string, number>> = {
	"transfer(address,uint256)": 1,
	"transferFrom(address,address,uint256)": 2,
	"approve(address,uint256)": 1,
	"increaseAllowance(address,uint256)": 1,
	"increaseApproval(address,uint256)": 1,
	"decreaseAllowance(address,uint256)": 1,
	"decreaseApproval(address,uint256)": 1,
	"mint(address,uint256)": 1,
	"burn(uint256)": 0,
	"burnFrom(address,uint256)": 1,
};

/** Where interfaces for the call are looked up. */
interface CallSources {
	/** Undefined when offline. */
	readonly client: NodeClient | undefined;
	/** Locates the interfaces that the user has saved; if absent, there are none. */
	readonly contactsFile?: string | undefined;
	readonly given?: ContractInterface | undefined;
	/** Whether the contract isn't asked for the unit of its amounts, which takes two calls; false if absent. */
	readonly withoutAmount?: boolean;
}

/** Decodes a contract's call. @returns undefined if the message calls no function of a contract */
export async function describedCall(
	parameter: Readonly<Message>,
	sources: CallSources,
): Promise<DescribedCall | undefined> {
	if (!(parameter instanceof TriggerSmartContract) || parameter.data.length === 0) return undefined;
	const { data, contract_address: contract } = parameter;
	const { client, withoutAmount = false } = sources;
	for await (const { origin, items } of layers(contract, sources)) {
		const item = data.length >= 4 ? itemBySelector(items, data.subarray(0, 4), "function") : undefined;
		const named = item && namedBytes(item, data, origin);
		if (!named) continue;
		const amount =
			client && !withoutAmount
				? await tokenAmount(client, parameter, named).catch(onRefusal(undefined))
				: undefined;
		return { ...named, amount, ...(origin === "common" ? { data: `0x${toHex(data)}` } : {}) };
	}
	return { data: `0x${toHex(data)}` };
}

/** Yields the interfaces in order of precedence: given, saved, stored source, on-chain record, behind a proxy, common. */
async function* layers(
	contract: Uint8Array,
	{ client, given, contactsFile = "" }: CallSources,
): AsyncGenerator<InterfaceLayer> {
	if (given) yield { origin: "given", items: given };
	// The user's saved interface is local, and applies whatever the node says about the contract.
	const beside = contactsFile || client?.settings.contactsFile;
	const kept = beside ? await ownInterface({ contactsFile: beside }, contract) : undefined;
	if (kept) yield { origin: "own", items: kept };
	if (client) {
		// Only for display: if the node doesn't respond, the bytes are shown undecoded.
		yield* await storedLayers(client, contract).catch(onRefusal([]));
		const items = await implementationInterface(client, contract).catch(onRefusal(undefined));
		if (items) yield { origin: "implementation", items };
	}
	yield { origin: "common", items: commonInterface() };
}

function namedBytes(item: AbiItem, data: Uint8Array, source: InterfaceOrigin): NamedBytes | undefined {
	try {
		const values = decodeValues(item.inputs, data.subarray(4));
		// Another function may have the same selector: then its decoding of the bytes would be wrong.
		if (!isCanonical(item.inputs, data.subarray(4))) return undefined;
		return {
			signature: hashedSignature(item),
			arguments: keyedValues(item.inputs, values),
			source,
			text: `${item.name}(${argumentTexts(item.inputs, values).join(", ")})`,
		};
	} catch (error) {
		if (error instanceof AbiDataError) return undefined;
		throw error;
	}
}

async function tokenAmount(
	client: NodeClient,
	{ contract_address: contract, data }: TriggerSmartContract,
	{ signature }: NamedBytes,
): Promise<string | undefined> {
	const index = AMOUNTS[signature];
	if (index === undefined) return undefined;
	const start = 4 + index * 32;
	const amount = BigInt(`0x${toHex(data.subarray(start, start + 32))}`);
	return amount < UNLIMITED_ALLOWANCE ? new Orc20(client, contract).ownAmountText(amount) : undefined;
}

/** Arguments or members with their names, since what a value is for depends on them. */
function argumentTexts(parameters: readonly AbiParameter[], views: readonly AbiView[]): readonly string[] {
	const keys = parameterKeys(parameters);
	return views.map((view, index) => {
		const key = keys[index] ?? "";
		const text = argumentText(parameters[index] as AbiParameter, view);
		// The interface may be a stranger's: other names could look like further arguments.
		return /^(?!\d)[\w$]{1,64}$/.test(key) ? `${key}=${text}` : text;
	});
}

/** Formats an argument, with strings in quotes so that none can look like further arguments. */
function argumentText(parameter: AbiParameter, view: AbiView): string {
	const { type, components = [] } = parameter;
	if (Array.isArray(view) && type.endsWith("]")) {
		const element = { ...parameter, type: type.replace(/\[\d*\]$/, "") };
		return `[${view.map((item: AbiView) => argumentText(element, item)).join(", ")}]`;
	}
	if (typeof view === "object") {
		const members = Array.isArray(view) ? (view as readonly AbiView[]) : Object.values(view);
		return `(${argumentTexts(components, members).join(", ")})`;
	}
	return type === "string" ? JSON.stringify(view) : String(view);
}

/** Warns of a call that can't be decoded by the contract's own interface. */
function warningOf(call: DescribedCall): string | undefined {
	if (call.signature === undefined)
		return "no interface names this call: nobody can tell from this what it does (--abi names it)";
	if (call.source !== "common") return undefined;
	return "nothing tells what this contract does under that name: its own interface isn't known (--abi gives it)";
}

/** The members for people: the origin of the interface shows how far the decoding can be trusted. */
export function callText(call: DescribedCall): object {
	const { data } = call;
	const named =
		call.signature === undefined
			? {}
			: { call: call.text, amount: call.amount, "named by": SOURCES[call.source] };
	return { ...named, data, warning: warningOf(call) };
}

/** Lines for people before they sign. */
export function describedCallLines(call: DescribedCall): string[] {
	return Object.entries(callText(call))
		.filter(([, text]) => text !== undefined)
		.map(([name, text]) => `  ${name.padEnd(11)} ${text}`);
}

/** The members for programs. */
export function callMembers(call: DescribedCall): object {
	if (call.signature === undefined) return { data: call.data };
	const { signature, arguments: values, source, data } = call;
	return { signature, arguments: values, source, ...(data === undefined ? {} : { data }) };
}
