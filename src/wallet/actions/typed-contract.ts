/**
 * Typed contracts for programs: functions and events by name, with native TypeScript values. The types are inferred from an
 * interface declared `as const`; with any other interface, names are plain strings and values are {@link AbiView}s.
 */

import { AbiDataError } from "../../abi/codec.js";
import { type AbiValue, type AbiView, decodeValues, encodeCall, viewText } from "../../abi/coder.js";
import { decodeEvent } from "../../abi/log.js";
import {
	type AbiItem,
	type AbiParameter,
	arrayParts,
	type ContractInterface,
	fixedLength,
	hashedSignature,
	integerType,
	isInRange,
} from "../../abi/parameter.js";
import { topicOf } from "../../abi/selector.js";
import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { constructorOf, interfaceOf } from "../abi/interface.js";
import { isSignature, parseSignature } from "../abi/signature.js";
import { Failure } from "../failure.js";
import type { Json } from "../json.js";
import { callConstant, estimateEnergy } from "../node/constant-call.js";
import type { NamedCall } from "../transaction/contract.js";
import { readAddress } from "../values/address-text.js";
import { fetchHeadNumber, pastLogs } from "../view/contract-logs.js";
import { explainRevert } from "../view/contract-outcome.js";
import {
	type CallOptions,
	type CallValues,
	callPlan,
	type Deployment,
	deploymentPlan,
	valuesIn,
} from "./contract-plan.js";
import {
	type ActionOptions,
	addressOf,
	checkOptions,
	notingUnsent,
	type SentTransaction,
	type Wallet,
} from "./wallet.js";

const VALUES = ["valueSun", "tokenId", "tokenValue"] as const satisfies (keyof CallValues)[];
const CALL_OPTIONS = [...VALUES, "feeLimit", "force", "offline"] as const satisfies (keyof CallOptions)[];
const DEPLOYMENT_OPTIONS = [
	...CALL_OPTIONS,
	"code",
	"name",
	"callerPercent",
	"ownerEnergyLimit",
] as const satisfies (keyof TypedDeployment)[];

/** A parameter as compilers write it. */
interface TypedParameter {
	readonly name?: string | undefined;
	readonly type: string;
	readonly components?: readonly TypedParameter[] | undefined;
	readonly indexed?: boolean | undefined;
}

/** An entry of an interface as compilers write it. */
interface TypedEntry {
	readonly type?: string | undefined;
	readonly name?: string | undefined;
	readonly inputs?: readonly TypedParameter[] | undefined;
	readonly outputs?: readonly TypedParameter[] | undefined;
}

/** An interface as compilers write it; declared `as const`, it gives programs its types. */
export type TypedInterface = readonly TypedEntry[];

/** Element type and size of an array type, by its last pair of brackets; `undefined` for other types. */
type ArrayOf<T extends string, Head extends string = ""> = T extends `${infer Before}[${infer Rest}`
	? Rest extends `${string}[${string}`
		? ArrayOf<Rest, `${Head}${Before}[`>
		: Rest extends `${infer Size}]`
			? readonly [element: `${Head}${Before}`, size: Size]
			: undefined
	: undefined;

/** A tuple of the given size; a list if the size isn't known or exceeds 64. */
type Repeated<V, Size extends string, R extends readonly V[] = readonly []> = Size extends `${R["length"]}`
	? R
	: Size extends `${number}`
		? R["length"] extends 64
			? readonly V[]
			: Repeated<V, Size, readonly [...R, V]>
		: readonly V[];

/** Type of one value: integers are `bigint`, addresses Base58, bytes `0x…`, tuples objects keyed by member name. */
type ValueOf<P extends TypedParameter> = string extends P["type"]
	? AbiView
	: ArrayOf<P["type"]> extends readonly [infer Element extends string, infer Size extends string]
		? Repeated<ValueOf<{ readonly type: Element; readonly components: P["components"] }>, Size>
		: P["type"] extends "tuple"
			? P["components"] extends readonly TypedParameter[]
				? { readonly [C in P["components"][number] as C["name"] & string]: ValueOf<C> }
				: never
			: P["type"] extends `${"uint" | "int"}${string}` | `${string}Token`
				? bigint
				: P["type"] extends "bool"
					? boolean
					: string;

