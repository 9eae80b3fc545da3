/**
 * Decides on transactions by the policies, and knows what was decided before: sums of the day, what waits for an approval, and
 * what was approved.
 *
 * Contract: everything it knows but the waiting bytes follows from the lines of the log, so whoever writes the line of a decision
 * before the signature leaves never counts too little, whenever the process ends. A transaction counts once to a rule, by its id. A
 * day is one of UTC by the signer's clock; before the newest day that was counted nothing is signed.
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
/** Requests that a client may have at once, and a second then. */
const BURST = 60;
const REQUESTS_A_SECOND = 10;
/** What is refused or signed again counts as so many: a client that lives on such would fill the disk with lines of the log. */
const USELESS_REQUESTS = 5;
const SWEEP_FROM = 1_024;
/** What nodes take for a signature of secp256k1, with tag and length. */
export const SIGNATURE_BYTES = 2 + 68;

/** What the log has of a decision, the name of the client first. */
type Facts = Readonly<Record<string, string>>;

/** What is to be written before anything is answered, and what follows from it. */
export interface DeskDecision {
	readonly asked: "transaction" | "message";
	readonly key: string;
	readonly facts: Facts;
	/** `signed`, `signed again`, `waiting`, `approved`, or the reason of a refusal. */
	readonly decision: string;
	/** Hash that is signed then. */
	readonly sign?: Uint8Array;
	readonly answer: object;
	/** Whether the log has it already. */
	readonly isNoted?: boolean;
}

interface Pending {
	readonly client: string;
	/** By which the client was known. */
	readonly place: string;
	readonly key: string;
	readonly raw: Uint8Array;
	readonly facts: Facts;
	readonly awaits: readonly string[];
	readonly expirationMs: bigint;
}

export class PolicyDesk {
	private day = "";
	/** Of {@link day}, by rule and asset. */
	private readonly spent = new Map<string, bigint>();
	/** When it expires what was counted, by rule and id. */
	private readonly counted = new Map<string, bigint>();
	/** Who approved and by what they were known, by key and id, until it expires. */
	private readonly approvals = new Map<
		string,
		{ readonly by: Map<string, string>; readonly expirationMs: bigint }
	>();
	private readonly pending = new Map<string, Pending>();
	private readonly budgets = new Map<string, { left: number; atMs: number }>();
	private sweepAt = SWEEP_FROM;

	/** SHA-256 of the policies of which the log spoke last. */
	private noted: string | undefined;

	/** @param signatureBytes of the longest signature that the keys make, with tag and length, in a transaction */
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

	/** What the policies say of a client now; undefined: it isn't one any more. */
	current(client: SignerClient): SignerClient | undefined {
		return this.known(client.name, placeOf(client));
	}

	private known(name: string, place: string): SignerClient | undefined {
		return this.clients.find((each) => each.name === name && placeOf(each) === place);
	}

	/** What the log says when policies are to hold. */
	factsOf({ sha256 }: Policies): Facts {
		return this.noted === undefined ? { sha256 } : { sha256, was: this.noted };
	}

	/**
	 * Decides by other policies from the first step on; each further one judges by them one transaction that waits. An approval counts
	 * by the policies under which it is signed. Sums of the day go on by the names of rules.
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

	/** Whether a client may ask now. */
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

	/** Takes what the log says was decided. */
	replay({ at, asked, key, decision, ...facts }: Decision): void {
		const { id, client, expires, rule, sum, place, fees } = facts;
		if (asked === "policies") this.noted = facts["sha256"];
		const count = (what: string, amount: bigint): void => {
			const counter = `${rule} ${what}`;
			this.spent.set(counter, (this.spent.get(counter) ?? 0n) + amount);
		};
		if (asked === "message" && decision === "signed" && rule !== undefined) {
			this.beginDay(at);
			count(MESSAGES, 1n);
		}
		if (asked !== "transaction" || id === undefined || expires === undefined) return;
		// Approvals of earlier releases don't say by what the client was known, which may be another's by now.
		if (decision === "approved" && client !== undefined && place !== undefined)
			this.approve(`${key} ${id}`, client, place, BigInt(expires));
		if (decision !== "signed" || rule === undefined) return;
		this.beginDay(at);
		this.counted.set(`${rule} ${id}`, BigInt(expires));
		count(TRANSACTIONS, 1n);
		for (const [, amount = "", asset] of `${sum} ${fees}`.matchAll(/(\d+)(?:sun|@(\w+))/g))
			count(asset ?? COIN_ASSET, BigInt(amount));
		this.pending.delete(`${key} ${id} ${client}`);
		// By the clock of then: a log of years would leave no room for what it counted.
		this.sweep(BigInt(Date.parse(at)));
	}

	/** @param at time of a decision that counts */
	private beginDay(at: string): void {
		const day = at.slice(0, 10);
		if (day <= this.day) return;
		this.day = day;
		this.spent.clear();
	}

	/** Judges a message for a client. @param data its bytes, hexadecimal */
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

	/** Judges a transaction for a client. @param data the raw data, hexadecimal */
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
		const { type, sums, expirationMs } = transaction;
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
				{ client, place: placeOf(asking), key, raw, facts: named, awaits, expirationMs },
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

	/** What waits for a client's approval, or by its own request. @param id the one whose bytes are asked for */
	listPending(client: string, id: string | undefined, nowMs: number): object {
		this.sweep(BigInt(nowMs));
		const shown = [...this.pending.values()].filter(
			(each) => each.client === client || each.awaits.includes(client),
		);
		const found = id === undefined ? shown : shown.filter(({ facts }) => facts["id"] === id).slice(0, 1);
		return {
			pending: found.map(({ key, facts, awaits, raw }) => ({
				...facts,
				key,
				awaits,
				...(id === undefined ? {} : { data: toHex(raw) }),
			})),
		};
	}

	/** A client approves what waits for it. @returns a decision for each key that is to sign it */
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

	/** Forgets what has expired: nothing of it is signed any more. */
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

/** By the signer's clock, in UTC. */
const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);
