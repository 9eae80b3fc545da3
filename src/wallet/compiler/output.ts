/**
 * Reads files of Solidity compilers and toolchains: a contract's artifact, or a compiler's standard JSON
 * input and output (https://docs.soliditylang.org, "Using the Compiler").
 */

import { toHex, utf8 } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, member } from "../json.js";

/** A range of code, in bytes. */
export interface CodeRange {
	readonly start: number;
	readonly length: number;
}

/** Code as a compiler writes it: bytes known only at deployment are zero, with their positions listed. */
export interface CompiledCode {
	readonly bytes: Uint8Array;
	/** Positions of library addresses, by `file:Library`, or by the placeholder if only that is known. */
	readonly libraries: ReadonlyMap<string, readonly CodeRange[]>;
	/** Positions of immutable values, by variable name, or by the compiler's id without a syntax tree. */
	readonly immutables: ReadonlyMap<string, readonly CodeRange[]>;
}

export interface CompiledContract {
	/** `file:Name` if the file is known, else `Name`. */
	readonly name: string;
	/** A list of entries; undefined if the file has none. */
	readonly abi: Json | undefined;
	readonly creation: CompiledCode | undefined;
	readonly runtime: CompiledCode | undefined;
	/** The layout of its state variables; undefined if the file doesn't have it. */
	readonly storageLayout: Json | undefined;
}

/** Whether a file is a compiler's standard JSON input, rather than its output. */
export function isStandardInput(json: Json): json is JsonRecord {
	return isRecord(json) && typeof json["language"] === "string" && isRecord(json["sources"]);
}

/** A toolchain's build file: the compiler's input and output. */
interface BuildFile {
	readonly input: JsonRecord;
	/** Undefined if the toolchain keeps it in a separate file, as hardhat does since version 3. */
	readonly output: JsonRecord | undefined;
	/** Version of the compiler. */
	readonly compiler: string | undefined;
}

/** The parts of a build file, such as hardhat's build-info; undefined for any other file. */
export function buildFile(json: Json): BuildFile | undefined {
	if (!isRecord(json)) return undefined;
	const { input = null, output = null, solcLongVersion, solcVersion } = json;
	if (!isStandardInput(input)) return undefined;
	const compiler = solcLongVersion ?? solcVersion;
	return {
		input,
		output: isStandardOutput(output) ? output : undefined,
		compiler: typeof compiler === "string" ? compiler : undefined,
	};
}

/** Whether a file is a compiler's output, for any number of contracts. */
export function isStandardOutput(json: Json): json is JsonRecord {
	return isRecord(json) && isRecord(json["contracts"]);
}

/**
 * Every contract of a file.
 * @throws {Failure} `bad_value` if it holds code that isn't hexadecimal, or no contract at all
 */
export function compiledContracts(file: Json): CompiledContract[] {
	const output = isRecord(file) ? member(file, "output") : undefined;
	const json = output !== undefined && isStandardOutput(output) ? output : file;
	if (!isStandardOutput(json)) {
		if (!isRecord(json)) throw new Failure("bad_value", "the file holds no contract");
		return [contractOf(typeof json["contractName"] === "string" ? json["contractName"] : "", json)];
	}
	const found: CompiledContract[] = [];
	const names = immutableNames(json["sources"]);
	for (const [file, contracts] of Object.entries(json["contracts"] as JsonRecord)) {
		if (!isRecord(contracts)) continue;
		// The compilers' older form, `--combined-json`, has `file:Name` keys here.
		if (contracts["bin"] !== undefined || contracts["abi"] !== undefined) {
			found.push(contractOf(file, contracts, names));
			continue;
		}
		for (const [name, contract] of Object.entries(contracts)) {
			if (isRecord(contract)) found.push(contractOf(`${file}:${name}`, contract, names));
		}
	}
	if (found.length === 0) throw new Failure("bad_value", "the compiler's output holds no contract");
	return found;
}

/**
 * The contract with a name, `Name` or `file:Name`; without a name the only one that can be deployed.
 * @param inWords formats a name for the error's hint, as the command takes it
 * @throws {Failure} `bad_value`
 */
