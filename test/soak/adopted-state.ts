/** Compares an adopted state, and the effects of later blocks on it, with those of the reference node. */

import { readFileSync } from "node:fs";
import { brotliDecompressSync, inflateSync } from "node:zlib";
import { SignedBlock } from "../../src/protocol/block.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import { compareStates, compareWrites, type EntryDifference } from "../../tools/replay/compare-state.js";
import type { RecordedState, RecordedWrites, Recording } from "../../tools/replay/recording.js";
import type { ReplayTarget, State } from "../../tools/replay/target.js";
import { show } from "../../tools/replay/tree.js";

/** State of the reference after opening the directory. */
interface After {
	readonly head: { readonly number: number; readonly id: string };
	readonly state: RecordedState;
}

export function readAfter(file: string): After {
	return JSON.parse(brotliDecompressSync(readFileSync(file)).toString("utf8")) as After;
}

/** Index stores: compared byte for byte. */
const INDEXES = ["block", "block-index", "trans", "transactionRetStore", "recent-block", "section-bloom"];

const PROPERTIES = "properties";
const ASSET_OPTIMIZATION = toHex(Buffer.from("ALLOW_ASSET_OPTIMIZATION"));

function movesTokens(writes: RecordedWrites | RecordedState, before: boolean): boolean {
	const value = writes[PROPERTIES]?.[ASSET_OPTIMIZATION];
	return value === undefined || value === null ? before : BigInt(`0x${value}`) !== 0n;
}

/** All differences, one per line. */
export function differencesFromAfter({ state }: After, got: State): string[] {
	const rules = compareStates(state, got, movesTokens(state, false)).map(describe);
	const indexes = INDEXES.flatMap((store) => {
		const expected = state[store] ?? {};
		const entries = got.get(store) ?? new Map<string, Uint8Array>();
		const keys = new Set([...Object.keys(expected), ...entries.keys()]);
		return [...keys]
			.filter((key) => !sameBytes(store, expected[key], entries.get(key)))
			.map((key) => `${store} ${key}: ${expected[key]} is ${toHex(entries.get(key) ?? new Uint8Array(0))}`);
	});
	return [...rules, ...indexes];
}

function sameBytes(store: string, expected: string | undefined, got: Uint8Array | undefined): boolean {
	if (expected === undefined || got === undefined) return false;
	if (expected === toHex(got)) return true;
	return store === "section-bloom" && inflateSync(fromHex(expected)).equals(inflateSync(got));
}

function describe({ store, key, difference }: EntryDifference): string {
	return `${store} ${key} ${difference.path}: ${show(difference.expected)} is ${show(difference.got)}`;
}

/**
 * Applies the recorded blocks above the head, and compares writes and receipts. The recorded node wasn't
 * stopped: it still had records in memory that a stopped one would have written, and marked.
 */
export async function continueFrom(
	target: ReplayTarget,
	after: After,
	recording: Recording,
	count: number,
	report: (line: string) => void,
): Promise<{ readonly passed: number; readonly failed: number }> {
	let [passed, failed] = [0, 0];
	let moves = movesTokens(after.state, false);
	for (const [, line] of recording.lines()) {
		if (line.t !== "block" || line.number <= after.head.number) continue;
		if (passed + failed === count) break;
		const bytes = fromHex(line.block);
		target.setClock(SignedBlock.decode(bytes).timestampMs);
		const outcome = await target.applyBlock(bytes);
		const found =
			"error" in outcome
				? [`refused: ${outcome.error}`]
				: [
						...(outcome.id === line.id ? [] : [`the head is ${outcome.id}`]),
						...(line.infos === (outcome.infos && toHex(outcome.infos)) ? [] : ["other receipts"]),
						...compareWrites(
							line.writes ?? {},
							outcome.changes,
							(store, key) => target.read(store, key),
							moves,
						)
							.filter(({ difference }) => difference.path !== "asset_optimized")
							.map(describe),
					];
		moves = movesTokens(line.writes ?? {}, moves);
		for (const text of found) report(`block ${line.number}: ${text}`);
		if (found.length === 0) passed++;
		else failed++;
		if ("error" in outcome) break;
	}
	return { passed, failed };
}
