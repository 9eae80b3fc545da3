/** Executing the block of a fault bundle again, without a chain, and comparing what comes of it with what the bundle says. */

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

/** What executing a bundle's block came to. */
export type Verdict =
	/** The same as where the bundle was made: this program has the fault. */
	| "reproduced"
	/** What was recorded: this program doesn't have it. */
	| "as recorded"
	/** Something else than either. */
	| "different"
	/** The bundle lacks what it takes to tell. */
	| "undecided";

export interface Reproduction {
	readonly verdict: Verdict;
	/** The first transaction that differs from what was recorded; undefined: none, or the block itself. */
	readonly transaction: string | undefined;
	/** What this program came to, the bundle's node, and what was recorded, for people. */
	readonly now: string;
	readonly computed: string;
	readonly recorded: string;
	/** Entries of the state that the block leaves otherwise than where the bundle was made. */
	readonly entries: readonly string[];
	/** The calls of that transaction; undefined: it runs no contract. */
	readonly trace: TracedCall | undefined;
	/** Why there is no verdict. */
	readonly reason: string | undefined;
}

/** What a bundle may take. */
interface TimeLimit {
	readonly timeoutMs: number;
	/** By `performance.now()`; absent: from now on. */
	readonly deadlineMs?: number;
}

interface ReproduceOptions extends TimeLimit {
	/** Watches the differing transaction beside the trace. */
	readonly observer?: ExecutionObserver;
}

const PROOFS = "the block asks for proofs of shielded transfers, which are not checked here";
/** Entries that are listed, and bytes of their values. */
const MAX_LISTED = 50;
const MAX_VALUE_BYTES = 500;
/** What a trace may take in memory, in bytes. */
const MAX_TRACE_BYTES = 32 << 20;

/** @throws {BundleError} where the bundle makes no sense, or takes longer */
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
		// A trace that is too long is left out.
		if (!(error instanceof TraceError)) throw error;
	}
	return { ...outcome.view, trace: trace.root };
}

/** @throws {BundleError} when the time is over */
export function checkTimeLimit({ deadlineMs, timeoutMs }: Required<TimeLimit>): void {
	if (performance.now() > deadlineMs)
		throw new BundleError(`the bundle takes longer than ${timeoutMs} ms to read and execute`);
}

/** undefined: an entry was asked for that the bundle doesn't have */
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
 * Whether what was refused passes, though the bundle has nothing of what the block reads after it: the slot, or a transaction that
 * comes to its recorded result.
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

/** What a block is refused with whose witness's turn it isn't: the first rule of all. */
const { className: OUT_OF_TURN } = new ValidateScheduleError("");

function passed(bundle: FaultBundle): Compared {
	const { view, position } = compared(bundle, undefined, undefined);
	const reason = "what was refused passes; the bundle has nothing of what the block reads after it";
	return { position, view: { ...view, verdict: "as recorded", now: "it passes", reason } };
}

interface Compared {
	readonly view: Reproduction;
	/** Of the transaction to trace. */
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
	// Where only the state differs, nothing in the bundle says what it has to be.
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

/** The first entries that are left otherwise, up to {@link MAX_LISTED}. */
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

/** @param value null: the entry is removed; undefined: it isn't written */
function valueText(value: Uint8Array | null | undefined): string {
	if (!value) return value === null ? "none" : "unchanged";
	const digits = Buffer.from(value.subarray(0, MAX_VALUE_BYTES)).toString("hex");
	return value.length > MAX_VALUE_BYTES ? `${digits}… (${value.length} bytes)` : digits;
}

function undecided(bundle: FaultBundle, reason: string): Reproduction {
	return { ...compared(bundle, undefined, undefined).view, reason };
}
