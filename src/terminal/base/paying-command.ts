/** The base of commands that pay a list: judged whole, agreed to once, each line written down before it is sent. */

import { readFile, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import {
	type JudgedBatch,
	type JudgedPayment,
	judgePayments,
	linesText,
} from "../../wallet/actions/payment-batch.js";
import { PaymentJournal } from "../../wallet/actions/payment-journal.js";
import { withFileLock } from "../../wallet/configuration/file-lock.js";
import { labelled, readLabels } from "../../wallet/configuration/labels.js";
import { Failure } from "../../wallet/failure.js";
import { genesisId } from "../../wallet/node/chain-query.js";
import { readPayments } from "../../wallet/transaction/payment-list.js";
import { type ActingFlags, requestedFeeLimit } from "../flags/acting-flags.js";
import { readStdin } from "../input/stdin.js";
import { asFailure, reportFailure } from "../output/failure-report.js";
import { printLine } from "../output/output.js";
import { higher, levelOfAmount } from "../prompt/confirmation.js";
import { onInterrupt } from "../prompt/interrupt.js";
import { ActingCommand, type ActingContext } from "./acting-command.js";

interface BatchFlags extends ActingFlags {
	readonly batch: string;
	readonly resume: boolean;
	readonly journal: string | undefined;
	readonly "keep-going": boolean;
	readonly "fee-limit": string | undefined;
	readonly force: boolean;
}

/** What became of the lines so far. */
interface Progress {
	readonly lines: readonly number[];
	readonly sent: number[];
	/** A node may have it. */
	readonly unknown: number[];
	/** Sent by an earlier run, as the journal says. */
	readonly before: number[];
}

export abstract class PayingCommand extends ActingCommand {
	private progress: Progress | undefined;
	private batch: BatchFlags | undefined;

	/** Pays a list. @throws {Failure} whose `details` name the lines that were sent and those that weren't */
	protected async payBatch(flags: BatchFlags): Promise<void> {
		const { batch } = flags;
		this.batch = flags;
		if ((flags.resume || flags.journal !== undefined) && !sends(flags))
			throw new Failure("conflicting_flags", "--resume and --journal go with payments that are sent");
		const journalPath = sends(flags) ? await journalOf(flags) : undefined;
		const lines = readPayments(
			batch === "-" ? await readStdin("the payments") : await readFile(batch, "utf8"),
		);
		this.progress = { lines: lines.map(({ line }) => line), sent: [], unknown: [], before: [] };
		const context = await this.context(flags);
		const judged = await judgePayments(context, lines, {
			...requestedFeeLimit(flags),
			permission: flags.permission,
			memo: flags.memo,
			signatures: flags.signer?.length,
			postQuantum: await this.schemes(context, flags),
			offline: flags.offline,
			check: (plan, memo) => this.check(context, { ...flags, memo }, plan),
		});
		if (!flags["keep-going"]) checkAll(judged);
		if (journalPath === undefined) return await this.payJudged(context, flags, judged, undefined);
		await withFileLock(
			journalPath,
			(text) => this.note(text),
			async () => {
				const journal = await PaymentJournal.open(journalPath, await genesisId(context.client));
				await journal.prepare();
				await this.payJudged(context, flags, judged, journal);
			},
		);
	}

	private async payJudged(
		context: ActingContext,
		flags: BatchFlags,
		judged: JudgedBatch,
		journal: PaymentJournal | undefined,
	): Promise<void> {
		const paid = journal ? await this.paidBefore(context, flags, judged, journal) : new Set<string>();
		const rest = judged.payments.filter(({ key }) => !paid.has(key));
		if (rest.length === 0 && judged.refused.length === 0) return this.note("every line is paid already");
		await this.agreeToAll(context, flags, judged, paid.size);
		const inputs = [...rest, ...judged.refused].sort((one, other) => one.line - other.line);
		const forget = sends(flags) ? onInterrupt(() => this.reportInterrupted()) : () => undefined;
		try {
			for (const input of inputs) {
				try {
					if ("failure" in input) throw input.failure;
					await this.payLine(context, flags, input, journal);
				} catch (error) {
					const failure = asFailure(error).with({ index: input.index });
					if (!flags["keep-going"]) throw atLine(failure, input.line);
					process.exitCode = 1;
					reportFailure(this.explainInput(atLine(failure, input.line)), this.json);
					printLine("null");
				}
			}
		} finally {
			forget();
		}
	}

	/** Payments that the journal knows as made. @throws {Failure} `duplicate` without `--resume` */
	private async paidBefore(
		{ client }: ActingContext,
		{ resume, batch }: BatchFlags,
		{ payments }: JudgedBatch,
		journal: PaymentJournal,
	): Promise<Set<string>> {
		const attempts = [...journal.attempts.values()].filter(({ state }) => state !== "refused");
		const byKey = new Map(payments.map((payment) => [payment.key, payment]));
		const known = attempts.flatMap(({ payment }) => byKey.get(payment)?.line ?? []);
		this.progress?.before.push(...known);
		if (attempts.length > 0 && !resume) {
			const what = known.length > 0 ? ` (${linesText(known)})` : "";
			throw new Failure(
				"duplicate",
				`${journal.path} says that ${attempts.length} of the payments of ${batch} were sent before${what}`,
				{
					retry: "changed",
					sent: false,
					details: { sentBefore: known, txIDs: attempts.map(({ txID }) => txID) },
					hint: "--resume pays the others; remove the journal to pay all lines once more",
				},
			);
		}
		const paid = new Set<string>();
		// Until the node has said what became of them.
		this.progress?.unknown.push(...known);
		for (const attempt of attempts) {
			const { payment, summary, txID } = attempt;
			const wanted = byKey.get(payment);
			if ((await journal.outcome(client, attempt, wanted !== undefined)) === "unpaid") {
				this.note(`${summary}: its transaction ${txID} failed or expired, it is paid anew`);
				if (wanted) this.conclude(wanted.line, false);
			} else if (wanted) {
				paid.add(payment);
				this.conclude(wanted.line, true);
			} else {
				throw new Failure(
					"duplicate",
					`${journal.path} has a payment that the list has no more: ${summary}, once in line ${attempt.line}`,
					{
						retry: "changed",
						sent: false,
						hint: "a changed line would be paid a second time: put it back as it was, and add the difference as a line",
					},
				);
			}
		}
		return paid;
	}

	/** One question for all of them. */
	private async agreeToAll(
		{ settings }: ActingContext,
		flags: BatchFlags,
		{ summary, amountSun, repeated, payments }: JudgedBatch,
		paid: number,
	): Promise<void> {
		const labels = await readLabels(settings);
		const before = paid === 0 ? [] : [`  paid before ${paid} of them, which are left out`];
		const lines = [...summary, ...before].map((line) => labelled(line, labels));
		if (flags.build || flags["dry-run"]) {
			if (this.isWatched) await this.show(lines);
			return;
		}
		const usual = payments.length > 1 ? 1 : 0;
		const level = repeated.length > 0 ? 2 : higher(usual, levelOfAmount(amountSun, settings));
		try {
			await this.confirm(level, lines, flags.yes);
		} catch (error) {
			if (repeated.length === 0 || !(error instanceof Failure) || error.code !== "confirmation_needed")
				throw error;
			const says = repeated.length === 1 ? "says" : "say";
			throw error.saying(`${linesText(repeated)} ${says} the same as a line before: ${error.message}`);
		}
		if (this.isWatched) await this.show(lines);
	}

	private async payLine(
		context: ActingContext,
		flags: BatchFlags,
		{ plan, payment, line, key, summary }: JudgedPayment,
		journal: PaymentJournal | undefined,
	): Promise<void> {
		const memo = payment.memo ?? flags.memo;
		try {
			await this.act(
				context,
				{ ...flags, memo },
				{
					...plan,
					isAgreed: !flags["dry-run"],
					beforeSending: async (envelope) => {
						await journal?.begin(line, key, envelope, summary);
						this.progress?.unknown.push(line);
					},
				},
			);
			this.conclude(line, true);
			await journal?.conclude(key, "sent");
		} catch (error) {
			const { sent = false } = asFailure(error).facts;
			this.conclude(line, sent);
			if (sent === false) await journal?.conclude(key, "refused");
			throw error;
		}
	}

	/** A line that was about to be sent may be on the way until its outcome is known. */
	private conclude(line: number, sent: boolean | "unknown"): void {
		if (!this.progress || sent === "unknown") return;
		const { unknown } = this.progress;
		if (unknown.includes(line)) unknown.splice(unknown.indexOf(line), 1);
		if (sent) this.progress.sent.push(line);
	}

	/** Which lines were sent, whatever it was that ended the list. */
	protected override explain(failure: Failure): Failure {
		const { progress, batch } = this;
		if (!progress || !batch || !sends(batch)) return super.explain(failure);
		const { sent, unknown, before, lines } = progress;
		const gone = new Set([...sent, ...unknown, ...(batch.resume ? [] : before)]);
		const unsent = lines.filter((line) => !gone.has(line));
		const told = this.explainInput(failure);
		const details = { ...told.facts.details, sent, unknown, unsent };
		if (sent.length + unknown.length === 0)
			return told.saying(`${told.message}; no line was sent`).with({ details });
		const lastID = told.facts.txID ?? this.sentIds.at(-1);
		const words = [
			sent.length === 0
				? `none of ${lines.length} payments is known to be sent`
				: `${linesText(sent)} of ${lines.length} payments sent`,
			...(unknown.length > 0 ? [`${linesText(unknown)} may be on the way`] : []),
			...(unsent.length > 0 ? [`${linesText(unsent)} not`] : []),
		];
		const journal = batch.journal === undefined ? "" : ` --journal ${batch.journal}`;
		const next = `coin send --batch ${batch.batch}${journal} --resume pays the others`;
		return told.saying(`${told.message}; ${words.join(", ")}`).with({
			sent: sent.length === 0 || told.facts.sent === "unknown" ? "unknown" : true,
			...(lastID === undefined ? {} : { txID: lastID }),
			...(told.facts.sent === "unknown" ? {} : { retry: "changed" as const }),
			details,
			hint: told.facts.hint === undefined ? next : `${told.facts.hint}; ${next}`,
		});
	}

	private reportInterrupted(): void {
		reportFailure(this.explain(new Failure("interrupted", "interrupted", { sent: false })), this.json);
	}
}

/**
 * Where the journal of a list that is sent is: beside the file itself, whatever link names it, or where the flag says.
 * @throws {Failure} `usage` for a pipe, which has no place beside it; `bad_value` where there is no list
 */
async function journalOf({ batch, journal }: BatchFlags): Promise<string> {
	const isFile = batch !== "-" && (await isRegularFile(batch));
	if (journal !== undefined) return resolve(journal);
	if (isFile) return `${await realpath(batch)}.journal`;
	throw new Failure(
		"usage",
		"a list from a pipe has no place beside it for its journal: run again, it would be paid twice",
		{
			sent: false,
			hint: "--journal <file> names one; the same list with the same journal goes on with --resume",
		},
	);
}

/** @throws {Failure} `bad_value` where there is nothing */
async function isRegularFile(path: string): Promise<boolean> {
	try {
		return (await stat(path)).isFile();
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new Failure("bad_value", `${path} can't be read (${code ?? "unknown error"})`, { sent: false });
	}
}

function sends(flags: BatchFlags): boolean {
	return !flags.build && !flags.sign && !flags["dry-run"];
}

function atLine(failure: Failure, line: number): Failure {
	return failure
		.saying(`line ${line}: ${failure.message}`)
		.with({ details: { ...failure.facts.details, line } });
}

/** @throws {Failure} the first line that can't be paid, with all of them in its details */
function checkAll({ refused }: JudgedBatch): void {
	const [first, ...others] = refused;
	if (!first) return;
	const failure = atLine(first.failure, first.line).with({ index: first.index, sent: false });
	if (others.length === 0) throw failure;
	throw failure
		.saying(`${failure.message}; ${linesText(others.map(({ line }) => line))} can't be paid either`)
		.with({
			details: {
				...failure.facts.details,
				refused: refused.map(({ line, failure: { code, message } }) => ({ line, code, message })),
			},
		});
}
