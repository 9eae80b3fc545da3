/**
 * Contract sources that the node's operator verified against the deployed code (protocol/history §7), stored
 * beside the state, so that histories decode events of contracts deployed without an ABI. A record is bound
 * to the code hash at storing time; it is ignored once the contract's code differs.
 */

import { type ContractInterface, isComplete } from "../../abi/parameter.js";
import { selectorOf } from "../../abi/selector.js";
import { itemOfEntry } from "../../abi/stored-interface.js";
import { fromHex, toHex, toKey, utf8 } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import { OperatorError } from "../../protocol/operator-error.js";
import { Recent } from "../memory/recent.js";
import type { StateView } from "../state/view.js";

/** Maximum bytes of a record; a contract with all its imports takes a tenth of it. */
export const MAX_SOURCE_BYTES = 4 << 20;
const MAX_SOURCE_FILES = 1_000;
/** Cached contracts, including those without a record, and bytes of cached records. */
const KEPT = 500;
const KEPT_BYTES = 32 << 20;

/** Contracts that name search covers; a new one replaces the one stored first. */
const MAX_LISTED = 500;
/** ABI items and characters of a name that search compares. */
const MAX_ITEMS = 300;
const MAX_NAME = 100;
/** Maximum results of one search. */
const MAX_FOUND = 20;
/** Name of the side record with the search index: a {@link ListedSource} by hexadecimal address. */
const LIST = "source names";

/** A verified source record, as submitted. */
export interface ContractSource {
	/** `file:Name`. */
	readonly contract: string;
	/** Compiler version. */
	readonly compiler: string;
	/** `exact`: the metadata matches too; `code`: only the code without metadata does. */
	readonly match: string;
	readonly language: string;
	/** The `settings` of the compiler's standard JSON input. */
	readonly settings: object;
	/** Source text by file. */
	readonly sources: Readonly<Record<string, string>>;
	/** ABI entries. */
	readonly abi: readonly object[];
	/** The compiler's storage layout, if present. */
	readonly storage_layout?: object;
}

/** The record can't be stored; one sentence. */
export class SourceError extends OperatorError {
	override readonly name = "SourceError";
}

/** Storage for records beside the state. */
interface SideRecords {
	sideRecord(name: string): Uint8Array | undefined;
	putSideRecord(name: string, value: Uint8Array): void;
	readonly chain: { readonly state: StateView };
}

interface OfCode {
	/** Keccak-256 of the code, hexadecimal. */
	readonly codeHash: string;
	/** The last code compared and the result, so that it isn't hashed again for each log. */
	seen?: { readonly code: Uint8Array; readonly isRight: boolean };
}

/** What a search shows and compares of a contract, so that it needs no record. */
interface ListedSource extends OfCode {
	readonly contract: string;
	/** {@link wordsOf} */
	readonly words: readonly string[];
}

interface KeptSource extends OfCode {
	readonly source: ContractSource;
	/** The whole ABI, with tuple components. */
	readonly items: ContractInterface;
	/** Length of the record. */
	readonly bytes: number;
}

export class ContractSources {
	private readonly kept = new Recent<KeptSource | "none">(
		KEPT,
		Number.POSITIVE_INFINITY,
		() => 0,
		KEPT_BYTES,
		(kept) => (kept === "none" ? 0 : kept.bytes),
	);

	/** By hexadecimal address, in storing order; loaded on the first search or store. */
	private byAddress: Map<string, ListedSource> | undefined;

	/** @param hashOf code hash, hexadecimal */
	constructor(
		private readonly records: SideRecords,
		private readonly hashOf: (code: Uint8Array) => string = codeHashOf,
	) {}

	/** @param address 21 bytes */
	get(address: Uint8Array): ContractSource | undefined {
		return this.current(address)?.source;
	}

	/** Length of a contract's record; 0 if there is none. */
	sizeOf(address: Uint8Array): number {
		return this.current(address)?.bytes ?? 0;
	}

	/** The ABI from a contract's stored sources; undefined if there are none. */
	itemsOf(address: Uint8Array): ContractInterface | undefined {
		return this.current(address)?.items;
	}

	/**
	 * Contracts by name, by name of a function, event or error, or by selector; latest first. Compared one by one, as all
	 * together are 300,000 words.
	 * @param wanted case-insensitive part of a name, or `0x` and eight hex digits
	 * @returns undefined for a contract without the name
	 */
	*named(
		wanted: string,
	): Generator<{ readonly address: Uint8Array; readonly contract: string } | undefined, void> {
		const text = wanted.toLowerCase();
		const isMeant = (word: string): boolean => (word.startsWith("0x") ? word === text : word.includes(text));
		let found = 0;
		for (const [hex, listed] of [...this.listed].reverse()) {
			const address = fromHex(hex);
			const isFound = listed.words.some(isMeant) && this.hasItsCode(address, listed);
			yield isFound ? { address, contract: listed.contract } : undefined;
			if (isFound && ++found >= MAX_FOUND) return;
		}
	}

