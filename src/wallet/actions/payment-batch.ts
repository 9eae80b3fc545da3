/** Reads and checks a whole list of payments before the first one is signed (protocol/wallet-formats §7). */

import { KeystoreError } from "../../keystore/keystore-error.js";
import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { FAILURE_KINDS, Failure, linesText, onRefusal, type RefusedLine } from "../failure.js";
import { fetchAccount } from "../node/chain-query.js";
import { signaturesToExpect } from "../permission/permission.js";
import { contractSummary } from "../transaction/contract-summary.js";
import type { TransactionEnvelope } from "../transaction/envelope.js";
import { coinsOf } from "../transaction/moved-coins.js";
import type { Payment, PaymentLine } from "../transaction/payment-list.js";
import { riskLine, riskOf } from "../transaction/risks.js";
import { accountNamed } from "../transaction/signing.js";
import { costOf, type Prices, pricesFor, type TransactionCost } from "../transaction/transaction-cost.js";
import { formatCoin } from "../values/amount.js";
import { memoBytes } from "../values/bytes-text.js";
import { counted } from "../values/integer-text.js";
import { isRepeated, keyOfAnyAmount, paymentKeys } from "./payment-journal.js";
import type { Actor, SpentToken, TransactionPlan } from "./plan.js";
import { type ResolvedTransfer, recipientFacts, type TransferOptions, transferPlan } from "./transfer.js";

/** Used if the node doesn't give its prices: no cost is then known. */
const UNKNOWN_PRICES: Prices = { parameters: new Map(), stakedBytes: 0n, freeBytes: 0n, energy: 0n };

/** The components of the fees, in sun. */
type FeeSums = Pick<
	TransactionCost,
	"bandwidthSun" | "creationSun" | "memoSun" | "signaturesSun" | "typeSun" | "energySun" | "totalSun"
>;

const NO_FEES: FeeSums = {
	bandwidthSun: 0n,
	creationSun: 0n,
	memoSun: 0n,
	signaturesSun: 0n,
	typeSun: 0n,
	energySun: 0n,
	totalSun: 0n,
};

function addFees(sums: FeeSums, cost: FeeSums): FeeSums {
	const names = Object.keys(NO_FEES) as (keyof FeeSums)[];
	return Object.fromEntries(names.map((name) => [name, sums[name] + cost[name]])) as unknown as FeeSums;
}

interface BatchTotals {
	readonly payments: number;
	/** Number of accounts that are paid. */
	readonly accounts: number;
	/** Totals by asset, in smallest units; the asset of the coin is `coin`. */
	readonly amounts: readonly { readonly asset: string; readonly amount: bigint; readonly text: string }[];
	/** Undefined when offline. */
	readonly fees: FeeSums | undefined;
	/** Recipients that don't exist yet; then those that are contracts, and those that this account hasn't paid before. */
	readonly newAccounts: readonly string[];
	readonly contracts: readonly string[];
	/** As far as the node can tell. */
	readonly firstPayments: readonly string[];
}

const PARTS: readonly (readonly [part: keyof FeeSums, name: string])[] = [
	["bandwidthSun", "bandwidth"],
	["energySun", "energy"],
	["creationSun", "new accounts"],
	["memoSun", "memos"],
	["signaturesSun", "signatures"],
	["typeSun", "types"],
];

/** The most addresses that a line shows. */
const SHOWN = 10;

/** The lines of a summary that cover fees and recipients. */
function totalLines({ fees, newAccounts, contracts, firstPayments }: BatchTotals): string[] {
	const parts = PARTS.flatMap(([part, name]) =>
		fees && fees[part] > 0n ? [`${name} ${formatCoin(fees[part])}`] : [],
	);
	const of = parts.length > 0 ? `: ${parts.join(", ")}` : "";
	const groups: readonly (readonly [string, readonly string[]])[] = [
		["new", newAccounts],
		["contracts", contracts],
		["first paid", firstPayments],
	];
	return [
		...(fees ? [`  fees        ${formatCoin(fees.totalSun)}${of}`] : []),
		...groups.flatMap(([name, addresses]) =>
			addresses.length > 0 ? [`  ${name.padEnd(11)} ${listText(addresses)}`] : [],
		),
	];
}

