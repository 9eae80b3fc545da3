/** `coin node compare`: whether two nodes have the same state. */

import { Args } from "@oclif/core";
import { query } from "../../terminal/base/command-row.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { list, one, record } from "../../terminal/schema/result-shape.js";
import { Failure } from "../../wallet/failure.js";
import { jsonRpcUrlOf } from "../../wallet/node/json-rpc.js";
import { compareStates } from "../../wallet/node/state-compare.js";

export const NodeCompare = query({
	summary: "Compare the states of two nodes by their hashes",
	description:
		"Both follow the hash of their state (node.state.hash). It is compared after the newest final block of which both have " +
		"it: equal means that every entry is. Where it differs, the stores are named, and the first block at which it did, if " +
		"both still keep the hash before it. The exit code is 1 where they differ.",
	examples: ["<%= config.bin %> node compare http://127.0.0.1:8545 http://192.0.2.7:8545"],
	result: one(
		record({
			block: "integer",
			equal: "boolean",
			hashes: list("hex"),
			stores: list("text"),
			"firstDifference?": "integer",
		}),
	),
	args: {
		first: Args.string({ required: true, description: "address at which a node serves JSON-RPC" }),
		second: Args.string({ required: true, description: "the same of the other" }),
	},
	flags: nodeFlags,
	run: async ({ args, client, print }) => {
		const urls = [jsonRpcUrlOf(args.first), jsonRpcUrlOf(args.second)] as const;
		const compared = await compareStates(client, urls);
		print.record(compared);
		if (compared.equal) return;
		throw new Failure("state_differs", `the states after block ${compared.block} differ`);
	},
});
