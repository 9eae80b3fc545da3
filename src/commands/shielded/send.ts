import { Flags } from "@oclif/core";
import { KeystoreError } from "../../keystore/keystore-error.js";
import { listShielded } from "../../keystore/shielded-keystore.js";
import { Account } from "../../protocol/messages.js";
import { ShieldedError } from "../../protocol/sapling/failure.js";
import { Bech32Error, readPaymentAddress } from "../../protocol/sapling/payment-address.js";
import type { Prover } from "../../protocol/sapling/prover.js";
import {
	type ActingFlags,
	actingFlags,
	decimalsFlags,
	feeLimitFlags,
	statedDecimals,
} from "../../terminal/flags/acting-flags.js";
import { required } from "../../terminal/flags/flags.js";
import { printJson, printJsonText, printLine } from "../../terminal/output/output.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { agree } from "../../terminal/prompt/confirmation.js";
import { canAsk } from "../../terminal/prompt/controlling-terminal.js";
import { act, actorOf, checkNodesWord } from "../../terminal/sending/act.js";
import { sending } from "../../terminal/sending/rows.js";
import { sendAndReport } from "../../terminal/sending/send.js";
import { confirm, isWatched, type Session, show } from "../../terminal/sending/session.js";
import { localProver, proverFlags } from "../../terminal/shielded/local-prover.js";
import {
	mannerOf,
	openPool,
	openShielded,
	poolFlags,
	poolOf,
	poolUnits,
	shieldedKeyFlags,
} from "../../terminal/shielded/shielded-query.js";
import type { Actor, TransactionPlan } from "../../wallet/actions/plan.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { fetchAccount, fetchGenesisId } from "../../wallet/node/chain-query.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import { provedHere } from "../../wallet/shielded/contract-payment.js";
import { nativeProvedHere } from "../../wallet/shielded/native-payment.js";
import { type PayRequest, type Provers, payPlan } from "../../wallet/shielded/pay.js";
import { type PaymentTarget, systemRandom } from "../../wallet/shielded/payment.js";
import { provedByNode } from "../../wallet/shielded/proved-by-node.js";
import { senderlessEnvelope } from "../../wallet/shielded/senderless.js";
import { amountOfToken } from "../../wallet/token/named-amount.js";
import { parseReference } from "../../wallet/transaction/build.js";
import { writeEnvelope } from "../../wallet/transaction/envelope.js";
import { noteFor, summaryLines } from "../../wallet/transaction/envelope-note.js";
import { parseExpiry } from "../../wallet/transaction/lifetime.js";
import { riskLine, riskOf, riskOfRecipient } from "../../wallet/transaction/risks.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { memoBytes } from "../../wallet/values/bytes-text.js";
import { parseNatural } from "../../wallet/values/integer-text.js";

const { ref: _ref, offline: _offline, memo: _memo, ...onlineFlags } = actingFlags;

const BY_NODE =
	"the node that makes the proofs is told the viewing key, the notes, the amounts and the recipients: it can watch this key from now on, but spend nothing";

