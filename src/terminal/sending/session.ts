/**
 * The state of one run of a command that signs or sends: unlocked keys, devices, and what was sent so far; and the steps on the
 * way to a node: showing, confirming, signing, and reporting with a failure whether something was sent
 * (protocol/command-line §§3.2 to 4.2).
 */

import { type KeystoreEntry, unlockAnyKey } from "../../keystore/keystore.js";
import { forgetKey, type PrivateKey } from "../../keystore/private-key.js";
import type { Account } from "../../protocol/messages.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import { signWith as addSignatures, signatureBy } from "../../wallet/actions/sign.js";
import type { Labels } from "../../wallet/configuration/labels.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import type { Failure } from "../../wallet/failure.js";
import { type DeviceSigner, isDevice, type SigningKey } from "../../wallet/signers/signer.js";
import type { ActingResult } from "../../wallet/transaction/acting-result.js";
import type { DescribedCall } from "../../wallet/transaction/described-call.js";
import type { TransactionEnvelope } from "../../wallet/transaction/envelope.js";
import { summaryOf } from "../../wallet/transaction/envelope-note.js";
import type { Reference } from "../../wallet/transaction/reference.js";
import { withAdvice } from "../../wallet/transaction/refusal-advice.js";
import type { Terminal } from "../base/command-row.js";
import { anyAgentSignature } from "../keys/agent-signature.js";
import { AT_SIGNER, Devices, onDevice } from "../keys/devices.js";
import { openedKey } from "../keys/secrets.js";
import { agree, type ConfirmationLevel, present } from "../prompt/confirmation.js";
import { canAsk } from "../prompt/controlling-terminal.js";

export interface Session extends Terminal {
	/** Unlocked keys, so that the password is requested only once for a stream of transactions. */
	readonly opened: Map<string, PrivateKey>;
	readonly devices: Devices;
	/** Ids of transactions that a node accepted from this command. */
	readonly sentIds: string[];
	/** Whether a transaction that the node already has counts as sent, as when sending several signed ones. */
	takesDuplicates: boolean;
	/** The reference given by `--ref`. */
	readonly reference: Reference | undefined;
	/** The acting account, once fetched from a node. */
	acting: Readonly<Account> | undefined;
	/** Schemes of the post-quantum keys that sign, once known; followed by whether the chain accepts them. */
	schemes: Promise<readonly PostQuantumScheme[]> | undefined;
	areSchemesTaken: boolean;
	/** Receives the outcome of a transaction, which is otherwise printed. */
	readonly onResult?: ((result: ActingResult) => void) | undefined;
	/** The summary that was shown last. */
	shown: readonly string[] | undefined;
}

/** How a transaction is shown to people. */
export interface Presentation {
	readonly summary: readonly string[];
	/** The decoded call. */
	readonly call: DescribedCall | undefined;
	/** Labels shown beside addresses. */
	readonly labels: Labels;
}

export function openSession(terminal: Terminal, reference: Reference | undefined): Session {
	return {
		...terminal,
		reference,
		opened: new Map(),
		devices: new Devices(),
		sentIds: [],
		takesDuplicates: false,
		acting: undefined,
		schemes: undefined,
		areSchemesTaken: false,
		shown: undefined,
	};
}

export async function closeSession({ opened, devices }: Session): Promise<void> {
	for (const key of opened.values()) forgetKey(key);
	opened.clear();
	await devices.close();
}

/** Completes a failure of the command: nothing of this input reached a node unless a step said so. */
export function explained({ sentIds, acting }: Session, failure: Failure): Failure {
	const advised = explainedInput(withAdvice(failure, acting));
	const { txID, details, hint, sent } = advised.facts;
	const others = sentIds.filter((id) => id !== txID);
	if (others.length === 0) return advised;
	// Repeating the call would send earlier inputs again, whatever the reason for this failure.
	const { length } = others;
	const before = length === 1 ? "one transaction was" : `${length} transactions were`;
	const told = advised.saying(`${advised.message}; ${before} sent before`).with({
		details: { ...details, ...(txID ? { txID } : {}), sentBefore: length, sentIds: others },
		hint: hint ?? "leave out what was sent when you try again",
	});
	if (sent !== false) return told;
	const retry = advised.retry === "never" ? "never" : "changed";
	return told.with({ sent: true, txID: others.at(-1) as string, retry });
}

