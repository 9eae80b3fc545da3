/** The base of commands that make a transaction: build, check, confirm, sign, send; or stop after one of these steps. */

import { readFile } from "node:fs/promises";
import type { Interfaces } from "@oclif/core";
import { KeystoreError } from "../keystore/keystore-error.js";
import { equalBytes, toHex, utf8 } from "../protocol/bytes.js";
import type { Account, Permission } from "../protocol/messages.js";
import { formatCoin } from "../wallet/amount.js";
import { type Artefact, artefactOf, writeArtefact } from "../wallet/artefact.js";
import { type ArtefactFacts, noteFor, summaryLines } from "../wallet/artefact-note.js";
import { accountOrFresh } from "../wallet/authority.js";
import {
	type BuildRequest,
	buildAtNode,
	buildOffline,
	type Expiry,
	parseExpiry,
	parseReference,
} from "../wallet/build.js";
import { parseHexBytes } from "../wallet/bytes-text.js";
import { accountOf, genesisId, headBlock } from "../wallet/chain-query.js";
import type { Contract } from "../wallet/contract.js";
import { Failure } from "../wallet/failure.js";
import { actsUnsigned, UNSIGNED_LINE } from "../wallet/impersonation.js";
import type { JsonRecord } from "../wallet/json.js";
import { labelled, readLabels } from "../wallet/labels.js";
import { NodeClient } from "../wallet/node-client.js";
import { checkPermission, permissionId, permissionOf, weigh } from "../wallet/permission.js";
import { type Reference, readReference } from "../wallet/reference.js";
import { withAdvice } from "../wallet/refusal-advice.js";
import type { Settings } from "../wallet/settings.js";
import { namesDevice } from "../wallet/signers/device-name.js";
import type { SigningKey } from "../wallet/signers/signer.js";
import { accountNamed, activeAccount, checkSigners, openableKey } from "../wallet/signing.js";
import { costLines, shortfallOf, type TransactionCost, transactionCost } from "../wallet/transaction-cost.js";
import type { ActingFlags } from "./acting-flags.js";
import type { OutputKind } from "./coin-command.js";
import type { ConfirmationLevel } from "./confirmation.js";
import { oneByOne } from "./one-by-one.js";
import { printJson, printJsonText, printLine } from "./output.js";
import { type ChainLooks, SendingCommand } from "./sending-command.js";
import { readStdin } from "./stdin.js";

/** Everything that a command knows before it has its contract. */
export interface ActingContext {
	readonly settings: Settings;
	readonly client: NodeClient;
	/** Account that acts, 21 bytes. */
	readonly owner: Uint8Array;
	/** The account as stored; a fresh one where it doesn't exist or no node is asked. */
	readonly account: Readonly<Account>;
}

/** The contract that a command wants to happen. */
export interface ActingPlan extends Contract, ChainLooks {
	/** The most that energy may cost, in sun. */
	readonly feeLimitSun?: bigint;
	/** Sun that leave the account, for the confirmation of large amounts. */
	readonly amountSun?: bigint;
	/** Whether the account that it goes to has to be created. */
	readonly creates?: boolean;
	/** What the kind of contract itself asks for. */
	readonly confirmation?: ConfirmationLevel;
	/** Lines for people, after the general ones. */
	readonly details?: readonly string[];
	readonly warnings?: readonly { readonly code: string; readonly message: string }[];
	/** Further members of the result. */
	readonly result?: object;
	/** Members of the artefact's note, such as the decoded call. */
	readonly note?: JsonRecord;
	/** Members of the result that follow from the transaction itself. */
	readonly resultOf?: (artefact: Artefact) => object;
	/** Asks for agreement in place of the general question. */
	readonly agree?: (summary: readonly string[]) => Promise<void>;
}

/** A memo as typed: text, or bytes as `0x…`. @throws {Failure} `bad_value` */
export function memoBytes(memo: string | undefined): Uint8Array | undefined {
	if (memo === undefined) return undefined;
	return /^0x/i.test(memo) ? parseHexBytes(memo) : utf8(memo);
}

/** No key, and none is needed. */
const UNSIGNED: readonly SigningKey[] = [];

