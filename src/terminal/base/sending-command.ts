/** The base of commands that hold a transaction: opening keys, sending, following it, reporting (protocol/command-line §§3.2 to 4.2). */

import { forgetKey, type KeystoreEntry, type PrivateKey, unlockAnyKey } from "../../keystore/keystore.js";
import { findings, follow, outcomeFailure, SUBMITTED } from "../../wallet/actions/follow.js";
import type { ChainQuestions } from "../../wallet/actions/plan.js";
import { signWith as addSignatures, signatureBy } from "../../wallet/actions/sign.js";
import { isUnanswered, keepUnanswered } from "../../wallet/actions/unanswered.js";
import { type Labels, labelled } from "../../wallet/configuration/labels.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { broadcast } from "../../wallet/node/broadcast.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import type { TransactionStatus } from "../../wallet/node/wait.js";
import { type DeviceSigner, isDevice, type SigningKey } from "../../wallet/signers/signer.js";
import { type ActingResult, actingLines, actingResult } from "../../wallet/transaction/acting-result.js";
import { callMembers, type DescribedCall } from "../../wallet/transaction/described-call.js";
import type { TransactionEnvelope } from "../../wallet/transaction/envelope.js";
import { summaryOf } from "../../wallet/transaction/envelope-note.js";
import { withAdvice } from "../../wallet/transaction/refusal-advice.js";
import { parseDuration } from "../../wallet/values/duration.js";
import type { WaitFlags } from "../flags/acting-flags.js";
import type { PasswordFlags } from "../flags/flags.js";
import { agentSignature } from "../keys/agent-signature.js";
import { Devices, onDevice } from "../keys/devices.js";
import { withPassword } from "../keys/secrets.js";
import { asFailure, reportFailure } from "../output/failure-report.js";
import { printJson, printLine } from "../output/output.js";
import { withProgress } from "../progress/progress.js";
import { agree, type ConfirmationLevel, present } from "../prompt/confirmation.js";
import { canAsk } from "../prompt/controlling-terminal.js";
import { onInterrupt } from "../prompt/interrupt.js";
import { CoinCommand } from "./coin-command.js";

export abstract class SendingCommand extends CoinCommand {
	/** Keys that were opened, so that a stream of transactions asks for a password once. */
	private readonly opened = new Map<string, PrivateKey>();

	/** Devices that sign. */
	protected readonly devices = new Devices();

	/** The function that the present transaction calls. */
	protected call: DescribedCall | undefined;

	/** What people are shown beside addresses. */
	protected labels: Labels = new Map();

	/** Ids of transactions that a node took from this command. */
	protected readonly sentIds: string[] = [];

	/** Nothing of this input reached a node unless a step said so. */
	protected override explain(failure: Failure): Failure {
		const told = this.explainInput(failure);
		if (this.sentIds.length === 0 || told.facts.sent !== false) return told;
		// The same call would send again what it has sent already, whatever this input was refused for.
		const { length } = this.sentIds;
		const before = length === 1 ? "one transaction was" : `${length} transactions were`;
		return told.saying(`${told.message}; ${before} sent before`).with({
			sent: true,
			txID: told.facts.txID ?? (this.sentIds.at(-1) as string),
			retry: told.retry === "never" ? "never" : "changed",
			details: { ...told.facts.details, sentBefore: length },
			hint: told.facts.hint ?? "leave out what was sent when you try again",
		});
	}

	/** What one input of several is refused for, where the others go on: it was reported with them by themselves. */
	protected explainInput(failure: Failure): Failure {
		const advised = withAdvice(failure, undefined);
		const { sent, txID, hint } = advised.facts;
		if (sent === undefined) return advised.with({ sent: false });
		if (sent !== "unknown" || txID === undefined || hint?.includes(txID)) return advised;
		// A node that refuses has the bytes all the same.
		const wait = `coin tx wait ${txID} tells whether it was sent all the same`;
		return advised.with({ hint: hint === undefined ? wait : `${hint}; first, ${wait}` });
	}

	protected override async finally(error: Error | undefined): Promise<void> {
		for (const key of this.opened.values()) forgetKey(key);
		this.opened.clear();
		await this.devices.close();
		return super.finally(error);
	}

	/** The summary that was shown last. */
	protected shown: readonly string[] | undefined;

	/** Shows a summary, each once. */
	protected async show(summary: readonly string[]): Promise<void> {
		if (this.shown === summary) return;
		this.shown = summary;
		await present(summary);
	}

	/** Whether a person types the passwords of keys, and must see what they sign. */
	protected asksPassword(flags: PasswordFlags, settings: Settings): boolean {
		return this.passwordSource(flags, settings).file === undefined && canAsk();
	}

