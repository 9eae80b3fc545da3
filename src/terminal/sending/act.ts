/** Carries out one transaction of a command from its plan: build, check, confirm, sign, send; or stops after one of these steps. */

import { listKeystore } from "../../keystore/keystore.js";
import { KeystoreError } from "../../keystore/keystore-error.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import type { Permission } from "../../protocol/messages.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import { FIRST_PAYMENT_LINE } from "../../wallet/actions/first-payment.js";
import type { Actor, TransactionPlan } from "../../wallet/actions/plan.js";
import {
	checkThreshold,
	estimateCost,
	type PreparedCost,
	type PreparedTransaction,
	prepare,
} from "../../wallet/actions/prepare.js";
import { failureOf, type SimulatedOutcome, simulate } from "../../wallet/actions/simulate.js";
import { unansweredOf } from "../../wallet/actions/unanswered.js";
import { labelled, readLabels } from "../../wallet/configuration/labels.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { fetchAccount, fetchGenesisId, fetchHead } from "../../wallet/node/chain-query.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import { checkSchemes } from "../../wallet/node/post-quantum.js";
import type { TransactionState } from "../../wallet/node/wait.js";
import { accountOrFresh } from "../../wallet/permission/authority.js";
import { leastSignatures, weigh } from "../../wallet/permission/permission.js";
import { namesDevice, type SigningKey } from "../../wallet/signers/signer.js";
import { parseReference } from "../../wallet/transaction/build.js";
import { callMembers, describedCall } from "../../wallet/transaction/described-call.js";
import { ownerText, type TransactionEnvelope, writeEnvelope } from "../../wallet/transaction/envelope.js";
import { type EnvelopeFacts, noteFor, summaryLines } from "../../wallet/transaction/envelope-note.js";
import { actsUnsigned, UNSIGNED_LINE } from "../../wallet/transaction/impersonation.js";
import { parseExpiry } from "../../wallet/transaction/lifetime.js";
import { coinsOf } from "../../wallet/transaction/moved-coins.js";
import { riskLine, riskOf } from "../../wallet/transaction/risks.js";
import { accountNamed, activeAccount, signableKey } from "../../wallet/transaction/signing.js";
import { costLines } from "../../wallet/transaction/transaction-cost.js";
import { readAddress } from "../../wallet/values/address-text.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { memoBytes } from "../../wallet/values/bytes-text.js";
import type { ActingFlags } from "../flags/acting-flags.js";
import { oneByOne } from "../keys/devices.js";
import { printJson, printJsonText, printLine } from "../output/output.js";
import { amountReason, type ConfirmationLevel, higher, levelOfAmount } from "../prompt/confirmation.js";
import { canAsk } from "../prompt/controlling-terminal.js";
import { sendAndReport } from "./send.js";
import {
	asksPassword,
	confirm,
	isWatched,
	type Presentation,
	type Session,
	show,
	signEnvelope,
} from "./session.js";

/** The plan of a command's transaction, with what it requires from the user at the terminal. */
export interface ActingPlan extends TransactionPlan {
	/** Level that this kind of contract requires by itself. */
	readonly confirmation?: ConfirmationLevel;
	/** Asks for confirmation in place of the general prompt. */
	readonly agree?: (summary: readonly string[]) => Promise<void>;
	/** Whether the command's `--decimals` applies to its token. */
	readonly takesDecimals?: boolean;
	/** Whether it was already confirmed as one of several. */
	readonly isAgreed?: boolean;
	/** Adds what the command knows about a failure of this plan. */
	readonly explain?: (failure: Failure) => Failure | Promise<Failure>;
}

/** No keys, because none are needed. */
const UNSIGNED: readonly SigningKey[] = [];

/** Status of a transaction whose response was lost, for people. */
const STATES: Partial<Record<TransactionState, string>> = {
	submitted: "may still be carried out",
	failed: "is in a block and failed",
	expired: "has expired and is in no block, as this node says; it was sent to another",
};

/** The confirmation level of a plan. */
function levelOf(plan: ActingPlan, flags: ActingFlags, settings: Settings): ConfirmationLevel {
	const isUnsure = (plan.nodesWord ?? []).length > 0 && !flags["trust-node"];
	const isDoubtful = isUnsure || plan.doubt !== undefined;
	const own = riskOf(plan) ? 2 : higher(plan.confirmation ?? 0, isDoubtful ? 1 : 0);
	return higher(own, levelOfAmount(coinsOf(plan), settings));
}

