/**
 * Decides on transactions by the policies, and knows what was decided before: sums of the day, what waits for an approval, and
 * what was approved.
 *
 * Contract: everything it knows but the waiting bytes follows from the lines of the log, so whoever writes the line of a decision
 * before the signature leaves never counts too little, whenever the process ends. A transaction counts once to a rule, by its id. A
 * day is one of UTC by the signer's clock; before the newest day that was counted nothing is signed.
 */

import { fromHex, toHex } from "../../protocol/bytes.js";
import type { Decision } from "./decision-log.js";
import { judgeTransaction, loggedAmount, type Policies, type SignerClient } from "./policies.js";
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

/** What the log has of a decision, the name of the client first. */
type Facts = Readonly<Record<string, string>>;

/** What is to be written before anything is answered, and what follows from it. */
export interface DeskDecision {
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
	/** Who approved, by key and id, until it expires. */
	private readonly approvals = new Map<string, { readonly by: Set<string>; readonly expirationMs: bigint }>();
	private readonly pending = new Map<string, Pending>();
	private readonly budgets = new Map<string, { left: number; atMs: number }>();
	private sweepAt = SWEEP_FROM;

	constructor(private readonly policies: Policies) {}

	get clients(): readonly SignerClient[] {
		return this.policies.clients;
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
		const { id, client, expires, rule, sum } = facts;
		if (asked !== "transaction" || id === undefined || expires === undefined) return;
		if (decision === "approved" && client !== undefined) this.approve(key, id, client, BigInt(expires));
		if (decision !== "signed" || rule === undefined) return;
		const day = at.slice(0, 10);
		if (day > this.day) {
			this.day = day;
			this.spent.clear();
		}
		this.counted.set(`${rule} ${id}`, BigInt(expires));
		for (const [, amount = "", asset] of (sum ?? "").matchAll(/(\d+)(?:sun|@(\w+))/g)) {
			const place = `${rule} ${asset ?? COIN_ASSET}`;
			this.spent.set(place, (this.spent.get(place) ?? 0n) + BigInt(amount));
		}
		this.pending.delete(`${key} ${id} ${client}`);
		// By the clock of then: a log of years would leave no room for what it counted.
		this.sweep(BigInt(Date.parse(at)));
	}

	/** Judges a transaction for a client. @param data the raw data, hexadecimal */
	decide(client: string, key: string, data: string, nowMs: number): DeskDecision {
		const refuse = (reason: string, facts: Facts = {}): DeskDecision => {
			this.chargeUseless(client);
			return { key, facts: { client, ...facts }, decision: reason, answer: { error: reason, refused: true } };
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
		const today = new Date(nowMs).toISOString().slice(0, 10);
		if (today < this.day)
			return refuse(`the signer's clock stands before ${this.day}, when it signed last`, facts);
		this.sweep(BigInt(nowMs));
		const verdict = judgeTransaction(this.policies, transaction, {
			client,
			key,
			nowMs,
			spentToday: ({ name }, asset) => (today === this.day ? (this.spent.get(`${name} ${asset}`) ?? 0n) : 0n),
			isCounted: ({ name }) => this.counted.has(`${name} ${id}`),
			hasApproved: (approver) => this.approvals.get(`${key} ${id}`)?.by.has(approver) ?? false,
		});
		if ("refused" in verdict)
			return refuse(verdict.refused, verdict.rule ? { ...facts, rule: verdict.rule.name } : facts);
		const { rule, awaits } = verdict;
		const named = { ...facts, rule: rule.name };
		if (awaits.length > 0)
			return this.wait({ client, key, raw, facts: named, awaits, expirationMs }, id, refuse);
		const isAgain = this.counted.has(`${rule.name} ${id}`);
		if (isAgain) this.chargeUseless(client);
		const decision = isAgain ? "signed again" : "signed";
		return { key, facts: named, decision, sign: transaction.id, answer: { rule: rule.name } };
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
		return { key, facts, decision: "waiting", answer: { waiting: id, awaits, rule: facts["rule"] }, isNoted };
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
	decideApproval(client: string, id: string, nowMs: number): readonly DeskDecision[] {
		this.sweep(BigInt(nowMs));
		const places = [...this.pending.values()].filter(
			({ facts, awaits }) => facts["id"] === id && awaits.includes(client),
		);
		return places.map(({ key, facts, client: asking }) => ({
			key,
			facts: { ...facts, client, for: asking },
			decision: "approved",
			answer: { approved: id },
			isNoted: this.approvals.get(`${key} ${id}`)?.by.has(client) ?? false,
		}));
	}

	private approve(key: string, id: string, client: string, expirationMs: bigint): void {
		const place = `${key} ${id}`;
		const known = this.approvals.get(place);
		if (known) known.by.add(client);
		else this.approvals.set(place, { by: new Set([client]), expirationMs });
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
