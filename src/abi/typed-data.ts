/**
 * Hashes structured data (EIP-712 with this network's types, protocol/wallet-formats §3): an `address` may
 * have any form and is hashed without its network prefix; `orcToken` is a 256-bit token id.
 */

import { toBase58Check } from "../protocol/address.js";
import { concatBytes, fromHex, toHex, utf8 } from "../protocol/bytes.js";
import { toDeployed, toNeutral } from "../protocol/dialect.js";
import { keccak256 } from "../protocol/hash.js";
import { type ExactJson, type ExactRecord, MAX_DIGITS, parseExactJson } from "../protocol/json/exact-json.js";
import { repeatedMember } from "../protocol/json/modest-json.js";
import { TOKEN_TYPE } from "./parameter.js";

type Json = ExactJson;
type JsonRecord = ExactRecord;

/** The document can't be hashed; the message names the offending member. */
export class TypedDataError extends Error {
	override readonly name = "TypedDataError";
}

const isRecord = (value: unknown): value is JsonRecord =>
	typeof value === "object" && value !== null && !Array.isArray(value);

interface TypedField {
	readonly name: string;
	readonly type: string;
}

type Structures = ReadonlyMap<string, readonly TypedField[]>;

const DOMAIN = "EIP712Domain";
const DOMAIN_FIELDS: readonly TypedField[] = [
	{ name: "name", type: "string" },
	{ name: "version", type: "string" },
	{ name: "chainId", type: "uint256" },
	{ name: "verifyingContract", type: "address" },
	{ name: "salt", type: "bytes32" },
];

const WORD = 32;

/** Names of types and fields: others could make the encoded type text ambiguous. */
const NAME = /^[A-Za-z_$][A-Za-z0-9_$]{0,127}$/;

export interface TypedDataDigest {
	/** The 32 bytes to sign. */
	readonly hash: Uint8Array;
	/** Every hashed value, one per line, and nothing else. */
	readonly fields: readonly string[];
	readonly primaryType: string;
	/** The domain's standard members, if they have the standard types. */
	readonly domain: {
		readonly chainId?: bigint;
		/** 21 bytes. */
		readonly verifyingContract?: Uint8Array;
	};
	/** Whether the signature alone allows transferring all of a token. */
	readonly allowsAll: boolean;
}

/** Permit amounts have only 160 bits in some contracts. */
const UNLIMITED_PERMIT = 2n ** 159n;

/** Recognised by the common member names of permits (EIP-2612 and similar). */
function isUnlimited({ name, type }: TypedField, word: Uint8Array): boolean {
	if (name === "allowed") return type === "bool" && word[WORD - 1] === 1;
	return (
		/^(value|amount|wad)$/.test(name) &&
		type.startsWith("uint") &&
		BigInt(`0x${toHex(word)}`) >= UNLIMITED_PERMIT
	);
}

/** Limits on hashing a document; the largest ones in practice have some hundred values. */
export interface TypedDataBudget {
	/** Structs, arrays and values. */
	readonly values: number;
	/** Total length of encoded types, each including its dependencies. */
	readonly typeCharacters: number;
}

const GENEROUS: TypedDataBudget = { values: 100_000, typeCharacters: 1 << 20 };
/** Maximum length of a field's type; longer than any name. */
const MAX_TYPE = 256;

/** Parses an address in any form; undefined if malformed. */
type ReadAddress = (text: string) => Uint8Array | undefined;

/** State of hashing one document. */
interface Hashing {
	readonly structures: Structures;
	readonly readAddress: ReadAddress;
	/** Cached type hashes: an array has many values of one type. */
	readonly typeHashes: Map<string, Uint8Array>;
	readonly fields: string[];
	readonly budget: TypedDataBudget;
	typeCharacters: number;
	/** Whether a member looks like that of an unlimited permit. */
	isUnlimited: boolean;
}

