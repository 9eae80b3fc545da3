/** A contract as a console object, with a method for each function of its known interface. */

import { inspect } from "node:util";
import type { AbiView } from "../../abi/coder.js";
import { decodeEvent, decodeLog } from "../../abi/log.js";
import {
	type AbiItem,
	type AbiParameter,
	arrayParts,
	type ContractInterface,
	hashedSignature,
} from "../../abi/parameter.js";
import { topicOf } from "../../abi/selector.js";
import { toBase58Check } from "../../protocol/address.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { findItem } from "../../wallet/abi/interface.js";
import { type CallValues, callInWords, callPlan } from "../../wallet/actions/contract-plan.js";
import type { Actor } from "../../wallet/actions/plan.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { WIRE_FORM } from "../../wallet/json.js";
import { callConstant } from "../../wallet/node/constant-call.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { amountParts, NamedAmounts } from "../../wallet/token/named-amount.js";
import type { NamedCall } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { formatCoin, parseCoinAmount } from "../../wallet/values/amount.js";
import { nearest } from "../../wallet/values/suggestion.js";
import { fetchHeadNumber, pastLogs, USUAL_RANGE } from "../../wallet/view/contract-logs.js";
import { explainRevert, logInterfaces, namedView, outputView } from "../../wallet/view/contract-outcome.js";
import { fetchBlockNamed } from "../base/node-questions.js";
import type { ActingPlan } from "../sending/act.js";
import { consoleObject, type OperationKind, type Operations, type TypedCoins } from "./operations.js";

/** Builds, shows, signs and sends a transaction. @param from the acting account; if absent, the active wallet */
export type Perform = (
	from: string | undefined,
	plan: (actor: Actor) => Promise<ActingPlan>,
	memo?: string,
) => Promise<object | undefined>;

/** How the console's objects access the chain. */
export interface ConsoleChain {
	readonly settings: Settings;
	readonly client: NodeClient;
	readonly perform: Perform;
	/** The acting account for calls without `from`; if undefined, that of the settings. */
	readonly from: () => string | undefined;
	/** Runs operations one after another. */
	readonly operations: Operations;
}

/** Options that may follow a call's arguments. */
const OPTION_NAMES = ["value", "from", "feeLimit", "force", "tokenId", "tokenValue"] as const;
type OptionName = (typeof OPTION_NAMES)[number];
type CallOptions = Readonly<Partial<Record<OptionName, unknown>>>;

interface Words {
	readonly texts: readonly string[];
	readonly options: CallOptions;
}

type Method = (...values: readonly unknown[]) => Promise<unknown>;

/** A function of a contract, which can be called, simulated, estimated or encoded. */
interface ContractMethod extends Method {
	/** Runs the function as a constant call. @returns its results */
	try: Method;
	/** Estimates the energy that the call would use now. */
	estimate: Method;
	/** The call data. */
	data: Method;
}

/** Members that JavaScript or the object itself has: functions with these names are methods by their signature alone. */
const RESERVED: ReadonlySet<string> = new Set([
	"address",
	"constructor",
	"then",
	"toJSON",
	"toString",
	"valueOf",
]);

/** @param name the contract's label here @param contract 21 bytes */
export function contractObject(
	chain: ConsoleChain,
	name: string,
	contract: Uint8Array,
	items: ContractInterface,
): object {
	const address = toBase58Check(contract);
	const functions = items.filter(({ kind }) => kind === "function");
	const methods: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
	for (const item of functions) {
		const sameName = functions.filter((other) => other.name === item.name);
		const isReserved = RESERVED.has(item.name);
		if (!isReserved) methods[item.name] ??= methodOf(chain, name, contract, items, item.name, sameName);
		const signature = hashedSignature(item);
		if (sameName.length > 1 || isReserved)
			methods[signature] = methodOf(chain, name, contract, items, signature, [item]);
	}
	const shown = () => {
		const lines = functions.map(
			(item) => `  ${hashedSignature(item)}${item.mutability ? ` ${item.mutability}` : ""}`,
		);
		return [`contract ${name} ${address}`, ...lines].join("\n");
	};
	const events = chain.operations.inOrder(`${name}.events`, "question", eventsOf(chain, contract, items));
	return consoleObject(
		name,
		{ address, ...methods, ...(methods["events"] ? {} : { events }) },
		shown,
		() => address,
	);
}

/** Events as `coin contract logs` prints them. */
interface ConsoleEvent {
	readonly block: bigint;
	readonly txID: string;
	readonly logIndex: number;
	/** Name of the event and values by name, or undefined if its type isn't known. */
	readonly event?: string;
	readonly args?: object;
}

/** The most events, and blocks that are looked through, of one answer. */
const MAX_EVENTS = 1000;
const MAX_BLOCKS = 1_000_000n;

