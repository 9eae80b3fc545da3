/** The base of commands that make a transaction: build, check, confirm, sign, send; or stop after one of these steps. */

import { readFile } from "node:fs/promises";
import type { Interfaces } from "@oclif/core";
import { listKeystore } from "../../keystore/keystore.js";
import { KeystoreError } from "../../keystore/keystore-error.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import type { Account, Permission } from "../../protocol/messages.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import type { Actor, TransactionPlan } from "../../wallet/actions/plan.js";
import {
	checkThreshold,
	estimateCost,
	type PreparedCost,
	type PreparedTransaction,
	type PrepareOptions,
	prepare,
} from "../../wallet/actions/prepare.js";
import { failureOf, type SimulatedOutcome, simulate } from "../../wallet/actions/simulate.js";
import { unansweredOf } from "../../wallet/actions/unanswered.js";
import { labelled, readLabels } from "../../wallet/configuration/labels.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { accountOf, genesisId, headBlock } from "../../wallet/node/chain-query.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import { checkSchemes } from "../../wallet/node/post-quantum.js";
import type { TransactionState } from "../../wallet/node/wait.js";
import { accountOrFresh } from "../../wallet/permission/authority.js";
import { leastSignatures, weigh } from "../../wallet/permission/permission.js";
import { namesDevice } from "../../wallet/signers/device-name.js";
import type { SigningKey } from "../../wallet/signers/signer.js";
import { parseReference } from "../../wallet/transaction/build.js";
import { callMembers, describedCall } from "../../wallet/transaction/described-call.js";
import { ownerText, type TransactionEnvelope, writeEnvelope } from "../../wallet/transaction/envelope.js";
import { type EnvelopeFacts, noteFor, summaryLines } from "../../wallet/transaction/envelope-note.js";
import { actsUnsigned, UNSIGNED_LINE } from "../../wallet/transaction/impersonation.js";
import { parseExpiry } from "../../wallet/transaction/lifetime.js";
import { coinsOf } from "../../wallet/transaction/moved-coins.js";
import { type Reference, readReference } from "../../wallet/transaction/reference.js";
import { withAdvice } from "../../wallet/transaction/refusal-advice.js";
import { accountNamed, activeAccount, openableKey } from "../../wallet/transaction/signing.js";
import { costLines } from "../../wallet/transaction/transaction-cost.js";
import { readAddress } from "../../wallet/values/address-text.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { memoBytes } from "../../wallet/values/memo.js";
import type { ActingFlags } from "../flags/acting-flags.js";
import { readStdin } from "../input/stdin.js";
import { oneByOne } from "../keys/one-by-one.js";
import { printJson, printJsonText, printLine } from "../output/output.js";
import { type ConfirmationLevel, higher, levelOfAmount } from "../prompt/confirmation.js";
import type { OutputKind } from "./coin-command.js";
import { SendingCommand } from "./sending-command.js";

/** Everything that a command knows before it has its contract. */
export type ActingContext = Actor;

/** The contract that a command wants to happen, and what it needs of the person at the terminal. */
interface ActingPlan extends TransactionPlan {
	/** What the kind of contract itself asks for. */
	readonly confirmation?: ConfirmationLevel;
	/** Asks for agreement in place of the general question. */
	readonly agree?: (summary: readonly string[]) => Promise<void>;
	/** It was agreed to as one of several. */
	readonly isAgreed?: boolean;
}

/** No key, and none is needed. */
const UNSIGNED: readonly SigningKey[] = [];

/** What became of a transaction whose answer was lost, for people. */
const STATES: Partial<Record<TransactionState, string>> = {
	submitted: "may still be carried out",
	failed: "is in a block and failed",
};

export abstract class ActingCommand extends SendingCommand {
	static override outputKind: OutputKind = "acts";

	/** The account that acts, once a node has answered. */
	private acting: Readonly<Account> | undefined;
	private reference: Reference | undefined;

