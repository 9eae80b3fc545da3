/** A list of payments, read and judged whole before the first of them is signed (protocol/wallet-formats §7). */

import { KeystoreError } from "../../keystore/keystore-error.js";
import { toBase58Check } from "../../protocol/address.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { FAILURE_KINDS, Failure, linesText, onRefusal, type RefusedLine } from "../failure.js";
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
import { isRepeated, paymentKeys } from "./payment-journal.js";
import type { Actor, SpentToken, TransactionPlan } from "./plan.js";
import { recipientFacts, type TransferOptions, transferPlan } from "./transfer.js";

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
	/** Sun for everything but the amounts, energy as far as it was tried. */
	fees: FeeSums = NO_FEES;
	/** Sun that the transactions move. */
	amountSun = 0n;
	/** Tokens that they move, by asset. */
	readonly tokens = new Map<string, { readonly token: SpentToken; amount: bigint; left: bigint }>();
	private prices: Prices;

	constructor(
		private readonly balanceSun: bigint,
		prices: Prices,
	) {
		this.prices = prices;
	}

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
		const { creates = false, energy = 0n } = plan;
		const cost = costOf(transaction, { signatures, postQuantum, creates, energy }, this.prices);
		const { energy: ownEnergy } = this.prices;
		const fees = cost.totalSun;
		const amount = coinsOf(plan);
		const total = this.amountSun + this.fees.totalSun + amount + fees;
		if (total > this.balanceSun) {
			throw new Failure(
				"insufficient_funds",
				`the payments down to this one come to ${formatCoin(this.amountSun + amount)} and ${formatCoin(this.fees.totalSun + fees)} of fees, ${formatCoin(total - this.balanceSun)} more than the account has`,
			);
		}
		if (plan.spends) await this.takeToken(plan.spends);
		this.amountSun += amount;
		this.fees = addFees(this.fees, cost);
		this.prices = {
			...this.prices,
			...bytesLeft(this.prices, cost),
			energy: energy > ownEnergy ? 0n : ownEnergy - energy,
		};
	}

	private async takeToken(token: SpentToken): Promise<void> {
		const known = this.tokens.get(token.asset);
		const left = known?.left ?? (await token.balance());
		if (token.amount > left) {
			const needed = (known?.amount ?? 0n) + token.amount;
			throw new Failure(
				"insufficient_funds",
				`the payments down to this one come to ${await token.text(needed)}, ${await token.text(token.amount - left)} more than the account has`,
			);
		}
		const amount = (known?.amount ?? 0n) + token.amount;
		this.tokens.set(token.asset, { token, amount, left: left - token.amount });
	}

	/** The sums by asset; coins where nothing else leaves the account, too. */
	async amounts(): Promise<BatchTotals["amounts"]> {
		const tokens = await Promise.all(
			[...this.tokens].map(async ([asset, { token, amount }]) => ({
				asset,
				amount,
				text: await token.text(amount),
			})),
		);
		const { amountSun: amount } = this;
		const coins =
			amount > 0n || tokens.length === 0 ? [{ asset: "coin", amount, text: formatCoin(amount) }] : [];
		return [...coins, ...tokens];
	}
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
	/** What was taken off their accounts; undefined without a network. */
	readonly budget: PaymentBudget | undefined;
	readonly refused: readonly RefusedLine[];
	readonly totals: BatchTotals;
	/** What people see before they agree. */
	readonly summary: readonly string[];
	/** Why it needs agreement in any case: lines that say the same as an earlier one, and burns. */
	readonly risks: readonly string[];
	/** Sun that leave the account, without fees. */
	readonly amountSun: bigint;
}

interface JudgeOptions extends Omit<TransferOptions, "memo"> {
	/** Memo of payments without one of their own. */
	readonly memo?: string | undefined;
	/** Whether somebody reads who is paid for the first time, which a node is asked for. */
	readonly asksFirst?: boolean;
	/** Builds and checks a transaction as if it were sent. */
	readonly check: (plan: TransactionPlan, memo: string | undefined) => Promise<TransactionEnvelope>;
}

type Judged = Omit<JudgedPayment, "key"> & {
	readonly envelope: TransactionEnvelope;
	readonly recipient: string;
};

/** Looks at every line: labels, amounts, units, tokens, the node's own checks, and the sum of it all against the account. */
export async function judgePayments(
	actor: Actor,
	lines: readonly PaymentLine[],
	options: JudgeOptions,
): Promise<JudgedBatch> {
	const { offline = false } = options;
	const budget = offline ? undefined : await PaymentBudget.open(actor);
	const missing = new Set<string>();
	const known = new Set<string>();
	const contracts = new Set<string>();
	const first = new Set<string>();
	const judged: Judged[] = [];
	const refused: RefusedLine[] = [];
	for (const [index, { line, payment }] of lines.entries()) {
		try {
			if (payment instanceof Failure) throw payment;
			if (payment.amount === "max" && lines.length > 1)
				throw new Failure(
					"bad_value",
					"max can't stand among several payments: what it means isn't known yet",
				);
			const recipient = await accountNamed(actor.settings, payment.to);
			const id = toHex(recipient);
			const facts = offline ? { creates: false } : await recipientFacts(actor.client, recipient);
			const creates = facts.creates && !known.has(id);
			known.add(id);
			if (creates) missing.add(id);
			if (facts.isContract) contracts.add(id);
			const memo = payment.memo ?? options.memo;
			const plan = await transferPlan(
				actor,
				{ ...payment, ...facts, recipient, creates },
				{ ...options, memo: memoBytes(memo) },
			);
			const envelope = await options.check(plan, memo);
			await budget?.take(
				plan,
				envelope.transaction,
				signaturesToExpect(actor.account, options.permission, options.signers),
				options.postQuantum,
			);
			if (options.asksFirst && (await plan.isFirstPayment?.())) first.add(id);
			const summary = plan.spends
				? `${await plan.spends.text(plan.spends.amount)} to ${payment.to}`
				: contractSummary(plan, actor.owner);
			judged.push({ line, index, payment, plan, summary, envelope, recipient: id });
		} catch (error) {
			refused.push({ line, index, failure: refusalOfLine(error) });
		}
	}
	const keys = paymentKeys(judged.map(({ envelope }) => envelope));
	const payments = judged.map((each, index): JudgedPayment => ({ ...each, key: keys[index] as string }));
	const repeated = payments.filter(({ key }) => isRepeated(key)).map(({ line }) => line);
	const says = repeated.length === 1 ? "says" : "say";
	const risks = [
		...(repeated.length > 0 ? [`${linesText(repeated)} ${says} the same as a line before`] : []),
		...payments.flatMap(({ plan, line }) => riskOf(plan)?.replace(/^/, `line ${line} `) ?? []),
	];
	const accounts = new Set(judged.map(({ recipient }) => recipient));
	const paid = (ids: ReadonlySet<string>): string[] =>
		[...ids].filter((id) => accounts.has(id)).map((id) => toBase58Check(fromHex(id)));
	const totals: BatchTotals = {
		payments: payments.length,
		accounts: accounts.size,
		amounts: (await budget?.amounts()) ?? [],
		fees: budget?.fees,
		newAccounts: paid(missing),
		contracts: paid(contracts),
		firstPayments: paid(first),
	};
	return {
		payments,
		budget,
		refused,
		risks,
		amountSun: payments.reduce((sum, { plan }) => sum + coinsOf(plan), 0n),
		totals,
		summary: summaryLines(payments, totals, risks),
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
