/** How much a call of a contract may cost at most (protocol/command-line §1.2). Every call is tried before it is sent. */

import { equalBytes, toHex } from "../../protocol/bytes.js";
import { SmartContract } from "../../protocol/messages.js";
import { Failure } from "../failure.js";
import { messageFrom } from "../node/answer.js";
import { fetchChainParameters } from "../node/chain-parameters.js";
import { fetchAccount } from "../node/chain-query.js";
import { type ContractCall, failsUnder, type TriedEnergy, triedEnergy } from "../node/constant-call.js";
import type { NodeClient } from "../node/node-client.js";
import { pricesFor } from "../transaction/transaction-cost.js";
import { formatCoin, parseCoinAmount } from "./amount.js";

/** What a user says about the cost of a call. */
export interface RequestedFeeLimit {
	/** An amount, or `auto` for the cost when it was tried and a quarter more; absent: as configured. */
	readonly feeLimit?: string | undefined;
	/** Send it although it would fail. */
	readonly force?: boolean | undefined;
}

/** Members of a plan. */
export interface FeeLimit {
	readonly feeLimitSun: bigint;
	/** Energy that the call used when it was tried; absent where it wasn't. */
	readonly energy?: bigint;
}

/**
 * The limit that a wish means; at most what the configuration allows where it's an estimate.
 * @param call undefined without a network; else it is tried, whatever the limit is
 * @throws {Failure} `contract_revert` if the call would fail, `fee_limit_too_low` or `insufficient_funds` if the limit or the balance
 * ends it; `usage` for `auto` where nothing is tried
 */
export async function feeLimitOf(
	{ feeLimit, force = false }: RequestedFeeLimit,
	client: NodeClient,
	call: ContractCall | undefined,
): Promise<FeeLimit> {
	const text = feeLimit ?? client.settings.feeLimit;
	const given = text === "auto" ? undefined : parseCoinAmount(text);
	if (!call || force) {
		if (given !== undefined) return { feeLimitSun: given };
		throw call
			? new Failure(
					"usage",
					"--force needs an amount, since what fails has no estimate: --fee-limit <amount>",
				)
			: new Failure(
					"usage",
					"without a node (--offline, --ref) the energy has no estimate: --fee-limit <amount>",
				);
	}
	if (given === undefined) {
		const tried = await triedEnergy(client, call);
		const price = await energyPrice(client);
		const limitFor = (energy: bigint): bigint => ((energy * 5n + 3n) / 4n) * price;
		const usual = limitFor(tried.used);
		const isUsual = tried.enough * price <= usual || (await failsUnder(client, call, usual)) === false;
		const limit = isUsual ? usual : limitFor(tried.enough);
		const { maxFeeLimitSun } = client.settings;
		const feeLimitSun = limit < maxFeeLimitSun ? limit : maxFeeLimitSun;
		await checkEnergy(client, call, tried, feeLimitSun, (...lack) => unaffordable(client, call, ...lack));
		return { feeLimitSun, energy: tried.used };
	}
	const tried = await energyOfTrial(client, call);
	if (!tried) return { feeLimitSun: given };
	await checkEnergy(
		client,
		call,
		tried,
		given,
		async (...lack) =>
			(await uncovered(client, call, given, ...lack)) ?? (await unaffordable(client, call, ...lack)),
	);
	return { feeLimitSun: given, energy: tried.used };
}

/** Undefined at a node that tries no calls. */
async function energyOfTrial(client: NodeClient, call: ContractCall): Promise<TriedEnergy | undefined> {
	try {
		return await triedEnergy(client, call);
	} catch (error) {
		if (error instanceof Failure && error.code === "not_served") return undefined;
		if (error instanceof Failure && error.facts.hint === undefined && error.code === "contract_revert")
			throw error.with({ hint: "it would fail and cost its energy; --force sends it all the same" });
		throw error;
	}
}