/** Types of a list of values. */
type ValuesOf<Ps> = Ps extends readonly TypedParameter[]
	? { readonly [At in keyof Ps]: Ps[At] extends TypedParameter ? ValueOf<Ps[At]> : never }
	: readonly [];

/** A type as written in signatures: tuples as their members. */
type TypeText<P extends TypedParameter> = P["type"] extends `tuple${infer Arrays}`
	? `(${TypeTexts<P["components"]>})${Arrays}`
	: P["type"];

type TypeTexts<Ps> = Ps extends readonly [
	infer First extends TypedParameter,
	...infer Rest extends readonly TypedParameter[],
]
	? Rest extends readonly []
		? TypeText<First>
		: `${TypeText<First>},${TypeTexts<Rest>}`
	: "";

/** `transfer(address,uint256)` */
type SignatureOf<E extends TypedEntry> = `${E["name"] & string}(${TypeTexts<E["inputs"]>})`;

/** The entries that have a name, or the entry that has a signature. */
type EntryOf<A extends TypedInterface, Kind extends string, Name = string> =
	Extract<A[number], { readonly type: Kind }> extends infer E
		? E extends TypedEntry
			? Name extends SignatureOf<E>
				? E
				: Extract<E, { readonly name: Name }>
			: never
		: never;

/** Names and signatures of functions, or of events. */
type NameIn<A extends TypedInterface, Kind extends string> = number extends A["length"]
	? string
	: EntryOf<A, Kind> extends infer E
		? E extends TypedEntry
			? (E["name"] & string) | SignatureOf<E>
			: never
		: never;

type ArgumentsOf<A extends TypedInterface, Name> = number extends A["length"]
	? readonly AbiView[]
	: EntryOf<A, "function", Name> extends infer E extends TypedEntry
		? ValuesOf<E["inputs"]>
		: never;

/** One result by itself, several as a list, none as undefined. */
type ResultOf<A extends TypedInterface, Name> = number extends A["length"]
	? AbiView | undefined
	: EntryOf<A, "function", Name> extends infer E extends TypedEntry
		? ValuesOf<E["outputs"]> extends infer R extends readonly unknown[]
			? R extends readonly []
				? undefined
				: R extends readonly [infer Only]
					? Only
					: R
			: never
		: never;

type EventArguments<A extends TypedInterface, Name> = number extends A["length"]
	? { readonly [name: string]: AbiView }
	: EntryOf<A, "event", Name> extends { readonly inputs: infer Ps extends readonly TypedParameter[] }
		? { readonly [P in Ps[number] as P["name"] & string]: ValueOf<P> }
		: never;

type ConstructorArguments<A extends TypedInterface> = number extends A["length"]
	? readonly AbiView[]
	: [Extract<A[number], { readonly type: "constructor" }>] extends [never]
		? readonly []
		: ValuesOf<Extract<A[number], { readonly type: "constructor" }>["inputs"]>;

/** An event that a contract has emitted. */
export interface ContractEvent<Arguments> {
	readonly block: bigint;
	readonly txID: string;
	readonly logIndex: number;
	readonly args: Arguments;
}

/** A contract, accessed through a wallet. Functions and events are given by name; overloaded ones by signature, `set(uint8)`. */
export class TypedContract<const A extends TypedInterface> {
	private readonly items: ContractInterface;
	private readonly bytes: Uint8Array;

	/**
	 * @param wallet queries the node, signs and sends
	 * @param address in any form
	 * @throws {Failure} `bad_address`, `bad_value`
	 */
	constructor(
		private readonly wallet: Wallet,
		address: string,
		abi: A,
	) {
		this.bytes = addressOf(address);
		this.items = interfaceOf(abi as unknown as Json);
	}

	/** Base58. */
	get address(): string {
		return toBase58Check(this.bytes);
	}

