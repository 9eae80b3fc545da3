/**
 * The fault bundle file: JSON lines compressed with gzip, the description first. Bundles are untrusted:
 * everything is checked against bounds, and unknown content is refused.
 */

import { constants, gunzipSync } from "node:zlib";
import { SignedBlock } from "../../protocol/block.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { budgetOfBytes } from "../../protocol/codec/budget.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { parseInt64 } from "../../protocol/int64.js";
import { isModestJson } from "../../protocol/json/modest-json.js";
import { TransactionInfo } from "../../protocol/messages.js";
import { asReadBy, BLOCK_BUDGET, BLOCK_ORIGINS, MAX_BLOCK_BYTES } from "../consensus/block-judgement.js";
import { NETWORKS } from "../rules/chain-rules.js";
import { releaseNamed } from "../rules/release.js";
import { storeDefinitions } from "../state/definition.js";
import { kindOf } from "../state/store-kinds.js";
import { type EncodedValue, noReads, type StateReads, type WrittenEntry } from "./block-state.js";
import {
	BundleError,
	type Difference,
	type FaultBundle,
	LINE_LIMITS,
	MAX_BUNDLE_ITEMS,
	MAX_DIFFERENCES,
	MAX_FILE_BYTES,
	MAX_LINE_BYTES,
	MAX_TEXT,
	MAX_UNPACKED_BYTES,
	type RulesInForce,
} from "./bundle.js";

const FORMAT = "coin fault bundle 1";
/** Keys per line. */
const KEYS_A_LINE = 1_000;
const MAX_GENESIS_WITNESSES = 1_000;
const MAX_COMMITTEE_KEYS = 1_000;
/** Per block: each takes at least a hundred bytes. */
const MAX_TRANSACTIONS = 40_000;

/** Line types, by their first element. */
const KINDS = {
	block: "block",
	computed: "computed",
	recorded: "recorded",
	difference: "difference",
	entry: "entry",
	settled: "settled",
	keys: "keys",
	unsettled: "unsettled",
	written: "written",
} as const;

/** Stores that blocks read: without data that is only kept by configuration. */
const readable = new Map(
	storeDefinitions.filter(({ name }) => kindOf(name) !== "extras").map((store) => [store.name, store]),
);

const keyHex = (key: string): string => toHex(Buffer.from(key, "latin1"));
const valueHex = (value: EncodedValue): string | null => (value === null ? null : toHex(value));

export function* bundleLines(bundle: FaultBundle): Generator<string> {
	yield line(headOf(bundle));
	yield line([KINDS.block, toHex(bundle.block.bytes)]);
	for (const info of bundle.computed.infos) yield line([KINDS.computed, toHex(TransactionInfo.encode(info))]);
	for (const info of bundle.recorded) yield line([KINDS.recorded, toHex(TransactionInfo.encode(info))]);
	for (const { subject, what, ours, theirs } of bundle.differences.slice(0, MAX_DIFFERENCES))
		yield line([KINDS.difference, ...[subject, what, ours, theirs].map((text) => text.slice(0, MAX_TEXT))]);
	for (const { store, key, value } of bundle.computed.written)
		yield line([KINDS.written, store, keyHex(key), valueHex(value)]);
	if (bundle.reads) yield* readLines(bundle.reads);
}

function* readLines({ entries, settled, keys, unsettled }: StateReads): Generator<string> {
	for (const store of storeDefinitions) {
		const { index, name } = store;
		for (const [kind, maps] of [
			[KINDS.entry, entries],
			[KINDS.settled, settled],
		] as const)
			for (const [key, value] of maps[index] ?? []) yield line([kind, name, keyHex(key), valueHex(value)]);
		const walked = keys.get(index);
		if (walked) yield* keyLines([KINDS.keys, name], walked);
		for (const [layer, list] of unsettled.get(index)?.entries() ?? [])
			yield* keyLines([KINDS.unsettled, name, layer], list);
	}
}

