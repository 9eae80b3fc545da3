/**
 * Decides on transactions by the policies, and keeps track of earlier decisions: the daily sums, what waits for an approval, and
 * what was approved.
 *
 * Contract: its state, except for the waiting bytes, can be rebuilt from the log, so if the line of a decision is written
 * before the signature is released, the sums are never too low, whenever the process ends. A transaction counts only once for a rule, by
 * its id. Days are in UTC by the signer's clock; nothing is signed on a day before the newest one counted.
 */

import { fromHex, toHex } from "../../protocol/bytes.js";
import { sha256 } from "../../protocol/hash.js";
import type { Decision } from "./decision-log.js";
import { judgeMessage, judgeTransaction, loggedAmount } from "./judgement.js";
import { type JudgedMessage, type MessageKind, readMessage } from "./messages.js";
import { MESSAGES, type Policies, placeOf, type SignerClient, TRANSACTIONS } from "./policies.js";
import {
	COIN_ASSET,
	type JudgedTransaction,
	readTransaction,
	UnreadableError,
} from "./transaction-reading.js";

const MAX_PENDING = 64;
const MAX_PENDING_BYTES = 1 << 23;
/** Rate limit of a client: requests in a burst, and per second after that. */
const BURST = 60;
const REQUESTS_A_SECOND = 10;
/** A refused or repeated request counts as this many, since a client that only sends such requests would fill the disk with log lines. */
const USELESS_REQUESTS = 5;
const MAX_LISTED = 3;
const SWEEP_FROM = 1_024;
/** Longest secp256k1 signature that nodes accept, with tag and length. */
export const SIGNATURE_BYTES = 2 + 68;

/** What is logged about a decision, starting with the client's name. */
type Facts = Readonly<Record<string, string>>;

/** A decision, which must be logged before the response is sent, and what to do then. */
export interface DeskDecision {
	readonly asked: "transaction" | "message";
	readonly key: string;
	readonly facts: Facts;
	/** `signed`, `signed again`, `waiting`, `approved`, or the reason for a refusal; in the log `allowed` for `signed` where a device is asked next. */
	readonly decision: string;
	/** Hash to sign, if the decision is to sign. */
	readonly sign?: Uint8Array;
	readonly answer: object;
	/** Whether it is already in the log. */
	readonly isNoted?: boolean;
}

interface Pending {
	readonly client: string;
	/** The socket or certificate that authenticated the client. */
	readonly place: string;
	readonly key: string;
	readonly raw: Uint8Array;
	readonly facts: Facts;
	readonly awaits: readonly string[];
	readonly recipients: readonly string[];
	readonly expirationMs: bigint;
}

export class PolicyDesk {
	private day = "";
	/** Sums of {@link day}, by rule and asset. */
	private readonly spent = new Map<string, bigint>();
	/** Expiration of counted transactions, by rule and id. */
	private readonly counted = new Map<string, bigint>();
	/** Approvers, with what authenticated them, by key and id; kept until the transaction expires. */
	private readonly approvals = new Map<
		string,
		{ readonly by: Map<string, string>; readonly expirationMs: bigint }
	>();
	private readonly pending = new Map<string, Pending>();
	private readonly budgets = new Map<string, { left: number; atMs: number }>();
	private sweepAt = SWEEP_FROM;

	/** SHA-256 of the policies that were last logged. */
	private noted: string | undefined;

	/** @param signatureBytes size of the longest signature that the keys can produce in a transaction, with tag and length */
	constructor(
		private held: Policies,
		private readonly signatureBytes = SIGNATURE_BYTES,
	) {}

	get policies(): Policies {
		return this.held;
	}

	get clients(): readonly SignerClient[] {
		return this.held.clients;
	}

	/** A client as defined by the current policies; undefined if it is no longer a client. */
	current(client: SignerClient): SignerClient | undefined {
		return this.known(client.name, placeOf(client));
	}