function listText(addresses: readonly string[]): string {
	const more = addresses.length - SHOWN;
	return `${addresses.slice(0, SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Tracks what remains of an account's funds and resources after each transaction of a list. */
class PaymentBudget {
	/** Fees in sun, without the amounts; for energy, what the simulation used, or else the fee limit. */
	fees: FeeSums = NO_FEES;
	/** Sun that the transactions move. */
	amountSun = 0n;
	/** Sun that payments of an earlier run may still spend. */
	private keptSun = 0n;
	/** Tokens that the transactions move, by asset. */
	readonly tokens = new Map<string, { readonly token: SpentToken; amount: bigint; left: bigint }>();

	private constructor(
		private leftSun: bigint,
		private prices: Prices,
	) {}

	/** Opens a budget with the node's prices; works without them if the node doesn't give any. */
	static async open({ client, owner, account }: Actor): Promise<PaymentBudget> {
		const prices = pricesFor(client, owner).catch(onRefusal(UNKNOWN_PRICES, "not_served", "rpc_error"));
		return new PaymentBudget(account.balance, await prices);
	}

	/**
	 * Deducts what one transaction needs; deducts nothing if it can't be paid.
	 * @param signatures number of signatures that it will have
	 * @param postQuantum schemes of the post-quantum ones among them
	 * @throws {Failure} `insufficient_funds`
	 */
	async take(
		plan: TransactionPlan,
		transaction: SignedTransaction,
		signatures: number,
		postQuantum: readonly PostQuantumScheme[] = [],
	): Promise<void> {
		const { creates = false, energy } = plan;
		const cost = costOf(transaction, { signatures, postQuantum, creates, energy }, this.prices);
		const fees = cost.totalSun;
		const amount = coinsOf(plan);
		if (amount + fees > this.leftSun) {
			throw new Failure(
				"insufficient_funds",
				`the payments down to this one come to ${formatCoin(this.amountSun + amount)} and ${formatCoin(this.fees.totalSun + fees)} of fees, ${formatCoin(amount + fees - this.leftSun)} more than the account has${this.besides(formatCoin(this.keptSun))}`,
				this.advice,
			);
		}
		if (plan.spends) await this.takeToken(plan.spends);
		this.leftSun -= amount + fees;
		this.amountSun += amount;
		this.fees = addFees(this.fees, cost);
		this.prices = pricesAfter(this.prices, cost, this.energyOf(plan));
	}

	/** How much staked energy a transaction uses: a call that wasn't simulated may use all of it. */
	private energyOf({ type, energy }: TransactionPlan): bigint {
		return energy ?? (type.name === "TriggerSmartContract" ? this.prices.energy : 0n);
	}

	/**
	 * Sets aside what a payment of an earlier run may still spend, up to what is available: for energy, what the simulation used, or
	 * else its fee limit.
	 */
	async setAside(
		plan: TransactionPlan,
		transaction: SignedTransaction,
		signatures: number,
		postQuantum: readonly PostQuantumScheme[] = [],
	): Promise<void> {
		const { creates = false, energy, spends } = plan;
		const cost = costOf(transaction, { signatures, postQuantum, creates, energy }, this.prices);
		const { energySun, energyLimitSun, totalSun } = cost;
		const excess = energySun > energyLimitSun ? energySun - energyLimitSun : 0n;
		const sun = coinsOf(plan) + totalSun - excess;
		this.keptSun += sun;
		this.leftSun = this.leftSun > sun ? this.leftSun - sun : 0n;
		this.prices = pricesAfter(this.prices, cost, this.energyOf(plan));
		if (!spends) return;
		const left = this.tokens.get(spends.asset)?.left ?? (await spends.balance());
		const after = left > spends.amount ? left - spends.amount : 0n;
		this.tokens.set(spends.asset, { token: spends, amount: 0n, left: after });
	}

	/** Explains why the account may hold more than is available here. @param what the asset that is set aside */
	private besides(what: string): string {
		return this.keptSun > 0n ? ` besides ${what} that payments of an earlier run may still take` : "";
	}

	private get advice(): { readonly hint?: string } {
		if (this.keptSun === 0n) return {};
		return {
			hint: "the node doesn't tell whether those are in a block: run it again with --resume once it does, or once their time is over",
		};
	}

	private async takeToken(token: SpentToken): Promise<void> {
		const known = this.tokens.get(token.asset);
		const left = known?.left ?? (await token.balance());
		if (token.amount > left) {
			const needed = (known?.amount ?? 0n) + token.amount;
			throw new Failure(
				"insufficient_funds",
				`the payments down to this one come to ${await token.text(needed)}, ${await token.text(token.amount - left)} more than the account has${this.besides("what")}`,
				this.advice,
			);
		}
		const amount = (known?.amount ?? 0n) + token.amount;
		this.tokens.set(token.asset, { token, amount, left: left - token.amount });
	}

	/** The totals by asset; includes coins, even if zero, when nothing else leaves the account. */
	async amounts(): Promise<BatchTotals["amounts"]> {
		const tokens = await Promise.all(
			[...this.tokens]
				.filter(([, { amount }]) => amount > 0n)
				.map(async ([asset, { token, amount }]) => ({ asset, amount, text: await token.text(amount) })),
		);
		const { amountSun: amount } = this;
		const coins =
			amount > 0n || tokens.length === 0 ? [{ asset: "coin", amount, text: formatCoin(amount) }] : [];
		return [...coins, ...tokens];
	}
}

/** Prices and remaining resources for the transactions after this one. */
function pricesAfter(prices: Prices, cost: TransactionCost, energy: bigint): Prices {
	const left = prices.energy > energy ? prices.energy - energy : 0n;
	return { ...prices, ...bytesLeft(prices, cost), energy: left };
}

/** Bandwidth left afterwards: stake covers a transaction entirely or not at all, and so does the free allowance. */
function bytesLeft(
	{ stakedBytes, freeBytes }: Prices,
	{ bytes, bandwidthSun, creationSun }: TransactionCost,
): Pick<Prices, "stakedBytes" | "freeBytes"> {
	const used = BigInt(bytes);
	if (stakedBytes >= used) return { stakedBytes: stakedBytes - used, freeBytes };
	const isFree = bandwidthSun === 0n && creationSun === 0n;
	return { stakedBytes, freeBytes: isFree && freeBytes >= used ? freeBytes - used : freeBytes };
}

/** A line that can be paid. */
export interface JudgedPayment {
	readonly line: number;
	/** Position in the list, from 0. */
	readonly index: number;
	readonly payment: Payment;
	readonly plan: TransactionPlan;
	/** Identifies the payment among all payments of the list. */
	readonly key: string;
	/** One sentence on what it does. */
	readonly summary: string;
}

export interface JudgedBatch {
	readonly payments: readonly JudgedPayment[];
	readonly refused: readonly RefusedLine[];
	readonly totals: BatchTotals;
	/** What the user sees before confirming. */
	readonly summary: readonly string[];
	/** Why confirmation is needed in any case: lines that repeat an earlier one, and burns. */
	readonly risks: readonly string[];
	/** Sun that leaves the account, without fees. */
	readonly amountSun: bigint;
}

/** A payment of the list as read, before it is checked against the account. */
export type ReadPayment = Omit<JudgedPayment, "plan" | "summary">;

/** What an earlier run sent or printed, by payment key; with the transaction if the node's balance may not include it yet. */
export type PaidBefore = ReadonlyMap<string, SignedTransaction | undefined>;

interface JudgeOptions extends Omit<TransferOptions, "memo" | "isUntried"> {
	/** Memo of payments without one of their own. */
	readonly memo?: string | undefined;
	/** Whether to ask the node which recipients are paid for the first time, because someone will read it. */
	readonly asksFirst?: boolean;
	/** Builds and checks a transaction as for sending. */
	readonly check: (plan: TransactionPlan, memo: string | undefined) => Promise<TransactionEnvelope>;
	/** Finds the payments of an earlier run, which are skipped: neither checked nor deducted. */
	readonly paidBefore?:
		| ((payments: readonly ReadPayment[], refused: readonly RefusedLine[]) => Promise<PaidBefore>)
		| undefined;
}

interface Draft extends ReadPayment {
	readonly transfer: ResolvedTransfer;
	readonly memo: string | undefined;
	readonly plan: TransactionPlan;
}

type Judged = JudgedPayment & { readonly transfer: ResolvedTransfer; readonly isFirst: boolean };

/** What the transactions of a list are checked against. */
interface Means {
	readonly payer: Actor;
	/** Undefined when offline. */
	readonly budget: PaymentBudget | undefined;
	readonly signatures: number;
}

/** Checks every line: labels, amounts, units, tokens, the node's own validation, and the total against the account. */
export async function judgePayments(
	actor: Actor,
	lines: readonly PaymentLine[],
	options: JudgeOptions,
): Promise<JudgedBatch> {
	const { paidBefore, offline = false } = options;
	const refused: RefusedLine[] = [];
	const drafts: Omit<Draft, "key">[] = [];
	for (const [index, { line, payment }] of lines.entries()) {
		try {
			if (payment instanceof Failure) throw payment;
			if (payment.amount === "max" && lines.length > 1)
				throw new Failure(
					"bad_value",
					"max can't stand among several payments: what it means isn't known yet",
				);
			drafts.push({ line, index, payment, ...(await drafted(actor, payment, options)) });
		} catch (error) {
			refused.push({ line, index, failure: refusalOfLine(error) });
		}
	}
	const keys = paymentKeys(drafts.map(({ plan, memo }) => ({ ...plan, memo: memoBytes(memo) })));
	const read = drafts.map((draft, index): Draft => {
		const isOpen = paidBefore !== undefined && draft.payment.amount === "max";
		const key = isOpen ? keyOfAnyAmount({ ...draft.plan, memo: memoBytes(draft.memo) }) : keys[index];
		return { ...draft, key: key as string };
	});
	const paid: PaidBefore = (await paidBefore?.(read, refused)) ?? new Map();
	// The account as read before the lookup of an earlier run's payments may not include those yet.
	const account = paidBefore && !offline ? await fetchAccount(actor.client, actor.owner) : undefined;
	const payer = account ? { ...actor, account } : actor;
	const budget = offline ? undefined : await PaymentBudget.open(payer);
	const means = {
		payer,
		budget,
		signatures: signaturesToExpect(payer.account, options.permission, options.signers),
	};
	const created = await setAside(means, read, paid, options);
	const judged: Judged[] = [];
	for (const draft of read.filter(({ key }) => !paid.has(key))) {
		try {
			judged.push(await judgedPayment(means, draft, created, options));
		} catch (error) {
			refused.push({ line: draft.line, index: draft.index, failure: refusalOfLine(error) });
		}
	}
	refused.sort((one, other) => one.line - other.line);
	return batchOf(judged, refused, budget);
}

/**
 * Deducts first what an earlier run sent or printed and the node's state doesn't include yet.
 * @returns accounts that those payments create, in hexadecimal
 */
async function setAside(
	{ payer, budget, signatures }: Means,
	read: readonly Draft[],
	paid: PaidBefore,
	options: JudgeOptions,
): Promise<Set<string>> {
	const created = new Set<string>();
	for (const draft of read) {
		const waiting = paid.get(draft.key);
		if (!waiting) continue;
		const id = toHex(draft.transfer.recipient);
		// Even if it would be refused now, it may already be with a node or another signer.
		const { plan } = await renewed(payer, draft, options).catch((error) => {
			refusalOfLine(error);
			return draft;
		});
		const creates = plan.creates === true && !created.has(id);
		await budget?.setAside({ ...plan, creates }, waiting, signatures, options.postQuantum);
		if (creates) created.add(id);
	}
	return created;
}

/** Checks one payment. @param created accounts that earlier payments create; its own is added @throws whatever is wrong with it */
async function judgedPayment(
	{ payer, budget, signatures }: Means,
	draft: Draft,
	created: Set<string>,
	options: JudgeOptions,
): Promise<Judged> {
	const {
		plan: own,
		memo,
		transfer,
		...rest
	} = options.paidBefore ? await renewed(payer, draft, options) : draft;
	const id = toHex(transfer.recipient);
	const plan = created.has(id) ? { ...own, creates: false } : own;
	const { transaction } = await options.check(plan, memo);
	await budget?.take(plan, transaction, signatures, options.postQuantum);
	if (plan.creates) created.add(id);
	const isFirst = options.asksFirst === true && (await plan.isFirstPayment?.()) === true;
	const summary = plan.spends
		? `${await plan.spends.text(plan.spends.amount)} to ${rest.payment.to}`
		: contractSummary(plan, payer.owner);
	return { ...rest, plan, summary, transfer, isFirst };
}

/** Used to look a payment up in the journal: as if its recipient were an existing account, with any amount for `max`. */
const UNASKED = { creates: false, isContract: false };

/** A payment as read; if an earlier run may have made it, leaves out everything that run may have changed. */
async function drafted(
	actor: Actor,
	payment: Payment,
	options: JudgeOptions,
): Promise<Pick<Draft, "transfer" | "memo" | "plan">> {
	const recipient = await accountNamed(actor.settings, payment.to);
	const memo = payment.memo ?? options.memo;
	const isUntried = options.paidBefore !== undefined;
	const facts = options.offline || isUntried ? UNASKED : await recipientFacts(actor.client, recipient);
	const any = payment.token === undefined ? "1sun" : "1raw";
	const amount = isUntried && payment.amount === "max" ? any : payment.amount;
	const transfer = { ...payment, ...facts, recipient, amount };
	const plan = await transferPlan(actor, transfer, { ...planOptions(options, memo), isUntried });
	return { transfer, memo, plan };
}

/** The payment again by the node's present state, after the payments of an earlier run were looked up. */
async function renewed(payer: Actor, draft: Draft, options: JudgeOptions): Promise<Draft> {
	const { payment, memo } = draft;
	const { recipient } = draft.transfer;
	const facts = options.offline ? UNASKED : await recipientFacts(payer.client, recipient);
	const transfer = { ...payment, ...facts, recipient };
	const plan = await transferPlan(payer, transfer, planOptions(options, memo));
	const [key = draft.key] = payment.amount === "max" ? paymentKeys([{ ...plan, memo: memoBytes(memo) }]) : [];
	return { ...draft, transfer, plan, key };
}

function planOptions(options: JudgeOptions, memo: string | undefined): TransferOptions {
	return { ...options, memo: memoBytes(memo) };
}

async function batchOf(
	payments: readonly Judged[],
	refused: readonly RefusedLine[],
	budget: PaymentBudget | undefined,
): Promise<JudgedBatch> {
	const repeated = payments.filter(({ key }) => isRepeated(key)).map(({ line }) => line);
	const says = repeated.length === 1 ? "says" : "say";
	const risks = [
		...(repeated.length > 0 ? [`${linesText(repeated)} ${says} the same as a line before`] : []),
		...payments.flatMap(({ plan, line }) => riskOf(plan)?.replace(/^/, `line ${line} `) ?? []),
	];
	const recipients = (those: (payment: Judged) => boolean): string[] => [
		...new Set(payments.filter(those).map(({ transfer }) => toBase58Check(transfer.recipient))),
	];
	const totals: BatchTotals = {
		payments: payments.length,
		accounts: recipients(() => true).length,
		amounts: (await budget?.amounts()) ?? [],
		fees: budget?.fees,
		newAccounts: recipients(({ transfer }) => transfer.creates),
		contracts: recipients(({ transfer }) => transfer.isContract === true),
		firstPayments: recipients(({ isFirst }) => isFirst),
	};
	return {
		payments,
		refused,
		risks,
		amountSun: payments.reduce((sum, { plan }) => sum + coinsOf(plan), 0n),
		totals,
		summary: [
			...summaryLines(payments, totals, risks),
			...payments.flatMap(({ plan: { doubt }, line }) =>
				doubt === undefined ? [] : [riskLine(`line ${line} ${doubt}`)],
			),
		],
	};
}

/** What is wrong with a line; rethrows errors, such as an unreachable node, that aren't the line's fault. */
function refusalOfLine(error: unknown): Failure {
	if (error instanceof KeystoreError) return new Failure(error.code, error.message);
	if (error instanceof Failure && FAILURE_KINDS[error.code].retry === "changed") return error;
	throw error;
}

function summaryLines(
	payments: readonly JudgedPayment[],
	totals: BatchTotals,
	risks: readonly string[],
): string[] {
	const { accounts, amounts } = totals;
	const missing = totals.newAccounts.length;
	const total = amounts.length > 0 ? `, ${amounts.map(({ text }) => text).join(" and ")}` : "";
	const absent = missing === 0 ? "" : `; ${missing} of them ${missing === 1 ? "doesn't" : "don't"} exist yet`;
	return [
		`${counted(payments.length, "payment")}${total}, to ${counted(accounts, "account")}${absent}`,
		...payments.map(({ line, summary }) => `  ${`line ${line}`.padEnd(11)} ${summary}`),
		...totalLines(totals),
		...risks.map(riskLine),
	];
}