/** At least one line, so that an empty list is kept. */
function* keyLines(head: readonly (string | number)[], keys: readonly string[]): Generator<string> {
	for (let at = 0; at === 0 || at < keys.length; at += KEYS_A_LINE)
		yield line([...head, keys.slice(at, at + KEYS_A_LINE).map(keyHex)]);
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;

function headOf({ kind, program, block, inForce, reads, without, computed }: FaultBundle): object {
	const { rules, seed, machine } = inForce;
	const { refusal } = computed;
	return {
		format: FORMAT,
		kind,
		program: program.slice(0, MAX_TEXT),
		number: String(block.number),
		id: block.idHex,
		rules: {
			release: rules.release,
			network: rules.network,
			blockVersion: rules.blockVersion,
			genesisId: toHex(rules.genesisId),
			genesisTimestampMs: String(rules.genesisTimestampMs),
			genesisWitnesses: rules.genesisWitnesses.map(({ address, votes }) => [toHex(address), String(votes)]),
			blackHole: toHex(rules.blackHole),
			proposalExpireMs: String(rules.proposalExpireMs),
			energyLimitHeight: String(rules.energyLimitHeight),
			checkFrozenTime: rules.checkFrozenTime,
			saveCancelDetails: rules.saveCancelDetails,
			allowedHandlers: rules.allowedHandlers && [...rules.allowedHandlers],
			keepsNoteTree: rules.keepsNoteTree,
			addressPrefix: inForce.addressPrefix,
			shieldedToken: inForce.shieldedToken,
		},
		initial: {
			maintenanceIntervalMs: String(seed.maintenanceIntervalMs),
			committee: [...seed.committee].map(([key, value]) => [key, String(value)]),
		},
		machine: { ...machine },
		refusal: refusal && { ...refusal, message: refusal.message.slice(0, MAX_TEXT) },
		complete: reads !== undefined,
		without,
	};
}

/**
 * Parses a bundle.
 * @param onLine called before each line
 * @throws {BundleError} for malformed, oversized or inconsistent content
 */
export function readBundle(bytes: Uint8Array, onLine = (): void => {}): FaultBundle {
	if (bytes.length > MAX_FILE_BYTES)
		throw new BundleError(`the file is longer than the ${MAX_FILE_BYTES} bytes of a fault bundle`);
	let raw: Buffer;
	try {
		raw = gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES, finishFlush: constants.Z_FINISH });
	} catch {
		throw new BundleError("the file is not a fault bundle, is damaged, or unpacks to more than one may hold");
	}
	try {
		return new BundleReader().read(raw, onLine);
	} catch (error) {
		if (error instanceof DecodeError || error instanceof SyntaxError)
			throw new BundleError("the fault bundle has a line that can't be read");
		throw error;
	}
}

/**
 * A JSON value. Methods read a member by name, or the value itself without one, and throw unless it has the
 * expected type and is within its bound.
 */
class Fields {
	constructor(
		private readonly value: unknown,
		private readonly path = "",
	) {}

	wrong(name?: string): BundleError {
		return new BundleError(`the fault bundle makes no sense: ${this.at(name) || "its description"}`);
	}

	private at(name: string | undefined): string {
		return [this.path, name].filter((part) => part).join(".");
	}

	private member(name: string | undefined): unknown {
		if (name === undefined) return this.value;
		const { value } = this;
		if (typeof value !== "object" || value === null || Array.isArray(value)) throw this.wrong();
		return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
	}

	/** Undefined if absent. */
	optional(name: string): Fields | undefined {
		const value = this.member(name);
		return value === undefined ? undefined : new Fields(value, this.at(name));
	}

	fields(name?: string): Fields {
		const value = this.member(name);
		if (typeof value !== "object" || value === null || Array.isArray(value)) throw this.wrong(name);
		return new Fields(value, this.at(name));
	}

	list(name: string | undefined, max: number): readonly Fields[] {
		const value = this.member(name);
		if (!Array.isArray(value) || value.length > max) throw this.wrong(name);
		return value.map((each) => new Fields(each, this.at(name)));
	}

	text(name?: string, max = MAX_TEXT): string {
		const value = this.member(name);
		if (typeof value !== "string" || value.length > max) throw this.wrong(name);
		return value;
	}

	flag(name: string): boolean {
		const value = this.member(name);
		if (typeof value !== "boolean") throw this.wrong(name);
		return value;
	}

	number(name: string): number {
		const value = this.member(name);
		if (typeof value !== "number" || !Number.isFinite(value) || value < 0) throw this.wrong(name);
		return value;
	}

	/** A whole number from 0 to `max`. */
	count(name: string | number, max = Number.MAX_SAFE_INTEGER): number {
		const [member, most] = typeof name === "number" ? [undefined, name] : [name, max];
		const value = this.member(member);
		if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0 || value > most)
			throw this.wrong(member);
		return value;
	}

	/** A 64-bit integer from decimal digits. */
	integer(name?: string): bigint {
		const value = parseInt64(this.text(name, 20));
		if (value === undefined) throw this.wrong(name);
		return value;
	}

	/** @param length in bytes */
	hex(name: string | undefined, length: number): Uint8Array {
		const text = this.text(name, 2 * length);
		if (text.length !== 2 * length || !/^[0-9a-f]*$/.test(text)) throw this.wrong(name);
		return fromHex(text);
	}
}

