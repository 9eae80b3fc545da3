/** Plans of contract deployments and calls, which commands and programs pass on to be sent. */

import { type AbiValue, encodeCall, encodeValues } from "../../abi/coder.js";
import type { AbiItem, ContractInterface } from "../../abi/parameter.js";
import { contractAddress, toBase58Check } from "../../protocol/address.js";
import { concatBytes } from "../../protocol/bytes.js";
import {
	CreateSmartContract,
	SmartContract,
	SmartContractABI,
	SmartContractABIEntry,
	SmartContractABIEntryEntryType,
	SmartContractABIEntryParam,
	SmartContractABIEntryStateMutabilityType,
	TriggerSmartContract,
} from "../../protocol/messages.js";
import { readArguments } from "../abi/argument.js";
import { constructorOf, entriesOf, findItem, interfaceOf } from "../abi/interface.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, member } from "../json.js";
import { type ContractCall, NO_REASON } from "../node/constant-call.js";
import type { NamedAmounts } from "../token/named-amount.js";
import { callNote, contractOf, type NamedCall } from "../transaction/contract.js";
import { accountNamed } from "../transaction/signing.js";
import { type FeeLimit, feeLimitOf, type RequestedFeeLimit } from "../values/fee-limit.js";
import { callFeeLimit, explainRevert, receiptView } from "../view/contract-outcome.js";
import type { Actor, TransactionPlan } from "./plan.js";

/** What is sent along with a call: sun, and ORC-10 tokens. */
export type CallValues = Pick<ContractCall, "valueSun" | "tokenId" | "tokenValue">;

export interface CallOptions extends CallValues, RequestedFeeLimit {
	/** The call is neither simulated nor estimated at a node. */
	readonly offline?: boolean | undefined;
}

export interface Deployment extends CallOptions {
	/** Creation code, without the constructor's arguments. */
	readonly code: Uint8Array;
	/** The contract's interface, in any form that compilers write. */
	readonly abi: Json;
	/** Arguments of the constructor, as typed on the command line. */
	readonly arguments?: readonly string[];
	/** Arguments of the constructor as values; `arguments` is then ignored. */
	readonly values?: readonly AbiValue[];
	readonly name?: string;
	/** Percentage of the energy that callers pay; 100 if absent. */
	readonly callerPercent?: bigint;
	/** The most energy that the owner pays for one call; 10,000,000 if absent. */
	readonly ownerEnergyLimit?: bigint;
}

type Asking = Pick<Actor, "settings" | "client" | "owner">;

/**
 * Plans the deployment of a contract, which is simulated first. The result contains its `contractAddress`.
 * @param amounts reads token amounts among the arguments; if absent, they are refused
 * @throws {Failure} `contract_revert` if the constructor reverts; `usage`, `bad_value` for invalid arguments
 */
export async function deploymentPlan(
	actor: Asking,
	deployment: Deployment,
	amounts?: NamedAmounts,
): Promise<TransactionPlan> {
	const { owner, settings, client } = actor;
	const { code, abi, name = "", callerPercent = 100n, ownerEnergyLimit = 10_000_000n } = deployment;
	const texts = deployment.arguments ?? [];
	const items = interfaceOf(abi);
	if (texts.length > 0 && items.length === 0) {
		throw new Failure("usage", "the arguments have no types: give the interface with --abi or --artifact");
	}
	const made = constructorOf(items);
	const { inputs } = made;
	const resolve = (text: string) => accountNamed(settings, text);
	const parsed = deployment.values ?? (await readArguments(inputs, texts, resolve, amounts));
	const bytecode = concatBytes(code, encodeValues(inputs, parsed));
	const values = valuesIn(deployment);
	let limit: FeeLimit;
	try {
		const asked = { owner, contract: new Uint8Array(0), data: bytecode, ...values };
		limit = await feeLimitOf(deployment, client, deployment.offline ? undefined : asked);
	} catch (error) {
		throw paidInVain(await explainRevert(error, items, settings), made, values);
	}
	return {
		...contractOf(CreateSmartContract, {
			owner_address: owner,
			call_token_value: values.tokenValue ?? 0n,
			token_id: values.tokenId ?? 0n,
			new_contract: SmartContract.create({
				origin_address: owner,
				abi: storedAbi(abi),
				bytecode,
				call_value: values.valueSun ?? 0n,
				consume_user_resource_percent: callerPercent,
				name,
				origin_energy_limit: ownerEnergyLimit,
			}),
		}),
		...limit,
		resultOf: ({ transaction }) => ({
			contractAddress: toBase58Check(contractAddress(transaction.id, owner)),
		}),
		readReceipt: (receipt) => receiptView(receipt, undefined, items, client),
	};
}

/**
 * Reads a call given as text: a function by name or signature, with arguments as typed on the command line.
 * @param items the contract's interface; may be empty if the function is given by its signature
 * @param amounts reads token amounts; if absent, they are refused
 * @throws {Failure} `bad_value`
 */
