/** Parameters of the history API: names in either case style, ranges, order, and paging (protocol/history §3). */

import { createHash } from "node:crypto";
import { addressPrefix, fromBase58Check, isAddress } from "../../../protocol/address.js";
import { concatBytes, fromHex, fromKey, toKey } from "../../../protocol/bytes.js";
import type { HistoryPage } from "../../history/pages.js";
import { ROW_KINDS, type RowKind } from "../../history/rows.js";

const DEFAULT_LIMIT = 20;
/** Maximum rows per page. */
export const MAX_LIMIT = 200;

/** A rejected request; the message goes to the client. */
export class HistoryRequestError extends Error {
	override readonly name = "HistoryRequestError";

	constructor(
		/** Empty: the answer has no body. */
		message: string,
		readonly status = 400,
	) {
		super(message);
	}
}

export const invalidParameter = (name: string): HistoryRequestError =>
	new HistoryRequestError(`Invalid ${name} provided`);

/** Where a page ended. */
export type Cursor = NonNullable<HistoryPage["next"]>;

const KIND_NAMES = new Map<number, RowKind>(
	Object.entries(ROW_KINDS).map(([name, number]) => [number, name as RowKind]),
);
/** Bytes of the hash over the other parameters in a fingerprint. */
const HASH_BYTES = 6;

/** Parameters that may change from page to page. */
const OWN_OF_PAGE: ReadonlySet<string> = new Set(["fingerprint", "limit"]);

/** The parameters of one request. */
export class HistoryParameters {
	/** By snake_case name. */
	private readonly values = new Map<string, string>();

	constructor(
		private readonly path: string,
		private readonly given: URLSearchParams,
	) {
		for (const [name, value] of given) {
			const known = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
			if (value !== "" && !this.values.has(known)) this.values.set(known, value);
		}
	}

	text(name: string): string | undefined {
		return this.values.get(name);
	}

	flag(name: string, absent = false): boolean {
		const value = this.values.get(name)?.toLowerCase();
		if (value === undefined) return absent;
		if (value !== "true" && value !== "false") throw invalidParameter(name);
		return value === "true";
	}

	number(...names: readonly string[]): bigint | undefined {
		for (const name of names) {
			const value = this.values.get(name);
			if (value === undefined) continue;
			if (!/^\d{1,18}$/.test(value)) throw invalidParameter(name);
			return BigInt(value);
		}
		return undefined;
	}

	/** @throws {HistoryRequestError} without a text if more is asked for than there may be */
	get limit(): number {
		const limit = Number(this.number("limit") ?? DEFAULT_LIMIT);
		if (limit > MAX_LIMIT) throw new HistoryRequestError("");
		if (limit < 1) throw invalidParameter("limit");
		return limit;
	}

	/** Newest first. */
	get isDescending(): boolean {
		const order = this.values.get("order_by") ?? "block_timestamp,desc";
		const match = /^(?:block_)?timestamp,(asc|desc)$/.exec(order);
		if (!match) throw invalidParameter("order_by");
		return match[1] === "desc";
	}

	/** Milliseconds, both inclusive. */
	get times(): { readonly min: bigint | undefined; readonly max: bigint | undefined } {
		return {
			min: this.number("min_block_timestamp", "min_timestamp"),
			max: this.number("max_block_timestamp", "max_timestamp"),
		};
	}

	/** Where the previous page ended. */
	get after(): Cursor | undefined {
		const bytes = this.fingerprint;
		if (!bytes) return undefined;
		const kind = KIND_NAMES.get(bytes[0] as number);
		if (!kind || bytes.length < 2) throw invalidParameter("fingerprint");
		return { kind, suffix: toKey(bytes.subarray(1)) };
	}

	/** Likewise, for lists whose position is a number. */
	get afterNumber(): number {
		const bytes = this.fingerprint;
		if (!bytes) return 0;
		const text = toKey(bytes);
		if (!/^\d{1,9}$/.test(text)) throw invalidParameter("fingerprint");
		return Number(text);
	}

	private get fingerprint(): Uint8Array | undefined {
		const text = this.values.get("fingerprint");
		if (text === undefined) return undefined;
		const bytes = /^[\w-]{1,100}$/.test(text) ? Buffer.from(text, "base64url") : Buffer.alloc(0);
		if (bytes.length <= HASH_BYTES || Buffer.compare(bytes.subarray(0, HASH_BYTES), this.hash) !== 0)
			throw invalidParameter("fingerprint");
		return bytes.subarray(HASH_BYTES);
	}

	/** Hash over everything that must stay the same on each page. */
	private get hash(): Uint8Array {
		const others = [...this.values].filter(([name]) => !OWN_OF_PAGE.has(name)).sort();
		const text = JSON.stringify([this.path, others]);
		return createHash("sha256").update(text).digest().subarray(0, HASH_BYTES);
	}

	fingerprintOf(next: Cursor | number): string {
		const place =
			typeof next === "number"
				? Buffer.from(String(next))
				: concatBytes(Uint8Array.of(ROW_KINDS[next.kind]), fromKey(next.suffix));
		return Buffer.from(concatBytes(this.hash, place)).toString("base64url");
	}

	/** URL of the next page. @param base address of the path itself */
	linkOf(base: string, fingerprint: string): string {
		const next = new URLSearchParams(this.given);
		next.set("fingerprint", fingerprint);
		return `${base}?${next.toString()}`;
	}
}

/** An address in any of its three spellings. @returns 21 bytes; undefined if invalid */
export function readHistoryAddress(text: string): Uint8Array | undefined {
	const bytes = addressBytes(text);
	return bytes && isAddress(bytes) ? bytes : undefined;
}

/** Likewise for a path segment that must be a contract. @throws {HistoryRequestError} */
export function readContract(name: string): Uint8Array {
	const contract = readHistoryAddress(name);
	if (!contract) throw new HistoryRequestError("Invalid contract address");
	return contract;
}

function addressBytes(text: string): Uint8Array | undefined {
	if (/^(0x)?[0-9a-f]{42}$/i.test(text)) return fromHex(text.replace(/^0x/i, ""));
	if (/^0x[0-9a-f]{40}$/i.test(text))
		return concatBytes(Uint8Array.of(addressPrefix()), fromHex(text.slice(2)));
	return /^[1-9A-HJ-NP-Za-km-z]{25,40}$/.test(text) ? fromBase58Check(text) : undefined;
}
