/**
 * Raw state entries at a block, from which a fork of the chain is built (protocol/json-rpc §18). Only with
 * `node.jsonrpc.state`.
 *
 * An answer holds as many entries as its limits allow, at least one; the client asks again for the rest.
 */

import { ADDRESS_LENGTH, addressPrefix } from "../../../../protocol/address.js";
import { fromHex, fromKey, toHex, toKey } from "../../../../protocol/bytes.js";
import { SLICE_MS, TimeSlice } from "../../../scheduling/time-slice.js";
import { type StoreDefinition, storeDefinitions } from "../../../state/definition.js";
import type { StateView } from "../../../state/view.js";
import { blockAt, blockNamed, type PastBlock, PastBlockError, stateOf } from "../../at-block.js";
import type { ApiContext, ApiNode, PastStates } from "../../context.js";
import { isRawArray, isRawObject, JsonNumber, type RawArray, type RawValue } from "../json-reader.js";
import { JsonText, methodsOf, type RpcMethod, type RpcResult, type RpcValue } from "../method.js";
import { internal, invalidParams, notAvailable } from "../rpc-error.js";

// Chain parameters fixed before the first block, as needed by another node that continues from its state
// (protocol/json-rpc §18.3).

/** 64-bit numbers as decimal text. */
function chainFacts({ rules, config }: Pick<ApiNode, "rules" | "config">): RpcValue {
	const { maintenanceTimeIntervalMs } = config.block;
	const committee = Object.entries(config.committee as Readonly<Record<string, bigint | undefined>>);
	return {
		genesisId: toHex(rules.genesisId),
		genesisTimestampMs: String(rules.genesisTimestampMs),
		addressPrefix: addressPrefix(),
		network: rules.network ?? "main",
		release: rules.release,
		blackHole: toHex(rules.blackHole),
		genesisWitnesses: rules.genesisWitnesses.map(({ address, votes }) => ({
			address: toHex(address),
			votes: String(votes),
		})),
		proposalExpireMs: String(rules.proposalExpireMs),
		energyLimitHeight: String(rules.energyLimitHeight),
		checkFrozenTime: rules.checkFrozenTime,
		maintenanceIntervalMs: String(maintenanceTimeIntervalMs),
		committee: Object.fromEntries(
			committee.flatMap(([key, value]) => (typeof value === "bigint" ? [[key, String(value)]] : [])),
		),
	};
}

/** Entries per request, and keys per page. */
const MAX_ENTRIES = 1_000;
const MAX_KEYS = 10_000;
/** Bytes of values after which an answer is cut off. */
const MAX_BYTES = 8 << 20;
/** Time budget for the entries of one answer. */
const MAX_MS = 2_000;
/** The network's keys are far shorter. */
const MAX_KEY_BYTES = 1_024;

/** By name, in this program's spelling. */
const byName: ReadonlyMap<string, StoreDefinition<unknown>> = new Map(
	storeDefinitions.map((store) => [store.name, store]),
);

type Encoding = "hex" | "base64";

/** @throws {RpcError} */
function storeOf(value: RawValue | undefined): StoreDefinition<unknown> {
	const store = typeof value === "string" ? byName.get(value) : undefined;
	if (!store) throw invalidParams(`there is no store ${JSON.stringify(value ?? null)}`.slice(0, 200));
	return store;
}

/** @throws {RpcError} */
function keyOf(value: RawValue | undefined, encoding: Encoding): string {
	if (typeof value !== "string" || value.length > 2 * MAX_KEY_BYTES + 2)
		throw invalidParams(`a key is a text of at most ${MAX_KEY_BYTES} bytes`);
	if (encoding === "base64") {
		const bytes = Buffer.from(value, "base64");
		if (bytes.toString("base64") !== value) throw invalidParams("a key is not base64");
		return toKey(bytes);
	}
	if (!/^0x(?:[0-9a-f]{2})*$/i.test(value)) throw invalidParams("a key is not hexadecimal with 0x");
	return toKey(fromHex(value.slice(2)));
}

const shown = (bytes: Uint8Array, encoding: Encoding): string =>
	encoding === "base64" ? Buffer.from(bytes).toString("base64") : `0x${toHex(bytes)}`;

