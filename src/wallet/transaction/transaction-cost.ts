/**
 * What a transaction costs beside its amount: bandwidth, a new account, a memo, more signatures, the network's fee for
 * its type, energy (protocol/resources §§3.3 to 3.6). An estimate for the present moment; the chain charges what holds when the
 * transaction enters a block.
 */

import { toHex } from "../../protocol/bytes.js";
import { AccountResourceMessage } from "../../protocol/messages.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { messageFrom } from "../node/answer.js";
import { fetchChainParameters } from "../node/chain-parameters.js";
import type { NodeClient } from "../node/node-client.js";
import { formatCoin } from "../values/amount.js";

/** A signature in the serialised transaction: tag, length, 65 bytes. */
const SIGNATURE_BYTES = 67;
/** Counted for the result that a block stores. */
const RESULT_BYTES = 64;

export interface TransactionCost {
	/** Bytes of bandwidth that the transaction counts for. */
	readonly bytes: number;
	/** Sun for bandwidth that neither stake nor the free allowance covers. */
	readonly bandwidthSun: bigint;
	/** Sun for creating the recipient. */
	readonly creationSun: bigint;
	readonly memoSun: bigint;
	readonly signaturesSun: bigint;
	/** Sun that the network takes for the type. */
	readonly typeSun: bigint;
	/** Sun for the energy that stake doesn't cover, by the trial of the call; the limit where it wasn't tried. */
	readonly energySun: bigint;
	/** The most that energy may cost: the fee limit. */
	readonly energyLimitSun: bigint;
	/** Sum of all of these but the limit. */
	readonly totalSun: bigint;
}

/** What the account has and the chain asks for, at one moment. */
export interface Prices {
	readonly parameters: ReadonlyMap<string, bigint>;
	/** Bytes that its stake, and the free allowance, still cover. */
	readonly stakedBytes: bigint;
	readonly freeBytes: bigint;
	/** Energy that its stake still covers. */
	readonly energy: bigint;
}

/** What is known of a transaction beside its bytes. */
interface CostFacts {
	/** Signatures that it will have. */
	readonly signatures: number;
	/** Schemes of those among them that are post-quantum and not there yet. */
	readonly postQuantum?: readonly PostQuantumScheme[] | undefined;
	/** Whether it creates the account it goes to. */
	readonly creates: boolean;
	/** Energy that its call used when it was tried; undefined where it wasn't. */
	readonly energy?: bigint | undefined;
}

/**
 * Estimates the cost of a transaction.
 * @param transaction with the signatures that it has so far
 */
export async function transactionCost(
	client: NodeClient,
	transaction: SignedTransaction,
	facts: CostFacts,
): Promise<TransactionCost> {
	return costOf(transaction, facts, await pricesFor(client, transaction.owner));
}

/** What a node says of an account's means, and of the chain's prices. @param owner 21 bytes */
export async function pricesFor(client: NodeClient, owner: Uint8Array): Promise<Prices> {
	const [parameters, answer] = await Promise.all([
		fetchChainParameters(client),
		client.call("getaccountresource", { address: toHex(owner) }),
	]);
	const resource = messageFrom(AccountResourceMessage, answer);
	return {
		parameters,
		stakedBytes: resource.NetLimit - resource.NetUsed,
		freeBytes: resource.freeNetLimit - resource.freeNetUsed,
		energy: resource.EnergyLimit - resource.EnergyUsed,
	};
}

/** The same as {@link transactionCost} by what is known already. */
export function costOf(
	transaction: SignedTransaction,
	{ signatures, postQuantum = [], creates, energy }: CostFacts,
	{ parameters, stakedBytes, freeBytes, energy: stakedEnergy }: Prices,
): TransactionCost {
	const parameter = (name: string | undefined): bigint => (name && parameters.get(name)) || 0n;
	const present = transaction.message.signature.length + transaction.postQuantum.length;
	const recoverable = Math.max(0, signatures - present - postQuantum.length);
	const toCome = postQuantum.reduce((sum, { entryBytes }) => sum + entryBytes, recoverable * SIGNATURE_BYTES);
	const bytes = transaction.sizeWithoutResults + toCome + RESULT_BYTES;
	const { raw } = transaction;
	const type = transaction.type?.name ?? "";
	const creating = creates || type === "AccountCreateContract";
	const staked = stakedBytes >= BigInt(bytes);
	const free = !creating && freeBytes >= BigInt(bytes);
	const burned = creating ? parameter("getCreateAccountFee") : BigInt(bytes) * parameter("getTransactionFee");
	const energyLimitSun = raw?.fee_limit ?? 0n;
	const bought = energy === undefined ? undefined : energy - stakedEnergy;
	const cost = {
		bytes,
		bandwidthSun: staked || free ? 0n : burned,
		creationSun: creating ? parameter("getCreateNewAccountFeeInSystemContract") : 0n,
		memoSun: (raw?.data.length ?? 0) > 0 ? parameter("getMemoFee") : 0n,
		signaturesSun: signatures > 1 ? parameter("getMultiSignFee") : 0n,
		typeSun: parameter(transaction.type?.fee),
		energySun: bought === undefined ? energyLimitSun : bought > 0n ? bought * parameter("getEnergyFee") : 0n,
	};
	const { bandwidthSun, creationSun, memoSun, signaturesSun, typeSun, energySun } = cost;
	const totalSun = bandwidthSun + creationSun + memoSun + signaturesSun + typeSun + energySun;
	return { ...cost, energyLimitSun, totalSun };
}

/**
 * Sun that an account lacks for a transaction; energy isn't counted, of which the contract's owner may pay a part.
 * @param amountSun what leaves the account besides fees
 */
export function shortfallOf(balanceSun: bigint, amountSun: bigint, cost: TransactionCost): bigint {
	const needed = amountSun + cost.totalSun - cost.energySun;
	return needed > balanceSun ? needed - balanceSun : 0n;
}

const energyText = (sun: bigint, limitSun: bigint): string =>
	sun === limitSun ? " at most" : ` at most, about ${formatCoin(sun)}`;

/** The lines of a summary on the cost. */
export function costLines(cost: TransactionCost, shortfallSun: bigint): string[] {
	const { bytes, bandwidthSun, creationSun, memoSun, signaturesSun, typeSun, energySun, energyLimitSun } =
		cost;
	const bandwidth =
		bandwidthSun > 0n
			? `${formatCoin(bandwidthSun)} for ${bytes} bytes that stake and free allowance don't cover`
			: `${bytes} bytes, which cost nothing`;
	const rows: readonly (readonly [string, bigint, string])[] = [
		["fee", typeSun, ""],
		["memo fee", memoSun, ""],
		["activation", creationSun, " for creating the account"],
		["signatures", signaturesSun, " for more than one signature"],
		["energy", energyLimitSun, energyText(energySun, energyLimitSun)],
		["shortfall", shortfallSun, " more than the account has"],
	];
	return [
		`  bandwidth   ${bandwidth}`,
		...rows.flatMap(([name, sun, what]) =>
			sun > 0n ? [`  ${name.padEnd(11)} ${formatCoin(sun)}${what}`] : [],
		),
	];
}
