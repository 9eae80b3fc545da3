/**
 * Raw requests to a node: builds a body from typed fields without changing a digit, and derives the exit code from a response
 * without changing its text (protocol/command-line §5).
 */

import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import type { FieldDescriptor } from "../../protocol/codec/descriptor.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, member, readJson, writeWireJson } from "../json.js";
import { readAddress } from "../values/address-text.js";
import { nearest } from "../values/suggestion.js";
import type { RawAnswer } from "./http-request.js";

/** A field of an endpoint's request; the type is the name of a scalar, message or enum, with [] for lists. */
export interface EndpointField {
	readonly name: string;
	readonly type: string;
	/** The field's declaration in its message, which gives the members of nested messages. */
	readonly descriptor?: FieldDescriptor;
}

/** Members that any request may have besides its own fields. */
const EVERYWHERE: ReadonlySet<string> = new Set(["visible", "Permission_id", "extra_data", "block"]);

/** Collects fields as JSON text by name: repeated values of a list are appended, others replaced. */
export class RequestBody {
	private readonly members = new Map<string, string[]>();
	private readonly lists = new Set<string>();
	/** Names that are not among the endpoint's known fields. */
	private readonly unknown: string[] = [];

	constructor(
		private readonly fields: readonly EndpointField[],
		/** Whether addresses are sent in Base58; if undefined, in hexadecimal, the form for requests without `visible`. */
		private readonly visible: boolean | undefined,
		/** Whether values are sent exactly as typed. */
		private readonly exact: boolean,
	) {}

	/**
	 * Adds a field by its wire name or kebab-case alias, or a nested field by names separated by dots.
	 * @throws {Failure} `bad_value`
	 */
	add(path: string, text: string): void {
		const [name = "", ...inner] = path.split(".");
		const field = this.fields.find(
			(row) => row.name === name || row.name.replaceAll("_", "-").toLowerCase() === name.toLowerCase(),
		);
		if (!field && this.fields.length > 0 && !EVERYWHERE.has(name)) this.unknown.push(name);
		const type = field?.type ?? "";
		const wire = field?.name ?? name;
		if (inner.length > 0) this.putInside(wire, inner, this.valueJson(path, "", text));
		else if (type.endsWith("[]")) this.append(wire, this.itemsJson(name, type.slice(0, -2), text));
		else this.put(wire, this.valueJson(name, type, text));
	}

	/** What a value adds to a list: itself, or the elements (possibly none) of a JSON list. */
	private itemsJson(name: string, type: string, text: string): string[] {
		const list = text.trimStart().startsWith("[") ? readJson(jsonOrText(text)) : text;
		if (!Array.isArray(list)) return [this.valueJson(name, type, text)];
		return list.map((item) =>
			typeof item === "string" ? this.valueJson(name, type, item) : writeWireJson(item),
		);
	}

	private putInside(name: string, path: readonly string[], json: string): void {
		const known = this.members.get(name)?.[0];
		this.put(name, writeWireJson(nested(known === undefined ? {} : readJson(known), path, readJson(json))));
	}

	/**
	 * Warnings about typed fields that the endpoint doesn't have, if its fields are known, and about unknown members of messages. In a
	 * body, to which other tools may have added members, only those that resemble a field are reported.
	 */
	warnings(endpoint: string, base: string | undefined): string[] {
		const names = this.fields.map((row) => row.name);
		const isOther = (name: string): boolean => !names.includes(name) && !EVERYWHERE.has(name);
		const given = membersOf(base);
		const own = (name: string): Unknown => ({ path: name, near: nearest(name, names)[0] });
		const unknown = [
			...this.unknown.map(own),
			...this.fields.flatMap(({ name, descriptor }) => {
				const typed = descriptor?.message ? this.members.get(name) : undefined;
				return typed?.flatMap((json) => unknownWithin(readJson(json), descriptor, name)) ?? [];
			}),
			...[
				...Object.keys(given).filter(isOther).map(own),
				...this.fields.flatMap(({ name, descriptor }) =>
					unknownWithin(member(given, name), descriptor, name),
				),
			].filter(({ near }) => near !== undefined),
		];
		return unknown.map(({ path, near }) => {
			const meant = near === undefined ? "" : `; did you mean ${near}?`;
			return `${endpoint} has no field ${path}${meant}`;
		});
	}

	/** Adds a member with any name; the value is JSON if it parses as such, else text. */
	addFree(name: string, text: string): void {
		this.put(name, jsonOrText(text));
	}

	private put(name: string, json: string): void {
		this.lists.delete(name);
		this.members.set(name, [json]);
	}

	private append(name: string, items: readonly string[]): void {
		this.lists.add(name);
		this.members.set(name, [...(this.members.get(name) ?? []), ...items]);
	}

	get isEmpty(): boolean {
		return this.members.size === 0;
	}

