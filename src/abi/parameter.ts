/**
 * The parts of contract interfaces: parameters, functions, events, errors, and the signatures that are hashed into
 * selectors and topics (the contract ABI specification; protocol/machine §16.3 for this network's token type). Nothing here needs
 * Node.js, since the explorer's page uses it too.
 */

import { spell } from "../protocol/dialect.js";

/** The network's type for token ids: a `uint256` under its own name. */
export const TOKEN_TYPE = "orcToken";

export interface AbiParameter {
	/** Empty if the interface gives no name. */
	readonly name: string;
	/** `uint256`, `orcToken`, `bytes32[2]`, `tuple[]`, … */
	readonly type: string;
	/** Members of a tuple; also undefined for tuples in a contract's on-chain record, which doesn't keep them. */
	readonly components?: readonly AbiParameter[];
	/** Type name in the source, if the compiler gives it; for tuples such as `struct Shop.Order[]`. */
	readonly internalType?: string;
	/** For event parameters: whether the value is stored as a topic. */
	readonly indexed?: boolean;
}

export const ABI_KINDS = ["function", "constructor", "event", "error", "fallback", "receive"] as const;
export type AbiKind = (typeof ABI_KINDS)[number];

export interface AbiItem {
	readonly kind: AbiKind;
	readonly name: string;
	readonly inputs: readonly AbiParameter[];
	/** For functions; undefined if the interface doesn't say. */
	readonly outputs?: readonly AbiParameter[];
	/** `pure`, `view`, `nonpayable` or `payable`; undefined if the interface doesn't say. */
	readonly mutability?: string;
	/** For events: logged without a signature topic. */
	readonly anonymous?: boolean;
}

/** A contract's interface: its functions, events, errors and constructor. */
export type ContractInterface = readonly AbiItem[];

/** Element and length of an array type; undefined for other types. */
export function arrayParts(
	parameter: AbiParameter,
): { readonly element: AbiParameter; readonly length: number | undefined } | undefined {
	const match = /^(.*)\[(\d*)\]$/.exec(parameter.type);
	if (!match) return undefined;
	const [, type = "", length = ""] = match;
	return { element: { ...parameter, type }, length: length === "" ? undefined : Number(length) };
}

/** A type as it appears in hashed signatures: tuples as their members, the token type in the compilers' spelling. */
export function hashedType({ type, components }: AbiParameter): string {
	if (type.startsWith("tuple")) {
		return `(${(components ?? []).map(hashedType).join(",")})${type.slice("tuple".length)}`;
	}
	return type.startsWith(TOKEN_TYPE) ? spell(type, "deployed") : type;
}

/** Whether the members of every tuple are known; otherwise values can't be encoded or signatures hashed. */
export function isComplete(parameters: readonly AbiParameter[]): boolean {
	return parameters.every(
		({ type, components }) =>
			!type.startsWith("tuple") || (components !== undefined && isComplete(components)),
	);
}

/** The signature, such as `transfer(address,uint256)`, whose hash is the selector or topic. */
export function hashedSignature({ name, inputs }: AbiItem): string {
	return `${name}(${inputs.map(hashedType).join(",")})`;
}

/** Describes an item for people: `function balanceOf(address owner) view returns (uint256)`. */
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

/** Width in bits and signedness of an integer type; undefined for other types. */
export function integerType(type: string): { readonly signed: boolean; readonly bits: number } | undefined {
	if (type === TOKEN_TYPE) return { signed: false, bits: 256 };
	const match = WHOLE.exec(type);
	if (!match) return undefined;
	return { signed: match[1] === "", bits: match[2] ? Number(match[2]) : 256 };
}

/** Whether a number is within the range of an integer type. */
export function isInRange(
	{ signed, bits }: { readonly signed: boolean; readonly bits: number },
	value: bigint,
): boolean {
	const end = 1n << BigInt(signed ? bits - 1 : bits);
	return value < end && value >= (signed ? -end : 0n);
}

/** Far more than 256 bits have, with `_` between any two digits. */
const MAX_NUMBER_LENGTH = 200;
const INTEGER = /^-?(?:\d+(?:_\d+)*|0x[\da-f]+(?:_[\da-f]+)*)$/i;
const WITH_EXPONENT = /^(-?)(\d+(?:_\d+)*|(?=\.))(?:\.(\d+(?:_\d+)*))?e\+?(\d{1,2})$/i;

/**
 * An integer as people write it wherever one is typed: digits with `_` between them, a minus before them, an exponent (`1.50e6`) or `0x`.
 * @returns the number as digits without `_`, point and exponent, or in hexadecimal; undefined if it is not an integer
 */
export function plainDigits(text: string): string | undefined {
	if (text.length > MAX_NUMBER_LENGTH) return undefined;
	if (INTEGER.test(text)) return text.replaceAll("_", "");
	const match = WITH_EXPONENT.exec(text);
	if (!match) return undefined;
	const [, sign = "", whole = "", fraction = "", exponent] = match.map((part = "") =>
		part.replaceAll("_", ""),
	);
	const digits = fraction.replace(/0+$/, "");
	const zeros = Number(exponent) - digits.length;
	return zeros < 0 ? undefined : `${sign}${whole}${digits}${"0".repeat(zeros)}`.replace(/^-?$/, "0");
}

/** Length in bytes of a value of type `bytes1` to `bytes32`, or `function`. */
export const fixedLength = (type: string): number =>
	type === "function" ? 24 : Number(type.slice("bytes".length));

/** Whether a type without array brackets is a valid elementary type. */
export function isElementaryType(type: string): boolean {
	const integer = integerType(type);
	if (integer) return integer.bits >= 8 && integer.bits <= 256 && integer.bits % 8 === 0;
	const bytes = /^bytes([1-9]\d?)$/.exec(type);
	if (bytes) return Number(bytes[1]) <= 32;
	return ["address", "bool", "string", "bytes", "function"].includes(type);
}
