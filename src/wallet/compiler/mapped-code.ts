/**
 * Maps operations of compiled code to source lines by Solidity's source maps (https://docs.soliditylang.org,
 * "Source Mappings"), from build files of hardhat and artifacts of tronbox and truffle.
 */

import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, member } from "../json.js";
import { type CompiledCode, compiledContracts } from "./output.js";

export interface SourceLine {
	readonly file: string;
	/** From 1. */
	readonly line: number;
	readonly text: string;
}

/** Opcodes that are followed by 1 to 32 bytes of immediate data. */
const PUSH = { first: 0x60, last: 0x7f };
const NEWLINE = 0x0a;

class SourceFile {
	private readonly bytes: Buffer;
	/** Where each line begins. */
	private readonly starts: readonly number[];

	constructor(
		readonly name: string,
		text: string,
	) {
		this.bytes = Buffer.from(text, "utf8");
		const starts = [0];
		for (let at = this.bytes.indexOf(NEWLINE); at >= 0; at = this.bytes.indexOf(NEWLINE, at + 1))
			starts.push(at + 1);
		this.starts = starts;
	}

	/** The line that contains a byte offset. */
	lineOf(offset: number): SourceLine | undefined {
		if (offset < 0 || offset >= this.bytes.length) return undefined;
		let [low, high] = [0, this.starts.length];
		while (high - low > 1) {
			const middle = (low + high) >>> 1;
			if ((this.starts[middle] as number) <= offset) low = middle;
			else high = middle;
		}
		const text = this.bytes
			.subarray(this.starts[low], this.starts[low + 1])
			.toString("utf8")
			.trim();
		return { file: this.name, line: low + 1, text };
	}
}

/** A contract's deployed code with its source map. */
export class MappedCode {
	/** Index of the map entry for each position in the code; unset inside the data of a PUSH. */
	private readonly entryAt: Int32Array;

	/** @param entries offset in the source, file index (-1 for code added by the compiler), kind of jump */
	constructor(
		readonly name: string,
		readonly code: CompiledCode,
		private readonly entries: readonly MapEntry[],
		private readonly files: ReadonlyMap<number, SourceFile>,
	) {
		this.entryAt = new Int32Array(code.bytes.length).fill(-1);
		let entry = 0;
		for (let pc = 0; pc < code.bytes.length; pc++) {
			this.entryAt[pc] = entry++;
			const op = code.bytes[pc] as number;
			if (op >= PUSH.first && op <= PUSH.last) pc += op - PUSH.first + 1;
		}
	}

	/** The line of the operation at `pc`; undefined if the compiler added it, or its source is missing. */
	lineAt(pc: number): SourceLine | undefined {
		const entry = this.entries[this.entryAt[pc] ?? -1];
		return entry && this.files.get(entry[1])?.lineOf(entry[0]);
	}

	/** Kind of a jump: `i` into a function, `o` out of one, `-` within it. */
	jumpAt(pc: number): string | undefined {
		return this.entries[this.entryAt[pc] ?? -1]?.[2];
	}
}

type MapEntry = readonly [start: number, file: number, jump: string];

/** Parses `s:l:f:j:m;…`, in which an omitted field repeats the previous entry's value. */
function readMap(text: string): MapEntry[] {
	let [start, file, jump] = [0, -1, "-"];
	return text.split(";").map((entry) => {
		const [s, , f, j] = entry.split(":");
		if (s) start = Number(s);
		if (f) file = Number(f);
		if (j) jump = j;
		return [start, file, jump] as const;
	});
}

/**
 * Every contract of a file that has a source map and its sources.
 * @throws {Failure} `bad_value` if there is none
 */
export function mappedCodes(json: Json): readonly MappedCode[] {
	const found = isRecord(json) && isRecord(json["output"]) ? ofBuild(json, json["output"]) : ofArtifact(json);
	if (found.length > 0) return found;
	throw new Failure("bad_value", "the file holds no contract with a source map and its sources", {
		hint: "build files of hardhat (artifacts/build-info), artifacts of tronbox and truffle, and Solidity files do",
	});
}

/** `{input: {sources}, output: {sources, contracts}}` */
function ofBuild(build: JsonRecord, output: JsonRecord): MappedCode[] {
	const input = build["input"];
	const contents = isRecord(input) && isRecord(input["sources"]) ? input["sources"] : {};
	const files = new Map<number, SourceFile>();
	for (const [name, source] of Object.entries(isRecord(output["sources"]) ? output["sources"] : {})) {
		const text = member(isRecord(contents[name]) ? contents[name] : undefined, "content");
		const id = isRecord(source) ? Number(source["id"]) : Number.NaN;
		if (typeof text === "string" && Number.isSafeInteger(id)) files.set(id, new SourceFile(name, text));
	}
	const contracts = isRecord(output["contracts"]) ? output["contracts"] : {};
	return compiledContracts(output).flatMap(({ name, runtime }) => {
		const at = name.lastIndexOf(":");
		const compiled = member(asRecord(contracts[name.slice(0, at)]), name.slice(at + 1));
		const deployed = asRecord(member(asRecord(asRecord(compiled)?.["evm"]), "deployedBytecode"));
		return mapped(name, runtime, deployed?.["sourceMap"], files);
	});
}

/** `{contractName, deployedBytecode, deployedSourceMap, source, sourcePath, ast}` */
function ofArtifact(json: Json): MappedCode[] {
	if (!isRecord(json) || typeof json["source"] !== "string") return [];
	const map = json["deployedSourceMap"];
	const [contract] = compiledContracts(json);
	if (typeof map !== "string" || !contract) return [];
	const path = json["sourcePath"];
	const name = typeof path === "string" ? (path.split(/[\\/]/).at(-1) ?? path) : contract.name;
	// The AST gives the source's file index; a source without imports is the only one in its map.
	const place = member(asRecord(json["ast"]), "src");
	const numbers = new Set(readMap(map).map(([, file]) => file));
	const id =
		typeof place === "string" ? Number(place.split(":")[2]) : Math.min(...[...numbers].filter((n) => n >= 0));
	return mapped(contract.name, contract.runtime, map, new Map([[id, new SourceFile(name, json["source"])]]));
}

function mapped(
	name: string,
	runtime: CompiledCode | undefined,
	map: Json | undefined,
	files: ReadonlyMap<number, SourceFile>,
): MappedCode[] {
	if (!runtime || runtime.bytes.length === 0 || typeof map !== "string" || files.size === 0) return [];
	return [new MappedCode(name, runtime, readMap(map), files)];
}

const asRecord = (json: Json | undefined): JsonRecord | undefined => (isRecord(json) ? json : undefined);
