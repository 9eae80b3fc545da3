/** Reading the description of a fault bundle member by member: each is of its kind and within its bound, or the bundle is refused. */

import { fromHex } from "../../protocol/bytes.js";
import { parseInt64 } from "../../protocol/int64.js";
import { BundleError, MAX_TEXT } from "./limits.js";

/** A value of JSON; methods read a member of it, or without a name the value itself. */
export class Fields {
	constructor(
		private readonly value: unknown,
		private readonly path = "",
	) {}

	wrong(name?: string): BundleError {
		return new BundleError(`the fault bundle makes no sense: ${this.at(name) || "its description"}`);
	}

	private at(name: string | undefined): string {
		return [this.path, name].filter((part) => part).join(".");
	}

	private member(name: string | undefined): unknown {
		if (name === undefined) return this.value;
		const { value } = this;
		if (typeof value !== "object" || value === null || Array.isArray(value)) throw this.wrong();
		return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
	}

	/** undefined: it is absent */
	optional(name: string): Fields | undefined {
		const value = this.member(name);
		return value === undefined ? undefined : new Fields(value, this.at(name));
	}

	fields(name?: string): Fields {
		const value = this.member(name);
		if (typeof value !== "object" || value === null || Array.isArray(value)) throw this.wrong(name);
		return new Fields(value, this.at(name));
	}

	list(name: string | undefined, max: number): readonly Fields[] {
		const value = this.member(name);
		if (!Array.isArray(value) || value.length > max) throw this.wrong(name);
		return value.map((each) => new Fields(each, this.at(name)));
	}

	text(name?: string, max = MAX_TEXT): string {
		const value = this.member(name);
		if (typeof value !== "string" || value.length > max) throw this.wrong(name);
		return value;
	}

	flag(name: string): boolean {
		const value = this.member(name);
		if (typeof value !== "boolean") throw this.wrong(name);
		return value;
	}

	number(name: string): number {
		const value = this.member(name);
		if (typeof value !== "number" || !Number.isFinite(value) || value < 0) throw this.wrong(name);
		return value;
	}

	/** From 0 to a greatest number. */
	count(name: string | number, max = Number.MAX_SAFE_INTEGER): number {
		const [member, most] = typeof name === "number" ? [undefined, name] : [name, max];
		const value = this.member(member);
		if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0 || value > most)
			throw this.wrong(member);
		return value;
	}

	/** 64 bits, as decimal digits. */
	integer(name?: string): bigint {
		const value = parseInt64(this.text(name, 20));
		if (value === undefined) throw this.wrong(name);
		return value;
	}

	/** @param length of it in bytes */
	hex(name: string | undefined, length: number): Uint8Array {
		const text = this.text(name, 2 * length);
		if (text.length !== 2 * length || !/^[0-9a-f]*$/.test(text)) throw this.wrong(name);
		return fromHex(text);
	}
}
