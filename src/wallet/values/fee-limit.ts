/** How much a call of a contract may cost at most (protocol/command-line §1.2). */

import { Failure } from "../failure.js";
import { chainParameters } from "../node/chain-parameters.js";
import { type ContractCall, estimateEnergy } from "../node/constant-call.js";
import type { NodeClient } from "../node/node-client.js";
import { parseCoinAmount } from "./amount.js";

/**
 * The limit in sun that a text means: an amount, or `auto` for the estimated cost and a quarter more, at most what the
 * configuration allows.
 * @param given undefined: the configuration's
 * @param call undefined without a network
 * @throws {Failure} `contract_revert` if the call would fail; `usage` for `auto` without a network
 */
export async function feeLimitOf(
	given: string | undefined,
	client: NodeClient,
	call: ContractCall | undefined,
): Promise<bigint> {
	const text = given ?? client.settings.feeLimit;
	if (text !== "auto") return parseCoinAmount(text);
	if (!call) throw new Failure("usage", "--offline needs an amount: --fee-limit <amount>");
	const energy = await estimateEnergy(client, call);
	const price = (await chainParameters(client)).get("getEnergyFee") ?? 0n;
	const limit = ((energy * 5n + 3n) / 4n) * price;
	const { maxFeeLimitSun } = client.settings;
	return limit < maxFeeLimitSun ? limit : maxFeeLimitSun;
}