export const ShieldedSend = sending({
	outputKind: "acts",
	summary: "Pay with notes, or into notes",
	description:
		"To a shielded address: a transfer of notes, which shows neither amount nor parties; with --mint the amount comes out of " +
		"the acting account's public balance, and is public. To an account: notes are burnt, and amount and recipient are " +
		"public. The proofs are made on this machine, which takes some seconds, and no key leaves it. Where the notes lie in a " +
		"contract, the acting account calls it and pays the energy, and everybody sees that it does.",
	examples: [
		"<%= config.bin %> shielded send ann 25 --mint --contract shield --from bob --wait",
		"<%= config.bin %> shielded send zcoin1... 10 --contract shield --memo rent",
		"<%= config.bin %> shielded send bob 5 --contract shield --dry-run",
	],
	args: {
		to: required("shielded address, label of a key, or account"),
		amount: required("in the token's decimals, as 5@<token> too, in smallest units as <n>raw, or max"),
	},
	flags: {
		...onlineFlags,
		...feeLimitFlags,
		...decimalsFlags,
		...shieldedKeyFlags,
		...poolFlags,
		...proverFlags,
		mint: Flags.boolean({
			description: "take the amount out of the acting account's public balance",
			helpGroup: "SHIELDED",
		}),
		memo: Flags.string({
			description: "for the recipient of the note alone: text, or bytes as 0x…, at most 512 bytes",
			helpValue: "<text>",
			helpGroup: "SHIELDED",
		}),
		"public-memo": Flags.string({
			description: "memo of the transaction, which everybody reads",
			helpValue: "<text>",
			helpGroup: "TRANSACTION",
		}),
		fee: Flags.string({
			description:
				"fee of the chain's own pool, in smallest units of its token (default: what the chain takes)",
			helpValue: "<n>",
			helpGroup: "SHIELDED",
			exclusive: ["contract"],
		}),
		"prove-on-node": Flags.boolean({
			description:
				"let the node make the proofs: it is told the viewing key and everything about the payment",
			helpGroup: "SHIELDED",
			dependsOn: ["contract"],
		}),
	},
	run: async ({ args, flags, session }) => {
		const acting: ActingFlags = { ...flags, memo: flags["public-memo"], ref: undefined, offline: false };
		const settings = await session.settings();
		const target = await targetNamed(settings, args.to);
		const client = new NodeClient(settings);
		const manner = mannerOf(session, settings);
		const open =
			flags.mint && flags.key === undefined ? undefined : await openShielded(settings, flags, manner);
		const own = open && (await openPool(client, open, flags, manner));
		const pool = own?.pool ?? (await poolOf(client, flags));
		// Notes of the chain's own pool pay for themselves: there is no acting account.
		const isSenderless = pool.kind === "native" && !flags.mint;
		const actor = isSenderless ? withoutAccount(settings, client) : await actorOf(session, acting);
		if (flags["prove-on-node"]) session.warning(BY_NODE);
		const units = await poolUnits(client, pool, flags);
		const amount = await amountOfToken(settings, client, units.token ?? "", args.amount);
		const request: PayRequest = {
			pool,
			target,
			amount,
			memo: memoBytes(flags.memo),
			mint: flags.mint,
			keys: open?.keys,
			keyName: open?.entry.name,
			fee: flags.fee === undefined ? undefined : parseNatural(flags.fee),
			creates: await hasToBeCreated(client, target),
		};
		const nodesWord = units.nodesWord(amount, statedDecimals(flags));
		checkNodesWord(acting, { nodesWord, takesDecimals: true });
		await checkAgreeable(flags, args, target);
		const prover = flags["prove-on-node"] ? undefined : await localProver(client, flags);
		try {
			const paid = await payPlan(actor, request, {
				units,
				provers: prover ? ownProvers(session, prover) : nodeProvers(client),
				scan: own && (() => own.scan()),
				store: own?.store,
				feeLimit: flags["fee-limit"],
				force: flags.force,
				onWarning: session.warning,
			});
			const plan = { ...paid, nodesWord, takesDecimals: true };
			if (isSenderless) await actWithoutSender(session, client, acting, plan);
			else await act(session, actor, acting, plan);
		} finally {
			await prover?.close();
		}
	},
});

/** Rejects what can't be confirmed before making the proofs. @throws {Failure} `confirmation_needed` */
async function checkAgreeable(
	flags: Pick<ActingFlags, "build" | "dry-run" | "sign" | "yes">,
	{ to, amount }: { readonly to: string; readonly amount: string },
	target: PaymentTarget,
): Promise<void> {
	const risk = target.kind === "account" ? riskOfRecipient(target.account) : undefined;
	if (risk === undefined || flags.build || flags["dry-run"] || flags.sign || canAsk()) return;
	await agree(2, [`payment of ${amount} to ${to}`], flags.yes, "Send?", risk);
}

function nodeProvers(client: NodeClient): Provers {
	return {
		contract: provedByNode(client, systemRandom),
		native: async () => {
			throw new Failure("conflicting_flags", "--prove-on-node goes with --contract");
		},
	};
}

