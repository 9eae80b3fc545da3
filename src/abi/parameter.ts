/**
 * The vocabulary of contract interfaces: parameters, functions, events, errors, and the names that are hashed into
 * selectors and topics (the contract ABI specification; protocol/machine §16.3 for this network's token type). Nothing here needs
 * Node.js: the explorer's page has it too.
 */

import { spell } from "../protocol/dialect.js";

/** The network's type of a token id: a number of 256 bits under a name of its own. */
export const TOKEN_TYPE = "orcToken";

export interface AbiParameter {
	/** Empty where the interface gives none. */
	readonly name: string;
	/** `uint256`, `orcToken`, `bytes32[2]`, `tuple[]`, … */
	readonly type: string;
	/** Members of a tuple; undefined also where the record of a contract doesn't keep them. */
	readonly components?: readonly AbiParameter[];
	/** Tuples, where a compiler says it: `struct Shop.Order[]`. */
	readonly internalType?: string;
	/** Events: the value is a topic. */
	readonly indexed?: boolean;
}

export const ABI_KINDS = ["function", "constructor", "event", "error", "fallback", "receive"] as const;
export type AbiKind = (typeof ABI_KINDS)[number];

export interface AbiItem {
	readonly kind: AbiKind;
	readonly name: string;
	readonly inputs: readonly AbiParameter[];
	/** Functions; undefined where the interface doesn't say. */
	readonly outputs?: readonly AbiParameter[];
	/** `pure`, `view`, `nonpayable`, `payable`; undefined where the interface doesn't say. */
	readonly mutability?: string;
	/** Events without a topic of their own. */
	readonly anonymous?: boolean;
}

/** What a contract offers. */
export type ContractInterface = readonly AbiItem[];

/** An array's parts: its element and its length; undefined for other types. */
export function arrayParts(
	parameter: AbiParameter,
): { readonly element: AbiParameter; readonly length: number | undefined } | undefined {
	const match = /^(.*)\[(\d*)\]$/.exec(parameter.type);
	if (!match) return undefined;
	const [, type = "", length = ""] = match;
	return { element: { ...parameter, type }, length: length === "" ? undefined : Number(length) };
}

/** A type as it is hashed: tuples by their members, the token type in the spelling that compilers write. */
export function hashedType({ type, components }: AbiParameter): string {
	if (type.startsWith("tuple")) {
		return `(${(components ?? []).map(hashedType).join(",")})${type.slice("tuple".length)}`;
	}
	return type.startsWith(TOKEN_TYPE) ? spell(type, "deployed") : type;
}

/** Whether the members of every tuple are known: only then values can be coded and names hashed. */
export function isComplete(parameters: readonly AbiParameter[]): boolean {
	return parameters.every(
		({ type, components }) =>
			!type.startsWith("tuple") || (components !== undefined && isComplete(components)),
	);
}

/** `transfer(address,uint256)`: what the selector or topic is the hash of. */
export function hashedSignature({ name, inputs }: AbiItem): string {
	return `${name}(${inputs.map(hashedType).join(",")})`;
}

/** An item for people: `function balanceOf(address owner) view returns (uint256)`. */
export function describeItem(item: AbiItem): string {
	const { kind, name, inputs, outputs, mutability, anonymous } = item;
	const parts = [`${kind}${name === "" ? "" : ` ${name}`}(${inputs.map(describeParameter).join(", ")})`];
	if (mutability !== undefined && mutability !== "nonpayable") parts.push(mutability);
	if (anonymous) parts.push("anonymous");
	if (outputs && outputs.length > 0) parts.push(`returns (${outputs.map(describeParameter).join(", ")})`);
	return parts.join(" ");
}

function describeParameter({ type, components, indexed, name }: AbiParameter): string {
	const shown = components
		? `(${components.map(describeParameter).join(", ")})${type.slice("tuple".length)}`
		: type;
	return [shown, ...(indexed ? ["indexed"] : []), ...(name === "" ? [] : [name])].join(" ");
}

const WHOLE = /^(u?)int(\d*)$/;

/** Bits and sign of a whole number's type; undefined for other types. */
export function integerType(type: string): { readonly signed: boolean; readonly bits: number } | undefined {
	if (type === TOKEN_TYPE) return { signed: false, bits: 256 };
	const match = WHOLE.exec(type);
	if (!match) return undefined;
	return { signed: match[1] === "", bits: match[2] ? Number(match[2]) : 256 };
}

/** Whether a whole number is in the range of an integer type. */
export function isInRange(
	{ signed, bits }: { readonly signed: boolean; readonly bits: number },
	value: bigint,
): boolean {
	const end = 1n << BigInt(signed ? bits - 1 : bits);
	return value < end && value >= (signed ? -end : 0n);
}

/** Bytes of a value of `bytes1` to `bytes32`, or of a function. */
export const fixedLength = (type: string): number =>
	type === "function" ? 24 : Number(type.slice("bytes".length));

/** Whether a type without array brackets is one that contracts use. */
export function isElementaryType(type: string): boolean {
	const integer = integerType(type);
	if (integer) return integer.bits >= 8 && integer.bits <= 256 && integer.bits % 8 === 0;
	const bytes = /^bytes([1-9]\d?)$/.exec(type);
	if (bytes) return Number(bytes[1]) <= 32;
	return ["address", "bool", "string", "bytes", "function"].includes(type);
}
