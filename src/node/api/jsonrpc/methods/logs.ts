/** Logs and filters (protocol/json-rpc §9). Not served for the state that PBFT confirmed. */

import { minInt } from "../../../../protocol/int64.js";
import { nullPointer } from "../../../../protocol/json/exceptions.js";
import { blockIdAt, transactionInfosOfBlock } from "../../../chain/block-store.js";
import { candidateSteps, sections } from "../../../chain/section-bloom.js";
import { SLICE_MS, TimeSlice } from "../../../scheduling/time-slice.js";
import type { StateView } from "../../../state/view.js";
import { rpcAnswersOf } from "../answers.js";
import { text } from "../declared-types.js";
import type { FilterRegistry } from "../filter-registry.js";
import {
	type BlockRange,
	bloomGroupsInTurns,
	type FilterObject,
	filterObject,
	type LogFilter,
	matchesLog,
	readLogFilter,
} from "../log-filter.js";
import { defineMethod, type RpcContext, type RpcMethod, type RpcValue } from "../method.js";
import { logObject, logSize, logsOfBlock } from "../objects/log.js";
import { type ObjectStyle, objectStyleOf } from "../objects/style.js";
import { readersOf } from "../parameter-readers.js";
import { EXCEEDS_LIMIT, invalidParams, notAvailable, ResponseTooLong, RpcError } from "../rpc-error.js";
import { isTag } from "../values.js";

/** Fewer blocks than this are looked through, and at most this many logs are answered. */
const MAX_RESULTS = 10_000;

/** Logs of one block between two moments at which others may get a turn. */
const LOGS_A_STEP = 256;

function tooMany(): RpcError {
	return new RpcError(EXCEEDS_LIMIT, `query returned more than ${MAX_RESULTS} results`);
}

/** @param limit heights between the bounds; 0 or less: any number @throws {RpcError} */
export function checkBlockRange(state: StateView, { from, to, isOneBlock }: LogFilter, limit: number): void {
	if (isOneBlock || limit <= 0) return;
	if (minInt(to, state.properties.headNumber) - from > BigInt(limit)) {
		throw invalidParams(`exceed max block range: ${limit}`);
	}
}

/**
 * The logs that a filter asks for, by block and place. Blocks whose receipts aren't kept have none.
 * @param view the state as it is now: blocks may come while a long query runs
 * @param maxSize bytes of the answer; 0 or less: any number
 * @throws {RpcError} if there are too many
 */
export async function queryLogs(
	view: () => StateView,
	filter: LogFilter,
	style: ObjectStyle,
	maxSize = 0,
): Promise<RpcValue[]> {
	const turns = new TimeSlice(SLICE_MS);
	const found: RpcValue[] = [];
	let size = 0;
	for (const number of await candidates(view, filter, turns)) {
		if (turns.over) await turns.yield();
		const state = view();
		const infos = transactionInfosOfBlock(state, number);
		const id = infos.length > 0 ? blockIdAt(state, number) : undefined;
		if (!id) continue;
		const block = { number, id, timestampMs: infos[0]?.blockTimeStamp ?? 0n };
		for (const placed of logsOfBlock(infos)) {
			if (placed.logIndex % LOGS_A_STEP === LOGS_A_STEP - 1 && turns.over) await turns.yield();
			if (!matchesLog(filter, placed.log)) continue;
			if (found.length >= MAX_RESULTS) throw tooMany();
			size += logSize(placed.log);
			if (maxSize > 0 && size > maxSize) throw new ResponseTooLong(maxSize);
			found.push(logObject(placed, block, false, style));
		}
	}
	return found;
}

