/** The chain's current fees and other parameters (protocol/http-endpoints §3.3). */

import { toNeutral } from "../../protocol/dialect.js";
import { Failure } from "../failure.js";
import { isRecord } from "../json.js";
import type { NodeClient } from "./node-client.js";

/** Fetches all parameters, keyed by wire name in neutral spelling; a parameter that is zero is 0n. */
export async function fetchChainParameters(client: NodeClient): Promise<ReadonlyMap<string, bigint>> {
	const { chainParameter } = await client.call("getchainparameters", {});
	const parameters = new Map<string, bigint>();
	for (const entry of Array.isArray(chainParameter) ? chainParameter : []) {
		if (!isRecord(entry)) continue;
		const { key, value } = entry;
		if (typeof key === "string") parameters.set(toNeutral(key), typeof value === "bigint" ? value : 0n);
	}
	return parameters;
}

/** A price in sun that applies from a point in time. */
interface PriceChange {
	/** Epoch milliseconds; 0 for the first price. */
	readonly since: bigint;
	readonly price: bigint;
}

/** Endpoints of the price histories: of a unit of energy, a byte, and a memo. */
const PRICE_HISTORIES = {
	energy: "getenergyprices",
	bandwidth: "getbandwidthprices",
	memo: "getmemofee",
} as const;

type PricedThing = keyof typeof PRICE_HISTORIES;
export const PRICED_THINGS = Object.keys(PRICE_HISTORIES) as PricedThing[];

/** Fetches all past and present prices of something, oldest first. */
export async function fetchPriceHistory(client: NodeClient, thing: PricedThing): Promise<PriceChange[]> {
	const { prices } = await client.call(PRICE_HISTORIES[thing], {});
	return String(prices ?? "")
		.split(",")
		.map((entry) => {
			const match = /^(\d{1,19}):(\d{1,19})$/.exec(entry.trim());
			if (!match?.[1] || !match[2])
				throw new Failure("rpc_error", "the node's answer holds no history of prices");
			return { since: BigInt(match[1]), price: BigInt(match[2]) };
		});
}

/** Fees and unit prices of the network: the names in this program's output, and those of the chain parameters. */
const FEES: Readonly<Record<string, string>> = {
	energyUnit: "getEnergyFee",
	bandwidthByte: "getTransactionFee",
	memo: "getMemoFee",
	accountCreation: "getCreateNewAccountFeeInSystemContract",
	accountCreationWithoutStake: "getCreateAccountFee",
	permissionUpdate: "getUpdateAccountPermissionFee",
	severalSignatures: "getMultiSignFee",
	witnessCreation: "getAccountUpgradeCost",
	tokenIssue: "getAssetIssueFee",
	exchangeCreation: "getExchangeCreateFee",
	marketSell: "getMarketSellFee",
	marketCancel: "getMarketCancelFee",
	largestFeeLimit: "getMaxFeeLimit",
};

/** Fetches the chain's fees in sun; those that the node doesn't report are omitted. */
export async function chainFees(client: NodeClient): Promise<Readonly<Record<string, bigint>>> {
	const parameters = await fetchChainParameters(client);
	const entries = Object.entries(FEES).flatMap(([name, getter]): [string, bigint][] => {
		const value = parameters.get(getter);
		return value === undefined ? [] : [[name, value]];
	});
	return Object.fromEntries(entries);
}
