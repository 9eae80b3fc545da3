/** Determines the fee limit of contract calls (protocol/command-line §1.2). Every call is simulated before it is sent. */

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

/** The user's choices about the cost of a call. */
export interface RequestedFeeLimit {
	/** An amount, or `auto` for the simulated cost plus a quarter; if absent, as configured. */
	readonly feeLimit?: string | undefined;
	/** Send it even if it would fail. */
	readonly force?: boolean | undefined;
}

/** Members of a plan. */
export interface FeeLimit {
	readonly feeLimitSun: bigint;
	/** Energy that the call used when simulated; absent if it wasn't simulated. */
	readonly energy?: bigint;
}

/**
 * The fee limit for a request; an estimated one is capped by the configured maximum.
 * @param call undefined when offline; otherwise it is simulated, whatever the limit is
 * @throws {Failure} `contract_revert` if the call would fail, `fee_limit_too_low` or `insufficient_funds` if the limit or the balance
 * is too low for it; `usage` for `auto` if nothing can be simulated
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

/** Energy by a simulation; undefined if the node doesn't serve constant calls. */
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
 * Refuses a call that would run out of energy: if `used` can't be had, always; if only `enough` can't, then if a simulation under the
 * limit fails too or, without one, if `enough` exceeds twice `used`, with which the node has seen it fail (protocol/http-endpoints §1.7).
 * @param lack the failure if an amount of energy can't be had; `about` says how exact the amount is
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

/** `fee_limit_too_low` if the energy costs more than the fee limit. */
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

/** `insufficient_funds` if the account neither has nor can buy the energy: the call would use up everything and run out of energy. */
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
	// A call value above the balance is left for the node to refuse.
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

/** Default of the most energy that a contract's owner pays in one call (protocol/resources §4.2). */
const USUAL_ORIGIN_LIMIT = 10_000_000n;

/**
 * The part of the energy that the caller must provide: all of it for a deployment or the caller's own contract; otherwise the
 * percentage that the contract sets, plus whatever exceeds the owner's staked energy or the contract's limit for the owner.
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
