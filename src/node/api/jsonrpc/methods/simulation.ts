/** Simulating calls and blocks (protocol/json-rpc §17). Only with `node.jsonrpc.simulate`. */

import { methodsOf, type RpcMethod } from "../method.js";

const method = methodsOf("isSimulation");

export const simulationMethods: readonly RpcMethod[] = [
	method(
		"eth_simulateV1",
		"What blocks of calls would come to on the state of a block, with other accounts and times where they are given.",
		["simulation", "block"],
		1,
		async (context, values) => {
			const { simulateV1 } = await import("../simulation/eth-simulate.js");
			return simulateV1(context, values);
		},
	),
	method(
		"coin_simulate",
		"What blocks of transactions of any type would come to: receipts, changes of accounts, and what is moved from whom to whom.",
		["simulation", "block"],
		1,
		async (context, values) => {
			const { coinSimulate } = await import("../simulation/coin-simulate.js");
			return coinSimulate(context, values);
		},
	),
];