const SHARED_EXPIRY: Expiry = { afterMs: 12 * 3_600_000 };

export abstract class ActingCommand extends SendingCommand {
	static override outputKind: OutputKind = "acts";

	/** The account that acts, once a node has told of it. */
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
		const { settings, client, account } = context;
		const id = flags.permission === undefined ? 0 : permissionId(account, flags.permission);
		const permission =
			flags.offline && id !== 0 ? undefined : checkPermission(permissionOf(account, id), id, plan.type.id);
		const keys = flags.build || flags["dry-run"] ? [] : await this.signers(context, flags);
		const unsigned = keys === UNSIGNED;

		const request = this.request(flags, plan, id, this.defaultExpiry(flags, permission, context, keys));
		if (settings.genesis !== undefined && !flags.offline) await genesisId(client);
		const transaction = flags.offline
			? buildOffline(request, Date.now())
			: await buildAtNode(client, request);
		const artefact = artefactOf(transaction, plan.note);

		if (permission && keys.length > 0) checkSigners(artefact, permission, keys);
		const willSign =
			permission &&
			weigh(
				permission,
				keys.map((key) => key.address),
			);
		const facts = await this.facts(flags, client, artefact, permission);
		for (const { message } of plan.warnings ?? []) this.warning(message);
		const level = this.levelOf(plan, settings);
		const isShown = this.isShown(plan.agree ? 2 : level, flags, settings);
		const cost = isShown ? await this.costOf(context, artefact, plan, permission, keys) : undefined;
		const chainMs = isShown ? (await headBlock(client)).timestampMs : undefined;
		this.labels = await readLabels(settings);
		const summary = [
			...summaryLines(artefact, { ...facts, approval: willSign, chainMs }),
			...(plan.details ?? []),
			...(unsigned ? [UNSIGNED_LINE] : []),
			...(cost ? costLines(cost, cost.shortfallSun) : []),
		].map((line) => labelled(line, this.labels));

