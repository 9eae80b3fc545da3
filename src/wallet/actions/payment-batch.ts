/** A list of payments, read and judged whole before the first of them is signed (protocol/wallet-formats §7). */

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

/** Without them nothing is known to cost anything. */
const UNKNOWN_PRICES: Prices = { parameters: new Map(), stakedBytes: 0n, freeBytes: 0n, energy: 0n };

/** Parts of the fees, in sun. */
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
	/** Accounts that are paid. */
	readonly accounts: number;
	/** In smallest units; the coin's asset is `coin`. */
	readonly amounts: readonly { readonly asset: string; readonly amount: bigint; readonly text: string }[];
	/** Undefined without a network. */
	readonly fees: FeeSums | undefined;
	/** Those of the accounts that don't exist yet, that are contracts, and that this account hasn't paid before. */
	readonly newAccounts: readonly string[];
	readonly contracts: readonly string[];
	/** As far as the node tells. */
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

/** Addresses that a line shows. */
const SHOWN = 10;

/** The lines of a summary on fees and recipients. */
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

/** What is left of an account's means after each transaction of a list. */
class PaymentBudget {
	/** Sun for everything but the amounts: of energy what its trial used, or else the fee limit. */
	fees: FeeSums = NO_FEES;
	/** Sun that the transactions move. */
	amountSun = 0n;
	/** Sun that payments of an earlier run may still take. */
	private keptSun = 0n;
	/** Tokens that the transactions move, by asset. */
	readonly tokens = new Map<string, { readonly token: SpentToken; amount: bigint; left: bigint }>();

	private constructor(
		private leftSun: bigint,
		private prices: Prices,
	) {}

	/** Asks a node; one that doesn't tell its prices is no obstacle. */
	static async open({ client, owner, account }: Actor): Promise<PaymentBudget> {
		const prices = pricesFor(client, owner).catch(onRefusal(UNKNOWN_PRICES, "not_served", "rpc_error"));
		return new PaymentBudget(account.balance, await prices);
	}

	/**
	 * Takes what one transaction needs; what can't be paid is not taken.
	 * @param signatures that it will have
	 * @param postQuantum schemes of those among them that are post-quantum
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

	/** What a transaction takes of the staked energy: a call that wasn't tried may take all. */
	private energyOf({ type, energy }: TransactionPlan): bigint {
		return energy ?? (type.name === "TriggerSmartContract" ? this.prices.energy : 0n);
	}

	/**
	 * Sets aside what a payment of an earlier run may still take, and no more than there is: of energy what its trial used, or else
	 * its fee limit.
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

	/** Why there may be more in the account. @param what is set aside */
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

	/** The sums by asset; coins where nothing else leaves the account, too. */
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

/** Prices and means for what comes behind a transaction. */
function pricesAfter(prices: Prices, cost: TransactionCost, energy: bigint): Prices {
	const left = prices.energy > energy ? prices.energy - energy : 0n;
	return { ...prices, ...bytesLeft(prices, cost), energy: left };
}

/** Stake covers a transaction wholly or not at all, and so does the free allowance. */
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
	/** Tells it from every other payment of the list. */
	readonly key: string;
	/** One sentence on what it does. */
	readonly summary: string;
}

export interface JudgedBatch {
	readonly payments: readonly JudgedPayment[];
	readonly refused: readonly RefusedLine[];
	readonly totals: BatchTotals;
	/** What people see before they agree. */
	readonly summary: readonly string[];
	/** Why it needs agreement in any case: lines that say the same as an earlier one, and burns. */
	readonly risks: readonly string[];
	/** Sun that leave the account, without fees. */
	readonly amountSun: bigint;
}

/** A payment of the list as it was read, before it is held against the account. */
export type ReadPayment = Omit<JudgedPayment, "plan" | "summary">;

/** What an earlier run has sent or printed, by its keys; the transaction where the account may still have what it takes. */
export type PaidBefore = ReadonlyMap<string, SignedTransaction | undefined>;

interface JudgeOptions extends Omit<TransferOptions, "memo" | "isUntried"> {
	/** Memo of payments without one of their own. */
	readonly memo?: string | undefined;
	/** Whether somebody reads who is paid for the first time, which a node is asked for. */
	readonly asksFirst?: boolean;
	/** Builds and checks a transaction as if it were sent. */
	readonly check: (plan: TransactionPlan, memo: string | undefined) => Promise<TransactionEnvelope>;
	/** Finds the payments of an earlier run, which are left out: neither checked nor held against the account. */
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

/** What a list's transactions are judged with. */
interface Means {
	readonly payer: Actor;
	/** Undefined without a network. */
	readonly budget: PaymentBudget | undefined;
	readonly signatures: number;
}

/** Looks at every line: labels, amounts, units, tokens, the node's own checks, and the sum of it all against the account. */
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
	// What was read before an earlier run's payments were looked up may have lacked them.
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
 * What an earlier run handed out and the node doesn't show yet comes off first.
 * @returns accounts that it makes, in hexadecimal
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
		// One that would be refused now is out all the same.
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

/** @throws whatever is wrong with it @param created accounts that payments before make, to which its own is added */
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

/** Of which the journal is asked: as if its recipient were an account, with any amount for `max`. */
const UNASKED = { creates: false, isContract: false };

/** A payment as it is read; where an earlier run may have made this very one, without what that has changed. */
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

/** The same by what the node says now that the payments of an earlier run are looked up. */
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

/** What is wrong with a line; a node that doesn't answer is nothing of the kind. */
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