/**
 * Refuses a call that would run out of energy: without what it used, always; with less than what is enough, where a trial under
 * the limit fails, too. Where the node makes none: where the estimate is beyond twice what was used, which the node has seen fail (protocol/http-endpoints §1.7).
 * @param lack what a need of energy fails by; `about` says how exact that is
 * @throws {Failure}
 */
async function checkEnergy(
	client: NodeClient,
	call: ContractCall,
	{ used, enough }: TriedEnergy,
	limitSun: bigint,
	lack: (energy: bigint, about: string) => Promise<Failure | undefined>,
): Promise<void> {
	const sure = await lack(used, "about");
	if (sure) throw sure;
	const possible = enough > used ? await lack(enough, "up to") : undefined;
	if (!possible) return;
	if ((await failsUnder(client, call, limitSun)) ?? enough > 2n * used) throw possible;
}

/** `fee_limit_too_low` if energy is more than a fee limit pays. */
async function uncovered(
	client: NodeClient,
	call: ContractCall,
	limitSun: bigint,
	energy: bigint,
	about: string,
): Promise<Failure | undefined> {
	const price = await energyPrice(client);
	if (energy * price <= limitSun) return undefined;
	const needed = (await callersEnergy(client, call, energy)) * price;
	if (needed <= limitSun) return undefined;
	return new Failure(
		"fee_limit_too_low",
		`the call needs ${about} ${energy} energy, ${formatCoin(needed)} of it from the caller, and the fee limit is ${formatCoin(limitSun)}: it would end without effect and cost the limit`,
		{ hint: "--fee-limit auto takes the estimate, --force sends it all the same" },
	);
}

/** `insufficient_funds` if energy is more than the account has and can buy: the call would take all that and run out of energy. */
async function unaffordable(
	client: NodeClient,
	call: ContractCall,
	energy: bigint,
	about: string,
): Promise<Failure | undefined> {
	const account = await fetchAccount(client, call.owner);
	if (!account) return undefined;
	const price = await energyPrice(client);
	const left = account.balance - (call.valueSun ?? 0n);
	if (left >= energy * price) return undefined;
	const [needed, { energy: staked }] = await Promise.all([
		callersEnergy(client, call, energy),
		pricesFor(client, call.owner),
	]);
	const bought = needed - staked;
	// A value above the balance is the node's to refuse.
	if (bought <= 0n || left >= bought * price) return undefined;
	return new Failure(
		"insufficient_funds",
		`the call needs ${about} ${bought} energy beyond what stake covers, which costs ${formatCoin(bought * price)}, and the account has ${formatCoin(left > 0n ? left : 0n)} for it: it would end without effect and cost that`,
		{ hint: "--force sends it all the same" },
	);
}

async function energyPrice(client: NodeClient): Promise<bigint> {
	return (await fetchChainParameters(client)).get("getEnergyFee") ?? 0n;
}

/** Energy that a contract's owner pays at most in one call where the contract doesn't say (protocol/resources §4.2). */
const USUAL_ORIGIN_LIMIT = 10_000_000n;

/**
 * The part of the energy that the caller must have: all of a deployment, and of one's own contract; of another one's the
 * percentage that it sets, and whatever its owner's staked energy doesn't cover, or the limit that the contract sets for that.
 */
async function callersEnergy(
	client: NodeClient,
	{ contract, owner }: ContractCall,
	energy: bigint,
): Promise<bigint> {
	if (contract.length === 0) return energy;
	const record = messageFrom(SmartContract, await client.call("getcontract", { value: toHex(contract) }));
	const { origin_address: origin, consume_user_resource_percent: percent } = record;
	if (percent >= 100n || equalBytes(origin, owner)) return energy;
	const part = (energy * percent + 99n) / 100n;
	const { energy: staked } = await pricesFor(client, origin);
	const limit = record.origin_energy_limit || USUAL_ORIGIN_LIMIT;
	const uncovered = energy - (staked < limit ? staked : limit);
	return uncovered > part ? uncovered : part;
}
