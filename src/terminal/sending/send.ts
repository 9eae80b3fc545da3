/** Sends a signed transaction, follows it as far as requested, and prints its outcome. */

import { findings, follow, outcomeFailure, SUBMITTED } from "../../wallet/actions/follow.js";
import type { ChainQuestions } from "../../wallet/actions/plan.js";
import { isUnanswered, keepUnanswered } from "../../wallet/actions/unanswered.js";
import { labelled } from "../../wallet/configuration/labels.js";
import { Failure } from "../../wallet/failure.js";
import { broadcast } from "../../wallet/node/broadcast.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import type { TransactionStatus } from "../../wallet/node/wait.js";
import { type ActingResult, actingLines, actingResult } from "../../wallet/transaction/acting-result.js";
import { callMembers } from "../../wallet/transaction/described-call.js";
import type { TransactionEnvelope } from "../../wallet/transaction/envelope.js";
import { parseDuration } from "../../wallet/values/moment.js";
import type { WaitFlags } from "../flags/acting-flags.js";
import { asFailure, reportFailure } from "../output/failure-report.js";
import { outliveReader, printJson, printLine } from "../output/output.js";
import { withProgress } from "../progress/progress.js";
import { onInterrupt } from "../prompt/interrupt.js";
import type { Presentation, Session } from "./session.js";

/**
 * @param presentation the call and the labels for printing the result
 * @param members further members of the result
 * @param questions queries once the transaction is in a block, and once it is irreversible
 */
export async function sendAndReport(
	session: Session,
	client: NodeClient,
	envelope: TransactionEnvelope,
	flags: WaitFlags,
	presentation: Omit<Presentation, "summary">,
	members: object = {},
	questions: ChainQuestions = {},
): Promise<void> {
	const timeoutMs = parseDuration(flags["wait-timeout"]);
	await questions.beforeSending?.(envelope);
	try {
		await broadcastBy(session, client, envelope);
	} catch (error) {
		if (isUnanswered(error)) {
			// The payment's outcome must be reported even if this fails.
			await keepUnanswered(client.settings, envelope).catch((why: unknown) =>
				session.warning(`nothing will warn of sending the same once more: ${asFailure(why).message}`),
			);
		}
		if (error instanceof Failure && error.facts.sent !== false) await questions.afterSending?.(envelope);
		throw error;
	}
	await questions.afterSending?.(envelope);
	let status = SUBMITTED;
	const print = (more: object = {}): void =>
		printResult(session, envelope, status, presentation, { ...members, ...more });
	const forget = onInterrupt(() => print());
	try {
		if (flags.wait || flags["wait-included"]) {
			status = await withProgress("waiting for a block", session.audience(), (progress) =>
				follow(client, envelope, {
					until: flags.wait ? "solid" : "included",
					timeoutMs,
					onStatus: (next, replaced) => {
						if (replaced) session.note("the block was replaced; waiting again");
						status = next;
						progress.update(
							next.state === "included"
								? `in block ${next.receipt?.blockNumber ?? ""}`
								: "waiting for a block",
						);
					},
				}),
			);
		}
	} catch (error) {
		print();
		const txID = envelope.transaction.idHex;
		throw asFailure(error).with({ sent: true, txID, hint: `coin tx wait ${txID}` });
	} finally {
		forget();
	}
	const found = await findings(status, questions, (reason) =>
		session.warning(`the result is incomplete: ${reason}`),
	);
	print(found);
	const { explorer } = client.settings;
	if (!session.json && explorer)
		printLine(`  page        ${explorer.replaceAll("{txID}", envelope.transaction.idHex)}`);
	const failure = outcomeFailure(envelope, status, found);
	if (failure) {
		await questions.afterFailing?.().catch((error: unknown) => session.warning(asFailure(error).message));
		throw failure;
	}
	if (status.state === "solid") await questions.afterwards?.();
}

/** Broadcasts a transaction; if interrupted before the node responds, prints which transaction may have been sent. */
async function broadcastBy(
	{ json, sentIds, takesDuplicates, note }: Session,
	client: NodeClient,
	{ transaction }: TransactionEnvelope,
): Promise<void> {
	const txID = transaction.idHex;
	outliveReader();
	const forget = onInterrupt(() => {
		const message = "interrupted before the node answered: the transaction may be on its way";
		const facts = { sent: "unknown", txID, hint: `coin tx wait ${txID}` } as const;
		reportFailure(new Failure("interrupted", message, facts), json);
	});
	try {
		await broadcast(client, transaction);
		sentIds.push(txID);
	} catch (error) {
		if (!takesDuplicates || !(error instanceof Failure) || error.code !== "duplicate") throw error;
		note(`${txID} was sent before: nothing happens twice`);
	} finally {
		forget();
	}
}

function printResult(
	{ json, onResult }: Session,
	envelope: TransactionEnvelope,
	status: TransactionStatus,
	{ call, labels }: Omit<Presentation, "summary">,
	members: object,
): void {
	const called = call ? { call: callMembers(call) } : {};
	const result: ActingResult = { ...actingResult(envelope, status), ...called, ...members };
	if (onResult) onResult(result);
	else if (json) printJson(result);
	else for (const line of actingLines(envelope, result, call)) printLine(labelled(line, labels));
}