export function chosenContract(
	contracts: readonly CompiledContract[],
	name: string | undefined,
	inWords: (name: string) => string = (full) => full,
): CompiledContract {
	const named = contractsNamed(contracts, name);
	const deployable = named.filter(({ creation }) => creation !== undefined && creation.bytes.length > 0);
	const candidates = deployable.length > 0 ? deployable : named;
	const [only, second] = candidates;
	if (!only) throw new Failure("bad_value", "the file holds no contract");
	if (!second) return only;
	const names = candidates.map((contract) => contract.name).join(", ");
	throw new Failure("bad_value", `the file holds several contracts: ${names}`, {
		hint: `name one of them, such as ${inWords(only.name)}`,
	});
}

/** The contracts with a name; without a name, all of them. @throws {Failure} `bad_value` if there is none */
export function contractsNamed(
	contracts: readonly CompiledContract[],
	name: string | undefined,
): readonly CompiledContract[] {
	if (name === undefined) return contracts;
	const named = contracts.filter((contract) => contract.name === name || contract.name.endsWith(`:${name}`));
	if (named.length > 0) return named;
	const known = contracts.map((contract) => contract.name).join(", ");
	throw new Failure("bad_value", `the file holds no contract ${name}, but ${known}`);
}

/** Names of variables, by their id in the syntax trees. */
type VariableNames = ReadonlyMap<string, string>;

/** Names of the immutable variables of all sources; empty if the output contains no syntax trees. */
function immutableNames(sources: Json | undefined): VariableNames {
	const names = new Map<string, string>();
	if (!isRecord(sources)) return names;
	for (const source of Object.values(sources)) {
		// State variables are direct children of a unit's contracts.
		for (const contract of nodesOf(isRecord(source) ? source["ast"] : undefined))
			for (const { mutability, id, name } of nodesOf(contract))
				if (mutability === "immutable" && typeof name === "string") names.set(String(id), name);
	}
	return names;
}

function nodesOf(node: Json | undefined): readonly JsonRecord[] {
	const nodes = isRecord(node) ? node["nodes"] : undefined;
	return Array.isArray(nodes) ? nodes.filter(isRecord) : [];
}

function contractOf(name: string, json: JsonRecord, names: VariableNames = new Map()): CompiledContract {
	const { abi } = json;
	return {
		name,
		abi: typeof abi === "string" ? undefined : abi,
		creation: codeOf(json, ["bytecode", "bin"], names),
		runtime: codeOf(json, ["deployedBytecode", "bin-runtime"], names),
		storageLayout: json["storageLayout"],
	};
}

/** Finds the code in an artifact: toolchains write it as text, compilers in objects, some deeply nested. */
function codeOf(
	json: JsonRecord,
	members: readonly string[],
	variables: VariableNames,
): CompiledCode | undefined {
	const holders = [
		json,
		json["evm"],
		member(isRecord(json["data"]) ? json["data"] : undefined, "evm"),
		json["data"],
	];
	for (const holder of holders) {
		if (!isRecord(holder)) continue;
		for (const name of members) {
			const value = holder[name];
			const text = isRecord(value) ? value["object"] : value;
			if (typeof text === "string")
				return readCode(text, isRecord(value) ? value : besideText(holder, name), variables);
		}
	}
	return undefined;
}

/** The references that hardhat's artifacts list beside the code. */
function besideText(artifact: JsonRecord, name: string): JsonRecord {
	const { linkReferences = null, deployedLinkReferences = null, immutableReferences = null } = artifact;
	return name === "deployedBytecode"
		? { linkReferences: deployedLinkReferences, immutableReferences }
		: { linkReferences };
}

const PLACEHOLDER = /__.{36}__|__[$A-Za-z0-9_/.:]{38}/g;

/**
 * Inserts library addresses into code.
 * @param addresses 21 bytes by `file:Library` or `Library`
 * @throws {Failure} `bad_value` if the code needs another library, or doesn't use one of them
 */
