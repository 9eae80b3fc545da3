/** Whether an account can pay a list of transactions, one after the other: balances, fees, bandwidth and energy together. */

import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { Failure } from "../failure.js";
import { coinsOf } from "../transaction/moved-coins.js";
import { costOf, type Prices, pricesFor, type TransactionCost } from "../transaction/transaction-cost.js";
import { formatCoin } from "../values/amount.js";
import type { Actor, SpentToken, TransactionPlan } from "./plan.js";

/** Without them nothing is known to cost anything. */
const UNKNOWN_PRICES: Prices = { parameters: new Map(), stakedBytes: 0n, freeBytes: 0n, energy: 0n };

/** What is left of an account's means after each transaction of a list. */
export class PaymentBudget {
	/** Sun for everything but the amounts, energy as far as it was tried. */
	feesSun = 0n;
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
		return new PaymentBudget(account.balance, await pricesOrNone(client, owner));
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
		const facts = { signatures, postQuantum, creates: plan.creates ?? false };
		const cost = costOf(transaction, facts, this.prices);
		const energy = plan.energy ?? 0n;
		const { energy: ownEnergy } = this.prices;
		const bought = energy > ownEnergy ? energy - ownEnergy : 0n;
		const fees = cost.totalSun + bought * (this.prices.parameters.get("getEnergyFee") ?? 0n);
		const amount = coinsOf(plan);
		const total = this.amountSun + this.feesSun + amount + fees;
		if (total > this.balanceSun) {
			throw new Failure(
				"insufficient_funds",
				`the payments down to this one come to ${formatCoin(this.amountSun + amount)} and ${formatCoin(this.feesSun + fees)} of fees, ${formatCoin(total - this.balanceSun)} more than the account has`,
			);
		}
		if (plan.spends) await this.takeToken(plan.spends);
		this.amountSun += amount;
		this.feesSun += fees;
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

	/** The sums for people: `3.5coin and 12 GLD`. */
	async totalText(): Promise<string> {
		const tokens = await Promise.all(
			[...this.tokens.values()].map(({ token, amount }) => token.text(amount)),
		);
		const coins = this.amountSun > 0n || tokens.length === 0 ? [formatCoin(this.amountSun)] : [];
		return [...coins, ...tokens].join(" and ");
	}
}

async function pricesOrNone(client: Actor["client"], owner: Uint8Array): Promise<Prices> {
	try {
		return await pricesFor(client, owner);
	} catch (error) {
		if (error instanceof Failure && (error.code === "not_served" || error.code === "rpc_error"))
			return UNKNOWN_PRICES;
		throw error;
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