/** Records a struct, array or value. @throws {TypedDataError} if over budget */
function note({ fields, budget }: Hashing, line: string): void {
	if (fields.length >= budget.values)
		throw new TypedDataError(`the typed data has more than ${budget.values} values`);
	fields.push(line);
}

/**
 * Hashes a document `{types, primaryType, domain, message}`.
 * @throws {TypedDataError} naming the wrong or undeclared member, or if over budget
 */
export function hashTypedData(
	text: string,
	readAddress: ReadAddress,
	budget: TypedDataBudget = GENEROUS,
): TypedDataDigest {
	const { types, primaryType, domain, message } = readDocument(text);
	const structures = readTypes(types, domain);
	const hashing: Hashing = {
		...{ structures, readAddress, budget, typeHashes: new Map(), fields: [] },
		...{ typeCharacters: 0, isUnlimited: false },
	};
	const start = Uint8Array.of(0x19, 0x01);
	const separator = structureHash(hashing, DOMAIN, domain, "domain");
	if (primaryType === DOMAIN) {
		const [extra] = Object.keys(message);
		if (extra !== undefined) throw unnamed("message", extra, DOMAIN);
		const hash = keccak256(concatBytes(start, separator));
		return { hash, primaryType, domain: placeOf(hashing, domain), fields: hashing.fields, allowsAll: false };
	}
	const hash = structureHash(hashing, primaryType, message, "message");
	const { fields } = hashing;
	const allowsAll = primaryType.startsWith("Permit") && hashing.isUnlimited;
	const place = placeOf(hashing, domain);
	return {
		hash: keccak256(concatBytes(start, separator, hash)),
		primaryType,
		domain: place,
		fields,
		allowsAll,
	};
}

/** Reads an already hashed domain, so values match their types. */
function placeOf({ structures, readAddress }: Hashing, domain: JsonRecord): TypedDataDigest["domain"] {
	const memberOf = (name: string, type: string): string | undefined => {
		const isIt = structures.get(DOMAIN)?.some((field) => field.name === name && field.type === type);
		// A struct may shadow a standard type's name.
		return isIt && !structures.has(type) ? String(domain[name]).trim() : undefined;
	};
	const chainId = memberOf("chainId", "uint256");
	const contract = memberOf("verifyingContract", "address");
	const verifyingContract = contract === undefined ? undefined : readAddress(contract);
	return {
		...(chainId === undefined ? {} : { chainId: BigInt(chainId) }),
		...(verifyingContract === undefined ? {} : { verifyingContract }),
	};
}

/** Error for a member that would be displayed but not signed. */
function unnamed(path: string, name: string, type: string): TypedDataError {
	return new TypedDataError(
		`${path} has the member ${JSON.stringify(name)}, which the type ${type} doesn't have: it would not be signed`,
	);
}

interface TypedDocument {
	readonly types: JsonRecord;
	readonly primaryType: string;
	readonly domain: JsonRecord;
	readonly message: JsonRecord;
}

function readDocument(text: string): TypedDocument {
	let json: Json;
	try {
		json = parseExactJson(text, MAX_DIGITS);
	} catch (error) {
		throw new TypedDataError(`the typed data is not valid JSON: ${(error as Error).message}`);
	}
	const repeated = repeatedMember(text);
	if (repeated !== undefined)
		throw new TypedDataError(`the typed data has the member ${JSON.stringify(repeated.slice(0, 40))} twice`);
	if (!isRecord(json)) throw new TypedDataError("the typed data is not a JSON object");
	const { types, primaryType, domain, message } = json;
	if (!isRecord(types) || typeof primaryType !== "string" || !isRecord(domain ?? {}) || !isRecord(message)) {
		throw new TypedDataError("typed data has the members types, primaryType, domain and message");
	}
	return { types, primaryType, domain: isRecord(domain) ? domain : {}, message };
}