/** @throws {RpcError} */
function encodingOf(options: RawValue | undefined): Encoding {
	if (options === undefined || options === null) return "hex";
	const encoding = isRawObject(options) ? (options.get("encoding") ?? "hex") : undefined;
	if (encoding !== "hex" && encoding !== "base64") throw invalidParams("encoding is hex or base64");
	return encoding;
}

/** The requested key prefix; undefined for all keys. @throws {RpcError} */
function prefixOf(options: RawValue | undefined, encoding: Encoding): string | undefined {
	const given = isRawObject(options) ? options.get("prefix") : undefined;
	if (given === undefined || given === null) return undefined;
	const prefix = keyOf(given, encoding);
	// Shorter ones would match whole stores.
	if (prefix.length < ADDRESS_LENGTH) throw invalidParams(`a prefix has at least ${ADDRESS_LENGTH} bytes`);
	return prefix;
}

/** @throws {RpcError} where this node doesn't give its state */
function statesOf({ node }: ApiContext, method: string): PastStates {
	if (!node.rawStates) throw notAvailable(method, ": node.jsonrpc.state is off");
	return node.rawStates;
}

/** The block for a number, an id or a tag; the head by default. @throws {PastBlockError | RpcError} */
function namedBlock(context: ApiContext, value: RawValue | undefined): PastBlock {
	const text = value instanceof JsonNumber ? value.text : (value ?? "latest");
	if (typeof text !== "string") throw invalidParams("a block is a number, an id or a tag");
	const { state } = context;
	return blockNamed(context, text) ?? blockAt(state, state.properties.headNumber);
}

/** Turns the error for an unavailable block or state into an RPC error. @throws {RpcError} */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof PastBlockError) throw internal(error.message);
		throw error;
	}
}

/** A state that stays readable across yields: it is looked up again after each. */
class ReadState {
	private readonly turns = new TimeSlice(SLICE_MS);
	private readonly endsAt = performance.now() + MAX_MS;
	private view: StateView;

	/** @throws {PastBlockError} */
	constructor(
		private readonly context: ApiContext,
		private readonly states: PastStates,
		readonly block: PastBlock,
	) {
		this.view = stateOf(states, block);
	}

	get isOver(): boolean {
		return performance.now() > this.endsAt || this.context.isAbandoned?.() === true;
	}

	/**
	 * Called before each entry.
	 * @returns whether it yielded, after which anything read from the state is stale
	 * @throws {PastBlockError}
	 */
	async turn(): Promise<boolean> {
		if (!this.turns.over) return false;
		await this.turns.yield();
		this.view = stateOf(this.states, this.block);
		return true;
	}

	get state(): StateView {
		return this.view;
	}

	/** An entry as encoded by its store. */
	encoded(store: StoreDefinition<unknown>, key: string): Uint8Array | undefined {
		const value = this.view.backend.get(store, key);
		return value === undefined ? undefined : store.codec.encode(value, key);
	}
}

const blockPart = ({ number, id }: PastBlock): string => `"block":{"number":${number},"id":"${toHex(id)}"}`;

function getState(context: ApiContext, [entries, block, options]: RawArray): Promise<RpcResult> {
	const states = statesOf(context, "coin_getState");
	const encoding = encodingOf(options);
	if (!isRawArray(entries)) throw invalidParams("entries are a list of [store, key]");
	if (entries.length > MAX_ENTRIES)
		throw invalidParams(`${entries.length} entries are more than ${MAX_ENTRIES}`);
	const wanted = entries.map((entry) => {
		if (!isRawArray(entry)) throw invalidParams("an entry is [store, key]");
		return { store: storeOf(entry[0]), key: keyOf(entry[1], encoding) };
	});
	return refusing(async () => {
		const reading = new ReadState(context, states, namedBlock(context, block));
		const values: string[] = [];
		let bytes = 0;
		for (const { store, key } of wanted) {
			await reading.turn();
			if (values.length > 0 && (bytes > MAX_BYTES || reading.isOver)) break;
			const value = reading.encoded(store, key);
			bytes += value?.length ?? 0;
			values.push(value === undefined ? "null" : `"${shown(value, encoding)}"`);
		}
		return new JsonText(`{${blockPart(reading.block)},"values":[${values.join(",")}]}`);
	});
}