/** Heights that are worth a look. @throws {RpcError} if there are too many */
async function candidates(
	view: () => StateView,
	filter: LogFilter,
	turns: TimeSlice,
): Promise<readonly bigint[]> {
	const from = filter.from < 0n ? 0n : filter.from;
	const to = minInt(filter.to, view().properties.headNumber);
	const groups = await bloomGroupsInTurns(filter, turns);
	const numbers: bigint[] = [];
	for (const part of sections({ from, to })) {
		if (turns.over) await turns.yield();
		for (const number of groups.length > 0 ? candidateSteps(view, groups, part) : heights(part)) {
			if (number === undefined) {
				if (turns.over) await turns.yield();
				continue;
			}
			if (numbers.length + 1 >= MAX_RESULTS) throw tooMany();
			numbers.push(number);
		}
	}
	return numbers;
}

function* heights({ from, to }: BlockRange): Generator<bigint> {
	for (let number = from; number <= to; number++) yield number;
}

/** @throws {RpcError} where there are none */
function filtersOf({ filters }: RpcContext, method: string): FilterRegistry {
	if (!filters) throw notAvailable(method, " in PBFT");
	return filters;
}

/** @throws {RpcError | NamedError} */
function readFilter(context: RpcContext, filter: FilterObject): LogFilter {
	const { node, state } = context;
	return readLogFilter(state, filter, node.config.node.jsonrpc, readersOf(context));
}

function checkRange({ node, state }: RpcContext, filter: LogFilter): void {
	checkBlockRange(state, filter, node.config.node.jsonrpc.maxBlockRange);
}

function find(context: RpcContext, filter: LogFilter): Promise<RpcValue[]> {
	const { node, server } = context;
	const { maxResponseSize } = node.config.node.jsonrpc;
	return queryLogs(() => node.view(server), filter, objectStyleOf(context), maxResponseSize);
}

function present<T>(value: T | null): T {
	if (value === null) throw nullPointer();
	return value;
}

export const logMethods: readonly RpcMethod[] = [
	defineMethod({
		name: "eth_getLogs",
		about: "Logs of past blocks.",
		parameters: [["filter", filterObject]],
		handle: (context, object) => {
			filtersOf(context, "eth_getLogs");
			const filter = readFilter(context, present(object));
			checkRange(context, filter);
			return find(context, filter);
		},
	}),
	defineMethod({
		name: "eth_newFilter",
		about: "Registers a filter of logs and answers its id.",
		parameters: [["filter", filterObject]],
		handle: async (context, object) => {
			const filters = filtersOf(context, "eth_newFilter");
			const filter = present(object);
			if ([filter.fromBlock, filter.toBlock].some((bound) => isTag(bound ?? null, "finalized"))) {
				throw invalidParams("invalid block range params");
			}
			filters.checkLimit("log", context.client);
			const logs = readFilter(context, filter);
			return filters.add(logs, context.client, await bloomGroupsInTurns(logs, new TimeSlice(SLICE_MS)));
		},
	}),
	defineMethod({
		name: "eth_newBlockFilter",
		about: "Registers a filter of blocks and answers its id.",
		parameters: [],
		handle: (context) => filtersOf(context, "eth_newBlockFilter").add(undefined, context.client),
	}),
	defineMethod({
		name: "eth_getFilterChanges",
		about: "What came since the last poll: logs, or ids of blocks.",
		parameters: [["id", text]],
		handle: (context, id) => filtersOf(context, "eth_getFilterChanges").takeChanges(present(id)),
	}),
	defineMethod({
		name: "eth_getFilterLogs",
		about: "All logs that a filter asks for, also those of blocks before it was made.",
		parameters: [["id", text]],
		handle: (context, id) => {
			const filter = filtersOf(context, "eth_getFilterLogs").logFilter(present(id));
			rpcAnswersOf(context.node.config.node).filterRange(() => checkRange(context, filter));
			return find(context, filter);
		},
	}),
	defineMethod({
		name: "eth_uninstallFilter",
		about: "Forgets a filter.",
		parameters: [["id", text]],
		handle: (context, id) => {
			filtersOf(context, "eth_uninstallFilter").remove(present(id));
			return true;
		},
	}),
];
