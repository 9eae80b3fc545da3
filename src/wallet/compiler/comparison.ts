/**
 * Compares compiled with deployed code, ignoring metadata (https://docs.soliditylang.org, "Contract
 * Metadata") and what a compiler can't know: immutable values and library addresses.
 */

import { equalBytes, toHex } from "../../protocol/bytes.js";
import type { CodeRange, CompiledCode } from "./output.js";

/** `exact`: all compiled bytes match; `code`: all but the metadata, which depends on comments and paths. */
type CodeMatch = "exact" | "code";

export interface Comparison {
	readonly match: CodeMatch | undefined;
	/** Position of the first differing byte, if nothing matches. */
	readonly differsAt: number | undefined;
	/** Version of the compiler, from the deployed metadata. */
	readonly deployedBy: string | undefined;
	/** Immutable values, by the variable's name. */
	readonly immutables: ReadonlyMap<string, Uint8Array>;
	/** Addresses of libraries, 20 bytes. */
	readonly libraries: ReadonlyMap<string, Uint8Array>;
}

/** Compares deployed code with a compiler's output. */
export function compareCode(compiled: CompiledCode, deployed: Uint8Array): Comparison {
	const unknown = [
		...[...compiled.immutables.values(), ...compiled.libraries.values()].flat(),
		...selfOf(compiled.bytes),
	];
	const [made, found] = [masked(compiled.bytes, unknown), masked(deployed, unknown)];
	const facts = {
		deployedBy: compilerVersion(deployed),
		immutables: valuesIn(compiled.immutables, deployed),
		libraries: valuesIn(compiled.libraries, deployed),
	};
	if (equalBytes(made, found)) return { ...facts, match: "exact", differsAt: undefined };
	const [madeCode, foundCode] = [withoutMetadata(made), withoutMetadata(found)];
	// A contract that creates others contains their code, with metadata in the middle.
	const inner = metadataIn(madeCode);
	const differsAt = firstDifference(masked(madeCode, inner), masked(foundCode, inner));
	return { ...facts, match: differsAt === undefined ? "code" : undefined, differsAt };
}

/** PUSH32 with zeros, which a constructor replaces by an immutable value. */
const IMMUTABLE_PLACE = Uint8Array.of(0x7f, ...new Uint8Array(32));

/** Whether a byte of compiled code belongs to an immutable value that the compiler's file doesn't list. */
export function isUnlistedImmutable({ bytes, immutables }: CompiledCode, at: number): boolean {
	if (immutables.size > 0) return false;
	const begin = Buffer.from(bytes).lastIndexOf(IMMUTABLE_PLACE, at - 1);
	return begin >= 0 && at < begin + IMMUTABLE_PLACE.length;
}

/**
 * The constructor arguments appended to deployed creation code.
 * @returns undefined if it doesn't begin with the compiled code
 */
export function constructorArguments(compiled: CompiledCode, deployed: Uint8Array): Uint8Array | undefined {
	const { length } = compiled.bytes;
	if (deployed.length < length) return undefined;
	const { match } = compareCode(compiled, deployed.subarray(0, length));
	return match === undefined ? undefined : copyOf(deployed, length, deployed.length);
}

/** The value at the first position of each; all positions have the same. */
function valuesIn(
	places: CompiledCode["libraries" | "immutables"],
	deployed: Uint8Array,
): Map<string, Uint8Array> {
	return new Map(
		[...places].flatMap(([name, [first]]) =>
			first && first.start + first.length <= deployed.length
				? [[name, copyOf(deployed, first.start, first.start + first.length)] as const]
				: [],
		),
	);
}

function copyOf(code: Uint8Array, start: number, end: number): Uint8Array {
	return new Uint8Array(code.subarray(start, end));
}

function masked(code: Uint8Array, ranges: readonly CodeRange[]): Uint8Array {
	// Not slice(): a slice of a Buffer shares its memory.
	const copy = new Uint8Array(code);
	for (const { start, length } of ranges) copy.fill(0, start, Math.min(start + length, copy.length));
	return copy;
}

/** Libraries start with PUSH20 <own address> ADDRESS EQ, which refuses direct calls. */
function selfOf(code: Uint8Array): CodeRange[] {
	const isLibrary =
		code[0] === 0x73 &&
		code[21] === 0x30 &&
		code[22] === 0x14 &&
		code.subarray(1, 21).every((byte) => byte === 0);
	return isLibrary ? [{ start: 1, length: 20 }] : [];
}

/** The metadata is a CBOR map at the end, followed by its length in two bytes. */
export function metadataLength(code: Uint8Array): number {
	if (code.length < 2) return 0;
	const length = (code.at(-2) as number) * 256 + (code.at(-1) as number);
	const start = code.length - 2 - length;
	// First byte of a CBOR map with one to seven members.
	const first = start >= 0 && length > 0 ? (code[start] as number) : 0;
	return first > 0xa0 && first < 0xa8 ? length + 2 : 0;
}

function withoutMetadata(code: Uint8Array): Uint8Array {
	return code.subarray(0, code.length - metadataLength(code));
}

/** `{"ipfs": 34 bytes}`, first member of all metadata since 0.6; 53 bytes with `solc` and the length. */
const IPFS_MEMBER = "646970667358221220";
const METADATA_BYTES = 53;

function metadataIn(code: Uint8Array): CodeRange[] {
	const text = toHex(code);
	const ranges: CodeRange[] = [];
	for (let at = text.indexOf(IPFS_MEMBER); at >= 0; at = text.indexOf(IPFS_MEMBER, at + 2)) {
		if (at % 2 === 0 && at >= 2) ranges.push({ start: at / 2 - 1, length: METADATA_BYTES });
	}
	return ranges;
}

/** The metadata's member `solc` has three bytes: major, minor, patch. */
function compilerVersion(code: Uint8Array): string | undefined {
	const length = metadataLength(code);
	const match = /64736f6c6343([0-9a-f]{6})/.exec(toHex(code.subarray(code.length - length)));
	return match?.[1] === undefined ? undefined : [...Buffer.from(match[1], "hex")].join(".");
}

function firstDifference(a: Uint8Array, b: Uint8Array): number | undefined {
	const shared = Math.min(a.length, b.length);
	for (let at = 0; at < shared; at++) if (a[at] !== b[at]) return at;
	return a.length === b.length ? undefined : shared;
}
