/** A development method of JSON-RPC, under every name that tools call it by (protocol/development-chain §4.4). */

import type { DevelopmentControl } from "../../development/control.js";
import { plainStyle } from "../answers.js";
import type { Broadcaster } from "../broadcast.js";
import type { ApiContext, ApiNode } from "../context.js";
import type { RawArray } from "../jsonrpc/json-reader.js";
import { JsonParts, JsonText } from "../jsonrpc/method.js";

/** What development methods work on. */
export interface DevelopmentContext {
	readonly control: DevelopmentControl;
	readonly node: ApiNode;
	readonly broadcaster: Broadcaster;
	/** Bound ports by name. */
	readonly ports: Readonly<Record<string, number>>;
}

/** The same as the methods of every node see it. */
export function ordinaryContext({ node, broadcaster }: DevelopmentContext): ApiContext {
	return {
		server: "full",
		node,
		state: node.view("full"),
		broadcaster,
		style: plainStyle(node.config),
	};
}

/** A value of JSON; a bigint is written as a number. */
type DevelopmentValue = unknown;

/** @throws {RpcError} and the errors of the control, whose messages the client is given */
export type DevelopmentMethod = (
	context: DevelopmentContext,
	params: RawArray,
) => DevelopmentValue | Promise<DevelopmentValue>;

/** Methods by name; names that do the same stand in one row. */
export type DevelopmentMethods = readonly (readonly [names: readonly string[], method: DevelopmentMethod])[];

/** Writes a value: bigint as digits, members without a value left out. */
export function writeValue(value: unknown): string {
	if (typeof value === "bigint") return value.toString();
	if (value instanceof JsonText) return value.text;
	if (value instanceof JsonParts) return value.toString();
	if (Array.isArray(value)) return `[${value.map(writeValue).join(",")}]`;
	if (typeof value === "object" && value !== null) {
		const members = Object.entries(value).filter(([, member]) => member !== undefined);
		return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeValue(member)}`).join(",")}}`;
	}
	return JSON.stringify(value ?? null);
}
