/**
 * Bean-style JSON: members in alphabetical order, compact or indented with tabs (protocol/http §2.1,
 * protocol/http-endpoints §5).
 */

import { quoteMapOrdered } from "../../protocol/json/quoting.js";

/** A number always written with a fraction. */
export class Double {
	constructor(readonly value: number) {}
}

export type BeanValue = string | number | bigint | boolean | Double | readonly BeanValue[] | BeanObject;

export interface BeanObject {
	readonly [name: string]: BeanValue;
}

export function beanJson(value: BeanValue, pretty = false): string {
	return write(value, pretty ? "\n" : "");
}

function write(value: BeanValue, lineBreak: string): string {
	if (typeof value === "string") return quoteMapOrdered(value);
	if (value instanceof Double) return writeDouble(value.value);
	if (typeof value !== "object") return String(value);
	const inner = lineBreak === "" ? "" : `${lineBreak}\t`;
	if (isList(value))
		return enclose(
			"[",
			value.map((item) => write(item, inner)),
			"]",
			lineBreak,
			inner,
		);
	const names = Object.keys(value).sort();
	const rows = names.map((name) => `${quoteMapOrdered(name)}:${write(value[name] as BeanValue, inner)}`);
	return enclose("{", rows, "}", lineBreak, inner);
}

function isList(value: BeanValue): value is readonly BeanValue[] {
	return Array.isArray(value);
}

function enclose(
	open: string,
	rows: readonly string[],
	close: string,
	lineBreak: string,
	inner: string,
): string {
	if (rows.length === 0) return open + close;
	return open + inner + rows.join(`,${inner}`) + lineBreak + close;
}

function writeDouble(value: number): string {
	if (!Number.isFinite(value)) return "null";
	return Number.isInteger(value) ? `${value}.0` : String(value);
}
