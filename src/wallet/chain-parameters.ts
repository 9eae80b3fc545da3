/** Fees and other parameters as the chain has them now (sheet 06 §7.3). */

import { toNeutral } from "../protocol/dialect.js";
import { formatCoin } from "./amount.js";
import { Failure } from "./failure.js";
import { isRecord } from "./json.js";
import type { NodeClient } from "./node-client.js";

/** Parameters by their wire name, in neutral spelling; a parameter that is zero is 0n. */
export async function chainParameters(client: NodeClient): Promise<ReadonlyMap<string, bigint>> {
	const { chainParameter } = await client.call("getchainparameters", {});
	const parameters = new Map<string, bigint>();
	for (const entry of Array.isArray(chainParameter) ? chainParameter : []) {
		if (!isRecord(entry)) continue;
		const { key, value } = entry;
		if (typeof key === "string") parameters.set(toNeutral(key), typeof value === "bigint" ? value : 0n);
	}
	return parameters;
}

/** A line on a fee for a summary; none where the node doesn't tell. */
export async function feeLines(client: NodeClient, parameter: string): Promise<string[]> {
	try {
		const fee = (await chainParameters(client)).get(parameter);
		return fee === undefined ? [] : [`  fee         ${formatCoin(fee)}`];
	} catch (error) {
		if (error instanceof Failure && (error.code === "not_served" || error.code === "rpc_error")) return [];
		throw error;
	}
}