/** The declared structs; an undeclared domain gets the standard members that are present. */
function readTypes(types: JsonRecord, domain: JsonRecord): Structures {
	const structures = new Map<string, readonly TypedField[]>();
	for (const [name, fields] of Object.entries(types)) {
		if (!NAME.test(name))
			throw new TypedDataError(`${JSON.stringify(name.slice(0, 40))} is not a name of a type`);
		if (!Array.isArray(fields)) throw new TypedDataError(`the type ${name} is not a list of fields`);
		structures.set(
			name,
			fields.map((field: Json) => readField(name, field)),
		);
	}
	if (!structures.has(DOMAIN)) {
		structures.set(
			DOMAIN,
			DOMAIN_FIELDS.filter(({ name }) => domain[name] !== undefined),
		);
	}
	return structures;
}

function readField(structure: string, field: Json): TypedField {
	const { name, type } = isRecord(field) ? field : {};
	if (typeof name !== "string" || typeof type !== "string")
		throw new TypedDataError(`a field of the type ${structure} has no name or no type`);
	if (type.length > MAX_TYPE || !NAME.test(name) || !NAME.test(elementType(type)))
		throw new TypedDataError(`a field of the type ${structure} has a name or type that is none`);
	return { name, type };
}

function structureHash(hashing: Hashing, name: string, value: JsonRecord, path: string): Uint8Array {
	const { structures, typeHashes } = hashing;
	const fields = fieldsOf(structures, name, path);
	const extra = Object.keys(value).find((known) => !fields.some((field) => field.name === known));
	if (extra !== undefined) throw unnamed(path, extra, name);
	note(hashing, `${path}: ${name}`);
	const words = fields.map((field) => {
		const item = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
		if (item === undefined || item === null) throw new TypedDataError(`${path}.${field.name} is missing`);
		const word = wordOf(hashing, field.type, item, `${path}.${field.name}`);
		hashing.isUnlimited ||= isUnlimited(field, word);
		return word;
	});
	const typeHash = typeHashes.get(name) ?? keccak256(utf8(typeText(hashing, name, path)));
	typeHashes.set(name, typeHash);
	return keccak256(concatBytes(typeHash, ...words));
}

function fieldsOf(structures: Structures, name: string, path: string): readonly TypedField[] {
	const fields = structures.get(name);
	if (!fields) throw new TypedDataError(`${path}: the type ${name} is not declared`);
	return fields;
}

/** EIP-712 `encodeType`: `Name(type field,…)`, followed by its dependencies in alphabetical order. */
function typeText(hashing: Hashing, name: string, path: string): string {
	const { structures, budget } = hashing;
	const used = new Set<string>();
	collect(structures, name, path, used);
	used.delete(name);
	return [name, ...[...used].sort()]
		.map((structure) => {
			const fields = fieldsOf(structures, structure, path);
			const text = `${structure}(${fields.map((field) => `${spelledType(field.type)} ${field.name}`).join(",")})`;
			hashing.typeCharacters += text.length;
			if (hashing.typeCharacters > budget.typeCharacters)
				throw new TypedDataError("the types of the typed data use each other too often");
			return text;
		})
		.join("");
}

function collect(structures: Structures, name: string, path: string, used: Set<string>): void {
	if (used.has(name)) return;
	used.add(name);
	for (const { type } of fieldsOf(structures, name, path)) {
		const base = elementType(type);
		if (structures.has(base)) collect(structures, base, path, used);
	}
}

/** The token type is hashed in the spelling that deployed wallets use. */
function spelledType(type: string): string {
	const base = elementType(type);
	return toNeutral(base) === TOKEN_TYPE ? toDeployed(TOKEN_TYPE) + type.slice(base.length) : type;
}

