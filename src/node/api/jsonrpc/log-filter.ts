/** Log filters: parsing the filter object, matching a log (protocol/json-rpc §§9.1 and 9.2). */

import { equalBytes, toKey } from "../../../protocol/bytes.js";
import { MAX_INT64, minInt } from "../../../protocol/int64.js";
import type { TransactionInfoLog } from "../../../protocol/messages.js";
import { blockById } from "../../chain/block-store.js";
import { type BloomGroup, bloomBits } from "../../chain/section-bloom.js";
import type { TimeSlice } from "../../scheduling/time-slice.js";
import type { StateView } from "../../state/view.js";
import { refuseTags } from "./answers.js";
import { anyValue, list, type RecordOf, record, text } from "./declared-types.js";
import { isRawArray, type RawArray, type RawValue } from "./json-reader.js";
import { invalidParams } from "./rpc-error.js";
import type { ParameterReaders } from "./strict-readers.js";
import { isTag } from "./values.js";

const MAX_TOPICS = 4;

const members = {
	fromBlock: text,
	toBlock: text,
	address: anyValue,
	topics: list,
	blockHash: text,
};

export const filterObject = record(members);
export type FilterObject = RecordOf<typeof members>;

/** Items of which one must match. */
type Alternatives = readonly Uint8Array[];

/** Conditions on a log. An empty list of alternatives matches anything. */
export interface LogConditions {
	readonly addresses: Alternatives;
	/** By position; a log needs at least as many topics. */
	readonly topics: readonly Alternatives[];
}

/** Range of heights for a log query, both inclusive. */
export interface BlockRange {
	readonly from: bigint;
	readonly to: bigint;
}

export interface LogFilter extends LogConditions, BlockRange {
	/** The range is one block, given by its id. */
	readonly isOneBlock: boolean;
}

/** Maximum items in a filter; 0 or less: no limit. */
interface FilterItemLimits {
	readonly maxAddresses: number;
	/** Alternatives per topic. */
	readonly maxSubTopics: number;
}

/**
 * Parses the filter object; errors occur in the network's order.
 * @throws {RpcError | NamedError}
 */
export function readLogFilter(
	state: StateView,
	filter: FilterObject,
	limits: FilterItemLimits,
	readers: ParameterReaders,
): LogFilter {
	const addresses = readAddresses(filter.address ?? null, limits.maxAddresses, readers);
	const topics = readTopics(filter.topics ?? [], limits.maxSubTopics, readers);
	const { fromBlock, toBlock, blockHash } = filter;
	if (typeof blockHash === "string") {
		if (isGiven(fromBlock) || isGiven(toBlock)) {
			throw invalidParams("cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other");
		}
		const block = blockById(state, readers.filterHash(blockHash));
		if (!block) throw invalidParams("invalid blockHash");
		return { addresses, topics, from: block.number, to: block.number, isOneBlock: true };
	}
	return {
		addresses,
		topics,
		...readRange(state, fromBlock ?? "", toBlock ?? "", readers),
		isOneBlock: false,
	};
}

const isGiven = (bound: string | null | undefined): boolean => bound !== null && bound !== undefined;

function readAddresses(
	value: RawValue,
	maxAddresses: number,
	{ filterAddress }: ParameterReaders,
): Alternatives {
	if (value === null) return [];
	if (typeof value === "string") return [filterAddress(value, "invalid address")];
	if (!isRawArray(value)) throw invalidParams("invalid addresses in query");
	if (maxAddresses > 0 && value.length > maxAddresses) {
		throw invalidParams(`exceed max addresses: ${maxAddresses}`);
	}
	return value.map((element, i) => filterAddress(element, `invalid address at index ${i}`));
}

function readTopics(
	positions: RawArray,
	maxSubTopics: number,
	{ topic }: ParameterReaders,
): readonly Alternatives[] {
	if (positions.length > MAX_TOPICS) throw invalidParams(`topics size should be <= ${MAX_TOPICS}`);
	return positions.map((position): Alternatives => {
		if (position === null) return [];
		if (typeof position === "string") return [topic(position)];
		if (!isRawArray(position)) throw invalidParams("invalid topic(s)");
		if (maxSubTopics > 0 && position.length > maxSubTopics) {
			throw invalidParams(`exceed max topics: ${maxSubTopics}`);
		}
		return position.map(topic);
	});
}

/** A bound: empty, the head, or a height. */
type Bound = "empty" | "latest" | bigint;

function readBound(state: StateView, bound: string, readers: ParameterReaders): Bound {
	if (bound === "") return "empty";
	if (isTag(bound, "latest")) return "latest";
	if (isTag(bound, "earliest")) return 0n;
	if (isTag(bound, "finalized")) return state.properties.get("LATEST_SOLIDIFIED_BLOCK_NUM");
	refuseTags(readers, bound);
	const number = readers.filterBound(bound);
	return number === -1n ? "latest" : number;
}

/** Without a lower bound the range starts at the current head; without an upper bound it is open-ended. */
function readRange(
	state: StateView,
	fromBlock: string,
	toBlock: string,
	readers: ParameterReaders,
): BlockRange {
	const head = state.properties.headNumber;
	const lower = readBound(state, fromBlock, readers);
	const upper = readBound(state, toBlock, readers);
	const to = typeof upper === "bigint" ? upper : MAX_INT64;
	if (lower === "empty") return { from: minInt(to, head), to };
	const from = lower === "latest" ? head : lower;
	if (from > to) throw invalidParams("please verify: fromBlock <= toBlock");
	return { from, to };
}

/** Number of addresses and topics in a filter. */
export function itemCount({ addresses, topics }: LogConditions): number {
	return topics.reduce((sum, alternatives) => sum + alternatives.length, addresses.length);
}

/** Groups of which a block must contain one item each; if empty, every block may match. */
export function bloomGroups(conditions: LogConditions): readonly BloomGroup[] {
	return namedGroups(conditions).map((alternatives) => alternatives.map(bloomBits));
}

/** Like {@link bloomGroups}, but time-sliced, since every item is hashed. */
export async function bloomGroupsInTurns(
	conditions: LogConditions,
	turns: TimeSlice,
): Promise<readonly BloomGroup[]> {
	const groups: BloomGroup[] = [];
	for (const alternatives of namedGroups(conditions)) {
		const group: (readonly number[])[] = [];
		for (const item of alternatives) {
			if (turns.over) await turns.yield();
			group.push(bloomBits(item));
		}
		groups.push(group);
	}
	return groups;
}

function namedGroups({ addresses, topics }: LogConditions): readonly Alternatives[] {
	return [addresses, ...topics].filter((alternatives) => alternatives.length > 0);
}

/** Whether a log matches. A wildcard position still requires a topic there. */
export function matchesLog({ addresses, topics }: LogConditions, log: Readonly<TransactionInfoLog>): boolean {
	if (addresses.length > 0 && !includes(addresses, log.address)) return false;
	return topics.every((alternatives, i) => {
		const topic = log.topics[i];
		return topic !== undefined && (alternatives.length === 0 || includes(alternatives, topic));
	});
}

/** Longer lists are looked up in a set. */
const SHORT_LIST = 8;
const sets = new WeakMap<Alternatives, ReadonlySet<string>>();

function includes(alternatives: Alternatives, item: Uint8Array): boolean {
	if (alternatives.length <= SHORT_LIST) return alternatives.some((known) => equalBytes(known, item));
	let set = sets.get(alternatives);
	if (!set) {
		set = new Set(alternatives.map(toKey));
		sets.set(alternatives, set);
	}
	return set.has(toKey(item));
}
