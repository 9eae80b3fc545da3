/** Pays a list: all lines are checked first and confirmed once; each is recorded before it is sent, or printed for others to send. */

import { readFile, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { SignedTransaction } from "../../protocol/transaction.js";
import {
	type JudgedBatch,
	type JudgedPayment,
	judgePayments,
	type PaidBefore,
	type ReadPayment,
} from "../../wallet/actions/payment-batch.js";
import {
	type Attempt,
	attemptOfAnyAmount,
	keepJournal,
	keptJournals,
	PaymentJournal,
	type PaymentOutcome,
	signedOf,
} from "../../wallet/actions/payment-journal.js";
import type { Actor } from "../../wallet/actions/plan.js";
import { unreadable } from "../../wallet/bounded-file.js";
import { withFileLock } from "../../wallet/configuration/file-lock.js";
import { labelled, readLabels } from "../../wallet/configuration/labels.js";
import { atLine, Failure, linesText, onRefusal, refusalOfList } from "../../wallet/failure.js";
import { fetchGenesisId } from "../../wallet/node/chain-query.js";
import { statusOf, type TransactionState } from "../../wallet/node/wait.js";
import { coinsOf } from "../../wallet/transaction/moved-coins.js";
import { type PaymentLine, readPayments } from "../../wallet/transaction/payment-list.js";
import { riskLine } from "../../wallet/transaction/risks.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { type ActingFlags, requestedFeeLimit } from "../flags/acting-flags.js";
import { readStdin } from "../input/stdin.js";
import { asFailure, reportFailure } from "../output/failure-report.js";
import {
	hasLostReader,
	localTime,
	outliveReader,
	printJson,
	printLine,
	printNote,
} from "../output/output.js";
import { amountReason, higher, levelOfAmount } from "../prompt/confirmation.js";
import { canAsk } from "../prompt/controlling-terminal.js";
import { onInterrupt } from "../prompt/interrupt.js";
import { act, actorOf, check, schemesOf } from "./act.js";
import { checkOwnRecipients } from "./own-recipients.js";
import { confirm, explainedInput, isWatched, type Session, show } from "./session.js";

interface BatchFlags extends ActingFlags {
	readonly batch: string;
	readonly resume: boolean;
	readonly journal: string | undefined;
	readonly "keep-going": boolean;
	readonly "fee-limit": string | undefined;
	readonly force: boolean;
}

/** The outcome of the lines so far. */
interface Progress {
	readonly lines: readonly number[];
	readonly sent: number[];
	/** Lines that a node may have received. */
	readonly unknown: number[];
	/** Lines sent by an earlier run according to the journal, except those to be paid again. */
	readonly before: number[];
	/** Those of them that are paid or printed, and skipped. */
	readonly paid: number[];
	/** In a dry run, those whose transactions a real run would send again; amounts are without fees. */
	readonly sentAgain: (Pick<Attempt, "line" | "txID" | "summary"> & { readonly amountSun: bigint })[];
}

/** The run of one list. */
interface Batch {
	readonly session: Session;
	readonly actor: Actor;
	readonly flags: BatchFlags;
	readonly progress: Progress;
}

/** Pays a list. @throws {Failure} whose `details` list the lines that were sent and those that weren't */
export async function payBatch(session: Session, flags: BatchFlags): Promise<void> {
	const journalPath = await journalOf(flags);
	const lines = readPayments(
		flags.batch === "-" ? await readStdin("the payments") : await readFile(flags.batch, "utf8"),
	);
	const progress: Progress = {
		lines: lines.map(({ line }) => line),
		sent: [],
		unknown: [],
		before: [],
		paid: [],
		sentAgain: [],
	};
	try {
		await payLines(session, flags, lines, progress, journalPath);
	} catch (error) {
		const failure = asFailure(error);
		if (flags["dry-run"]) throw failure;
		throw sends(flags)
			? explainedBatch(session, flags, progress, failure)
			: explainedPrinted(flags, progress, failure);
	}
}

async function payLines(
	session: Session,
	flags: BatchFlags,
	lines: readonly PaymentLine[],
	progress: Progress,
	journalPath: string | undefined,
): Promise<void> {
	const actor = await actorOf(session, flags);
	const postQuantum = await schemesOf(session, actor, flags);
	const batch: Batch = { session, actor, flags, progress };
	const chain = flags.offline ? session.reference?.chain : await fetchGenesisId(actor.client);
	const pay = async (journal: PaymentJournal | undefined): Promise<void> => {
		const judged = await judgePayments(actor, lines, {
			...requestedFeeLimit(flags),
			permission: flags.permission,
			memo: flags.memo,
			signers: flags.signer?.length,
			postQuantum,
			offline: flags.offline,
			asksFirst: flags["dry-run"] || isWatched(session) || canAsk(),
			check: (plan, memo) => check(session, actor, { ...flags, memo }, plan),
			paidBefore:
				journal && takenUp(journal).length > 0
					? (payments, refused) => paidBefore(batch, payments, refused, journal)
					: undefined,
		});
		if (!flags["keep-going"]) checkAll(judged.refused);
		if (!flags.offline && !flags.force) {
			const named = judged.payments.map(({ payment: { to } }) => accountNamed(actor.settings, to));
			await checkOwnRecipients(actor, await Promise.all(named));
		}
		if (!flags["dry-run"]) await prepare(batch, journal);
		const all = journal ? await withOthers(batch, judged, journal) : judged;
		await payJudged(batch, all, journal);
		if (flags["dry-run"]) await printTotals(batch, all);
	};
	if (journalPath === undefined) return await pay(undefined);
	const open = async (): Promise<void> => pay(await PaymentJournal.open(journalPath, chain));
	// A dry run uses the existing journal without writing to it.
	await (flags["dry-run"] ? open() : withFileLock(journalPath, session.note, open));
}

async function prepare({ session, actor }: Batch, journal: PaymentJournal | undefined): Promise<void> {
	if (!journal) return;
	await journal.prepare();
	await keepJournal(actor.settings, journal.path, session.note).catch((why: unknown) =>
		session.warning(`nothing will warn of a copy of this list in another folder: ${asFailure(why).message}`),
	);
}

/** Adds a remark on payments that are in another journal, since a copied list would pay them a second time. */
async function withOthers(
	{ session, actor, flags }: Batch,
	judged: JudgedBatch,
	journal: PaymentJournal,
): Promise<JudgedBatch> {
	const risks: string[] = [];
	for (const { path, attempts } of await journal.others(await keptJournals(actor.settings))) {
		const equal = judged.payments.filter(
			({ key }) => (attempts.get(key)?.state ?? "refused") !== "refused" && !journal.attempts.has(key),
		);
		if (equal.length > 0)
			risks.push(
				`${linesText(equal.map(({ line }) => line))} said the same in a list before: ${path} has them as paid or printed`,
			);
	}
	if (flags.yes || flags.build) for (const risk of risks) session.warning(risk);
	return {
		...judged,
		risks: [...judged.risks, ...risks],
		summary: [...judged.summary, ...risks.map(riskLine)],
	};
}

async function payJudged(
	batch: Batch,
	judged: JudgedBatch,
	journal: PaymentJournal | undefined,
): Promise<void> {
	const { session, flags, progress } = batch;
	if (judged.payments.length === 0 && judged.refused.length === 0 && progress.sentAgain.length === 0)
		return session.note(
			`every line is ${journal && hasPrinted(journal) ? "paid or printed" : "paid"} already`,
		);
	await agreeToAll(batch, judged);
	const inputs = [...judged.payments, ...judged.refused].sort((one, other) => one.line - other.line);
	const forget = sends(flags)
		? onInterrupt(() => reportInterrupted(session, flags, progress))
		: () => undefined;
	const printing = flags.build || flags.sign ? journal : undefined;
	if (printing) outliveReader();
	try {
		for (const [index, input] of inputs.entries()) {
			try {
				if ("failure" in input) throw input.failure;
				await payLine(batch, input, journal);
			} catch (error) {
				const failure = asFailure(error).with({ index: input.index });
				if (!flags["keep-going"]) throw atLine(failure, input.line);
				process.exitCode = 1;
				reportFailure(explainedInput(atLine(failure, input.line)), session.json);
				printLine("null");
			}
			if (printing && (await hasLostReader())) return await endUnread(inputs.slice(index), printing);
		}
	} finally {
		forget();
	}
}

/** Ends because nobody reads the output any more. @param inputs the one whose line was lost, and all later ones */
async function endUnread(
	inputs: readonly (JudgedPayment | JudgedBatch["refused"][number])[],
	journal: PaymentJournal,
): Promise<void> {
	const [lost] = inputs;
	if (lost && "key" in lost) await journal.conclude(lost.key, "refused");
	const count = inputs.length === 1 ? "1 line" : `${inputs.length} lines`;
	printNote(
		`${count} not printed (${linesText(inputs.map(({ line }) => line))}): standard output was closed; the same command with --resume prints them`,
	);
	process.exitCode = UNREAD;
}

/** Exit code that shells report for a process killed by SIGPIPE. */
const UNREAD = 141;

/** Prints a dry run's totals of the list, after its lines. */
async function printTotals(
	{ session, actor: { settings }, progress: { paid: paidBefore, sentAgain } }: Batch,
	{ totals, summary, amountSun, refused, risks }: JudgedBatch,
): Promise<void> {
	const unpaid = refused.map(({ line }) => line);
	if (session.json)
		return printJson({ ...totals, refused: unpaid, paidBefore, sentAgain, risks, sent: false });
	const labels = await readLabels(settings);
	const againLines = sentAgain.map(({ line, summary: does }) => `  sent again  line ${line}: ${does}`);
	const againSun = sentAgain.reduce((sum, { amountSun: sun }) => sum + sun, 0n);
	if (againSun > 0n)
		againLines.push(`  coins       ${formatCoin(amountSun + againSun)} with what is sent again`);
	for (const line of [...summary, ...againLines, ...beforeLines(paidBefore)])
		printLine(labelled(line, labels));
	if (unpaid.length > 0) printLine(`  refused     ${linesText(unpaid)}`);
	printLine("  not signed, not sent (--dry-run)");
}

function coinsSent(attempt: Attempt): bigint {
	const { type, parameter } = signedOf(attempt);
	return type && parameter ? coinsOf({ type, parameter }) : 0n;
}

function beforeLines(paid: readonly number[]): string[] {
	return paid.length > 0 ? [`  paid before ${linesText(paid)}, left out`] : [];
}

function hasPrinted({ attempts }: PaymentJournal): boolean {
	return [...attempts.values()].some(({ isPrinted }) => isPrinted);
}

function takenUp({ attempts }: PaymentJournal): Attempt[] {
	return [...attempts.values()].filter(({ state }) => state !== "refused");
}

/** Payments made according to the journal. @throws {Failure} `duplicate` without `--resume` */
async function paidBefore(
	batch: Batch,
	payments: readonly ReadPayment[],
	refused: JudgedBatch["refused"],
	journal: PaymentJournal,
): Promise<PaidBefore> {
	const { session, flags, progress } = batch;
	if (!flags["keep-going"]) checkAll(refused);
	const attempts = takenUp(journal);
	const byKey = new Map(payments.map((payment) => [payment.key, payment]));
	const [only] = payments;
	if (only?.payment.amount === "max") {
		const own = attempts.filter((attempt) => attemptOfAnyAmount(attempt) === only.key);
		for (const { payment } of own) byKey.set(payment, only);
	}
	const known = attempts.flatMap(({ payment }) => byKey.get(payment)?.line ?? []);
	progress.before.push(...known);
	const others = attempts.filter(({ payment }) => !byKey.has(payment));
	if (attempts.length > 0 && !flags.resume) {
		const isWhole = payments.every(({ line }) => known.includes(line));
		const resume = isWhole
			? "no line is left, but for those that ended in no block, which --resume pays"
			: others.length === 0
				? "--resume pays the others, and shows them with --dry-run"
				: `${others.length} of them ${others.length === 1 ? "isn't" : "aren't"} in this list as this account pays it: put the lines back as they were, with the same --from, and --resume pays the others`;
		throw new Failure("duplicate", await saidBefore(batch, attempts, byKey), {
			...factsBefore(attempts, byKey),
			hint: `${resume}; remove the journal to pay all lines once more`,
		});
	}
	// Unknown until the node has reported their status.
	progress.unknown.push(...known);
	// If the list is refused, none of it is sent again.
	await checkGone(batch, journal, byKey, refused);
	const paid = new Map<string, SignedTransaction | undefined>();
	for (const attempt of attempts) {
		const wanted = byKey.get(attempt.payment);
		if (!wanted) continue;
		const { summary, txID } = attempt;
		const outcome = await outcomeOf(batch, journal, attempt, true);
		if (outcome === "unpaid") {
			session.note(`${summary}: its transaction ${txID} failed or expired, it is paid anew`);
			progress.before.splice(progress.before.indexOf(wanted.line), 1);
			conclude(progress, wanted.line, false);
			continue;
		}
		if (outcome === "resent")
			session.note(`${summary}: its transaction ${txID} was in no block and is sent again`);
		paid.set(wanted.key, outcome === "waiting" ? signedOf(attempt) : undefined);
		const { line } = wanted;
		if (outcome === "waiting" && flags["dry-run"] && !attempt.isPrinted)
			progress.sentAgain.push({ line, txID, summary, amountSun: coinsSent(attempt) });
		else progress.paid.push(line);
		conclude(progress, wanted.line, true);
	}
	return paid;
}

/** @throws {Failure} `duplicate` for a payment in the journal that was made, or may still be, but is no longer in the list */
async function checkGone(
	batch: Batch,
	journal: PaymentJournal,
	byKey: ReadonlyMap<string, ReadPayment>,
	refused: JudgedBatch["refused"],
): Promise<void> {
	const { session, progress } = batch;
	const attempts = takenUp(journal);
	for (const attempt of attempts.filter(({ payment }) => !byKey.has(payment))) {
		const { summary, txID, line } = attempt;
		if ((await outcomeOf(batch, journal, attempt, false)) === "unpaid") {
			session.note(`${summary}: its transaction ${txID} failed or expired, and no line makes it any more`);
			continue;
		}
		progress.unknown.length = 0;
		throw new Failure(
			"duplicate",
			`${journal.path} has a payment that ${missingFrom(refused)}: ${summary}, once in line ${line}; ${await saidBefore(batch, attempts, byKey)}`,
			{
				...factsBefore(attempts, byKey),
				hint: "a changed line, one whose label names another account by now, or one from another account would be paid a second time: put it back as it was, add the difference as a line, and --resume pays the others",
			},
		);
	}
}

/** Details, for programs, about a list of which an earlier run has started payments. */
function factsBefore(attempts: readonly Attempt[], byKey: ReadonlyMap<string, ReadPayment>) {
	const details = { sentBefore: linesOf(attempts, byKey), txIDs: attempts.map(({ txID }) => txID) };
	return { retry: "changed", sent: false, details } as const;
}

/** Words for a payment that is in no line; if some lines can't be read, it may be in one of those. */
function missingFrom([first, ...others]: JudgedBatch["refused"]): string {
	if (!first) return "the list has no more";
	const unread = linesText([first, ...others].map(({ line }) => line));
	return `no line makes that can be read (${unread} can't: ${first.failure.message})`;
}

/** Line numbers of an earlier run's payments in the list, or their former ones. */
function linesOf(attempts: readonly Attempt[], byKey: ReadonlyMap<string, ReadPayment>): number[] {
	return attempts.map(({ payment, line }) => byKey.get(payment)?.line ?? line);
}

/** Describes the outcome of an earlier run's lines; asks the node about one whose response was lost. */
async function saidBefore(
	{ actor, flags }: Batch,
	attempts: readonly Attempt[],
	byKey: ReadonlyMap<string, ReadPayment>,
): Promise<string> {
	const said = new Map<string, number[]>();
	for (const attempt of attempts) {
		const what = attempt.isPrinted
			? "printed for others to send"
			: attempt.state === "sent"
				? "sent"
				: LOST[flags.offline ? "submitted" : await stateOf(actor, attempt)];
		said.set(what, [...(said.get(what) ?? []), ...linesOf([attempt], byKey)]);
	}
	const parts = [...said].map(([what, lines]) => `${linesText(lines)} (${what})`);
	return `an earlier run took up ${attempts.length} of the payments of ${flags.batch}: ${parts.join(", ")}`;
}

/** Descriptions of a transaction whose response was lost, by its status. */
const LOST: Readonly<Record<TransactionState | "untold", string>> = {
	submitted: "the node's answer was lost, it may still be carried out",
	included: "the node's answer was lost, it is in a block",
	solid: "the node's answer was lost, it is paid",
	failed: "the node's answer was lost, it failed",
	expired: "the node's answer was lost, it expired in no block",
	untold: "the node's answer was lost, and this node can't tell whether it is in a block",
};

async function stateOf({ client }: Actor, attempt: Attempt): Promise<keyof typeof LOST> {
	const asked = statusOf(client, signedOf(attempt)).then(({ state }) => state);
	return await asked.catch(onRefusal("untold" as const, "rpc_error"));
}

/** @throws {Failure} if the transaction of an earlier run may still be included, but the node doesn't accept it now */
async function outcomeOf(
	{ actor, flags }: Batch,
	journal: PaymentJournal,
	attempt: Attempt,
	isWanted: boolean,
): Promise<PaymentOutcome> {
	// Assumed paid, since only a node could say otherwise.
	if (flags.offline) return "paid";
	const { txID, line, summary, expirationMs } = attempt;
	try {
		return await journal.outcome(actor.client, attempt, isWanted && sends(flags), Date.now());
	} catch (error) {
		const failure = asFailure(error);
		if (!isWanted || failure.facts.node === undefined) throw failure;
		throw failure
			.saying(
				`line ${line}, ${summary}, was sent by an earlier run and is in no block; the node doesn't take its transaction again: ${failure.message}`,
			)
			.with({
				sent: "unknown",
				txID,
				hint: `it can't be paid anew before that transaction expires, at ${localTime(expirationMs)}: run it again with --resume then`,
			});
	}
}

/** Asks for a single confirmation of all payments. */
async function agreeToAll(
	{ session, actor: { settings }, flags, progress }: Batch,
	{ summary, amountSun, risks, payments }: JudgedBatch,
): Promise<void> {
	const labels = await readLabels(settings);
	const lines = [...summary, ...beforeLines(progress.paid)].map((line) => labelled(line, labels));
	if (flags.build || flags["dry-run"]) {
		if (flags.build && isWatched(session)) await show(session, lines);
		return;
	}
	const isTrusted =
		flags["trust-node"] || payments.every(({ plan: { nodesWord = [] } }) => nodesWord.length === 0);
	const usual = payments.length > 1 || !isTrusted ? 1 : 0;
	const level = risks.length > 0 ? 2 : higher(usual, levelOfAmount(amountSun, settings));
	const why = risks.length > 0 ? risks.join("; ") : amountReason(amountSun, settings);
	await confirm(session, level, lines, flags.yes, why);
	if (isWatched(session)) await show(session, lines);
}

async function payLine(
	{ session, actor, flags, progress }: Batch,
	{ plan, payment, line, key, summary }: JudgedPayment,
	journal: PaymentJournal | undefined,
): Promise<void> {
	const memo = payment.memo ?? flags.memo;
	try {
		await act(
			session,
			actor,
			{ ...flags, memo },
			{
				...plan,
				isAgreed: !flags["dry-run"],
				beforeSending: async (envelope) => {
					const marks = { isPrinted: !sends(flags), isMax: payment.amount === "max" };
					await journal?.begin(line, key, envelope, summary, marks);
					progress.unknown.push(line);
				},
			},
		);
		conclude(progress, line, true);
		if (sends(flags)) await journal?.conclude(key, "sent");
	} catch (error) {
		// What was to be printed may already have been printed.
		if (!sends(flags)) throw error;
		// A failure that doesn't say so may have occurred after a node received the bytes.
		const { sent = progress.unknown.includes(line) ? "unknown" : false } = asFailure(error).facts;
		conclude(progress, line, sent);
		if (sent === false) await journal?.conclude(key, "refused");
		throw error;
	}
}

/** Records a line's outcome. A line that was about to be sent counts as possibly sent until its outcome is known. */
function conclude({ sent: paid, unknown }: Progress, line: number, sent: boolean | "unknown"): void {
	if (sent === "unknown") return;
	if (unknown.includes(line)) unknown.splice(unknown.indexOf(line), 1);
	if (sent) paid.push(line);
}

/** Adds to a failure that ended the list which lines were sent. */
function explainedBatch(
	{ sentIds }: Session,
	flags: BatchFlags,
	progress: Progress,
	failure: Failure,
): Failure {
	const { sent, unknown, before, lines } = progress;
	const gone = new Set([...sent, ...unknown, ...before]);
	const unsent = lines.filter((line) => !gone.has(line));
	const input = explainedInput(failure);
	const details = { ...input.facts.details, sent, unknown, unsent };
	if (sent.length + unknown.length === 0) {
		const none = "sentBefore" in details ? "this run sent none" : "no line was sent";
		return input.saying(`${input.message}; ${none}`).with({ details });
	}
	const lastSent = sentIds.at(-1);
	const lastID = input.facts.sent === "unknown" ? input.facts.txID : (lastSent ?? input.facts.txID);
	const words = [
		sent.length === 0
			? `none of ${lines.length} payments is known to be sent`
			: `${linesText(sent)} of ${lines.length} payments sent`,
		...(unknown.length > 0 ? [`${linesText(unknown)} may be on the way`] : []),
		...(unsent.length > 0 ? [`${linesText(unsent)} not`] : []),
	];
	const journal = flags.journal === undefined ? "" : ` --journal ${flags.journal}`;
	const next = `coin send --batch ${flags.batch}${journal} --resume pays the others`;
	return input.saying(`${input.message}; ${words.join(", ")}`).with({
		sent: sent.length === 0 || input.facts.sent === "unknown" ? "unknown" : true,
		...(lastID === undefined ? {} : { txID: lastID }),
		...(input.facts.sent === "unknown" ? {} : { retry: "changed" as const }),
		details,
		hint: input.facts.hint === undefined ? next : `${input.facts.hint}; ${next}`,
	});
}

/** The same for a list whose transactions are printed for others to send. */
function explainedPrinted(flags: BatchFlags, progress: Progress, failure: Failure): Failure {
	const { sent, unknown, lines, before } = progress;
	const printed = [...sent, ...unknown];
	if (printed.length === 0) return failure;
	const gone = new Set([...printed, ...before]);
	const unprinted = lines.filter((line) => !gone.has(line));
	return failure
		.saying(`${failure.message}; ${linesText(printed)} of ${lines.length} payments printed`)
		.with({
			details: { ...failure.facts.details, printed, unprinted },
			hint: failure.facts.hint ?? `the same command with --resume leaves out what ${flags.batch} has printed`,
		});
}

function reportInterrupted(session: Session, flags: BatchFlags, progress: Progress): void {
	const failure = new Failure("interrupted", "interrupted", { sent: false });
	reportFailure(explainedBatch(session, flags, progress, failure), session.json);
}

/**
 * Path of a list's journal: beside the file itself, after resolving links, or as given by the flag; undefined for a pipe if nothing
 * is sent.
 * @throws {Failure} `usage` for a pipe, which has no directory of its own; `bad_value` if the list doesn't exist
 */
async function journalOf(flags: BatchFlags): Promise<string | undefined> {
	const { batch, journal } = flags;
	const isFile = batch !== "-" && (await stat(batch).catch(unreadable(batch))).isFile();
	if (journal !== undefined) return resolve(journal);
	if (isFile) return `${await realpath(batch)}.journal`;
	if (flags["dry-run"]) return undefined;
	throw new Failure(
		"usage",
		"a list from a pipe has no place beside it for its journal: run again, it would be paid twice",
		{
			sent: false,
			hint: "--journal <file> names one; the same list with the same journal goes on with --resume",
		},
	);
}

function sends(flags: BatchFlags): boolean {
	return !flags.build && !flags.sign && !flags["dry-run"];
}

/** @throws {Failure} the first line that can't be paid, with all of them in its details */
function checkAll([first, ...others]: JudgedBatch["refused"]): void {
	if (first) throw refusalOfList([first, ...others], "can't be paid").with({ sent: false });
}
