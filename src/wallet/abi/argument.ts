/**
 * Reads contract arguments as people type them (protocol/command-line §1.3): integers in decimal or as `0x…`, addresses in any
 * form, `0x…` for bytes, `[1,2]` for arrays, `(a,b)` or `{"name":a,…}` for tuples, anything for strings. Numbers may have an exponent
 * (1.5e18); amounts of coins carry their unit (5coin is 5000000); amounts of tokens name the token (5@gold).
 */

import { type AbiValue, encodeValues, parameterKeys } from "../../abi/coder.js";
import {
	type AbiParameter,
	arrayParts,
	fixedLength,
	integerType,
	isInRange,
	plainDigits,
} from "../../abi/parameter.js";
import { concatBytes, fromHex, toHex, utf8 } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import { Failure } from "../failure.js";
import { amountParts, type NamedAmounts } from "../token/named-amount.js";
import { isCoinUnit, parseCoinAmount } from "../values/amount.js";
import { shorten } from "../values/bytes-text.js";
import { nearest } from "../values/suggestion.js";

/** Resolves text that names an account to the 21 bytes of its address. @throws {Failure} */
type ResolveAccount = (text: string) => Promise<Uint8Array>;
/** Reads amounts of tokens, whose decimals it knows. @throws {Failure} */
interface TokenAmounts extends Pick<NamedAmounts, "read"> {
	/** Checks an amount of coins when the contract may be counting something else. @throws {Failure} */
	readonly coins?: (text: string) => Promise<void>;
}

/**
 * Reads arguments by position, or all of them by name as in `to=T… amount=5`.
 * @param isByPosition whether `to=T…` is that very text, as where a program gives the arguments
 * @throws {Failure} `bad_value` naming the parameter
 */
export async function readArguments(
	parameters: readonly AbiParameter[],
	texts: readonly string[],
	resolve: ResolveAccount,
	amounts?: TokenAmounts,
	isByPosition = false,
): Promise<AbiValue[]> {
	const ordered = (isByPosition ? undefined : byName(parameters, texts)) ?? texts;
	if (ordered.length !== parameters.length) {
		const wanted = parameters.map((parameter, index) => label(parameter, index)).join(", ");
		throw new Failure(
			"bad_value",
			`${ordered.length} arguments were given, ${parameters.length} are needed${wanted === "" ? "" : `: ${wanted}`}`,
		);
	}
	const values: AbiValue[] = [];
	for (const [index, parameter] of parameters.entries()) {
		const reader = new ArgumentReader(label(parameter, index), ordered[index] as string, resolve, amounts);
		values.push(await reader.whole(parameter));
	}
	return values;
}

/** Whether arguments are given by name. */
export const areNamed = (parameters: readonly AbiParameter[], texts: readonly string[]): boolean =>
	byName(parameters, texts) !== undefined;

/**
 * Reads the topic of an indexed parameter: its value as typed for its type, of which `string` and `bytes` leave their hash alone; 32 bytes
 * as `0x…` are the topic itself.
 * @param parameter if unknown, a number is `uint256` or `int256`, and anything else an address
 * @returns 32 bytes
 * @throws {Failure} `bad_value`
 */
export async function readTopic(
	parameter: AbiParameter | undefined,
	text: string,
	resolve: ResolveAccount,
	amounts?: TokenAmounts,
): Promise<Uint8Array> {
	if (/^0x[0-9a-f]{64}$/i.test(text)) return fromHex(text.slice(2));
	const type = parameter?.type ?? usualType(text);
	if (type === "address") return concatBytes(new Uint8Array(12), (await resolve(text)).subarray(1));
	const known = { name: "", ...parameter, type };
	if (type === "string") return keccak256(utf8(text));
	if (parameter && (arrayParts(parameter) || parameter.components))
		throw new Failure(
			"bad_value",
			`the topic of ${label(parameter, 0)} is a hash: 32 bytes as 0x… are needed`,
		);
	const [value] = await readArguments([known], [text], resolve, amounts);
	return type === "bytes"
		? keccak256(fromHex(String(value).slice(2)))
		: encodeValues([known], [value as AbiValue]);
}

function usualType(text: string): string {
	if (amountParts(text)) return "uint256";
	// 20 or 21 bytes are an address.
	if (!/^-?(\d[\d_]*(\.\d+)?(e\+?\d+)?|0x(?![0-9a-f]{40}([0-9a-f]{2})?$)[0-9a-f]+)$/i.test(text))
		return "address";
	return text.startsWith("-") ? "int256" : "uint256";
}

/**
 * The texts in the order of the parameters if every one begins with a parameter's name and `=`.
 * @throws {Failure} `bad_value` also where only some do, or one begins with a name that is nearly one
 */