		const own = { ...plan.result, ...plan.resultOf?.(artefact) };
		if (flags["dry-run"]) return this.printPlan(artefact, facts, summary, { ...plan, result: own }, cost);
		if (plan.agree) await plan.agree(summary);
		if (flags.build) return await this.printArtefact(artefact, facts, summary);
		if (!flags.sign && !unsigned && willSign && !willSign.ready) {
			throw new Failure(
				"threshold_not_reached",
				`the keys that sign weigh ${willSign.weight} of the ${permission.threshold} that the permission needs`,
				{ hint: "name more keys with --signer, or use --sign and let the others sign the artefact" },
			);
		}
		if (!plan.agree) await this.confirm(level, summary, flags.yes);
		if (this.isWatched && (flags.yes || (level === 0 && !plan.agree))) await this.show(summary);
		const signed = await this.signWith(artefact, keys, flags, settings, summary);
		if (flags.sign) {
			const approval = permission && weigh(permission, signed.signers);
			return await this.printArtefact(signed, { ...facts, approval }, summary);
		}
		const marks = unsigned ? { unsigned: true } : {};
		const members = { ...own, ...marks, ...(plan.warnings?.length ? { warnings: plan.warnings } : {}) };
		await this.sendAndReport(client, signed, flags, members, plan);
	}

	private levelOf(plan: ActingPlan, settings: Settings): ConfirmationLevel {
		if (plan.confirmation === 2) return 2;
		const large = plan.amountSun !== undefined && plan.amountSun > settings.confirmOverSun;
		return settings.confirm || large ? 1 : (plan.confirmation ?? 0);
	}

	/** A summary is made for people who watch, for a question, and for a plan. */
	private isShown(level: ConfirmationLevel, flags: ActingFlags, settings: Settings): boolean {
		if (flags.offline) return false;
		const signs = !flags.build && this.asksPassword(flags, settings);
		return flags["dry-run"] || level > 0 || this.isWatched || signs;
	}

	private get isWatched(): boolean {
		return this.chatty && process.stderr.isTTY === true;
	}

	private async costOf(
		{ client, account }: ActingContext,
		artefact: Artefact,
		plan: ActingPlan,
		permission: Readonly<Permission> | undefined,
		keys: readonly SigningKey[],
	): Promise<(TransactionCost & { readonly shortfallSun: bigint }) | undefined> {
		// Whoever signs later: a threshold above the heaviest key's weight takes two signatures at least.
		const heaviest = permission?.keys.reduce((most, { weight }) => (weight > most ? weight : most), 0n) ?? 1n;
		const least = (permission?.threshold ?? 1n) > heaviest ? 2 : 1;
		try {
			const cost = await transactionCost(client, artefact.transaction, {
				signatures: Math.max(least, keys.length),
				creates: plan.creates ?? false,
			});
			return { ...cost, shortfallSun: shortfallOf(account.balance, plan.amountSun ?? 0n, cost) };
		} catch (error) {
			// A gateway that doesn't tell its prices: the summary does without them.
			if (error instanceof Failure && (error.code === "not_served" || error.code === "rpc_error"))
				return undefined;
			throw error;
		}
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

	/** A transaction that other people must sign too gets half a day. */
	private defaultExpiry(
		flags: ActingFlags,
		permission: Readonly<Permission> | undefined,
		context: ActingContext,
		keys: readonly SigningKey[],
	): Expiry | undefined {
		if (flags.expires !== undefined) return parseExpiry(flags.expires);
		if (!(flags.build || flags.sign) || !permission) return undefined;
		const signers = keys.length > 0 ? keys.map((key) => key.address) : [context.owner];
		const weight = permission.keys
			.filter(({ address }) => signers.some((signer) => equalBytes(signer, address)))
			.reduce((sum, key) => sum + key.weight, 0n);
		return permission.threshold > weight ? SHARED_EXPIRY : undefined;
	}

	private request(
		flags: ActingFlags,
		plan: ActingPlan,
		id: number,
		expiry: Expiry | undefined,
	): BuildRequest {
		const { memo, "ref-block": reference } = flags;
		return {
			type: plan.type,
			parameter: plan.parameter,
			permissionId: id,
			memo: memoBytes(memo),
			feeLimitSun: plan.feeLimitSun,
			expiry,
			reference: reference === undefined ? undefined : parseReference(reference),
		};
	}

	/** An artefact travels with its chain and permission; a transaction that is sent at once needs neither. */
	private async facts(
		flags: ActingFlags,
		client: NodeClient,
		artefact: Artefact,
		permission: Readonly<Permission> | undefined,
	): Promise<ArtefactFacts> {
		const travels = (flags.build || flags.sign) && !flags.offline;
		return {
			chain: travels ? await genesisId(client) : this.reference?.chain,
			permission,
			approval: permission && weigh(permission, artefact.signers),
		};
	}

	private async printArtefact(
		artefact: Artefact,
		facts: ArtefactFacts,
		summary: readonly string[],
	): Promise<void> {
		if (this.isWatched) await this.show(summary);
		printJsonText(writeArtefact(artefact, noteFor(artefact, facts)));
	}

	private printPlan(
		artefact: Artefact,
		facts: ArtefactFacts,
		summary: readonly string[],
		plan: ActingPlan,
		cost: (TransactionCost & { readonly shortfallSun: bigint }) | undefined,
	): void {
		if (cost && cost.shortfallSun > 0n) {
			throw new Failure(
				"insufficient_funds",
				`amount and fees are ${formatCoin(cost.shortfallSun)} more than the account has`,
				{ details: { ...cost } },
			);
		}
		if (!this.json) {
			for (const line of summary) printLine(line);
			printLine("  not signed, not sent (--dry-run)");
			return;
		}
		const { summary: sentence, account } = noteFor(artefact, facts);
		const raw = artefact.transaction.raw;
		printJson({
			txID: artefact.transaction.idHex,
			type: artefact.type.name,
			from: account,
			summary: sentence,
			permission: artefact.permissionId,
			threshold: facts.permission?.threshold,
			expiration: raw?.expiration,
			size: artefact.transaction.size,
			cost,
			sent: false,
			...plan.result,
			warnings: plan.warnings?.length ? plan.warnings : undefined,
		});
	}
}