	/** What `--ref` names stands in place of the flags that say the same. */
	protected override async parse<
		F extends Interfaces.OutputFlags<Interfaces.FlagInput>,
		B extends Interfaces.OutputFlags<Interfaces.FlagInput>,
		A extends Interfaces.OutputArgs<Interfaces.ArgInput>,
	>(options?: Interfaces.Input<F, B, A>, argv?: string[]): Promise<Interfaces.ParserOutput<F, B, A>> {
		const output = await super.parse(options, argv);
		const flags = output.flags as { readonly ref?: string; readonly expires?: string };
		if (flags.ref === undefined) return output;
		const text = flags.ref === "-" ? await readStdin("the reference") : await readFile(flags.ref, "utf8");
		this.reference = readReference(text);
		const { number, id, expirationMs } = this.reference;
		Object.assign(output.flags, {
			offline: true,
			"ref-block": `${number}:${toHex(id)}`,
			expires: flags.expires ?? `@${expirationMs}`,
		});
		return output;
	}

	protected override explain(failure: Failure): Failure {
		return super.explain(withAdvice(failure, this.acting));
	}

	/** Works out node, account and keys. */
	protected async context(flags: ActingFlags): Promise<ActingContext> {
		if (flags.offline && !flags.build && !flags.sign) {
			const flag = flags.ref === undefined ? "--offline" : "--ref";
			throw new Failure("conflicting_flags", `${flag} goes with --build or --sign`);
		}
		const settings = await this.settings(flags);
		const client = new NodeClient(settings);
		const owner = await this.ownerOf(settings, flags);
		const stored = flags.offline ? undefined : await accountOf(client, owner);
		const account = accountOrFresh(stored, owner);
		if (stored) this.acting = account;
		return { settings, client, owner, account };
	}

	/** The account that acts; without a name and a configured wallet that of the device that signs. */
	private async ownerOf(settings: Settings, flags: ActingFlags): Promise<Uint8Array> {
		const { from, signer = [] } = flags;
		if (from !== undefined)
			return namesDevice(from)
				? (await this.devices.open(settings, from)).address
				: accountNamed(settings, from);
		const [only, second] = signer;
		if (only !== undefined && second === undefined && settings.wallet === undefined && namesDevice(only))
			return (await this.devices.open(settings, only)).address;
		return activeAccount(settings);
	}

	/** Carries a plan out as far as the flags say. */
	protected async act(context: ActingContext, flags: ActingFlags, plan: ActingPlan): Promise<void> {
		const { settings, client } = context;
		const { keys, prepared } = await this.built(context, flags, plan);
		const unsigned = keys === UNSIGNED;
		const { envelope, permission, approval } = prepared;
		this.call = await describedCall(envelope.transaction.parameter, {
			client: flags.offline ? undefined : client,
			contactsFile: settings.contactsFile,
			given: plan.interface,
		});
		const facts = { ...(await this.facts(flags, client, envelope, permission)), call: this.call };
		for (const { message } of plan.warnings ?? []) this.warning(message);
		const level = this.levelOf(plan, settings);
		const isShown = this.isShown(plan.agree ? 2 : level, flags, settings, plan.isAgreed);
		const cost = isShown
			? await estimateCost(context, plan, prepared, keys.length, await this.schemes(context, flags))
			: undefined;
		const summary = await this.summary(
			context,
			plan,
			{ ...facts, approval },
			{ envelope, cost, unsigned, isShown },
		);

		if (!flags.build && !flags.sign && !flags["dry-run"] && !plan.isAgreed)
			await this.warnOfUnanswered(context);
		const own = { ...plan.result, ...plan.resultOf?.(envelope) };
		if (flags["dry-run"]) {
			const simulated = await simulate(
				client,
				envelope,
				leastSignatures(permission),
				plan.readReceipt,
				await this.schemes(context, flags),
			);
			const lines = simulated ? await this.outcomeLines(client, simulated) : [];
			return this.printPlan(
				envelope,
				facts,
				[...summary, ...lines],
				{ ...plan, result: own },
				cost,
				simulated,
			);
		}
		if (plan.isAgreed) this.shown = summary;
		if (plan.agree) await plan.agree(summary);
		if (flags.build) return await this.printEnvelope(envelope, facts, summary);
		if (!flags.sign && !unsigned) checkThreshold(prepared);
		if (!plan.agree) await this.confirm(level, summary, flags.yes);
		if (this.isWatched && (flags.yes || (level === 0 && !plan.agree))) await this.show(summary);
		const signed = await this.signWith(envelope, keys, flags, settings, summary);
		if (flags.sign) {
			const reached = permission && weigh(permission, signed.signers);
			return await this.printEnvelope(signed, { ...facts, approval: reached }, summary);
		}
		const marks = unsigned ? { unsigned: true } : {};
		const members = { ...own, ...marks, ...(plan.warnings?.length ? { warnings: plan.warnings } : {}) };
		await this.sendAndReport(client, signed, flags, members, plan);
	}