function byName(parameters: readonly AbiParameter[], texts: readonly string[]): string[] | undefined {
	const names = parameters.map(({ name }) => name).filter((name) => name !== "");
	const given = texts.map((text) => /^([\w$]+)=/.exec(text)?.[1] ?? "");
	if (!given.every((name) => names.includes(name))) {
		// Of a name of one or two letters too many words are near.
		const long = names.filter((name) => name.length > 2);
		const misspelt = given.findIndex((name) => !names.includes(name) && nearest(name, long).length > 0);
		const at = misspelt < 0 ? given.findIndex((name) => names.includes(name)) : misspelt;
		const [near] = misspelt < 0 ? [] : nearest(given[at] as string, long);
		if (at >= 0) throw halfNamed(texts[at] as string, given[at] as string, near);
		return undefined;
	}
	const shared = given.find((name) => !parameterKeys(parameters).includes(name));
	if (shared !== undefined)
		throw new Failure("bad_value", `several parameters are called ${shared}: give all arguments by position`);
	const named = new Map<string, string>();
	for (const [index, text] of texts.entries()) {
		const name = given[index] as string;
		if (named.has(name)) throw new Failure("bad_value", `the argument ${name} was given twice`);
		named.set(name, text.slice(name.length + 1));
	}
	if (named.size === 0) return undefined;
	return parameters.map((parameter, index) => {
		const text = named.get(parameter.name);
		if (text === undefined)
			throw new Failure("bad_value", `the argument ${label(parameter, index)} is missing`);
		return text;
	});
}

/** @param near the parameter that was meant, if another one */
function halfNamed(text: string, name: string, near = name): Failure {
	const shown = shorten(text);
	const [what, next] =
		near === name
			? [`"${shown}" names its parameter, and not all arguments do`, "name all of them"]
			: [`"${shown}": there is no parameter ${name}`, `did you mean ${near}=…?`];
	return new Failure("bad_value", what, {
		hint: `${next} (where that very text is meant: ${near}=${shown}, the others by name, too)`,
	});
}

function label({ name, type }: AbiParameter, index: number): string {
	return name === "" ? `${type} (number ${index + 1})` : `${type} ${name}`;
}

class ArgumentReader {
	private at = 0;
	/** Nesting depth of tuples by name: only inside them does a brace end a word. */
	private braces = 0;

	constructor(
		private readonly name: string,
		private readonly text: string,
		private readonly resolve: ResolveAccount,
		private readonly amounts: TokenAmounts | undefined,
	) {}

	/** Reads the whole text as one value; a plain string needs no quotes. */
	async whole(parameter: AbiParameter): Promise<AbiValue> {
		if (!arrayParts(parameter) && !parameter.components) return this.scalar(parameter, this.text);
		const value = await this.value(parameter);
		this.blanks();
		if (this.at < this.text.length) throw this.fault(`"${this.text.slice(this.at)}" is left over`);
		return value;
	}

	private async value(parameter: AbiParameter): Promise<AbiValue> {
		const array = arrayParts(parameter);
		if (array) {
			const items = await this.list("[", "]", () => array.element);
			if (array.length !== undefined && items.length !== array.length) {
				throw this.fault(`${items.length} elements were given, ${array.length} are needed`);
			}
			return items;
		}
		const { components } = parameter;
		if (components) {
			this.blanks();
			if (this.text.charAt(this.at) === "{") return this.members(components);
			if (!/[[(]/.test(this.text.charAt(this.at)))
				throw this.fault(`a tuple is written as (a,b), [a,b] or {"name":a,…}, at ${this.at + 1}`);
			const [open, close] = this.text.charAt(this.at) === "[" ? ["[", "]"] : ["(", ")"];
			const items = await this.list(open as string, close as string, (index) => components[index]);
			if (items.length !== components.length) {
				throw this.fault(`${items.length} members were given, ${components.length} are needed`);
			}
			return items;
		}
		return this.scalar(parameter, this.word());
	}

	/** Reads a tuple by the names of its members, the form in which results are printed. */
	private async members(components: readonly AbiParameter[]): Promise<AbiValue[]> {
		const keys = parameterKeys(components);
		const found = new Map<string, AbiValue>();
		this.at++;
		this.braces++;
		for (;;) {
			this.blanks();
			const name = this.word(/[,:(){}[\]]/);
			const component = components[keys.indexOf(name)];
			if (!component) throw this.fault(`the tuple has no member ${JSON.stringify(shorten(name))}`);
			if (found.has(name)) throw this.fault(`the member ${name} was given twice`);
			this.blanks();
			if (this.text.charAt(this.at++) !== ":") throw this.fault(`":" is missing, at ${this.at}`);
			found.set(name, await this.value(component));
			this.blanks();
			const ch = this.text.charAt(this.at++);
			if (ch === "}") break;
			if (ch !== ",") throw this.fault(`"}" is missing, at ${this.at}`);
		}
		this.braces--;
		const missing = keys.find((key) => !found.has(key));
		if (missing !== undefined) throw this.fault(`the member ${missing} is missing`);
		return keys.map((key) => found.get(key) as AbiValue);
	}

	private async list(
		open: string,
		close: string,
		element: (index: number) => AbiParameter | undefined,
	): Promise<AbiValue[]> {
		this.blanks();
		if (this.text.charAt(this.at) !== open) throw this.fault(`"${open}" is missing, at ${this.at + 1}`);
		this.at++;
		const items: AbiValue[] = [];
		this.blanks();
		if (this.text.charAt(this.at) === close) {
			this.at++;
			return items;
		}
		for (;;) {
			const parameter = element(items.length);
			if (!parameter) throw this.fault("there are too many members");
			items.push(await this.value(parameter));
			this.blanks();
			const ch = this.text.charAt(this.at++);
			if (ch === close) return items;
			if (ch !== ",") throw this.fault(`"${close}" is missing, at ${this.at}`);
		}
	}

	private blanks(): void {
		while (/\s/.test(this.text.charAt(this.at))) this.at++;
	}

	/** Reads a word up to the next separator, or a string in double quotes with JSON escapes. */
	private word(end = this.braces > 0 ? /[,(){}[\]]/ : /[,()[\]]/): string {
		this.blanks();
		if (this.text.charAt(this.at) === '"') {
			const quoted = /"(?:[^"\\]|\\.)*"/y;
			quoted.lastIndex = this.at;
			const match = quoted.exec(this.text)?.[0];
			if (match === undefined) throw this.fault("a quote isn't closed");
			this.at += match.length;
			try {
				return JSON.parse(match) as string;
			} catch {
				throw this.fault(`${match} is not text`);
			}
		}
		const start = this.at;
		while (this.at < this.text.length && !end.test(this.text.charAt(this.at))) this.at++;
		return this.text.slice(start, this.at).trim();
	}