	/**
	 * Adds the signatures of keys; passwords are asked for here and no earlier.
	 * @param summary what a person sees before they type a password, or before a key signs that they have opened
	 */
	protected async signWith(
		envelope: TransactionEnvelope,
		keys: readonly SigningKey[],
		flags: PasswordFlags,
		settings: Settings,
		summary: readonly string[],
	): Promise<TransactionEnvelope> {
		if (canAsk() && (keys.some(isDevice) || this.asksPassword(flags, settings))) await this.show(summary);
		return await addSignatures(envelope, keys, async (signed, key) => {
			if (isDevice(key)) return await this.askDevice(signed, key);
			const byAgent = key.scheme ? undefined : await agentSignature(key, signed.transaction.id);
			if (!byAgent) return signatureBy(signed, await this.open(key, flags, settings));
			// No password is asked for here, so this is where it can be seen what is signed.
			this.note(`${key.name} signs (unlocked): ${summaryOf(signed, this.call)}`);
			return byAgent;
		});
	}

	/** The device asks its owner; here stands what they should read there. */
	private async askDevice(envelope: TransactionEnvelope, device: DeviceSigner): Promise<Uint8Array> {
		const { transaction } = envelope;
		const lines = [
			`${device.name} (${device.base58}) signs; compare on its screen:`,
			...device.shows(transaction),
		];
		if (canAsk()) await present(lines);
		else for (const line of lines) this.note(line);
		return await onDevice(this.chatty, () => device.signTransaction(transaction));
	}

	private async open(key: KeystoreEntry, flags: PasswordFlags, settings: Settings): Promise<PrivateKey> {
		const known = this.opened.get(key.base58);
		if (known) return known;
		const opened = await withPassword(this.passwordSource(flags, settings), key.name, (password) =>
			withProgress("opening the key", this.chatty, () => unlockAnyKey(key, password)),
		);
		this.opened.set(key.base58, opened);
		return opened;
	}

	/** Asks for agreement to send. @throws {Failure} `confirmation_needed`, `confirmation_refused` */
	protected async confirm(level: ConfirmationLevel, summary: readonly string[], yes: boolean): Promise<void> {
		if (await agree(level, summary, yes, "Send?")) this.shown = summary;
	}

	/**
	 * Broadcasts a transaction, follows it as far as asked, and prints the result.
	 * @param members further members of the result
	 * @param questions to the chain once the transaction is in a block, and once it is irreversible
	 * @returns the last known status
	 */
	protected async sendAndReport(
		client: NodeClient,
		envelope: TransactionEnvelope,
		flags: WaitFlags,
		members: object = {},
		questions: ChainQuestions = {},
	): Promise<TransactionStatus> {
		const timeoutMs = parseDuration(flags["wait-timeout"]);
		await questions.beforeSending?.(envelope);
		try {
			await this.broadcast(client, envelope);
		} catch (error) {
			if (isUnanswered(error)) await keepUnanswered(client.settings, envelope);
			if (error instanceof Failure && error.facts.sent !== false) await questions.afterSending?.(envelope);
			throw error;
		}
		await questions.afterSending?.(envelope);
		let status = SUBMITTED;
		const forget = onInterrupt(() => this.printActing(envelope, status, members));
		try {
			if (flags.wait || flags["wait-included"]) {
				status = await withProgress("waiting for a block", this.audience(flags), (progress) =>
					follow(client, envelope, {
						until: flags.wait ? "solid" : "included",
						timeoutMs,
						onStatus: (next, replaced) => {
							if (replaced) this.note("the block was replaced; waiting again");
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
			this.printActing(envelope, status, members);
			const txID = envelope.transaction.idHex;
			throw asFailure(error).with({ sent: true, txID, hint: `coin tx wait ${txID}` });
		} finally {
			forget();
		}
		const found = await findings(status, questions, (reason) =>
			this.warning(`the result is incomplete: ${reason}`),
		);
		this.printActing(envelope, status, { ...members, ...found });
		const { explorer } = client.settings;
		if (!this.json && explorer)
			printLine(`  page        ${explorer.replaceAll("{txID}", envelope.transaction.idHex)}`);
		const failure = outcomeFailure(envelope, status, found);
		if (failure) throw failure;
		if (status.state === "solid") await questions.afterwards?.();
		return status;
	}

	/** Whoever interrupts it before the node has answered is told which transaction may be on its way. */
	private async broadcast(client: NodeClient, { transaction }: TransactionEnvelope): Promise<void> {
		const txID = transaction.idHex;
		const forget = onInterrupt(() => {
			const message = "interrupted before the node answered: the transaction may be on its way";
			const facts = { sent: "unknown", txID, hint: `coin tx wait ${txID}` } as const;
			reportFailure(new Failure("interrupted", message, facts), this.json);
		});
		try {
			await broadcast(client, transaction);
			this.sentIds.push(txID);
		} finally {
			forget();
		}
	}

	protected printActing(envelope: TransactionEnvelope, status: TransactionStatus, members: object): void {
		const called = this.call ? { call: callMembers(this.call) } : {};
		const result: ActingResult = { ...actingResult(envelope, status), ...called, ...members };
		if (this.json) printJson(result);
		else for (const line of actingLines(envelope, result, this.call)) printLine(labelled(line, this.labels));
	}
}