	/** Who repeats a command because its answer was lost must know what became of it. */
	private async warnOfUnanswered({ client, owner }: ActingContext): Promise<void> {
		for (const { txID, summary, state } of await unansweredOf(client, ownerText(owner), BigInt(Date.now()))) {
			const what = `an earlier transaction of this account, whose answer was lost, ${STATES[state] ?? "is in a block"}`;
			this.warning(`${what}: ${labelled(summary, this.labels)}; coin tx wait ${txID} tells more`);
		}
	}

	/** Builds and checks, with the keys that would sign. */
	private async built(
		context: ActingContext,
		flags: ActingFlags,
		plan: ActingPlan,
	): Promise<{ readonly keys: readonly SigningKey[]; readonly prepared: PreparedTransaction }> {
		const keys = flags.build || flags["dry-run"] ? [] : await this.signers(context, flags);
		if (!flags.build && !flags.offline) await this.checkSchemes(context, flags);
		return { keys, prepared: await prepare(context, plan, { ...this.prepareOptions(flags), keys }) };
	}

	/** What {@link act} does before it asks: one of several transactions, each of which must pass before the first is signed. */
	protected async check(
		context: ActingContext,
		flags: ActingFlags,
		plan: ActingPlan,
	): Promise<TransactionEnvelope> {
		const { keys, prepared } = await this.built(context, flags, plan);
		const stops = flags.build || flags["dry-run"] || flags.sign || keys === UNSIGNED;
		if (!stops) checkThreshold(prepared);
		return prepared.envelope;
	}

	/** What people see of a simulation; what tells amounts of tokens is loaded only for them. */
	private async outcomeLines(client: NodeClient, simulated: SimulatedOutcome): Promise<readonly string[]> {
		if (this.json) return [];
		const { simulationLines } = await import("../../wallet/view/simulation-view.js");
		return (await simulationLines(client, simulated)).map((line) => labelled(line, this.labels));
	}

	private prepareOptions(flags: ActingFlags): PrepareOptions {
		const { memo, permission, expires, "ref-block": reference } = flags;
		return {
			permission,
			memo: memoBytes(memo),
			expiry: expires === undefined ? undefined : parseExpiry(expires),
			reference: reference === undefined ? undefined : parseReference(reference),
			offline: flags.offline,
			travels: flags.build || flags.sign,
		};
	}

	/** What people see before they agree. */
	private async summary(
		{ settings, client }: ActingContext,
		plan: ActingPlan,
		facts: EnvelopeFacts,
		shown: {
			readonly envelope: TransactionEnvelope;
			readonly cost: PreparedCost | undefined;
			readonly unsigned: boolean;
			readonly isShown: boolean;
		},
	): Promise<readonly string[]> {
		const { envelope, cost, unsigned, isShown } = shown;
		const chainMs = isShown ? (await headBlock(client)).timestampMs : undefined;
		this.labels = await readLabels(settings);
		return [
			...summaryLines(envelope, { ...facts, chainMs }),
			...(plan.details ?? []),
			...(unsigned ? [UNSIGNED_LINE] : []),
			...(cost ? costLines(cost, cost.shortfallSun) : []),
		].map((line) => labelled(line, this.labels));
	}

	private levelOf(plan: ActingPlan, settings: Settings): ConfirmationLevel {
		if (plan.isAgreed) return 0;
		return higher(plan.confirmation ?? 0, levelOfAmount(coinsOf(plan), settings));
	}

	/** A summary is made for people who watch, for a question, and for a plan. */
	private isShown(
		level: ConfirmationLevel,
		flags: ActingFlags,
		settings: Settings,
		isAgreed = false,
	): boolean {
		if (flags.offline || isAgreed) return flags["dry-run"] && !flags.offline;
		const signs = !flags.build && this.asksPassword(flags, settings);
		return flags["dry-run"] || level > 0 || this.isWatched || signs;
	}

	protected get isWatched(): boolean {
		return this.chatty && process.stderr.isTTY === true;
	}

