/** A development method of JSON-RPC, under all the names tools use for it (protocol/development-chain §4.4). */

import type { DevelopmentControl } from "../../development/control.js";
import { plainStyle } from "../answers.js";
import type { Broadcaster } from "../broadcast.js";
import type { ApiContext, ApiNode } from "../context.js";
import type { RawArray } from "../jsonrpc/json-reader.js";
import { JsonParts, JsonText } from "../jsonrpc/method.js";

/** Context of the development methods. */
export interface DevelopmentContext {
	readonly control: DevelopmentControl;
	readonly node: ApiNode;
	readonly broadcaster: Broadcaster;
	/** Bound ports by name. */
	readonly ports: Readonly<Record<string, number>>;
}

/** The same context as the regular methods see it. */
export function ordinaryContext({ node, broadcaster }: DevelopmentContext): ApiContext {
	return {
		server: "full",
		node,
		state: node.view("full"),
		broadcaster,
		style: plainStyle(node.config),
	};
}

/** A JSON value; a bigint is written as a number. */
type DevelopmentValue = unknown;

/** @throws {RpcError} and the errors of the control, whose messages the client is given */
export type DevelopmentMethod = (
	context: DevelopmentContext,
	params: RawArray,
) => DevelopmentValue | Promise<DevelopmentValue>;

/** Methods by name; aliases share a row. */
export type DevelopmentMethods = readonly (readonly [names: readonly string[], method: DevelopmentMethod])[];

/** Serializes a value: bigints as digits, undefined members omitted. */
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
