/** Logs and filters (protocol/json-rpc §9). Not served for PBFT-confirmed state. */

import { nullPointer } from "../../../../protocol/json/exceptions.js";
import { SLICE_MS, TimeSlice } from "../../../scheduling/time-slice.js";
import { readersOf, rpcAnswersOf } from "../answers.js";
import { text } from "../declared-types.js";
import type { FilterRegistry } from "../filter-registry.js";
import {
	bloomGroupsInTurns,
	type FilterObject,
	filterObject,
	type LogFilter,
	readLogFilter,
} from "../log-filter.js";
import { checkBlockRange, queryLogs } from "../log-query.js";
import { ListResult } from "../long-result.js";
import { defineMethod, type RpcContext, type RpcMethod, type RpcResult } from "../method.js";
import { objectStyleOf } from "../objects/style.js";
import { invalidParams, notAvailable } from "../rpc-error.js";
import { isTag } from "../values.js";

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

async function find(context: RpcContext, filter: LogFilter): Promise<RpcResult> {
	const { node, server } = context;
	const { maxResponseSize } = node.config.node.jsonrpc;
	const list = new ListResult(context);
	try {
		await queryLogs(() => node.view(server), filter, objectStyleOf(context), maxResponseSize, list);
		return list.end();
	} finally {
		if (!context.pending) list.leave();
	}
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
