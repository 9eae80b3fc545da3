/** Executing what is in no block (protocol/json-rpc §17). Only where `node.jsonrpc.simulate` says so. */

import type { ApiContext } from "../../context.js";
import type { JsonArray } from "../json-reader.js";
import type { RpcMethod, RpcResult } from "../method.js";

const method = (
	name: string,
	about: string,
	call: (context: ApiContext, values: JsonArray) => Promise<RpcResult>,
): RpcMethod => ({
	name,
	alias: undefined,
	isSimulation: true,
	about,
	parameters: ["simulation", "block"].map((parameter) => ({ name: parameter, type: "any" })),
	least: 1,
	call,
});

export const simulationMethods: readonly RpcMethod[] = [
	method(
		"eth_simulateV1",
		"What blocks of calls would come to on the state of a block, with other accounts and times where they are given.",
		async (context, values) => {
			const { simulateV1 } = await import("../simulation/eth-simulate.js");
			return simulateV1(context, values);
		},
	),
	method(
		"coin_simulate",
		"What blocks of transactions of any type would come to: receipts, changes of accounts, and what is moved from whom to whom.",
		async (context, values) => {
			const { coinSimulate } = await import("../simulation/coin-simulate.js");
			return coinSimulate(context, values);
		},
	),
];
