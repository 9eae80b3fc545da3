/** Executes a fault bundle's block again, without a chain, and compares the result with the bundle. */

import { equalBytes } from "../../protocol/bytes.js";
import { TransactionInfo, TransactionResultContractResult } from "../../protocol/messages.js";
import { isShielded } from "../consensus/block-judgement.js";
import type { ChainRules } from "../rules/chain-rules.js";
import { UnverifiableBlockError, ValidateScheduleError } from "../rules/errors.js";
import { CallTrace, type TracedCall } from "../tracing/call-trace.js";
import { TraceBudget, TraceError } from "../tracing/limits.js";
import { agrees } from "../tracing/trace-runner.js";
import { ContractMachine } from "../vm/contract-machine.js";
import type { ExecutionObserver } from "../vm/execution-observer.js";
import { proofsMissing } from "../vm/settings.js";
import { type BlockRun, type RunEnvironment, runBlock, runTransactions } from "./block-run.js";
import { StoredReads, type UnrecordedEntryError, type WrittenEntry } from "./block-state.js";
import { BundleError, type FaultBundle } from "./bundle.js";
import { computedText, firstDifference, recordedText, shown } from "./summary.js";

/** Result of re-executing a bundle's block. */
export type Verdict =
	/** The same result as in the bundle: this program has the fault. */
	| "reproduced"
	/** The recorded result: this program doesn't have the fault. */
	| "as recorded"
	/** Neither of the two results. */
	| "different"
	/** The bundle lacks the necessary data. */
	| "undecided";

export interface Reproduction {
	readonly verdict: Verdict;
	/** The first transaction that differs from the record; undefined: none, or the block itself. */
	readonly transaction: string | undefined;
	/** Results of this program, of the bundle's node, and as recorded; human-readable. */
	readonly now: string;
	readonly computed: string;
	readonly recorded: string;
	/** State entries that the block changes differently than in the bundle. */
	readonly entries: readonly string[];
	/** The call trace of that transaction; undefined if it runs no contract. */
	readonly trace: TracedCall | undefined;
	/** Why there is no verdict. */
	readonly reason: string | undefined;
}

/** Time limit of a bundle. */
interface TimeLimit {
	readonly timeoutMs: number;
	/** In `performance.now()` time; absent: `timeoutMs` from now. */
	readonly deadlineMs?: number;
}

interface ReproduceOptions extends TimeLimit {
	/** Observes the differing transaction in addition to the trace. */
	readonly observer?: ExecutionObserver;
}

const PROOFS = "the block asks for proofs of shielded transfers, which are not checked here";
/** Bounds of listed entries and of their values' bytes. */
const MAX_LISTED = 50;
const MAX_VALUE_BYTES = 500;
/** Memory limit of a trace, in bytes. */
const MAX_TRACE_BYTES = 32 << 20;

/** @throws {BundleError} if the bundle is inconsistent or exceeds the time limit */
export function reproduce(bundle: FaultBundle, { observer, ...limit }: ReproduceOptions): Reproduction {
	const { block, reads, inForce, without } = bundle;
	if (!reads) return undecided(bundle, without ?? "the bundle doesn't say what the block read");
	if (block.transactions.some(isShielded)) return undecided(bundle, PROOFS);
	const { timeoutMs, deadlineMs = performance.now() + timeoutMs } = limit;
	const time = { timeoutMs, deadlineMs };
	const machine = new ContractMachine({
		...inForce.machine,
		programCacheSize: 100,
		saveCancelDetails: inForce.rules.saveCancelDetails,
		proofs: proofsMissing,
	});
	const bounded = machine.observedBy({ observer: {}, deadlineMs });
	const state = new StoredReads(reads);
	const { committee, ...times } = inForce.seed;
	const environment: RunEnvironment = {
		rules: inForce.rules satisfies ChainRules,
		seed: { ...times, committee: (key) => committee.get(key) ?? 0n },
		machine: (...call) => {
			checkTimeLimit(time);
			return bounded.run(...call);
		},
		before: state,
	};
	const run = attempt(() => runBlock(environment, block), state);
	checkTimeLimit(time);
	const outcome = !run && passes(bundle, environment) ? passed(bundle) : compared(bundle, run, state.missing);
	checkTimeLimit(time);
	const position = outcome.position;
	if (position === undefined) return outcome.view;
	const trace = new CallTrace({ onlyTop: false, withLog: true }, new TraceBudget(MAX_TRACE_BYTES));
	const watched = machine.observedBy({ observer: observer ?? trace.observer, deadlineMs });
	try {
		attempt(() => runTransactions(environment, block, position, watched.run), state);
	} catch (error) {
		// A trace that is too long is omitted.
		if (!(error instanceof TraceError)) throw error;
	}
	return { ...outcome.view, trace: trace.root };
}

/** @throws {BundleError} after the deadline */
export function checkTimeLimit({ deadlineMs, timeoutMs }: Required<TimeLimit>): void {
	if (performance.now() > deadlineMs)
		throw new BundleError(`the bundle takes longer than ${timeoutMs} ms to read and execute`);
}

