/**
 * What a transaction costs besides its amount: bandwidth, a new account, a memo, additional signatures, the network's fee for
 * its type, energy (protocol/resources §§3.3 to 3.6). An estimate at current prices; the chain charges those in effect when the
 * transaction is included in a block.
 */

import { toHex } from "../../protocol/bytes.js";
import { AccountResourceMessage } from "../../protocol/messages.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { messageFrom } from "../node/answer.js";
import { fetchChainParameters } from "../node/chain-parameters.js";
import type { NodeClient } from "../node/node-client.js";
import { formatCoin } from "../values/amount.js";

/** Size of a signature in the serialized transaction: tag, length, 65 bytes. */
const SIGNATURE_BYTES = 67;
/** Bytes counted for the result that is stored in the block. */
const RESULT_BYTES = 64;

export interface TransactionCost {
	/** Bandwidth that the transaction uses, in bytes. */
	readonly bytes: number;
	/** Sun for bandwidth that neither stake nor the free allowance covers. */
	readonly bandwidthSun: bigint;
	/** Sun for creating the recipient's account. */
	readonly creationSun: bigint;
	readonly memoSun: bigint;
	readonly signaturesSun: bigint;
	/** The network's fee for the contract type, in sun. */
	readonly typeSun: bigint;
	/** Sun for the energy that stake doesn't cover, by a simulation of the call; the limit if it wasn't simulated. */
	readonly energySun: bigint;
	/** The most that energy may cost: the fee limit. */
	readonly energyLimitSun: bigint;
	/** Sum of all the above except the limit. */
	readonly totalSun: bigint;
}

/** The account's resources and the chain's prices at one moment. */
export interface Prices {
	readonly parameters: ReadonlyMap<string, bigint>;
	/** Bytes still covered by its stake, and by the free allowance. */
	readonly stakedBytes: bigint;
	readonly freeBytes: bigint;
	/** Energy that its stake still covers. */
	readonly energy: bigint;
}

/** What is known about a transaction besides its bytes. */
interface CostFacts {
	/** Number of signatures that it will have. */
	readonly signatures: number;
	/** Schemes of the post-quantum signatures among them that are still to be added. */
	readonly postQuantum?: readonly PostQuantumScheme[] | undefined;
	/** Whether it creates the recipient's account. */
	readonly creates: boolean;
	/** Energy that its call used when simulated; undefined if it wasn't simulated. */
	readonly energy?: bigint | undefined;
}

/**
 * Estimates the cost of a transaction.
 * @param transaction including the signatures that it has so far
 */
export async function transactionCost(
	client: NodeClient,
	transaction: SignedTransaction,
	facts: CostFacts,
): Promise<TransactionCost> {
	return costOf(transaction, facts, await pricesFor(client, transaction.owner));
}

/** Fetches an account's resources and the chain's prices. @param owner 21 bytes */
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

/** {@link transactionCost} by prices that are already known. */
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
 * Sun that an account lacks for a transaction; excludes energy, since the contract's owner may pay part of it.
 * @param amountSun what leaves the account besides fees
 */
export function shortfallOf(balanceSun: bigint, amountSun: bigint, cost: TransactionCost): bigint {
	const needed = amountSun + cost.totalSun - cost.energySun;
	return needed > balanceSun ? needed - balanceSun : 0n;
}

const energyText = (sun: bigint, limitSun: bigint): string =>
	sun === limitSun ? " at most" : ` at most, about ${formatCoin(sun)}`;

/** The lines of a summary that cover the cost. */
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