	/** Keys that sign; {@link UNSIGNED} for an account whose key isn't here and that a development chain has freed. */
	private async signers(
		{ settings, client, owner }: ActingContext,
		flags: ActingFlags,
	): Promise<readonly SigningKey[]> {
		const device = flags.from !== undefined && namesDevice(flags.from) ? [flags.from] : [];
		const names = flags.signer ?? device;
		if (names.length === 0) {
			try {
				return [await openableKey(settings, toHex(owner))];
			} catch (error) {
				const isMissing =
					error instanceof KeystoreError && /^(wallet_not_found|watch_only)$/.test(error.code);
				if (isMissing && !flags.sign && !flags.offline && (await actsUnsigned(client, owner)))
					return UNSIGNED;
				throw error;
			}
		}
		return oneByOne(names, (name) => this.devices.keyNamed(settings, name));
	}

	private knownSchemes: Promise<readonly PostQuantumScheme[]> | undefined;
	private checkedSchemes: Promise<void> | undefined;

	/** Schemes of the post-quantum keys among those that sign, or would; the keys themselves may be elsewhere. */
	protected schemes(
		{ settings, owner }: ActingContext,
		{ signer = [] }: ActingFlags,
	): Promise<readonly PostQuantumScheme[]> {
		this.knownSchemes ??= listKeystore(settings.keystoreDirectory).then(({ entries }) => {
			const addresses = signer.length === 0 ? [owner] : signer.flatMap((name) => readAddress(name) ?? []);
			const signs = ({ name, address }: (typeof entries)[number]): boolean =>
				signer.includes(name) || addresses.some((known) => equalBytes(known, address));
			return entries.filter(signs).flatMap(({ scheme }) => scheme ?? []);
		});
		return this.knownSchemes;
	}

	/** @throws {Failure} `not_authorized` where the chain takes no signatures of the keys that sign */
	private checkSchemes(context: ActingContext, flags: ActingFlags): Promise<void> {
		this.checkedSchemes ??= this.schemes(context, flags).then((schemes) =>
			checkSchemes(context.client, schemes),
		);
		return this.checkedSchemes;
	}

	/** An envelope travels with its chain and permission; a transaction that is sent at once needs neither. */
	private async facts(
		flags: ActingFlags,
		client: NodeClient,
		envelope: TransactionEnvelope,
		permission: Readonly<Permission> | undefined,
	): Promise<EnvelopeFacts> {
		const travels = (flags.build || flags.sign) && !flags.offline;
		return {
			chain: travels ? await genesisId(client) : this.reference?.chain,
			permission,
			approval: permission && weigh(permission, envelope.signers),
		};
	}

	private async printEnvelope(
		envelope: TransactionEnvelope,
		facts: EnvelopeFacts,
		summary: readonly string[],
	): Promise<void> {
		if (this.isWatched) await this.show(summary);
		printJsonText(writeEnvelope(envelope, noteFor(envelope, facts)));
	}

	private printPlan(
		envelope: TransactionEnvelope,
		facts: EnvelopeFacts,
		summary: readonly string[],
		plan: ActingPlan,
		cost: PreparedCost | undefined,
		simulation: SimulatedOutcome | undefined,
	): void {
		if (cost && cost.shortfallSun > 0n) {
			throw new Failure(
				"insufficient_funds",
				`amount and fees are ${formatCoin(cost.shortfallSun)} more than the account has`,
				{ details: { ...cost } },
			);
		}
		const failure = simulation && failureOf(simulation);
		if (!this.json) {
			for (const line of summary) printLine(line);
			printLine("  not signed, not sent (--dry-run)");
			if (failure) throw failure;
			return;
		}
		const note = noteFor(envelope, facts);
		const raw = envelope.transaction.raw;
		printJson({
			txID: envelope.transaction.idHex,
			type: envelope.type.name,
			from: note["account"],
			summary: note["summary"],
			call: facts.call ? callMembers(facts.call) : undefined,
			permission: envelope.permissionId,
			threshold: facts.permission?.threshold,
			expiration: raw?.expiration,
			size: envelope.transaction.size,
			cost,
			simulation,
			sent: false,
			...plan.result,
			warnings: plan.warnings?.length ? plan.warnings : undefined,
		});
		if (failure) throw failure;
	}
}