	/**
	 * Calls a function without a transaction.
	 * @throws {Failure} `contract_revert` with the contract's own error; `bad_value` for invalid arguments, or a result that doesn't match
	 */
	async read<Name extends NameIn<A, "function">>(
		name: Name,
		values: ArgumentsOf<A, Name>,
		sent: CallValues = {},
	): Promise<ResultOf<A, Name>> {
		checkOptions("the call", sent, VALUES);
		const { owner, contract, data, item } = this.call(name, values);
		const asked = { owner, contract, data, ...valuesIn(sent) };
		const answer = await this.inOwnWords(() => callConstant(this.wallet.client, asked));
		try {
			const results = decodeValues(item.outputs ?? [], answer.data);
			return (results.length > 1 ? results : results[0]) as ResultOf<A, Name>;
		} catch (error) {
			if (!(error instanceof AbiDataError)) throw error;
			throw new Failure(
				"bad_value",
				`what ${this.address} answers isn't a result of ${name}: ${error.message}`,
			);
		}
	}

	/**
	 * Calls a function in a transaction, which is simulated first.
	 * @throws {Failure} `contract_revert` with the contract's own error; otherwise as {@link Wallet.perform}
	 */
	async write<Name extends NameIn<A, "function">>(
		name: Name,
		values: ArgumentsOf<A, Name>,
		options: CallOptions & ActionOptions = {},
	): Promise<SentTransaction> {
		return notingUnsent(async () => {
			checkOptions("the call", options, CALL_OPTIONS);
			const call = this.call(name, values);
			const actor = await this.wallet.actor();
			return this.wallet.perform(await callPlan(actor, call, options), options, actor);
		});
	}

	/** Estimates the energy with which calling a function succeeds; it may need less. @throws {Failure} as {@link read} */
	async estimate<Name extends NameIn<A, "function">>(
		name: Name,
		values: ArgumentsOf<A, Name>,
		sent: CallValues = {},
	): Promise<bigint> {
		checkOptions("the call", sent, VALUES);
		const { owner, contract, data } = this.call(name, values);
		const asked = { owner, contract, data, ...valuesIn(sent) };
		return this.inOwnWords(() => estimateEnergy(this.wallet.client, asked));
	}

	/**
	 * Yields past events in order. Requires the node's JSON-RPC.
	 * @param range first and last block; if absent, from the first to the newest block
	 * @throws {Failure}
	 */
	async *events<Name extends NameIn<A, "event">>(
		name: Name,
		range: { readonly from?: bigint; readonly to?: bigint } = {},
	): AsyncGenerator<ContractEvent<EventArguments<A, Name>>> {
		const { client } = this.wallet;
		const [event, another] = this.named("event", name);
		if (!event || another) throw notOne("event", name, event);
		const query = { addresses: [this.bytes], topics: event.anonymous ? [] : [topicOf(event)] };
		const to = range.to ?? (await fetchHeadNumber(client));
		for await (const log of pastLogs(client, query, range.from ?? 0n, to)) {
			const decoded = decodeEvent(event, log);
			if (!decoded) continue;
			const { block, txID, logIndex } = log;
			yield { block, txID, logIndex, args: decoded.args as EventArguments<A, Name> };
		}
	}

	/** The items with a name or signature; with types inferred from the interface, exactly one item has it. */
	private named(kind: "function" | "event", name: string): readonly AbiItem[] {
		const signature = isSignature(name) ? hashedSignature(parseSignature(name, kind)) : undefined;
		return this.items.filter(
			(item) => item.kind === kind && (signature ?? name) === (signature ? hashedSignature(item) : item.name),
		);
	}

	private call(
		name: string,
		values: readonly unknown[],
	): NamedCall & { readonly item: AbiItem; readonly owner: Uint8Array } {
		const named = this.named("function", name);
		const fitting = named.filter(({ inputs }) => inputs.length === values.length);
		const [item] = fitting;
		if (!item || fitting.length > 1) {
			const which = named.length === 0 ? "" : " with so many arguments";
			throw notOne("function", `${name}${which}`, item);
		}
		const coded = codedValues(item.inputs, values);
		const texts = values.map((value) => viewText(value as AbiView));
		const { bytes: contract, items } = this;
		const owner = addressOf(this.wallet.address);
		return { owner, contract, data: encodeCall(item, coded), item, items, texts };
	}