	private known(name: string, place: string): SignerClient | undefined {
		return this.clients.find((each) => each.name === name && placeOf(each) === place);
	}

	/** What is logged when policies take effect. */
	factsOf({ sha256 }: Policies): Facts {
		return this.noted === undefined ? { sha256 } : { sha256, was: this.noted };
	}

	/**
	 * Switches to other policies in the first step; each further step re-evaluates one waiting transaction. Whether an approval counts
	 * depends on the policies in effect when the transaction is signed. Daily sums carry over by the names of rules.
	 */
	*adopt(policies: Policies, nowMs: number): Generator<void, void> {
		this.held = policies;
		const names = new Set(policies.clients.map(({ name }) => name));
		for (const name of this.budgets.keys()) if (!names.has(name)) this.budgets.delete(name);
		for (const [place, asked] of this.pending)
			if (!this.known(asked.client, asked.place)) this.pending.delete(place);
		for (const [place, asked] of [...this.pending]) {
			yield;
			if (this.pending.get(place) !== asked) continue;
			this.pending.delete(place);
			const verdict = this.judge(asked.client, asked.key, readTransaction(asked.raw), nowMs);
			if ("refused" in verdict || verdict.awaits.length === 0) continue;
			const { rule, awaits, feeSun } = verdict;
			const fees = loggedAmount(COIN_ASSET, feeSun);
			this.pending.set(place, { ...asked, facts: { ...asked.facts, fees, rule: rule.name }, awaits });
		}
	}

	/** Whether a client's rate limit admits a request now. */
	admits(client: string, nowMs: number): boolean {
		const { left, atMs } = this.budgets.get(client) ?? { left: BURST, atMs: nowMs };
		const now = Math.min(BURST, left + (Math.max(0, nowMs - atMs) / 1_000) * REQUESTS_A_SECOND);
		this.budgets.set(client, { left: now >= 1 ? now - 1 : now, atMs: nowMs });
		return now >= 1;
	}

	private chargeUseless(client: string): void {
		const budget = this.budgets.get(client);
		if (budget) budget.left -= USELESS_REQUESTS - 1;
	}

	/** Applies a decision from the log. */
	replay({ at, asked, key, decision, ...facts }: Decision): void {
		const { id, client, expires, rule, sum, place, fees } = facts;
		if (asked === "policies") this.noted = facts["sha256"];
		const count = (what: string, amount: bigint): void => {
			const counter = `${rule} ${what}`;
			this.spent.set(counter, (this.spent.get(counter) ?? 0n) + amount);
		};
		const isCounted = decision === "signed" || decision === "allowed";
		if (asked === "message" && isCounted && rule !== undefined) {
			this.beginDay(at);
			count(MESSAGES, 1n);
		}
		if (asked !== "transaction" || id === undefined || expires === undefined) return;
		// Approvals logged by earlier releases don't say what authenticated the client, whose name may be another's by now.
		if (decision === "approved" && client !== undefined && place !== undefined)
			this.approve(`${key} ${id}`, client, place, BigInt(expires));
		if (!isCounted || rule === undefined) return;
		this.beginDay(at);
		this.counted.set(`${rule} ${id}`, BigInt(expires));
		count(TRANSACTIONS, 1n);
		for (const [, amount = "", asset] of `${sum} ${fees}`.matchAll(/(\d+)(?:sun|@(\w+))/g))
			count(asset ?? COIN_ASSET, BigInt(amount));
		this.pending.delete(`${key} ${id} ${client}`);
		// By the time of the line: otherwise a log of several years would accumulate too much.
		this.sweep(BigInt(Date.parse(at)));
	}

	/** Starts a new day if needed. @param at time of a decision that counts */
	private beginDay(at: string): void {
		const day = at.slice(0, 10);
		if (day <= this.day) return;
		this.day = day;
		this.spent.clear();
	}