class BundleReader {
	private head: Fields | undefined;
	private block: Uint8Array | undefined;
	private readonly computed: TransactionInfo[] = [];
	private readonly recorded: TransactionInfo[] = [];
	private readonly differences: Difference[] = [];
	private readonly written: WrittenEntry[] = [];
	private readonly reads = noReads();
	private items = 0;

	read(raw: Buffer, onLine: () => void): FaultBundle {
		for (let start = 0; start < raw.length; ) {
			const found = raw.indexOf(10, start);
			const end = found < 0 ? raw.length : found;
			if (end - start > MAX_LINE_BYTES) throw new BundleError("the fault bundle has a line that is too long");
			this.take(1);
			onLine();
			const text = raw.toString("utf8", start, end);
			if (!isModestJson(text, LINE_LIMITS))
				throw new BundleError("the fault bundle has a line of too many values");
			const value: unknown = JSON.parse(text);
			if (this.head) this.line(value);
			else this.head = new Fields(value);
			start = end + 1;
		}
		return this.bundle();
	}

	private bundle(): FaultBundle {
		const { head, block: bytes } = this;
		if (!head || head.text("format", 100) !== FORMAT)
			throw new BundleError("the file is not a fault bundle of a format that this release reads");
		if (!bytes) throw new BundleError("the fault bundle has no block");
		const inForce = rulesOf(head);
		const decoded = SignedBlock.decode(bytes, BLOCK_BUDGET);
		const block = asReadBy(inForce.rules, decoded, BLOCK_ORIGINS.recording);
		if (head.text("id", 64) !== block.idHex) throw head.wrong("id");
		const kind = head.text("kind", 20);
		if (kind !== "refused" && kind !== "audit") throw head.wrong("kind");
		const refusal = head.optional("refusal")?.fields();
		return {
			kind,
			program: head.text("program"),
			block,
			inForce,
			reads: head.flag("complete") ? this.reads : undefined,
			without: head.optional("without")?.text(),
			computed: {
				infos: this.computed,
				refusal: refusal && {
					className: refusal.text("className", 200),
					message: refusal.text("message"),
					position: refusal.optional("position")?.count(block.transactions.length - 1),
				},
				written: this.written,
			},
			recorded: this.recorded,
			differences: this.differences,
		};
	}

	private take(items: number): void {
		this.items += items;
		if (this.items > MAX_BUNDLE_ITEMS) throw new BundleError("the fault bundle has too many entries");
	}

	/** @throws {DecodeError | BundleError} if all receipts together have too many elements */
	private receipt(bytes: Uint8Array, before: readonly TransactionInfo[]): TransactionInfo {
		if (before.length >= MAX_TRANSACTIONS) throw new BundleError("the fault bundle has too many receipts");
		const receipt = TransactionInfo.decode(bytes, {
			...budgetOfBytes(MAX_LINE_BYTES / 2),
			items: MAX_BUNDLE_ITEMS - this.items,
		});
		this.take(elementsIn(receipt));
		return receipt;
	}

	private line(value: unknown): void {
		const wrong = new BundleError("the fault bundle has a line that makes no sense");
		if (!Array.isArray(value)) throw wrong;
		const [kind, ...parts] = value as readonly unknown[];
		const bytes = (part: unknown): Uint8Array => {
			if (typeof part !== "string" || !/^(?:[0-9a-f]{2})*$/.test(part)) throw wrong;
			return fromHex(part);
		};
		const text = (part: unknown): string => {
			if (typeof part !== "string" || part.length > MAX_TEXT) throw wrong;
			return part;
		};
		const store = () => {
			const known = readable.get(text(parts[0]));
			if (!known) throw wrong;
			return known;
		};
		const key = (part: unknown): string => Buffer.from(bytes(part)).toString("latin1");
		const encoded = (part: unknown): EncodedValue => (part === null ? null : bytes(part));
		const keys = (part: unknown): string[] => {
			if (!Array.isArray(part) || part.length > KEYS_A_LINE || !store().ordered) throw wrong;
			this.take(part.length);
			return part.map(key);
		};
		switch (kind) {
			case KINDS.block: {
				const block = bytes(parts[0]);
				if (this.block || block.length > MAX_BLOCK_BYTES) throw wrong;
				this.block = block;
				return;
			}
			case KINDS.computed:
				this.computed.push(this.receipt(bytes(parts[0]), this.computed));
				return;
			case KINDS.recorded:
				this.recorded.push(this.receipt(bytes(parts[0]), this.recorded));
				return;
			case KINDS.difference: {
				if (this.differences.length >= MAX_DIFFERENCES) throw wrong;
				const [subject, what, ours, theirs] = parts.map(text) as [string, string, string, string];
				this.differences.push({ subject, what, ours: text(ours), theirs: text(theirs) });
				return;
			}
			case KINDS.written:
				this.written.push({ store: store().name, key: key(parts[1]), value: encoded(parts[2]) });
				return;
			case KINDS.entry:
				this.reads.entries[store().index]?.set(key(parts[1]), encoded(parts[2]));
				return;
			case KINDS.settled:
				this.reads.settled[store().index]?.set(key(parts[1]), encoded(parts[2]));
				return;
			case KINDS.keys: {
				const { index } = store();
				this.reads.keys.set(index, appended(this.reads.keys.get(index), keys(parts[1])));
				return;
			}
			case KINDS.unsettled: {
				const { index } = store();
				const layers = [...(this.reads.unsettled.get(index) ?? [])];
				const layer = parts[1];
				if (typeof layer !== "number" || !(layer === layers.length || layer === layers.length - 1))
					throw wrong;
				layers[layer] = appended(layers[layer], keys(parts[2]));
				this.reads.unsettled.set(index, layers);
				return;
			}
			default:
				throw wrong;
		}
	}
}