/** Determines node and acting account. */
export async function actorOf(session: Session, flags: ActingFlags): Promise<Actor> {
	if (flags.offline && !flags.build && !flags.sign) {
		const flag = flags.ref === undefined ? "--offline" : "--ref";
		throw new Failure("conflicting_flags", `${flag} goes with --build or --sign`);
	}
	const settings = await session.settings(flags);
	const client = new NodeClient(settings);
	const owner = await ownerOf(session, settings, flags);
	const stored = flags.offline ? undefined : await fetchAccount(client, owner);
	const account = accountOrFresh(stored, owner);
	if (stored) session.acting = account;
	return { settings, client, owner, account };
}

/** The acting account; if none is given or configured, that of the signing device. */
async function ownerOf(
	{ devices }: Session,
	settings: Settings,
	{ from, signer = [] }: ActingFlags,
): Promise<Uint8Array> {
	if (from !== undefined)
		return namesDevice(from) ? (await devices.open(settings, from)).address : accountNamed(settings, from);
	const [only, second] = signer;
	if (only !== undefined && second === undefined && settings.wallet === undefined && namesDevice(only))
		return (await devices.open(settings, only)).address;
	return activeAccount(settings);
}

/** Carries out a plan as far as the flags say. */
export async function act(
	session: Session,
	actor: Actor,
	flags: ActingFlags,
	plan: ActingPlan,
): Promise<void> {
	try {
		await carryOut(session, actor, flags, plan);
	} catch (error) {
		throw error instanceof Failure && plan.explain ? await plan.explain(error) : error;
	}
}

async function carryOut(session: Session, actor: Actor, flags: ActingFlags, plan: ActingPlan): Promise<void> {
	const { settings, client } = actor;
	const { keys, prepared } = await built(session, actor, flags, plan);
	const isUnsigned = keys === UNSIGNED;
	const { envelope, permission, approval } = prepared;
	const level = plan.isAgreed ? 0 : levelOf(plan, flags, settings);
	const isShown = needsSummary(session, plan.agree ? 2 : level, flags, settings, plan.isAgreed);
	const call = await describedCall(envelope.transaction.parameter, {
		client: flags.offline ? undefined : client,
		contactsFile: settings.contactsFile,
		given: plan.interface,
		withoutAmount: !isShown,
	});
	const facts = { ...(await factsOf(session, flags, client, envelope, permission)), call };
	for (const { message } of plan.warnings ?? []) session.warning(message);
	const cost = isShown
		? await estimateCost(actor, plan, prepared, keys.length, await schemesOf(session, actor, flags))
		: undefined;
	const chainMs = isShown ? (await fetchHead(client)).timestampMs : undefined;
	const isFirst = isShown ? await plan.isFirstPayment?.() : undefined;
	const labels = await readLabels(settings);
	const risk = riskOf(plan);
	const general = summaryLines(envelope, { ...facts, approval, chainMs });
	const summary = [
		...general,
		// A payment of a token and the call that makes it have the same amount.
		...(plan.details ?? []).filter((line) => !general.includes(line)),
		...(isFirst ? [FIRST_PAYMENT_LINE] : []),
		...(risk ? [riskLine(risk)] : []),
		...(plan.doubt ? [riskLine(plan.doubt)] : []),
		...(isUnsigned ? [UNSIGNED_LINE] : []),
		...(cost ? costLines(cost, cost.shortfallSun) : []),
	].map((line) => labelled(line, labels));
	const presentation: Presentation = { summary, call, labels };

	const stops = flags.build || flags.sign || flags["dry-run"];
	if (!stops && !plan.isAgreed) await warnOfUnanswered(session, actor, presentation);
	const own = { ...plan.result, ...plan.resultOf?.(envelope) };
	if (flags["dry-run"]) {
		const schemes = await schemesOf(session, actor, flags);
		const simulation = await simulate(
			client,
			envelope,
			leastSignatures(permission),
			plan.readReceipt,
			schemes,
		);
		const lines = simulation ? await outcomeLines(session, client, simulation, presentation) : [];
		const members = { firstPayment: isFirst, ...own, warnings: warningsOf(plan) };
		const outcome = { cost, simulation, members };
		return printPlan(session, envelope, facts, [...summary, ...lines], outcome);
	}
	if (plan.isAgreed) session.shown = summary;
	if (plan.agree) await plan.agree(summary);
	if (flags.build) {
		await plan.beforeSending?.(envelope);
		return await printEnvelope(session, envelope, facts, summary);
	}
	if (!flags.sign && !isUnsigned) checkThreshold(prepared);
	const why = risk ?? amountReason(coinsOf(plan), settings);
	if (!plan.agree) await confirm(session, level, summary, flags.yes, why);
	if (isWatched(session) && (flags.yes || (level === 0 && !plan.agree))) await show(session, summary);
	const signed = await signEnvelope(session, envelope, keys, settings, presentation);
	if (flags.sign) {
		const reached = permission && weigh(permission, signed.signers);
		await plan.beforeSending?.(signed);
		return await printEnvelope(session, signed, { ...facts, approval: reached }, summary);
	}
	const warnings = warningsOf(plan);
	const members = { ...own, ...(isUnsigned ? { unsigned: true } : {}), ...(warnings ? { warnings } : {}) };
	await sendAndReport(session, client, signed, flags, presentation, members, plan);
}

