/**
 * Sources of contracts that the node's owner has compared with their code (protocol/history §7): kept beside the state, so that
 * histories decode events of contracts that were deployed without an interface. They belong to the code with which they were
 * stored; where the contract has another one, there are none.
 */

import type { ContractInterface } from "../../abi/parameter.js";
import { itemOfEntry } from "../../abi/stored-interface.js";
import { toHex, toKey, utf8 } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import { OperatorError } from "../../protocol/operator-error.js";
import { Recent } from "../memory/recent.js";
import type { StateView } from "../state/view.js";

/** Bytes of a record; a contract with all its imports is a tenth of it. */
export const MAX_SOURCE_BYTES = 4 << 20;
const MAX_SOURCE_FILES = 1_000;
/** Contracts whose record, or that they have none, is remembered. */
const KEPT = 500;

/** What is stored for a contract, as whoever compared it says. */
interface ContractSource {
	/** `file:Name`. */
	readonly contract: string;
	/** Version of the compiler. */
	readonly compiler: string;
	/** `exact`: metadata too; `code`: the code without them. */
	readonly match: string;
	readonly language: string;
	/** The compiler's, as its standard input has them. */
	readonly settings: object;
	/** Text by file. */
	readonly sources: Readonly<Record<string, string>>;
	/** Entries of the contract's interface. */
	readonly abi: readonly object[];
	/** The compiler's description of the storage, where the record has one. */
	readonly storage_layout?: object;
}

/** A record can't be stored; one sentence. */
export class SourceError extends OperatorError {
	override readonly name = "SourceError";
}

/** Where records are kept beside the state. */
interface SideRecords {
	sideRecord(name: string): Uint8Array | undefined;
	putSideRecord(name: string, value: Uint8Array): void;
	readonly chain: { readonly state: StateView };
}

interface KeptSource {
	readonly source: ContractSource;
	/** The whole interface, with what tuples hold. */
	readonly items: ContractInterface;
	/** Keccak-256 of the code, hexadecimal. */
	readonly codeHash: string;
}

export class ContractSources {
	private readonly kept = new Recent<KeptSource | "none">(KEPT, Number.POSITIVE_INFINITY, () => 0);

	constructor(private readonly records: SideRecords) {}

	/** @param address 21 bytes */
	get(address: Uint8Array): ContractSource | undefined {
		return this.current(address)?.source;
	}

	/** All of the interface of a contract's stored sources; undefined where none are. */
	itemsOf(address: Uint8Array): ContractInterface | undefined {
		return this.current(address)?.items;
	}

	/**
	 * Stores what the owner compared.
	 * @param text JSON of a {@link ContractSource}
	 * @throws {SourceError}
	 */
	put(address: Uint8Array, text: string): void {
		if (text.length > MAX_SOURCE_BYTES)
			throw new SourceError(`the record is more than ${MAX_SOURCE_BYTES} bytes`);
		const source = readSource(text);
		const codeHash = this.codeHash(address);
		if (codeHash === undefined) throw new SourceError("there is no contract at this address");
		this.records.putSideRecord(recordName(address), utf8(JSON.stringify({ ...source, codeHash })));
		this.kept.renew(toKey(address), { source, items: allItemsOf(source), codeHash });
	}

	private current(address: Uint8Array): KeptSource | undefined {
		const key = toKey(address);
		let kept = this.kept.get(key);
		if (!kept) {
			kept = this.read(address) ?? "none";
			this.kept.renew(key, kept);
		}
		return kept !== "none" && kept.codeHash === this.codeHash(address) ? kept : undefined;
	}

	private read(address: Uint8Array): KeptSource | undefined {
		const bytes = this.records.sideRecord(recordName(address));
		if (!bytes) return undefined;
		const text = Buffer.from(bytes).toString("utf8");
		const source = readSource(text);
		const { codeHash } = JSON.parse(text) as { readonly codeHash: string };
		return { source, items: allItemsOf(source), codeHash };
	}

	private codeHash(address: Uint8Array): string | undefined {
		const code = this.records.chain.state.code.get(address);
		return code && toHex(keccak256(code));
	}
}

const recordName = (address: Uint8Array): string => `source ${toHex(address)}`;

function readSource(text: string): ContractSource {
	const value = parsed(text);
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

const allItemsOf = ({ abi }: ContractSource): ContractInterface =>
	abi
		.map((entry) => itemOfEntry(entry as Readonly<Record<string, unknown>>))
		.filter((item) => item !== undefined);