export function linkedCode(
	{ bytes, libraries }: CompiledCode,
	addresses: ReadonlyMap<string, Uint8Array>,
): Uint8Array {
	const code = bytes.slice();
	const unused = new Set(addresses.keys());
	for (const [library, ranges] of libraries) {
		const name = [...addresses.keys()].find((name) => isLibrary(library, name));
		const [other] = [...libraries.keys()].filter(
			(one) => one !== library && name !== undefined && isLibrary(one, name),
		);
		if (other !== undefined)
			throw new Failure("bad_value", `${name} is ${library} or ${other}: name it with its file`);
		const address = name === undefined ? undefined : addresses.get(name);
		if (name === undefined || !address) {
			const why = `the code still needs the address of a library: ${library.slice(0, 80)}`;
			throw new Failure("bad_value", why, {
				hint: `deploy it first, then --library ${/^__/.test(library) ? "<file>:<Library>" : library}=<contract>`,
			});
		}
		unused.delete(name);
		for (const { start } of ranges) code.set(address.subarray(-20), start);
	}
	const [other] = unused;
	if (other !== undefined) throw new Failure("bad_value", `the code has no place for a library ${other}`);
	return code;
}

/** Whether a library or its placeholder has a name (Solidity's "Using the Compiler", Library Linking). */
function isLibrary(library: string, name: string): boolean {
	if (library === name || library.endsWith(`:${name}`)) return true;
	const hashed = toHex(keccak256(utf8(name))).slice(0, 34);
	return (
		library === `__$${hashed}$__` || (/^__[^$]/.test(library) && library.replace(/^_+|_+$/g, "") === name)
	);
}

/** Reads code whose libraries are placeholders of 40 characters. @throws {Failure} `bad_value` */
export function readCode(text: string, json: JsonRecord, variables: VariableNames = new Map()): CompiledCode {
	const digits = text.trim().replace(/^0x/i, "");
	const libraries = new Map<string, CodeRange[]>();
	const listed = referencesOf(json["linkReferences"]);
	for (const [name, ranges] of listed) libraries.set(name, ranges);
	const plain = digits.replace(PLACEHOLDER, (placeholder, at: number) => {
		const range = { start: at / 2, length: 20 };
		const known = [...libraries.values()].flat().some(({ start }) => start === range.start);
		if (!known) libraries.set(placeholder, [...(libraries.get(placeholder) ?? []), range]);
		return "0".repeat(placeholder.length);
	});
	if (!/^([0-9a-fA-F]{2})*$/.test(plain)) {
		throw new Failure("bad_value", "the compiled code is not hexadecimal");
	}
	const bytes = new Uint8Array(Buffer.from(plain, "hex"));
	const immutables = immutablesOf(json["immutableReferences"], variables);
	for (const { start, length } of [...immutables.values(), ...libraries.values()].flat()) {
		if (start + length > bytes.length)
			throw new Failure("bad_value", "the compiler's file names places outside of its code");
	}
	return { bytes, libraries, immutables };
}

/** `{file: {Library: [{start, length}]}}` */
function referencesOf(json: Json | undefined): Map<string, CodeRange[]> {
	const found = new Map<string, CodeRange[]>();
	if (!isRecord(json)) return found;
	for (const [file, libraries] of Object.entries(json)) {
		if (!isRecord(libraries)) continue;
		for (const [library, places] of Object.entries(libraries))
			found.set(`${file}:${library}`, placesOf(places));
	}
	return found;
}

/** `{id: [{start, length}]}` */
function immutablesOf(json: Json | undefined, names: VariableNames): Map<string, CodeRange[]> {
	const found = new Map<string, CodeRange[]>();
	for (const [id, places] of Object.entries(isRecord(json) ? json : {})) {
		// Variables of a base contract and of a derived one may have the same name.
		const name = names.get(id) ?? id;
		found.set(found.has(name) ? `${name} (${id})` : name, placesOf(places));
	}
	return found;
}

function placesOf(json: Json): CodeRange[] {
	if (!Array.isArray(json)) return [];
	return json.filter(isRecord).map(({ start, length }) => {
		const [from, size] = [Number(start), Number(length)];
		if (!Number.isSafeInteger(from) || !Number.isSafeInteger(size) || from < 0 || size < 0)
			throw new Failure("bad_value", "the compiler's file holds a place that is not a number of bytes");
		return { start: from, length: size };
	});
}