	private async inOwnWords<T>(ask: () => Promise<T>): Promise<T> {
		try {
			return await ask();
		} catch (error) {
			throw await explainRevert(error, this.items);
		}
	}
}

/** What {@link deployTyped} needs besides the interface and the constructor's arguments. */
type TypedDeployment = Omit<Deployment, "abi" | "arguments" | "values"> & ActionOptions;

/**
 * Deploys a contract, which is simulated first, and waits until it is in a block.
 * @throws {Failure} `contract_revert` if the constructor reverts; otherwise as {@link SentTransaction.wait}
 */
export async function deployTyped<const A extends TypedInterface>(
	wallet: Wallet,
	abi: A,
	values: ConstructorArguments<A>,
	deployment: TypedDeployment,
): Promise<TypedContract<A>> {
	const json = abi as unknown as Json;
	const sent = await notingUnsent(async () => {
		checkOptions("the deployment", deployment, DEPLOYMENT_OPTIONS);
		if (!(deployment.code instanceof Uint8Array))
			throw new Failure("bad_value", "the code isn't bytes: fromHex of coin/protocol reads hexadecimal text");
		const { inputs } = constructorOf(interfaceOf(json));
		const coded = codedValues(inputs, values as readonly unknown[]);
		const actor = await wallet.actor();
		const plan = await deploymentPlan(actor, { ...deployment, abi: json, values: coded });
		return wallet.perform(plan, deployment, actor);
	});
	const { contractAddress } = await sent.wait();
	return new TypedContract(wallet, String(contractAddress), abi);
}

/** The failure if a name doesn't refer to exactly one item. @param item one of several such items; undefined if there is none */
function notOne(kind: string, what: string, item: AbiItem | undefined): Failure {
	return new Failure(
		"bad_value",
		`the interface has ${item ? `several ${kind}s` : `no ${kind}`} ${what}`,
		item ? { hint: `write the whole signature, such as ${hashedSignature(item)}` } : {},
	);
}

/** @throws {Failure} `bad_value`, naming the parameter */
function codedValues(parameters: readonly AbiParameter[], values: readonly unknown[]): readonly AbiValue[] {
	if (parameters.length !== values.length) {
		throw new Failure("bad_value", `${values.length} values for ${parameters.length} parameters`);
	}
	return parameters.map((parameter, at) => codedValue(parameter, values[at], parameter.name || String(at)));
}

/** @param path names of the parameter and members leading to this value */
function codedValue(parameter: AbiParameter, value: unknown, path: string): AbiValue {
	const refused = (): Failure =>
		new Failure("bad_value", `${path} isn't a value of the type ${parameter.type}`);
	const array = arrayParts(parameter);
	if (array) {
		if (!Array.isArray(value) || value.length !== (array.length ?? value.length)) throw refused();
		return value.map((item, at) => codedValue(array.element, item, `${path}[${at}]`));
	}
	const { type, components } = parameter;
	if (components) {
		if (typeof value !== "object" || value === null) throw refused();
		const members = Array.isArray(value)
			? value
			: components.map(({ name }) => (value as Record<string, unknown>)[name]);
		if (members.length !== components.length) throw refused();
		return components.map((each, at) => codedValue(each, members[at], `${path}.${each.name || at}`));
	}
	const plain = plainValue(type, value);
	if (plain === undefined) throw refused();
	return plain;
}

/** Converts a value of an elementary type. @returns undefined if it isn't a value of that type */
function plainValue(type: string, value: unknown): AbiValue | undefined {
	const integer = integerType(type);
	if (integer) return typeof value === "bigint" && isInRange(integer, value) ? value : undefined;
	if (type === "bool") return typeof value === "boolean" ? value : undefined;
	if (typeof value !== "string" || type === "string") return typeof value === "string" ? value : undefined;
	if (type === "address") {
		const bytes = readAddress(value);
		return bytes && `0x${toHex(bytes.subarray(1))}`;
	}
	if (!/^0x(?:[\da-f]{2})*$/i.test(value)) return undefined;
	return type === "bytes" || value.length === 2 + 2 * fixedLength(type) ? value : undefined;
}