/** Makes proofs in this program, and shows progress. */
function ownProvers(session: Session, prover: Prover): Provers {
	const shown = <T>(work: (tools: Parameters<typeof provedHere>[0]) => Promise<T>): Promise<T> =>
		withProgress("making the proofs", session.audience(), (progress) => {
			const onProgress = ({ stage, share }: { readonly stage: string; readonly share: number }): void =>
				progress.update(`${STAGES[stage] ?? stage}: ${Math.floor(share * 100)} %`);
			return work({ prover, random: systemRandom, options: { onProgress } });
		});
	return {
		contract: (plan) => shown((tools) => provedHere(tools)(plan)),
		native: (payment, header, pool) => shown((tools) => nativeProvedHere(tools)(payment, header, pool)),
	};
}

/** Sends a transaction without signatures: its proofs authorize it. */
async function actWithoutSender(
	session: Session,
	client: NodeClient,
	flags: ActingFlags,
	plan: TransactionPlan,
): Promise<void> {
	const { expires, "ref-block": reference } = flags;
	const envelope = await senderlessEnvelope(client, plan, {
		memo: memoBytes(flags.memo),
		expiry: expires === undefined ? undefined : parseExpiry(expires),
		reference: reference === undefined ? undefined : parseReference(reference),
	});
	const facts = { chain: await fetchGenesisId(client), permission: undefined, approval: undefined };
	const risk = riskOf(envelope.transaction);
	const summary = [
		...summaryLines(envelope, facts),
		...(plan.details ?? []),
		...(risk ? [riskLine(risk)] : []),
	];
	if (flags["dry-run"]) {
		if (session.json)
			printJson({
				txID: envelope.transaction.idHex,
				type: envelope.type.name,
				sent: false,
				...plan.result,
			});
		else for (const line of [...summary, "  not sent (--dry-run)"]) printLine(line);
		return;
	}
	if (flags.build || flags.sign) return printJsonText(writeEnvelope(envelope, noteFor(envelope, facts)));
	const isUnsure = (plan.nodesWord ?? []).length > 0 && !flags["trust-node"];
	const level = risk ? 2 : client.settings.confirm || isUnsure ? 1 : 0;
	await confirm(session, level, summary, flags.yes, risk);
	if (isWatched(session)) await show(session, summary);
	const presentation = { call: undefined, labels: new Map() };
	await sendAndReport(session, client, envelope, flags, presentation, plan.result, plan);
}

const STAGES: Readonly<Record<string, string>> = {
	queued: "waiting for other proofs",
	parameters: "preparing the parameters of the proofs",
	proving: "making the proofs",
};

/** There is no acting account if notes of the chain's own pool pay. */
function withoutAccount(settings: Settings, client: NodeClient): Actor {
	return { settings, client, owner: new Uint8Array(0), account: Account.create() };
}

async function hasToBeCreated(client: NodeClient, target: PaymentTarget): Promise<boolean> {
	return target.kind === "account" && (await fetchAccount(client, target.account)) === undefined;
}

/**
 * A recipient: a shielded address in either spelling, the label of a shielded key, or an account.
 * @throws {Failure | KeystoreError} `bad_address`, `ambiguous`, `wallet_not_found`
 */
async function targetNamed(settings: Settings, text: string): Promise<PaymentTarget> {
	if (/^z[a-z]+1/i.test(text) && text.length > 60) return { kind: "shielded", address: addressIn(text) };
	const { entries } = await listShielded(settings.keystoreDirectory);
	const entry = entries.find(({ name }) => name === text);
	const account = await accountNamed(settings, text).catch((error: unknown) => {
		const isMissing =
			(error instanceof Failure || error instanceof KeystoreError) && error.code === "wallet_not_found";
		if (entry && isMissing) return undefined;
		throw error;
	});
	if (entry && account)
		throw new Failure("ambiguous", `"${text}" is the label of a shielded key and of an account`, {
			hint: "use the address",
		});
	if (entry) return { kind: "shielded", address: addressIn(entry.address) };
	return { kind: "account", account: account as Uint8Array };
}

function addressIn(text: string): ReturnType<typeof readPaymentAddress> {
	try {
		return readPaymentAddress(text);
	} catch (error) {
		if (!(error instanceof Bech32Error) && !(error instanceof ShieldedError)) throw error;
		throw new Failure("bad_address", `"${text}" is not a shielded address: a letter may be wrong`);
	}
}