	private async scalar({ type, internalType = "" }: AbiParameter, text: string): Promise<AbiValue> {
		const integer = integerType(type);
		// Neither interfaces nor layouts of storage list the members.
		if (integer && internalType.startsWith("enum ") && /^\s*[a-z_$]/i.test(text))
			throw this.fault(
				`"${shorten(text)}": the ${shorten(internalType.replace(/\[.*$/, ""))} is given by its number, counted from 0`,
			);
		if (integer) return this.integer(text.trim(), integer.signed, integer.bits);
		switch (type) {
			case "string":
				return text;
			case "bool":
				if (/^(true|1)$/i.test(text.trim())) return true;
				if (/^(false|0)$/i.test(text.trim())) return false;
				throw this.fault(`"${shorten(text)}": true or false is needed`);
			case "address":
				return `0x${toHex((await this.account(text.trim())).subarray(1))}`;
			case "bytes":
				return this.bytes(text.trim());
			default: {
				const length = fixedLength(type);
				const value = this.bytes(text.trim());
				const given = value.length / 2 - 1;
				if (given !== length) throw this.fault(`${length} bytes are needed, ${given} were given`);
				return value;
			}
		}
	}

	private async account(text: string): Promise<Uint8Array> {
		try {
			return await this.resolve(text);
		} catch (error) {
			if (!(error instanceof Error)) throw error;
			const hint = error instanceof Failure ? error.facts.hint : undefined;
			throw hint === undefined ? this.fault(error.message) : this.fault(error.message).with({ hint });
		}
	}

	private async integer(text: string, signed: boolean, bits: number): Promise<bigint> {
		const parts = amountParts(text);
		if (parts) {
			if (!this.amounts) throw this.fault(`how many decimals ${shorten(parts.token)} has isn't known here`);
			return this.within(await this.amounts.read(parts), text, signed, bits);
		}
		const unit = /^(?!0x)[\d_.]+\s*([a-z]{2,})$/i.exec(text)?.[1];
		if (unit !== undefined && !/^raw$/i.test(unit)) return this.coins(text, unit, signed, bits);
		const digits = plainDigits(text.replace(/(?<=^[\d_]+)\s?raw$/i, ""));
		if (digits === undefined) {
			throw this.fault(`"${shorten(text)}" is not a whole number, such as 5, 0x2a or 1.5e18`);
		}
		return this.within(
			digits.startsWith("-") ? -BigInt(digits.slice(1)) : BigInt(digits),
			text,
			signed,
			bits,
		);
	}

	/** Reads an amount of coins, in sun; any other unit is refused, since its decimals aren't known. */
	private async coins(text: string, unit: string, signed: boolean, bits: number): Promise<bigint> {
		if (!isCoinUnit(unit)) {
			throw this.fault(
				`the unit ${shorten(unit)} is unknown here: coins are written as 5coin or 5000000sun, tokens as 5@<token>, or in their smallest units, such as 5e18 for 5 of a token with 18 decimals`,
			);
		}
		const sun = parseCoinAmount(text);
		await this.amounts?.coins?.(text).catch((error: unknown) => {
			throw error instanceof Failure ? error.saying(this.fault(error.message).message) : error;
		});
		return this.within(sun, text, signed, bits);
	}

	private within(value: bigint, text: string, signed: boolean, bits: number): bigint {
		if (!isInRange({ signed, bits }, value)) throw this.fault(`${text} is out of range`);
		return value;
	}

	private bytes(text: string): string {
		if (!/^0x([0-9a-f]{2})*$/i.test(text)) {
			throw this.fault(
				`"${shorten(text)}": bytes are written as 0x and an even number of hexadecimal digits`,
			);
		}
		return text.toLowerCase();
	}

	private fault(what: string): Failure {
		return new Failure("bad_value", `the argument ${this.name}: ${what}`);
	}
}