/** @returns a function that takes the name or signature of an event, or none for all, and the first and last block */
function eventsOf({ client }: ConsoleChain, contract: Uint8Array, items: ContractInterface) {
	const interfaceOf = logInterfaces(client, items);
	const block = async (which: unknown): Promise<bigint> =>
		(await fetchBlockNamed(client, String(which), "full")).number;
	return async (...values: readonly unknown[]): Promise<readonly ConsoleEvent[]> => {
		const [named, range = {}] = isPlain(values[0]) ? [undefined, ...values] : values;
		if (!isPlain(range) || values.length > 2)
			throw new Failure("bad_value", "which blocks? write { from: …, to: … }");
		const { from, to } = optionsOf(range, ["from", "to"]);
		const event = named === undefined ? undefined : findItem(items, String(named), "event");
		const last = to === undefined ? await fetchHeadNumber(client) : await block(to);
		const newest = last > USUAL_RANGE ? last - USUAL_RANGE + 1n : 0n;
		const first = from === undefined ? newest : await block(from);
		if (first > last)
			throw new Failure("bad_value", `block ${first}, the first one, comes after ${last}, the last one`);
		if (last - first >= MAX_BLOCKS)
			throw new Failure("bad_value", `from ${first} to ${last} are more than ${MAX_BLOCKS} blocks`);
		const topics = event && !event.anonymous ? [topicOf(event)] : [];
		const found: ConsoleEvent[] = [];
		for await (const log of pastLogs(client, { addresses: [contract], topics }, first, last)) {
			if (found.length === MAX_EVENTS)
				throw new Failure(
					"bad_value",
					`there are more than ${MAX_EVENTS} events in blocks ${first} to ${last}`,
					{
						hint: "choose fewer blocks with from and to, or ask for one event by its name",
					},
				);
			const { topics, data } = log;
			const decoded =
				(event && decodeEvent(event, log)) ?? decodeLog(await interfaceOf(log.address, log), log);
			found.push({
				block: log.block,
				txID: log.txID,
				logIndex: log.logIndex,
				...(decoded ?? { topics: topics.map((topic) => `0x${toHex(topic)}`), data: `0x${toHex(data)}` }),
			});
		}
		return found;
	};
}

/** Several results in order, which have their names as well and are shown by them. */
function withNames(view: AbiView, named: AbiView): AbiView {
	if (view === named || typeof view !== "object") return view;
	for (const [name, value] of Object.entries(named))
		if (name !== "length") Object.defineProperty(view, name, { value });
	return Object.defineProperty(view, inspect.custom, { value: () => named });
}

function methodOf(
	chain: ConsoleChain,
	label: string,
	contract: Uint8Array,
	items: ContractInterface,
	name: string,
	candidates: readonly AbiItem[],
): ContractMethod {
	const { client, settings } = chain;
	const call = async ({ texts }: Words, amounts = new NamedAmounts(client, false)): Promise<NamedCall> =>
		callInWords({ settings, isByPosition: true }, contract, items, [name, ...texts], amounts);
	const read = async (
		words: Words,
	): Promise<{ readonly call: NamedCall; readonly data: Uint8Array; readonly energy: bigint }> => {
		const named = await call(words);
		const { options } = words;
		const from = senderOf(options) ?? chain.from() ?? settings.wallet;
		// Without a wallet, the caller is the zero address, as for `coin contract call`.
		const owner =
			from === undefined
				? fromHex(`${toHex(contract.subarray(0, 1))}${"00".repeat(20)}`)
				: await accountNamed(settings, from);
		try {
			const { data, energy } = await callConstant(client, {
				owner,
				contract,
				data: named.data,
				...(await valuesOf(options, new NamedAmounts(client, false))),
			});
			return { call: named, data, energy };
		} catch (error) {
			throw await explainRevert(error, items, settings);
		}
	};
	const tried = async (words: Words): Promise<unknown> => {
		const { call: named, data } = await read(words);
		const view = await outputView(named.item, data);
		return withNames(view, namedView(named.item, view));
	};
	const sent = (words: Words): Promise<unknown> =>
		chain.perform(senderOf(words.options), async (actor) => {
			const { feeLimit, force } = words.options;
			const amounts = new NamedAmounts(client, false);
			const plan = await callPlan(actor, await call(words, amounts), {
				...(await valuesOf(words.options, amounts)),
				...(feeLimit === undefined ? {} : { feeLimit: amountText("feeLimit", feeLimit) }),
				force: force === true,
			});
			return { ...plan, nodesWord: amounts.nodesWord, details: amounts.details };
		});
	const typed = `${label}${/^\w+$/.test(name) ? `.${name}` : `["${name}"]`}`;
	const taking = (as: string, kind: OperationKind, run: (words: Words) => Promise<unknown>): Method =>
		chain.operations.inOrder(as, kind, async (...values) =>
			run(wordsOf(values, candidates, chain.operations.coins)),
		);
	const isConstant = candidates.every(({ mutability }) => mutability === "view" || mutability === "pure");
	return Object.assign(isConstant ? taking(typed, "question", tried) : taking(typed, "action", sent), {
		try: taking(`${typed}.try`, "question", tried),
		estimate: taking(`${typed}.estimate`, "question", async (words) => (await read(words)).energy),
		data: taking(`${typed}.data`, "question", async (words) => `0x${toHex((await call(words)).data)}`),
	});
}

