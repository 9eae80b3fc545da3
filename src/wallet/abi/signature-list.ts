/** Searches lists of signatures by selector, topic or name. */

import { COMMON_SIGNATURES } from "../../abi/common-signatures.js";
import {
	type AbiItem,
	type AbiKind,
	type ContractInterface,
	describeItem,
	isComplete,
} from "../../abi/parameter.js";
import { selectorOf, topicOf } from "../../abi/selector.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { Failure } from "../failure.js";
import { readInterface } from "./interface.js";
import { isSignature, parseSignature } from "./signature.js";

const MAX_LINES = 1_000_000;

let common: ContractInterface | undefined;

/** Functions, events and errors of the list that comes with this program. */
export function commonInterface(): ContractInterface {
	common ??= Object.entries(COMMON_SIGNATURES).flatMap(([kind, lines]) =>
		lines
			.trim()
			.split("\n")
			.map((line) => parseSignature(line, kind as AbiKind)),
	);
	return common;
}

/**
 * Reads a list: an interface as JSON, or one signature per line, with `#` for comments. A line may begin with the selector,
 * and with `event` or `error`.
 * @throws {Failure} `bad_value` with the number of the line
 */
export function readSignatureList(text: string): ContractInterface {
	if (/^\s*[[{]/.test(text)) return readInterface(text);
	const lines = text.split(/\r?\n/);
	if (lines.length > MAX_LINES) throw new Failure("bad_value", `the list has more than ${MAX_LINES} lines`);
	return lines.flatMap((line, index) => {
		const signature = line.trim().replace(/^0x[0-9a-f]{8,64}[\s,:]+/i, "");
		if (signature === "" || signature.startsWith("#")) return [];
		try {
			return [parseSignature(signature)];
		} catch (error) {
			if (!(error instanceof Failure)) throw error;
			throw new Failure("bad_value", `line ${index + 1} of the list: ${error.message}`, error.facts);
		}
	});
}

/** An item with its selector or topic. */
interface SignatureRow {
	/** Four bytes; for an event, its topic of 32 bytes. */
	readonly selector: string;
	readonly kind: AbiKind;
	readonly signature: string;
}

/**
 * Finds the items that a text refers to: a selector or call data, a topic, a whole signature (which is its own result), or a name.
 * @throws {Failure} `bad_value` if the text is none of these
 */
export function searchSignatures(items: ContractInterface, text: string): SignatureRow[] {
	const word = text.trim();
	if (isSignature(word)) {
		const typed = parseSignature(word);
		const known = items.filter((item) => codeOf(item) === codeOf({ ...typed, kind: item.kind }));
		const same = known.some(({ kind }) => kind === typed.kind);
		return rowsOf(same ? known : [typed, ...known]);
	}
	if (/^0x/i.test(word)) {
		const digits = word.slice(2).toLowerCase();
		if (!/^([0-9a-f]{2})+$/.test(digits))
			throw new Failure("bad_value", `"${word.slice(0, 20)}" is not hexadecimal`);
		const bytes = Buffer.from(digits, "hex");
		if (bytes.length !== 32 && bytes.length % 32 !== 4)
			throw new Failure("bad_value", "a selector has 4 bytes, call data 4 and a multiple of 32, a topic 32");
		const wanted = bytes.length === 32 ? bytes : bytes.subarray(0, 4);
		return rowsOf(items.filter((item) => isComplete(item.inputs) && equalBytes(bytesOf(item), wanted)));
	}
	if (!/^[A-Za-z_$][\w$]*$/.test(word))
		throw new Failure("bad_value", `"${word}" is neither a selector nor a signature`);
	return rowsOf(items.filter(({ name }) => name === word));
}

/** Concatenates lists; an item of an earlier list hides the same item of a later one. */
export function joinedInterfaces(...lists: readonly ContractInterface[]): ContractInterface {
	const found = new Map<string, AbiItem>();
	for (const item of lists.flat()) {
		const key = `${item.kind} ${isComplete(item.inputs) ? codeOf(item) : item.name}`;
		if (!found.has(key)) found.set(key, item);
	}
	return [...found.values()];
}

function bytesOf(item: AbiItem): Uint8Array {
	return item.kind === "event" ? topicOf(item) : selectorOf(item);
}

function codeOf(item: AbiItem): string {
	return `0x${toHex(bytesOf(item))}`;
}

function rowsOf(items: ContractInterface): SignatureRow[] {
	return items
		.filter(({ kind }) => kind === "function" || kind === "event" || kind === "error")
		.map((item) => ({
			selector: codeOf(item),
			kind: item.kind,
			signature: describeItem(item).replace(/^(function|event|error) /, ""),
		}));
}