/** Number of elements in all lists of a message, nested ones included. */
function elementsIn(value: unknown): number {
	if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return 0;
	if (value instanceof Map) return value.size;
	let count = Array.isArray(value) ? value.length : 0;
	for (const each of Object.values(value) as readonly unknown[]) count += elementsIn(each);
	return count;
}

/** PERF: appends in place, so that a list of many lines is one array. */
function appended(list: readonly string[] | undefined, more: readonly string[]): readonly string[] {
	if (!list) return [...more];
	(list as string[]).push(...more);
	return list;
}

/** @throws {BundleError} */
function rulesOf(head: Fields): RulesInForce {
	const rules = head.fields("rules");
	const initial = head.fields("initial");
	const machine = head.fields("machine");
	const release = releaseNamed(rules.text("release", 20));
	if (!release) throw rules.wrong("release");
	const named = rules.optional("network")?.text(undefined, 20);
	const network = NETWORKS.find((name) => name === named);
	if (named !== undefined && !network) throw rules.wrong("network");
	const handlers = rules.optional("allowedHandlers")?.list(undefined, 200);
	const genesisTimestampMs = rules.integer("genesisTimestampMs");
	const blockVersion = rules.optional("blockVersion")?.count(1_000_000);
	const dialect = machine.text("dialect", 20);
	if (dialect !== "neutral" && dialect !== "deployed") throw machine.wrong("dialect");
	return {
		rules: {
			release,
			...(network ? { network } : {}),
			...(blockVersion === undefined ? {} : { blockVersion }),
			genesisId: rules.hex("genesisId", 32),
			genesisTimestampMs,
			genesisWitnesses: rules.list("genesisWitnesses", MAX_GENESIS_WITNESSES).map((witness) => {
				const [address, votes] = witness.list(undefined, 2);
				if (!address || !votes) throw rules.wrong("genesisWitnesses");
				return { address: address.hex(undefined, 21), votes: votes.integer() };
			}),
			blackHole: rules.hex("blackHole", 21),
			proposalExpireMs: rules.integer("proposalExpireMs"),
			energyLimitHeight: rules.integer("energyLimitHeight"),
			checkFrozenTime: rules.flag("checkFrozenTime"),
			saveCancelDetails: rules.flag("saveCancelDetails"),
			...(handlers ? { allowedHandlers: new Set(handlers.map((name) => name.text(undefined, 200))) } : {}),
			keepsNoteTree: rules.flag("keepsNoteTree"),
		},
		addressPrefix: rules.count("addressPrefix", 255),
		shieldedToken: rules.optional("shieldedToken")?.text(undefined, 100),
		seed: {
			genesisTimestampMs,
			maintenanceIntervalMs: initial.integer("maintenanceIntervalMs"),
			committee: new Map(
				initial.list("committee", MAX_COMMITTEE_KEYS).map((pair) => {
					const [key, value] = pair.list(undefined, 2);
					if (!key || !value) throw initial.wrong("committee");
					return [key.text(undefined, 200), value.integer()];
				}),
			),
		},
		machine: {
			limitTime: machine.flag("limitTime"),
			minTimeRatio: machine.number("minTimeRatio"),
			maxTimeRatio: machine.number("maxTimeRatio"),
			saveInternal: machine.flag("saveInternal"),
			saveFeaturedInternal: machine.flag("saveFeaturedInternal"),
			dialect,
		},
	};
}