export async function callInWords(
	{ settings, isByPosition }: Pick<Asking, "settings"> & { readonly isByPosition?: boolean },
	contract: Uint8Array,
	items: ContractInterface,
	words: readonly [name: string, ...texts: string[]],
	amounts?: NamedAmounts,
): Promise<NamedCall> {
	const [name, ...texts] = words;
	const item = findItem(items, name, "function", texts);
	const known = amounts && {
		read: (named: Parameters<NamedAmounts["read"]>[0]) => amounts.read(named),
		coins: (text: string) => amounts.checkCoins(contract, text),
	};
	const resolve = (text: string): Promise<Uint8Array> => accountNamed(settings, text);
	const values = await readArguments(item.inputs, texts, resolve, known, isByPosition);
	return { contract, data: encodeCall(item, values), item, items, texts };
}

/**
 * Plans a transaction that calls a function, which is simulated first.
 * @throws {Failure} `contract_revert` with the reason if the call reverts
 */
export async function callPlan(
	actor: Asking,
	call: NamedCall,
	options: CallOptions = {},
): Promise<TransactionPlan> {
	const { owner, client } = actor;
	const { contract, data, item, items } = call;
	const values = valuesIn(options);
	const asked = options.offline ? undefined : { owner, contract, data, ...values };
	const limit = await callFeeLimit(options, client, asked, async () => items).catch((error: unknown) => {
		throw paidInVain(error, item, values);
	});
	const note = callNote(call);
	return {
		...contractOf(TriggerSmartContract, {
			owner_address: owner,
			contract_address: contract,
			data,
			call_value: values.valueSun ?? 0n,
			token_id: values.tokenId ?? 0n,
			call_token_value: values.tokenValue ?? 0n,
		}),
		...limit,
		...(note ? { note } : {}),
		...(item ? { interface: [item] } : {}),
		readReceipt: (receipt) => receiptView(receipt, item, items, client),
	};
}

/** Explains a refusal without a reason by the interface: coins or tokens sent to a non-payable function. */
export function paidInVain(
	error: unknown,
	item: AbiItem | undefined,
	{ valueSun = 0n, tokenValue = 0n }: CallValues,
): unknown {
	const isGuess = error instanceof Failure && error.facts.hint === NO_REASON && valueSun + tokenValue > 0n;
	if (!isGuess || item?.mutability === undefined || item.mutability === "payable") return error;
	const hint = `${item.name || "the constructor"} is ${item.mutability} by the interface: it takes no coins or tokens`;
	return error.with({ hint });
}

/** What goes with a call alone. @throws {Failure} `bad_value` for what programs without types give */
export function valuesIn({ valueSun, tokenId, tokenValue }: CallValues): CallValues {
	for (const [name, value] of Object.entries({ valueSun, tokenId, tokenValue }))
		if (value !== undefined && typeof value !== "bigint")
			throw new Failure("bad_value", `${name} is not a bigint, such as 5n`);
	return {
		...(valueSun === undefined ? {} : { valueSun }),
		...(tokenId === undefined ? {} : { tokenId }),
		...(tokenValue === undefined ? {} : { tokenValue }),
	};
}

/**
 * An interface as stored in a contract's on-chain record (protocol/http-endpoints §1.5): entries without the members of tuples.
 * @param json an interface in any accepted form
 * @throws {Failure} `bad_value`
 */
export function storedAbi(json: Json): SmartContractABI {
	const entries = entriesOf(json);
	if (!entries) throw new Failure("bad_value", "the interface is not a list of functions");
	return SmartContractABI.create({ entrys: entries.filter(isRecord).map(entryOf) });
}

function entryOf(entry: JsonRecord): SmartContractABIEntry {
	const { name, anonymous, constant, payable, inputs, outputs } = entry;
	return SmartContractABIEntry.create({
		type: numberOf(SmartContractABIEntryEntryType, member(entry, "type") ?? "function"),
		name: typeof name === "string" ? name : "",
		anonymous: anonymous === true,
		constant: constant === true,
		payable: payable === true,
		inputs: parametersOf(inputs),
		outputs: parametersOf(outputs),
		stateMutability: numberOf(SmartContractABIEntryStateMutabilityType, member(entry, "stateMutability")),
	});
}

/** The enum value of a name, in any case: compilers write these names in lower case. */
function numberOf(values: Readonly<Record<string, number>>, name: Json | undefined): number {
	if (name === undefined || name === null) return 0;
	const wanted = String(name).toLowerCase();
	const found = Object.entries(values).find(([known]) => known.toLowerCase() === wanted);
	if (!found) throw new Failure("bad_value", `the interface holds the unknown word ${String(name)}`);
	return found[1];
}

function parametersOf(json: Json | undefined): SmartContractABIEntryParam[] {
	if (!Array.isArray(json)) return [];
	return json.filter(isRecord).map(({ name, type, indexed }) =>
		SmartContractABIEntryParam.create({
			name: typeof name === "string" ? name : "",
			type: typeof type === "string" ? type : "",
			indexed: indexed === true,
		}),
	);
}