function elementType(type: string): string {
	return /^([^[]*)(?:\[\d*\])+$/.exec(type)?.[1] ?? type;
}

/** A value as the 32 bytes to hash. */
function wordOf(hashing: Hashing, type: string, value: Json, path: string): Uint8Array {
	const list = /^(.*)\[(\d*)\]$/.exec(type);
	if (list) return listHash(hashing, list[1] as string, list[2] as string, value, path);
	if (hashing.structures.has(type)) {
		if (!isRecord(value)) throw wrong(path, type);
		return structureHash(hashing, type, value, path);
	}
	note(hashing, `${path} (${type}): ${shownValue(hashing, type, value)}`);
	if (type === "string") {
		if (typeof value !== "string") throw wrong(path, type);
		return keccak256(utf8(value));
	}
	if (type === "bytes") return keccak256(bytesOf(value, path, type));
	if (type === "bool") {
		if (typeof value !== "boolean") throw wrong(path, type);
		return padded(Uint8Array.of(value ? 1 : 0));
	}
	if (type === "address") return addressWord(hashing, value, path);
	return numberOrBytes(type, value, path);
}

/** A value as hashed: addresses are normalised. */
function shownValue({ readAddress }: Hashing, type: string, value: Json): string {
	const address = type === "address" && typeof value === "string" ? readAddress(value) : undefined;
	if (address) return toBase58Check(address);
	return typeof value === "bigint" ? value.toString() : JSON.stringify(value);
}

function listHash(hashing: Hashing, type: string, length: string, value: Json, path: string): Uint8Array {
	if (!Array.isArray(value) || (length !== "" && value.length !== Number(length))) {
		throw new TypedDataError(`${path} must be a list${length === "" ? "" : ` of ${length}`}`);
	}
	note(hashing, `${path}: ${value.length} of ${type}`);
	const words = value.map((item: Json, index: number) => wordOf(hashing, type, item, `${path}[${index}]`));
	return keccak256(concatBytes(...words));
}

function addressWord({ readAddress }: Hashing, value: Json, path: string): Uint8Array {
	const address = typeof value === "string" ? readAddress(value) : undefined;
	if (!address) throw wrong(path, "address");
	return padded(address.subarray(1));
}

function numberOrBytes(type: string, value: Json, path: string): Uint8Array {
	const fixed = /^bytes([1-9]|[12]\d|3[0-2])$/.exec(type);
	if (fixed) {
		const bytes = bytesOf(value, path, type);
		if (bytes.length !== Number(fixed[1])) throw wrong(path, type);
		return concatBytes(bytes, new Uint8Array(WORD - bytes.length));
	}
	const number = /^(u?)int(\d{1,3})?$/.exec(toNeutral(type) === TOKEN_TYPE ? "uint256" : type);
	const bits = number ? Number(number[2] ?? 256) : 0;
	if (!number || bits < 8 || bits > 256 || bits % 8 !== 0)
		throw new TypedDataError(`${path}: there is no type ${type}`);
	return integerWord(value, bits, number[1] === "u", path, type);
}

function integerWord(value: Json, bits: number, unsigned: boolean, path: string, type: string): Uint8Array {
	const text = typeof value === "bigint" ? value.toString() : typeof value === "string" ? value.trim() : "";
	if (!/^(-?\d+|0x[0-9a-fA-F]+)$/.test(text)) throw wrong(path, type);
	const integer = BigInt(text);
	const low = unsigned ? 0n : -(1n << BigInt(bits - 1));
	const high = 1n << BigInt(unsigned ? bits : bits - 1);
	if (integer < low || integer >= high) throw new TypedDataError(`${path} = ${text} doesn't fit ${type}`);
	return fromHex(BigInt.asUintN(256, integer).toString(16).padStart(64, "0"));
}

function bytesOf(value: Json, path: string, type: string): Uint8Array {
	if (typeof value !== "string" || !/^0x([0-9a-fA-F]{2})*$/.test(value)) throw wrong(path, type);
	return fromHex(value.slice(2));
}

function padded(bytes: Uint8Array): Uint8Array {
	return concatBytes(new Uint8Array(WORD - bytes.length), bytes);
}

function wrong(path: string, type: string): TypedDataError {
	return new TypedDataError(`${path} is not of the type ${type}`);
}