function warningsOf({ warnings = [], doubt }: ActingPlan): ActingPlan["warnings"] | undefined {
	const all = [...warnings, ...(doubt === undefined ? [] : [{ code: "look_twice", message: doubt }])];
	return all.length > 0 ? all : undefined;
}

/** Does what {@link act} does before confirmation, for one of several transactions that must all pass before the first is signed. */
export async function check(
	session: Session,
	actor: Actor,
	flags: ActingFlags,
	plan: ActingPlan,
): Promise<TransactionEnvelope> {
	const { keys, prepared } = await built(session, actor, flags, plan);
	const stops = flags.build || flags["dry-run"] || flags.sign || keys === UNSIGNED;
	if (!stops) checkThreshold(prepared);
	return prepared.envelope;
}

/** Builds and checks a transaction, for the keys that would sign. */
async function built(
	session: Session,
	actor: Actor,
	flags: ActingFlags,
	plan: ActingPlan,
): Promise<{ readonly keys: readonly SigningKey[]; readonly prepared: PreparedTransaction }> {
	checkNodesWord(flags, plan);
	const keys = flags.build || flags["dry-run"] ? [] : await signersOf(session, actor, flags);
	if (!flags.build && !flags.offline && !session.areSchemesTaken) {
		await checkSchemes(actor.client, await schemesOf(session, actor, flags));
		session.areSchemesTaken = true;
	}
	const { memo, permission, expires, "ref-block": reference } = flags;
	const prepared = await prepare(actor, plan, {
		keys,
		permission,
		memo: memoBytes(memo),
		expiry: expires === undefined ? undefined : parseExpiry(expires),
		reference: reference === undefined ? undefined : parseReference(reference),
		offline: flags.offline,
		travels: flags.build || flags.sign,
	});
	return { keys, prepared };
}

/** @throws {Failure} `confirmation_needed` if nobody reviews an amount that depends on the node's claims about a token */
export function checkNodesWord(
	flags: ActingFlags,
	{ nodesWord = [], takesDecimals }: Pick<ActingPlan, "nodesWord" | "takesDecimals">,
): void {
	const isSigned = !flags.build && !flags["dry-run"];
	if (!isSigned || nodesWord.length === 0 || flags["trust-node"] || (canAsk() && !flags.yes)) return;
	const said = nodesWord.map(
		({ token, decimals, text, units }) =>
			`that the token ${token} has ${decimals} decimals, by which ${text} is ${units}raw`,
	);
	const raw = nodesWord.map(({ units }) => `${units}raw`).join(", ");
	// One flag says the decimals of all tokens of a command.
	const [stated, ...others] = new Set(nodesWord.map(({ decimals }) => decimals));
	const decimals =
		takesDecimals && others.length === 0 ? `say the decimals too (--decimals ${stated}), ` : "";
	throw new Failure("confirmation_needed", `only the node says ${said.join(" and ")}`, {
		sent: false,
		hint: `--yes isn't enough: ${decimals}give smallest units (${raw}), or add --trust-node`,
	});
}

/** Keys that sign; {@link UNSIGNED} for an account that is impersonated on a development chain and whose key isn't here. */
async function signersOf(
	{ devices }: Session,
	{ settings, client, owner }: Actor,
	flags: ActingFlags,
): Promise<readonly SigningKey[]> {
	const device = flags.from !== undefined && namesDevice(flags.from) ? [flags.from] : [];
	const names = flags.signer ?? device;
	if (names.length > 0) return oneByOne(names, (name) => devices.keyNamed(settings, name));
	try {
		return [await signableKey(settings, toHex(owner))];
	} catch (error) {
		const isMissing = error instanceof KeystoreError && /^(wallet_not_found|watch_only)$/.test(error.code);
		if (isMissing && !flags.sign && !flags.offline && (await actsUnsigned(client, owner))) return UNSIGNED;
		throw error;
	}
}