/** Undefined if an entry was read that the bundle doesn't have. */
function attempt<T>(run: () => T, state: StoredReads): T | undefined {
	try {
		return run();
	} catch (error) {
		if (error instanceof BundleError || error instanceof TraceError) throw error;
		if (state.missing || error instanceof UnverifiableBlockError) return undefined;
		if (!(error instanceof Error)) throw error;
		throw new BundleError(`the bundle's block can't be executed: ${error.message}`);
	}
}

/**
 * Whether the refused part now passes, though the bundle lacks later reads of the block: the slot check, or a
 * transaction that reaches its recorded result.
 */
function passes({ block, computed, reads }: FaultBundle, environment: RunEnvironment): boolean {
	const { refusal } = computed;
	if (!refusal || !reads) return false;
	if (refusal.position === undefined) return refusal.className === OUT_OF_TURN;
	const state = new StoredReads(reads);
	const { position } = refusal;
	const infos = attempt(() => runTransactions({ ...environment, before: state }, block, position), state);
	const info = infos?.[position];
	const code =
		block.transactions[position]?.message.ret[0]?.contractRet ?? TransactionResultContractResult.SUCCESS;
	if (!info || state.missing) return false;
	return info.contract_address.length === 0 || info.receipt?.result === code;
}

/** Error class for a block out of the witness's turn: the first rule checked. */
const { className: OUT_OF_TURN } = new ValidateScheduleError("");

function passed(bundle: FaultBundle): Compared {
	const { view, position } = compared(bundle, undefined, undefined);
	const reason = "what was refused passes; the bundle has nothing of what the block reads after it";
	return { position, view: { ...view, verdict: "as recorded", now: "it passes", reason } };
}

interface Compared {
	readonly view: Reproduction;
	/** Index of the transaction to trace. */
	readonly position: number | undefined;
}

function compared(
	bundle: FaultBundle,
	run: BlockRun | undefined,
	missing: UnrecordedEntryError | undefined,
): Compared {
	const { block, computed, recorded } = bundle;
	const position = firstDifference(bundle, run);
	const view = (verdict: Verdict, reason?: string, entries: readonly string[] = []): Compared => ({
		position,
		view: {
			verdict,
			transaction: position === undefined ? undefined : block.transactions[position]?.idHex,
			now: shown(run, position),
			computed: computedText(bundle, position),
			recorded: recordedText(bundle, position),
			entries,
			trace: undefined,
			reason,
		},
	});
	if (!run || missing) {
		const why = missing ? `${missing.message}: where the bundle was made the block didn't read it` : PROOFS;
		return view("undecided", why);
	}
	const entries = changedEntries(computed.written, run.written);
	if (isSame(computed, run) && entries.length === 0) return view("reproduced");
	const agree = (of: BlockRun): boolean =>
		recorded.every((info, at) => {
			const own = of.infos[at];
			return own !== undefined && agrees(own, info);
		});
	// If only the state differs, the bundle doesn't contain the correct state.
	if (!run.refusal && agree(run) && (computed.refusal || !agree(computed)))
		return view("as recorded", undefined, entries);
	return view("different", undefined, entries);
}

function isSame(one: BlockRun, other: BlockRun): boolean {
	const { refusal: was, infos } = one;
	const { refusal: is } = other;
	return (
		was?.className === is?.className &&
		was?.message === is?.message &&
		was?.position === is?.position &&
		infos.length === other.infos.length &&
		infos.every((info, at) =>
			equalBytes(
				TransactionInfo.encode(info),
				TransactionInfo.encode(other.infos[at] as Readonly<TransactionInfo>),
			),
		)
	);
}

/** The first differing entries, up to {@link MAX_LISTED}. */
function changedEntries(before: readonly WrittenEntry[], after: readonly WrittenEntry[]): string[] {
	const byStore = (entries: readonly WrittenEntry[]): Map<string, WrittenEntry> =>
		new Map(entries.map((entry) => [`${entry.store} ${entry.key}`, entry]));
	const [known, now] = [byStore(before), byStore(after)];
	const lines: string[] = [];
	for (const [place, { store, key }] of new Map([...known, ...now])) {
		const [was, is] = [known.get(place)?.value, now.get(place)?.value];
		if (was === is || (was && is && equalBytes(was, is))) continue;
		lines.push(
			`${store} ${Buffer.from(key, "latin1").toString("hex")}: ${valueText(is)} instead of ${valueText(was)}`,
		);
		if (lines.length >= MAX_LISTED) break;
	}
	return lines;
}

/** @param value null: removed; undefined: not written */
function valueText(value: Uint8Array | null | undefined): string {
	if (!value) return value === null ? "none" : "unchanged";
	const digits = Buffer.from(value.subarray(0, MAX_VALUE_BYTES)).toString("hex");
	return value.length > MAX_VALUE_BYTES ? `${digits}… (${value.length} bytes)` : digits;
}

function undecided(bundle: FaultBundle, reason: string): Reproduction {
	return { ...compared(bundle, undefined, undefined).view, reason };
}
