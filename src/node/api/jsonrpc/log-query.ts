/** Searching the logs of past blocks (protocol/json-rpc §9.3). */

import { minInt } from "../../../protocol/int64.js";
import { blockIdAt, receiptsCost, receiptsInTurn } from "../../chain/block-store.js";
import { candidateSteps, sections } from "../../chain/section-bloom.js";
import { SLICE_MS, TimeSlice } from "../../scheduling/time-slice.js";
import type { StateView } from "../../state/view.js";
import { type BlockRange, bloomGroupsInTurns, type LogFilter, matchesLog } from "./log-filter.js";
import type { RpcValue } from "./method.js";
import { logObject, logSize, logsOfBlock } from "./objects/log.js";
import { MAX_LOGS_AT_ONCE } from "./objects/receipt.js";
import type { ObjectStyle } from "./objects/style.js";
import { EXCEEDS_LIMIT, invalidParams, ResponseTooLong, RpcError } from "./rpc-error.js";

/** Fewer candidate blocks than this are searched, and at most this many logs returned. */
const MAX_RESULTS = 10_000;

/** Logs of one block processed between two chances to yield. */
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

/** Receives the logs found. */
interface LogSink {
	add(log: RpcValue): void;
	/** Discards what was added; nothing more follows. */
	drop(): void;
	/** Called before more than a little is read; resolves when there is room for it. */
	admit(): Promise<void> | undefined;
}

/**
 * The logs matching a filter, in order. Blocks without stored receipts have none.
 * @param view the state as it is now: blocks may come while a long query runs
 * @param maxSize bytes of the answer; 0 or less: any number
 * @throws {RpcError} if there are too many, and only then {ResponseTooLong}: the logs of an answer that is
 * too long are counted all the same
 */
export async function queryLogs(
	view: () => StateView,
	filter: LogFilter,
	style: ObjectStyle,
	maxSize: number,
	sink: LogSink,
): Promise<void> {
	const turns = new TimeSlice(SLICE_MS);
	let found = 0;
	let size = 0;
	let isTooLong = false;
	for (const number of await candidates(view, filter, turns)) {
		if (turns.over) await turns.yield();
		if (receiptsCost(view(), number) !== undefined) await sink.admit();
		const state = view();
		const id = blockIdAt(state, number);
		if (!id) continue;
		for (const placed of logsOfBlock(receiptsInTurn(state, number))) {
			if (placed.logIndex % LOGS_A_STEP === LOGS_A_STEP - 1 && turns.over) await turns.yield();
			if (!matchesLog(filter, placed.log)) continue;
			if (found++ >= MAX_RESULTS) throw tooMany();
			if (isTooLong) continue;
			if (found === MAX_LOGS_AT_ONCE) await sink.admit();
			size += logSize(placed.log);
			isTooLong = maxSize > 0 && size > maxSize;
			if (isTooLong) sink.drop();
			else sink.add(logObject(placed, { number, id, timestampMs: placed.timestampMs }, false, style));
		}
	}
	if (isTooLong) throw new ResponseTooLong(maxSize);
}

/** Heights of blocks that may match. @throws {RpcError} if there are too many */
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
