/**
 * Raw requests to a node: a body put together from typed fields without touching a digit, and what an answer means for
 * the exit code without touching its text (protocol/command-line §5).
 */

import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import type { FieldDescriptor } from "../../protocol/codec/descriptor.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, member, readJson, writeWireJson } from "../json.js";
import { readAddress } from "../values/address-text.js";
import { nearest } from "../values/suggestion.js";
import type { RawAnswer } from "./http-request.js";

/** A field of an endpoint's request; the type is a scalar's name, a message's or an enumeration's, with [] for lists. */
export interface EndpointField {
	readonly name: string;
	readonly type: string;
	/** How a message declares it, which tells the members of what it holds. */
	readonly descriptor?: FieldDescriptor;
}

/** Members that requests may have beside their own fields. */
const EVERYWHERE: ReadonlySet<string> = new Set(["visible", "Permission_id", "extra_data", "block"]);

/** Fields as JSON text by name: later ones of a list are appended, others replace. */
export class RequestBody {
	private readonly members = new Map<string, string[]>();
	private readonly lists = new Set<string>();
	/** Names that the endpoint has no field for, though its fields are known. */
	private readonly unknown: string[] = [];

	constructor(
		private readonly fields: readonly EndpointField[],
		/** Whether addresses go out in Base58; undefined: as hexadecimal, which a request without `visible` means. */
		private readonly visible: boolean | undefined,
		/** Values are sent as typed. */
		private readonly exact: boolean,
	) {}

	/**
	 * Adds a field by its wire name or its kebab-case alias, or what a message holds by names with dots between them.
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

	/** What a value adds to a list: itself, or the elements of a list in JSON, an empty one too. */
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
	 * What was typed that the endpoint, whose fields are known, has no field for, and members of messages too. Of a body, whose
	 * members other tools may have added, only what looks like a field.
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

	/** Adds a member of any name; the value is JSON if it parses as such, else text. */
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

	/** One JSON object: the members of `base`, replaced and extended by the fields. @throws {Failure} `bad_value` */
	over(base: string | undefined): string {
		if (base !== undefined && this.isEmpty) return base;
		const parsed = base === undefined || base.trim() === "" ? {} : parseObject(base);
		const texts = new Map(Object.entries(parsed).map(([name, value]) => [name, writeWireJson(value)]));
		for (const [name, values] of this.members) {
			texts.set(name, this.lists.has(name) ? `[${values.join(",")}]` : (values[0] as string));
		}
		return `{${[...texts].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
	}

	/** The same as parameters of an address. */
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

	/** An address in the form that `visible` demands; anything else as typed. */
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

/** A value with another one at a place within it. */
function nested(whole: Json, [name = "", ...rest]: readonly string[], value: Json): Json {
	const record = isRecord(whole) ? whole : {};
	const inner = rest.length === 0 ? value : nested(member(record, name) ?? {}, rest, value);
	return { ...record, [name]: inner };
}

/** A member that nothing reads, and the one that it may have been meant to be. */
interface Unknown {
	readonly path: string;
	readonly near: string | undefined;
}

/** Members of a message, or of the elements of a list of them, that the schema doesn't have, at any depth. */
function unknownWithin(
	value: Json | undefined,
	field: FieldDescriptor | undefined,
	path: string,
): readonly Unknown[] {
	if (Array.isArray(value)) return value.flatMap((item) => unknownWithin(item, field, path));
	const type = field?.label === "map" ? undefined : field?.message?.();
	// What Any holds is told by its `type_url`.
	if (!type || !isRecord(value) || type.typeName === "google.protobuf.Any") return [];
	const names = type.fields.map((inner) => inner.name);
	return Object.entries(value).flatMap(([name, inner]) => {
		const known = type.fields.find((one) => one.name === name || String(one.number) === name);
		if (!known) return [{ path: `${path}.${name}`, near: nearest(name, names)[0] }];
		return unknownWithin(inner, known, `${path}.${name}`);
	});
}

/** The members of a body; of one that is sent although it isn't JSON none. */
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
		// A bare word: the text itself.
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
 * Whether an answer reports a refusal: HTTP errors, a member `Error`, a result code other than success, a broadcast
 * answer without success, a JSON-RPC error.
 */
export function isRefusal(answer: RawAnswer, isBroadcast: boolean): boolean {
	if (answer.status >= 400) return true;
	let json: Json;
	try {
		json = readJson(Buffer.from(answer.body).toString("utf8"));
	} catch {
		// Texts that aren't JSON are answers too.
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
