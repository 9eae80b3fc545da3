/**
 * A common form for comparisons: JSON answers, decoded messages and state entries become trees of maps, lists
 * and values, so that one function finds and names all differences.
 */

import { toHex } from "../../src/protocol/bytes.js";
import {
	type FieldDescriptor,
	getField,
	type Message,
	type MessageType,
} from "../../src/protocol/codec/descriptor.js";
import { parseExactJson } from "../../src/protocol/json/exact-json.js";

/** Integers of any size are bigints; bytes are hexadecimal text. */
export type Tree = null | boolean | string | bigint | number | readonly Tree[] | ReadonlyMap<string, Tree>;

/** A path where two trees differ; `undefined` if absent. */
export interface Difference {
	/** Members and indexes: `contract[0].amount`; empty for the root. */
	readonly path: string;
	readonly expected: Tree | undefined;
	readonly got: Tree | undefined;
}

/** Differences to ignore. A place is a path with every index written as `[*]`. */
export interface Leniency {
	/** Any value is allowed at this place, but one must exist. */
	readonly free?: (place: string) => boolean;
	/** The list at this place is unordered. */
	readonly unordered?: (place: string) => boolean;
	/** Whether two different texts at a place are considered equal. */
	readonly sameText?: (expected: string, got: string, place: string) => boolean;
}

/** Parses JSON with exact numbers. @throws {SyntaxError} */
export function jsonTree(text: string): Tree {
	const value = parseExactJson(text, Number.POSITIVE_INFINITY);
	return fromPlain(value);
}

function fromPlain(value: unknown): Tree {
	if (Array.isArray(value)) return value.map(fromPlain);
	if (typeof value === "object" && value !== null) {
		return new Map(Object.entries(value).map(([key, item]) => [key, fromPlain(item)]));
	}
	return value as Tree;
}

/** The fields of a message under their schema names, without those at their defaults. */
export function messageTree<T extends Message>(type: MessageType<T>, message: Readonly<T>): Tree {
	const tree = new Map<string, Tree>();
	for (const field of type.fields) {
		const value = fieldTree(field, getField(message, field.name));
		if (value !== undefined) tree.set(field.name, value);
	}
	const unknown = message.$unknown?.list() ?? [];
	if (unknown.length > 0) {
		const texts = unknown.map(({ number, wireType, value }) => `${number}/${wireType}: ${toHex(value)}`);
		tree.set("(unknown fields)", texts);
	}
	return tree;
}

function fieldTree(field: FieldDescriptor, value: unknown): Tree | undefined {
	if (field.label === "repeated") {
		const items = value as readonly unknown[];
		return items.length === 0 ? undefined : items.map((item) => valueTree(field, item));
	}
	if (field.label === "map") {
		const entries = value as ReadonlyMap<unknown, unknown>;
		if (entries.size === 0) return undefined;
		return new Map([...entries].map(([key, item]) => [String(key), valueTree(field, item)]));
	}
	if (
		value === undefined ||
		value === null ||
		value === 0n ||
		value === 0 ||
		value === false ||
		value === ""
	) {
		return undefined;
	}
	if (value instanceof Uint8Array && value.length === 0) return undefined;
	return valueTree(field, value);
}

function valueTree(field: FieldDescriptor, value: unknown): Tree {
	if (value instanceof Uint8Array) return toHex(value);
	if (field.kind === "message" && field.message !== undefined) {
		return messageTree(field.message(), value as Message);
	}
	if (field.kind === "enum") return field.enumeration?.names.get(value as number) ?? BigInt(value as number);
	if (field.kind === "int32") return BigInt(value as number);
	return value as Tree;
}

/** All differences between two trees. */
export function compareTrees(expected: Tree, got: Tree, leniency: Leniency = {}): Difference[] {
	const differences: Difference[] = [];
	compareAt(expected, got, "", "", leniency, differences);
	return differences;
}

/** Differences between two trees in the order of members only. */
export function compareOrder(expected: Tree | undefined, got: Tree | undefined, path = ""): Difference[] {
	if (isList(expected) && isList(got)) {
		return expected.flatMap((item, i) => compareOrder(item, got[i], `${path}[${i}]`));
	}
	if (!isMap(expected) || !isMap(got)) return [];
	const [left, right] = [[...expected.keys()], [...got.keys()]];
	const inner = left.flatMap((key) =>
		compareOrder(expected.get(key), got.get(key), path === "" ? key : `${path}.${key}`),
	);
	const isSame = left.length !== right.length || left.join() === right.join();
	return isSame ? inner : [{ path: `${path} (order)`, expected: left, got: right }, ...inner];
}

function compareAt(
	expected: Tree | undefined,
	got: Tree | undefined,
	path: string,
	place: string,
	leniency: Leniency,
	out: Difference[],
): void {
	if (expected === got) return;
	if (expected !== undefined && got !== undefined && leniency.free?.(place)) return;
	if (isMap(expected) && isMap(got)) {
		for (const key of new Set([...expected.keys(), ...got.keys()])) {
			const name = path === "" ? key : `${path}.${key}`;
			const inner = place === "" ? key : `${place}.${key}`;
			compareAt(expected.get(key), got.get(key), name, inner, leniency, out);
		}
		return;
	}
	if (isList(expected) && isList(got)) {
		const unordered = leniency.unordered?.(place) === true;
		const [left, right] = unordered ? unmatched(expected, got) : [expected, got];
		for (let i = 0; i < Math.max(left.length, right.length); i++) {
			compareAt(left[i], right[i], `${path}[${i}]`, `${place}[*]`, leniency, out);
		}
		return;
	}
	if (typeof expected === "string" && typeof got === "string" && leniency.sameText?.(expected, got, place))
		return;
	if (sameNumber(expected, got)) return;
	out.push({ path, expected, got });
}

/** Also compares `1` with `1.0`, and NaN. */
function sameNumber(a: Tree | undefined, b: Tree | undefined): boolean {
	if (typeof a === "bigint" && typeof b === "number") return Number.isSafeInteger(b) && BigInt(b) === a;
	if (typeof a === "number" && typeof b === "bigint") return sameNumber(b, a);
	return typeof a === "number" && typeof b === "number" && Number.isNaN(a) && Number.isNaN(b);
}

/** The items of two lists left after pairing equal ones. */
function unmatched(expected: readonly Tree[], got: readonly Tree[]): [Tree[], Tree[]] {
	const rest = new Map<string, Tree[]>();
	for (const item of got) {
		const key = show(item);
		rest.set(key, [...(rest.get(key) ?? []), item]);
	}
	const missing = expected.filter((item) => rest.get(show(item))?.pop() === undefined);
	return [missing, [...rest.values()].flat()];
}

function isMap(tree: Tree | undefined): tree is ReadonlyMap<string, Tree> {
	return tree instanceof Map;
}

function isList(tree: Tree | undefined): tree is readonly Tree[] {
	return Array.isArray(tree);
}

/** The member at a path of names; undefined if absent. */
export function member(tree: Tree | undefined, ...path: readonly string[]): Tree | undefined {
	let value = tree;
	for (const name of path) value = isMap(value) ? value.get(name) : undefined;
	return value;
}

/** A tree as JSON text, with sorted members and exact integers. */
export function show(tree: Tree | undefined): string {
	if (tree === undefined) return "(nothing)";
	if (isMap(tree)) {
		const members = [...tree].sort(([a], [b]) => (a < b ? -1 : 1));
		return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${show(value)}`).join(",")}}`;
	}
	if (isList(tree)) return `[${tree.map(show).join(",")}]`;
	return typeof tree === "bigint" ? tree.toString() : JSON.stringify(tree);
}