/** Deeper values are refused, since no contract takes any. */
const MAX_DEPTH = 32;

/**
 * An amount of coins: printed with its unit, and converted to an integer of sun, like `5coin`, in calculations, and in conditions by
 * `decided`.
 */
export class Coins {
	constructor(private readonly sun: bigint) {}

	[Symbol.toPrimitive](hint: string): bigint | string {
		return hint === "string" ? formatCoin(this.sun) : this.sun;
	}

	[inspect.custom](): string {
		return formatCoin(this.sun);
	}

	toJSON(): string {
		return formatCoin(this.sun);
	}

	/** For nodes, the same number as `5coin` gives. */
	get [WIRE_FORM](): bigint {
		return this.sun;
	}

	toString(): string {
		return formatCoin(this.sun);
	}

	valueOf(): bigint {
		return this.sun;
	}
}

/** An amount of a token as typed, `5@gold`: its smallest units are known only where it is an argument. */
export class TokenAmount {
	constructor(private readonly text: string) {}

	/** @throws {Failure} `bad_value`: as a text it would compare to anything, silently */
	valueOf(): never {
		throw new Failure("bad_value", `${this.text}: amounts of tokens are arguments only`, {
			hint: "compare and calculate with smallest units, such as 1e18",
		});
	}

	toString(): never {
		return this.valueOf();
	}

	[Symbol.toPrimitive](): never {
		return this.valueOf();
	}

	[inspect.custom](): string {
		return this.text;
	}

	toJSON(): string {
		return this.text;
	}
}

/** Objects that can be given in place of their address: accounts and contracts of the console. */
interface Addressed {
	readonly address: string;
}

export function isAddressed(value: unknown): value is Addressed {
	return typeof value === "object" && value !== null && typeof (value as Addressed).address === "string";
}

/**
 * Converts a JavaScript value to a word of the command line, so that both use the same parser of arguments.
 * @throws {Failure} `bad_value` for a value that no contract takes
 */
export function argumentText(value: unknown, coins: TypedCoins = new Map()): string {
	const given = value instanceof TokenAmount ? value.toJSON() : value;
	return typeof given === "string" ? given : nestedText(given, coins, 0);
}

function nestedText(value: unknown, coins: TypedCoins, depth: number): string {
	if (depth > MAX_DEPTH) throw new Failure("bad_value", `an argument is nested deeper than ${MAX_DEPTH}`);
	if (typeof value === "string") return JSON.stringify(value);
	if (typeof value === "bigint") return coins.get(value) ?? String(value);
	if (typeof value === "boolean") return String(value);
	if (typeof value === "number") return numberText(value);
	if (value instanceof Coins) return `${value}`;
	if (value instanceof TokenAmount) return JSON.stringify(value);
	if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString("hex")}`;
	if (Array.isArray(value)) return `[${value.map((item) => nestedText(item, coins, depth + 1)).join(",")}]`;
	if (isAddressed(value)) return value.address;
	if (typeof value === "object" && value !== null) {
		const members = Object.entries(value).map(
			([name, item]) => `${name}:${nestedText(item, coins, depth + 1)}`,
		);
		return `{${members.join(",")}}`;
	}
	throw new Failure(
		"bad_value",
		`${value === null ? "null" : typeof value} can't be an argument of a contract`,
	);
}

/** Refuses unsafe integers, which JavaScript has already rounded to something other than was typed. */
function numberText(value: number): string {
	if (Number.isSafeInteger(value)) return String(value);
	throw new Failure(
		"bad_value",
		`${value} is not exact: write a whole number with an n behind it, such as 5n`,
	);
}