function getStateKeys(context: ApiContext, [name, after, block, options]: RawArray): Promise<RpcResult> {
	const states = statesOf(context, "coin_getStateKeys");
	const encoding = encodingOf(options);
	const store = storeOf(name);
	const prefix = prefixOf(options, encoding);
	if (prefix !== undefined) return keysWith(context, states, store, prefix, block, encoding);
	if (!store.ordered)
		throw invalidParams(`the keys of the store ${store.name} are not listed without a prefix`);
	const start = after === undefined || after === null ? undefined : keyOf(after, encoding);
	return refusing(async () => {
		const reading = new ReadState(context, states, namedBlock(context, block));
		const found: string[] = [];
		let last = start;
		for (let isAtEnd = false; !isAtEnd; ) {
			isAtEnd = true;
			const keys = reading.state.backend.keys(store);
			for (const key of keys.candidatesFrom?.(last ?? "") ?? keys.from(last ?? "")) {
				if (key === last) continue;
				last = key;
				if (reading.state.backend.get(store, key) !== undefined) found.push(key);
				if (found.length >= MAX_KEYS || reading.isOver) return keyPage(reading.block, found, last, encoding);
				// The key iterator must not be kept across a yield.
				if (!(await reading.turn())) continue;
				isAtEnd = false;
				break;
			}
		}
		return keyPage(reading.block, found, undefined, encoding);
	});
}

/** Keys with a prefix, for a store that can't be walked in order. */
function keysWith(
	context: ApiContext,
	states: PastStates,
	store: StoreDefinition<unknown>,
	prefix: string,
	block: RawValue | undefined,
	encoding: Encoding,
): Promise<RpcResult> {
	return refusing(async () => {
		const named = namedBlock(context, block);
		const ever = await stateOf(states, named).backend.keysEver(store, prefix);
		if (ever.size > MAX_KEYS) throw invalidParams(`more than ${MAX_KEYS} keys begin so`);
		const reading = new ReadState(context, states, named);
		const found: string[] = [];
		for (const key of [...ever].sort()) {
			await reading.turn();
			if (reading.isOver) throw internal(`listing the keys takes longer than ${MAX_MS} ms`);
			if (reading.state.backend.get(store, key) !== undefined) found.push(key);
		}
		return keyPage(named, found, undefined, encoding);
	});
}

function keyPage(
	block: PastBlock,
	keys: readonly string[],
	next: string | undefined,
	encoding: Encoding,
): RpcResult {
	const text = (key: string): string => `"${shown(fromKey(key), encoding)}"`;
	const more = next === undefined ? "null" : text(next);
	return new JsonText(`{${blockPart(block)},"keys":[${keys.map(text).join(",")}],"next":${more}}`);
}

function getStateInfo(context: ApiContext, [block]: RawArray): Promise<RpcResult> {
	const states = statesOf(context, "coin_getStateInfo");
	return refusing(async () => {
		const { number, id } = namedBlock(context, block);
		return {
			block: { number: Number(number), id: toHex(id) },
			// All states from here on are available; development chains also have some earlier ones.
			history: { isKept: context.node.config.node.history.stateBlocks > 0, first: Number(states.first) },
			limits: { entries: MAX_ENTRIES, keys: MAX_KEYS, bytes: MAX_BYTES, ms: MAX_MS },
			chain: chainFacts(context.node),
		};
	});
}

const method = methodsOf("isRawState");

export const rawStateMethods: readonly RpcMethod[] = [
	method(
		"coin_getState",
		"Entries of the state after a block, as they are stored: [store, key] each; null where there is none.",
		["entries", "block", "options"],
		1,
		getState,
	),
	method(
		"coin_getStateKeys",
		"Keys of a store whose entries rules walk in order, after a block, page by page.",
		["store", "after", "block", "options"],
		1,
		getStateKeys,
	),
	method(
		"coin_getStateInfo",
		"A block, from which block on the state is known, and what is fixed about the chain.",
		["block"],
		0,
		getStateInfo,
	),
];