/** Completes the failure of one of several inputs, if the others continue and are reported separately. */
export function explainedInput(failure: Failure): Failure {
	const advised = withAdvice(failure, undefined);
	const { sent, txID, hint } = advised.facts;
	if (sent === undefined) return advised.with({ sent: false });
	if (sent !== "unknown" || txID === undefined || hint?.includes(txID)) return advised;
	// A node that refuses the transaction still has its bytes.
	const wait = `coin tx wait ${txID} tells whether it was sent all the same`;
	return advised.with({ hint: hint === undefined ? wait : `${hint}; first, ${wait}` });
}

/** Whether a person is watching the steps. */
export function isWatched({ chatty }: Terminal): boolean {
	return chatty && process.stderr.isTTY === true;
}

/** Shows a summary, unless it was the last one shown. */
export async function show(session: Session, summary: readonly string[]): Promise<void> {
	if (session.shown === summary) return;
	session.shown = summary;
	await present(summary);
}

/** Asks for confirmation before sending. @param why as for {@link agree} @throws {Failure} `confirmation_needed`, `confirmation_refused` */
export async function confirm(
	session: Session,
	level: ConfirmationLevel,
	summary: readonly string[],
	yes: boolean,
	why?: string,
): Promise<void> {
	if (await agree(level, summary, yes, "Send?", why)) session.shown = summary;
}

/** Whether the user will type passwords, and so must see what is signed. */
export function asksPassword(session: Session, settings: Settings): boolean {
	return session.passwordSource(settings).file === undefined && canAsk();
}

/**
 * Adds the signatures of keys; passwords are requested here and no earlier.
 * @param presentation what the user sees before typing a password, or before an unlocked key signs
 */
export async function signEnvelope(
	session: Session,
	envelope: TransactionEnvelope,
	keys: readonly SigningKey[],
	settings: Settings,
	{ summary, call }: Presentation,
): Promise<TransactionEnvelope> {
	const isHere = keys.some((key) => !isDevice(key) && !key.signer);
	if (canAsk() && (keys.some(isDevice) || (isHere && asksPassword(session, settings))))
		await show(session, summary);
	return await addSignatures(envelope, keys, async (signed, key) => {
		if (isDevice(key)) return await askDevice(session, signed, key);
		if (key.signer) {
			const { signatureOfSigner } = await import("../../wallet/signers/remote.js");
			const ask = () => signatureOfSigner(key, signed.transaction);
			const signature = await onDevice(session.chatty, ask, AT_SIGNER);
			session.note(`${key.name} signs (at its signer): ${summaryOf(signed, call)}`);
			return signature;
		}
		const byAgent = await anyAgentSignature(key, signed.transaction.id);
		if (!byAgent) return signatureBy(signed, await openKey(session, key, settings));
		// No password prompt shows what is signed, so it is printed here.
		session.note(`${key.name} signs (unlocked): ${summaryOf(signed, call)}`);
		return byAgent;
	});
}

/** Asks the device to sign, and shows what the user should read on its screen. */
async function askDevice(
	{ note, chatty }: Session,
	{ transaction }: TransactionEnvelope,
	device: DeviceSigner,
): Promise<Uint8Array> {
	const lines = [
		`${device.name} (${device.base58}) signs; compare on its screen:`,
		...device.shows(transaction),
	];
	if (canAsk()) await present(lines);
	else for (const line of lines) note(line);
	return await onDevice(chatty, () => device.signTransaction(transaction));
}

async function openKey(session: Session, key: KeystoreEntry, settings: Settings): Promise<PrivateKey> {
	const known = session.opened.get(key.base58);
	if (known) return known;
	const opened = await openedKey(session.passwordSource(settings), session.chatty, key, unlockAnyKey);
	session.opened.set(key.base58, opened);
	return opened;
}