/** Arguments, and behind them the options of the call: an object where the function takes none, also where arguments are missing. */
function wordsOf(values: readonly unknown[], candidates: readonly AbiItem[], coins: TypedCoins): Words {
	const last = values.at(-1);
	const taking = (count: number) => candidates.filter(({ inputs }) => inputs.length === count);
	const isTaken = taking(values.length).some(({ inputs }) => isTuple(inputs.at(-1)));
	const hasOptions =
		isPlain(last) && !(isTaken && !(isOptions(last) && taking(values.length - 1).length > 0));
	const options = hasOptions ? optionsOf(last, OPTION_NAMES) : {};
	const given = hasOptions ? values.slice(0, -1) : values;
	const isText = (index: number) =>
		taking(given.length).every(({ inputs }) => inputs[index]?.type === "string");
	const texts = given.map((value, index) => argumentText(value, isText(index) ? undefined : coins));
	const misfits = taking(given.length).map(({ inputs }) => misfitIn(inputs, given));
	const [misfit] = misfits;
	if (!misfit || misfits.includes(undefined)) return { texts, options };
	throw new Failure("bad_value", `the argument ${misfit.type} ${misfit.name} is no object and no list`, {
		hint: `the options of a call stand behind all arguments: ${OPTION_NAMES.join(", ")}`,
	});
}

function isTuple(parameter: AbiParameter | undefined): boolean {
	return parameter?.type === "tuple";
}

/** The first parameter that takes no object or list and is given one, which would be kept as a text. */
function misfitIn(parameters: readonly AbiParameter[], values: readonly unknown[]): AbiParameter | undefined {
	for (const [index, parameter] of parameters.entries()) {
		const value = values[index];
		const isList = Array.isArray(value);
		if (!isList && !isPlain(value)) continue;
		const array = arrayParts(parameter);
		const { components = [] } = parameter;
		if (!isTuple(parameter) && !(array && isList)) return parameter;
		const parts = array && isList ? value.map(() => array.element) : components;
		const misfit = misfitIn(parts, isList ? value : components.map(({ name }) => value[name]));
		if (misfit) return misfit;
	}
	return undefined;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
	return (
		typeof value === "object" &&
		value !== null &&
		!Array.isArray(value) &&
		!ArrayBuffer.isView(value) &&
		!isAddressed(value) &&
		!(value instanceof Coins || value instanceof TokenAmount)
	);
}

function isOptions(value: Readonly<Record<string, unknown>>): boolean {
	return Object.keys(value).every((name) => (OPTION_NAMES as readonly string[]).includes(name));
}

/** Checks the names of options. @throws {Failure} `bad_value` for an unknown one */
export function optionsOf<T extends object>(value: T, names: readonly string[]): T {
	const unknown = Object.keys(value).find((name) => !names.includes(name));
	if (unknown === undefined) return value;
	const [near] = nearest(unknown, names);
	throw new Failure("bad_value", `"${unknown}" is not an option of a call`, {
		hint: near === undefined ? `the options are ${names.join(", ")}` : `did you mean ${near}?`,
	});
}

/** The account given by the option `from`. @throws {Failure} `bad_value` */
export function senderOf({ from }: { readonly from?: unknown }): string | undefined {
	if (from === undefined) return undefined;
	if (isAddressed(from)) return from.address;
	if (typeof from === "string") return from;
	throw new Failure("bad_value", "from is an account or the name of one");
}

async function valuesOf(
	{ value, tokenId, tokenValue: given }: CallOptions,
	amounts: NamedAmounts,
): Promise<CallValues> {
	const tokenValue = given instanceof TokenAmount ? given.toJSON() : given;
	const parts = typeof tokenValue === "string" ? amountParts(tokenValue) : undefined;
	if (parts && tokenId === undefined) {
		const { id, units } = await amounts.chainToken(parts);
		return { ...(await valuesOf({ value }, amounts)), tokenId: id, tokenValue: units };
	}
	return {
		...(value === undefined ? {} : { valueSun: parseCoinAmount(amountText("value", value)) }),
		...(tokenId === undefined ? {} : { tokenId: wholeNumber("tokenId", tokenId) }),
		...(tokenValue === undefined ? {} : { tokenValue: wholeNumber("tokenValue", tokenValue) }),
	};
}

/** An amount as text with its unit; bigints are sun, since `5coin` is a bigint here. @throws {Failure} `bad_value` */
export function amountText(name: string, value: unknown): string {
	if (typeof value === "string" || value instanceof Coins) return `${value}`;
	if (value instanceof TokenAmount) return value.toJSON();
	if (typeof value === "bigint") return `${value}sun`;
	throw new Failure("bad_value", `${name} needs an amount with its unit, such as 5coin`);
}

function wholeNumber(name: string, value: unknown): bigint {
	if (typeof value === "bigint" && value >= 0n) return value;
	if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
	throw new Failure("bad_value", `${name} needs a whole number`);
}

/** The address of a named account, or of an account object of the console. @throws {Failure} `wallet_not_found` */
export async function addressOfNamed(settings: Settings, who: unknown): Promise<Uint8Array> {
	if (typeof who === "string") return accountNamed(settings, who);
	if (isAddressed(who)) return accountNamed(settings, who.address);
	throw new Failure("bad_value", "an account is named by its label or its address");
}