/** Schemes of the post-quantum keystore keys among those that sign, or would sign. */
export function schemesOf(
	session: Session,
	{ settings, owner }: Actor,
	{ signer = [] }: ActingFlags,
): Promise<readonly PostQuantumScheme[]> {
	session.schemes ??= listKeystore(settings.keystoreDirectory).then(({ entries }) => {
		const addresses = signer.length === 0 ? [owner] : signer.flatMap((name) => readAddress(name) ?? []);
		const signs = ({ name, address }: (typeof entries)[number]): boolean =>
			signer.includes(name) || addresses.some((known) => equalBytes(known, address));
		return entries.filter(signs).flatMap(({ scheme }) => scheme ?? []);
	});
	return session.schemes;
}

/** Warns about an earlier transaction whose response was lost, in case the user is repeating it. */
async function warnOfUnanswered(
	session: Session,
	{ client, owner }: Actor,
	{ labels }: Presentation,
): Promise<void> {
	for (const { txID, summary, state } of await unansweredOf(client, ownerText(owner), BigInt(Date.now()))) {
		const what = `an earlier transaction of this account, whose answer was lost, ${STATES[state] ?? "is in a block"}`;
		session.warning(`${what}: ${labelled(summary, labels)}; coin tx wait ${txID} tells more`);
	}
}

/** Lines about a simulation for people; the modules for formatting token amounts are only loaded then. */
async function outcomeLines(
	{ json }: Session,
	client: NodeClient,
	simulated: SimulatedOutcome,
	{ labels }: Presentation,
): Promise<readonly string[]> {
	if (json) return [];
	const { simulationLines } = await import("../../wallet/view/simulation-view.js");
	return (await simulationLines(client, simulated)).map((line) => labelled(line, labels));
}

/** Whether a summary is needed: if a person is watching, for a prompt, or for a dry run. */
function needsSummary(
	session: Session,
	level: ConfirmationLevel,
	flags: ActingFlags,
	settings: Settings,
	isAgreed = false,
): boolean {
	if (flags.offline || isAgreed) return flags["dry-run"] && !flags.offline;
	const signs = !flags.build && asksPassword(session, settings);
	return flags["dry-run"] || level > 0 || isWatched(session) || signs;
}

/** An envelope that is passed on includes its chain and permission; a transaction that is sent at once needs neither. */
async function factsOf(
	{ reference }: Session,
	flags: ActingFlags,
	client: NodeClient,
	envelope: TransactionEnvelope,
	permission: Readonly<Permission> | undefined,
): Promise<EnvelopeFacts> {
	const travels = (flags.build || flags.sign) && !flags.offline;
	return {
		chain: travels ? await fetchGenesisId(client) : reference?.chain,
		permission,
		approval: permission && weigh(permission, envelope.signers),
	};
}

async function printEnvelope(
	session: Session,
	envelope: TransactionEnvelope,
	facts: EnvelopeFacts,
	summary: readonly string[],
): Promise<void> {
	if (isWatched(session)) await show(session, summary);
	printJsonText(writeEnvelope(envelope, noteFor(envelope, facts)));
}

function printPlan(
	{ json }: Session,
	envelope: TransactionEnvelope,
	facts: EnvelopeFacts,
	summary: readonly string[],
	outcome: {
		readonly cost: PreparedCost | undefined;
		readonly simulation: SimulatedOutcome | undefined;
		readonly members: object;
	},
): void {
	const { cost, simulation, members } = outcome;
	if (cost && cost.shortfallSun > 0n) {
		throw new Failure(
			"insufficient_funds",
			`amount and fees are ${formatCoin(cost.shortfallSun)} more than the account has`,
			{ details: { ...cost } },
		);
	}
	if (json) {
		const note = noteFor(envelope, facts);
		printJson({
			txID: envelope.transaction.idHex,
			type: envelope.type.name,
			from: note["account"],
			summary: note["summary"],
			call: facts.call ? callMembers(facts.call) : undefined,
			permission: envelope.permissionId,
			threshold: facts.permission?.threshold,
			expiration: envelope.transaction.raw?.expiration,
			size: envelope.transaction.size,
			cost,
			simulation,
			sent: false,
			...members,
		});
	} else {
		for (const line of summary) printLine(line);
		printLine("  not signed, not sent (--dry-run)");
	}
	const failure = simulation && failureOf(simulation);
	if (failure) throw failure;
}