	/** The body as one JSON object: the members of `base`, overridden and extended by the fields. @throws {Failure} `bad_value` */
	over(base: string | undefined): string {
		if (base !== undefined && this.isEmpty) return base;
		const parsed = base === undefined || base.trim() === "" ? {} : parseObject(base);
		const texts = new Map(Object.entries(parsed).map(([name, value]) => [name, writeWireJson(value)]));
		for (const [name, values] of this.members) {
			texts.set(name, this.lists.has(name) ? `[${values.join(",")}]` : (values[0] as string));
		}
		return `{${[...texts].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
	}

	/** The fields as a URL query. */
	query(): string {
		const parameters = new URLSearchParams();
		for (const [name, values] of this.members) {
			for (const json of values)
				parameters.append(name, json.startsWith('"') ? (JSON.parse(json) as string) : json);
		}
		return parameters.toString();
	}

	private valueJson(name: string, type: string, text: string): string {
		switch (type) {
			case "int32":
			case "int64":
				if (!/^-?\d+$/.test(text))
					throw new Failure("bad_value", `--${name} "${text}": a whole number is needed`);
				return text;
			case "bool":
				if (text !== "true" && text !== "false")
					throw new Failure("bad_value", `--${name} "${text}": true or false is needed`);
				return text;
			case "string":
			case "text":
				return JSON.stringify(text);
			case "bytes":
			case "address":
				return JSON.stringify(this.exact ? text : this.addressForm(text));
			default:
				return jsonOrText(this.exact ? text : this.addressForm(text));
		}
	}

	/** An address in the form that `visible` requires; anything else as typed. */
	private addressForm(text: string): string {
		const looksLikeOne =
			/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text) ||
			/^(0x)?[0-9a-fA-F]{42}$/.test(text) ||
			/^0x[0-9a-fA-F]{40}$/.test(text);
		const address = looksLikeOne ? readAddress(text) : undefined;
		if (!address) return text;
		return this.visible ? toBase58Check(address) : toHex(address);
	}
}

/** A copy of a value with another value set at a path within it. */
function nested(whole: Json, [name = "", ...rest]: readonly string[], value: Json): Json {
	const record = isRecord(whole) ? whole : {};
	const inner = rest.length === 0 ? value : nested(member(record, name) ?? {}, rest, value);
	return { ...record, [name]: inner };
}

/** A member that will be ignored, and the known one that may have been intended. */
interface Unknown {
	readonly path: string;
	readonly near: string | undefined;
}

/** Members, at any depth, of a message or a list of messages that the schema doesn't have. */
function unknownWithin(
	value: Json | undefined,
	field: FieldDescriptor | undefined,
	path: string,
): readonly Unknown[] {
	if (Array.isArray(value)) return value.flatMap((item) => unknownWithin(item, field, path));
	const type = field?.label === "map" ? undefined : field?.message?.();
	// The contents of an Any depend on its `type_url`.
	if (!type || !isRecord(value) || type.typeName === "google.protobuf.Any") return [];
	const names = type.fields.map((inner) => inner.name);
	return Object.entries(value).flatMap(([name, inner]) => {
		const known = type.fields.find((one) => one.name === name || String(one.number) === name);
		if (!known) return [{ path: `${path}.${name}`, near: nearest(name, names)[0] }];
		return unknownWithin(inner, known, `${path}.${name}`);
	});
}

/** The members of a body; none if it isn't JSON, which is sent all the same. */
function membersOf(body: string | undefined): Readonly<Record<string, Json>> {
	try {
		const json = readJson(body ?? "");
		return isRecord(json) ? json : {};
	} catch {
		return {};
	}
}

function jsonOrText(text: string): string {
	try {
		readJson(text);
		return text;
	} catch {
		// Not JSON: the text itself.
		return JSON.stringify(text);
	}
}

function parseObject(text: string): Readonly<Record<string, Json>> {
	let json: Json;
	try {
		json = readJson(text);
	} catch (error) {
		throw new Failure(
			"bad_value",
			`--data is not valid JSON, so no field can be added: ${(error as Error).message}`,
		);
	}
	if (!isRecord(json))
		throw new Failure("bad_value", "--data is not a JSON object, so no field can be added");
	return json;
}

/** A JSON-RPC request with positional parameters; addresses in Base58 become `0x` and 40 digits. */
export function jsonRpcRequest(method: string, parameters: readonly string[]): string {
	const params = parameters.map((text) => {
		if (/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)) {
			return JSON.stringify(`0x${toHex((readAddress(text) as Uint8Array).subarray(1))}`);
		}
		return jsonOrText(text);
	});
	return `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":[${params.join(",")}]}`;
}

/**
 * Whether a response reports an error: an HTTP error status, a member `Error`, a result code other than success, an unsuccessful
 * broadcast, a JSON-RPC error.
 */
export function isRefusal(answer: RawAnswer, isBroadcast: boolean): boolean {
	if (answer.status >= 400) return true;
	let json: Json;
	try {
		json = readJson(Buffer.from(answer.body).toString("utf8"));
	} catch {
		// A response that isn't JSON isn't an error by itself.
		return false;
	}
	if (Array.isArray(json)) return json.some((item) => isRecord(item) && member(item, "error") !== undefined);
	if (!isRecord(json)) return false;
	const { Error: error, error: rpcError, result } = json;
	if (error !== undefined || rpcError !== undefined) return true;
	if (isBroadcast) return result !== true;
	if (isRecord(result)) {
		const { code } = result;
		return code !== undefined && code !== "SUCCESS" && code !== "NOT_ENOUGH_PERMISSION" && code !== 0n;
	}
	return false;
}