	/** Decides on a client's message. @param data its bytes, in hexadecimal */
	decideMessage(client: string, key: string, kind: MessageKind, data: string, nowMs: number): DeskDecision {
		const decided = (decision: string, facts: Facts, sign?: Uint8Array): DeskDecision => {
			if (!sign) this.chargeUseless(client);
			const answer = sign ? { rule: facts["rule"] } : { error: decision, refused: true };
			return { asked: "message", key, facts: { client, ...facts }, decision, answer, ...(sign && { sign }) };
		};
		let message: JudgedMessage;
		let bytes: Uint8Array;
		try {
			bytes = fromHex(data);
			message = readMessage(kind, bytes);
		} catch (error) {
			return decided(error instanceof UnreadableError ? error.message : "the bytes are not a message", {});
		}
		const facts = { id: toHex(sha256(bytes)), ...message.facts };
		if (dayOf(nowMs) < this.day) return decided(this.isBefore(), facts);
		const spentToday = this.spentToday(nowMs);
		const verdict = judgeMessage(this.held, message, { client, key, nowMs, spentToday });
		if ("refused" in verdict) return decided(verdict.refused, facts);
		return decided("signed", { ...facts, rule: verdict.rule.name }, message.hash);
	}

	private isBefore(): string {
		return `the signer's clock stands before ${this.day}, when it signed last`;
	}

	private spentToday(nowMs: number): (rule: { readonly name: string }, what: string) => bigint {
		const isToday = dayOf(nowMs) === this.day;
		return ({ name }, what) => (isToday ? (this.spent.get(`${name} ${what}`) ?? 0n) : 0n);
	}

	/** Decides on a client's transaction. @param data the raw data, in hexadecimal */
	decide(asking: SignerClient, key: string, data: string, nowMs: number): DeskDecision {
		const { name: client } = asking;
		const refuse = (reason: string, facts: Facts = {}): DeskDecision => {
			this.chargeUseless(client);
			return {
				asked: "transaction",
				key,
				facts: { client, ...facts },
				decision: reason,
				answer: { error: reason, refused: true },
			};
		};
		let raw: Uint8Array;
		let transaction: JudgedTransaction;
		try {
			raw = fromHex(data);
			transaction = readTransaction(raw);
		} catch (error) {
			return refuse(error instanceof UnreadableError ? error.message : "the bytes are not a transaction");
		}
		const id = toHex(transaction.id);
		const { type, sums, contract, isToAnyone, expirationMs } = transaction;
		const isPaid = contract !== undefined && (isToAnyone || transaction.recipients.length === 0);
		const recipients = [...(isPaid ? [contract] : []), ...transaction.recipients];
		const sum = [...sums].map(([asset, amount]) => loggedAmount(asset, amount)).join(" ");
		const facts = { client, id, type: type.name, sum, expires: String(expirationMs) };
		if (dayOf(nowMs) < this.day) return refuse(this.isBefore(), facts);
		this.sweep(BigInt(nowMs));
		const verdict = this.judge(client, key, transaction, nowMs);
		if ("refused" in verdict)
			return refuse(verdict.refused, verdict.rule ? { ...facts, rule: verdict.rule.name } : facts);
		const { rule, awaits, feeSun } = verdict;
		const named = { ...facts, fees: loggedAmount(COIN_ASSET, feeSun), rule: rule.name };
		if (awaits.length > 0)
			return this.wait(
				{ client, place: placeOf(asking), key, raw, facts: named, awaits, recipients, expirationMs },
				id,
				refuse,
			);
		const isAgain = this.counted.has(`${rule.name} ${id}`);
		if (isAgain) this.chargeUseless(client);
		const decision = isAgain ? "signed again" : "signed";
		return {
			asked: "transaction",
			key,
			facts: named,
			decision,
			sign: transaction.id,
			answer: { rule: rule.name },
		};
	}