	private get listed(): Map<string, ListedSource> {
		const bytes = this.byAddress ? undefined : this.records.sideRecord(LIST);
		this.byAddress ??= new Map(bytes ? JSON.parse(Buffer.from(bytes).toString("utf8")) : []);
		return this.byAddress;
	}

	private list(address: Uint8Array, source: ListedSource): void {
		const { listed } = this;
		listed.delete(toHex(address));
		listed.set(toHex(address), source);
		for (const oldest of listed.keys()) if (listed.size > MAX_LISTED) listed.delete(oldest);
		const isKept = (member: string, value: unknown): unknown => (member === "seen" ? undefined : value);
		this.records.putSideRecord(LIST, utf8(JSON.stringify([...listed], isKept)));
	}

	/**
	 * Stores a verified record.
	 * @param text JSON of a {@link ContractSource}
	 * @throws {SourceError}
	 */
	put(address: Uint8Array, text: string): void {
		if (text.length > MAX_SOURCE_BYTES)
			throw new SourceError(`the record is more than ${MAX_SOURCE_BYTES} bytes`);
		const source = readSource(parsed(text));
		const code = this.records.chain.state.code.get(address);
		if (code === undefined) throw new SourceError("there is no contract at this address");
		const codeHash = this.hashOf(code);
		const record = utf8(JSON.stringify({ ...source, codeHash }));
		this.records.putSideRecord(recordName(address), record);
		const items = allItemsOf(source);
		this.kept.renew(toKey(address), { source, items, codeHash, bytes: record.length });
		this.list(address, { contract: source.contract, codeHash, words: wordsOf(source, items) });
	}

	private current(address: Uint8Array): KeptSource | undefined {
		const key = toKey(address);
		let kept = this.kept.get(key);
		const isKnown = kept !== undefined;
		kept ??= this.read(address) ?? "none";
		// Records in use stay cached, however many contracts without one are looked up in between.
		if (!isKnown || kept !== "none") this.kept.renew(key, kept);
		return kept !== "none" && this.hasItsCode(address, kept) ? kept : undefined;
	}

	private read(address: Uint8Array): KeptSource | undefined {
		const bytes = this.records.sideRecord(recordName(address));
		if (!bytes) return undefined;
		const value = parsed(Buffer.from(bytes).toString("utf8"));
		const source = readSource(value);
		return { source, items: allItemsOf(source), codeHash: String(value["codeHash"]), bytes: bytes.length };
	}

	private hasItsCode(address: Uint8Array, kept: OfCode): boolean {
		const code = this.records.chain.state.code.get(address);
		if (!code) return false;
		const { seen } = kept;
		if (seen && (seen.code === code || Buffer.compare(seen.code, code) === 0)) return seen.isRight;
		const isRight = this.hashOf(code) === kept.codeHash;
		kept.seen = { code, isRight };
		return isRight;
	}
}

const codeHashOf = (code: Uint8Array): string => toHex(keccak256(code));

const recordName = (address: Uint8Array): string => `source ${toHex(address)}`;

function readSource(value: Readonly<Record<string, unknown>>): ContractSource {
	const name = (member: string): string => {
		const given = value[member];
		if (typeof given !== "string") throw new SourceError(`the record lacks its member ${member}`);
		return given;
	};
	const { settings, sources, abi, storage_layout } = value;
	if (!isObject(settings)) throw new SourceError("the record lacks its member settings");
	if (!isObject(sources) || Object.values(sources).some((file) => typeof file !== "string"))
		throw new SourceError("the record's sources aren't texts by file");
	if (Object.keys(sources).length > MAX_SOURCE_FILES)
		throw new SourceError(`the record has more than ${MAX_SOURCE_FILES} files`);
	if (!Array.isArray(abi) || !abi.every(isObject))
		throw new SourceError("the record's interface is not a list of entries");
	if (storage_layout !== undefined && !isObject(storage_layout))
		throw new SourceError("the record's storage_layout is not an object");
	return {
		contract: name("contract"),
		compiler: name("compiler"),
		match: name("match"),
		language: name("language"),
		settings,
		sources: sources as Readonly<Record<string, string>>,
		abi,
		...(storage_layout === undefined ? {} : { storage_layout }),
	};
}

function parsed(text: string): Readonly<Record<string, unknown>> {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		throw new SourceError("the record is not JSON");
	}
	if (!isObject(value)) throw new SourceError("the record is not an object");
	return value;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** Search words of a contract: lower-case names, and selectors with `0x`. */
function wordsOf({ contract }: ContractSource, items: ContractInterface): readonly string[] {
	const words = items
		.filter(({ kind, inputs }) => /^(function|event|error)$/.test(kind) && isComplete(inputs))
		.slice(0, MAX_ITEMS)
		.flatMap((item) => [item.name, ...(item.kind === "event" ? [] : [`0x${toHex(selectorOf(item))}`])]);
	const names = [contract.replace(/^.*:/, ""), ...words];
	return [...new Set(names.map((name) => name.slice(0, MAX_NAME).toLowerCase()))];
}

const allItemsOf = ({ abi }: ContractSource): ContractInterface =>
	abi
		.map((entry) => itemOfEntry(entry as Readonly<Record<string, unknown>>))
		.filter((item) => item !== undefined);