	private judge(
		client: string,
		key: string,
		transaction: JudgedTransaction,
		nowMs: number,
	): ReturnType<typeof judgeTransaction> {
		const id = toHex(transaction.id);
		const approvedBy = this.approvals.get(`${key} ${id}`)?.by;
		return judgeTransaction(this.held, transaction, {
			client,
			key,
			nowMs,
			spentToday: this.spentToday(nowMs),
			signatureBytes: this.signatureBytes,
			isCounted: ({ name }) => this.counted.has(`${name} ${id}`),
			hasApproved: (approver) => {
				const place = approvedBy?.get(approver);
				return place !== undefined && this.known(approver, place) !== undefined;
			},
		});
	}

	private wait(
		asked: Pending,
		id: string,
		refuse: (reason: string, facts: Facts) => DeskDecision,
	): DeskDecision {
		const { key, client, facts, awaits, raw } = asked;
		const place = `${key} ${id} ${client}`;
		const isNoted = this.pending.has(place);
		const own = [...this.pending.values()].filter((each) => each.client === client);
		const bytes = own.reduce((total, each) => total + each.raw.length, raw.length);
		if (!isNoted && (own.length >= MAX_PENDING || bytes > MAX_PENDING_BYTES))
			return refuse("too many transactions of this client wait for an approval", facts);
		this.pending.set(place, asked);
		return {
			asked: "transaction",
			key,
			facts,
			decision: "waiting",
			answer: { waiting: id, awaits, rule: facts["rule"] },
			isNoted,
		};
	}

	/** Transactions that a client has to approve, or has submitted. @param id the one whose bytes are requested */
	listPending(client: string, id: string | undefined, nowMs: number): object {
		this.sweep(BigInt(nowMs));
		const shown = [...this.pending.values()].filter(
			(each) => each.client === client || each.awaits.includes(client),
		);
		const found = id === undefined ? shown : shown.filter(({ facts }) => facts["id"] === id).slice(0, 1);
		return {
			pending: found.map(({ key, facts, awaits, recipients, raw }) => ({
				...facts,
				key,
				awaits,
				to: recipientsText(recipients),
				...(id === undefined ? {} : { data: toHex(raw) }),
			})),
		};
	}

	/** Records a client's approval. @returns a decision for each key that has to sign the transaction */
	decideApproval(approver: SignerClient, id: string, nowMs: number): readonly DeskDecision[] {
		const [client, place] = [approver.name, placeOf(approver)];
		this.sweep(BigInt(nowMs));
		const places = [...this.pending.values()].filter(
			({ facts, awaits }) => facts["id"] === id && awaits.includes(client),
		);
		return places.map(({ key, facts, client: asking }) => ({
			asked: "transaction",
			key,
			facts: { ...facts, client, place, for: asking },
			decision: "approved",
			answer: { approved: id },
			isNoted: this.approvals.get(`${key} ${id}`)?.by.get(client) === place,
		}));
	}

	private approve(what: string, client: string, place: string, expirationMs: bigint): void {
		const known = this.approvals.get(what);
		if (known) known.by.set(client, place);
		else this.approvals.set(what, { by: new Map([[client, place]]), expirationMs });
	}

	/** Drops what has expired, since it won't be signed any more. */
	private sweep(nowMs: bigint): void {
		for (const [place, { expirationMs }] of this.pending)
			if (expirationMs <= nowMs) this.pending.delete(place);
		if (this.counted.size + this.approvals.size < this.sweepAt) return;
		for (const [place, expirationMs] of this.counted) if (expirationMs <= nowMs) this.counted.delete(place);
		for (const [place, { expirationMs }] of this.approvals)
			if (expirationMs <= nowMs) this.approvals.delete(place);
		this.sweepAt = SWEEP_FROM + 2 * (this.counted.size + this.approvals.size);
	}
}

/** The first recipients, and how many more there are, since clients cut long texts. */
const recipientsText = (recipients: readonly string[]): string =>
	[
		...recipients.slice(0, MAX_LISTED),
		...(recipients.length > MAX_LISTED ? [`and ${recipients.length - MAX_LISTED} more`] : []),
	].join(" ");

/** The date in UTC, by the signer's clock. */
const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);
