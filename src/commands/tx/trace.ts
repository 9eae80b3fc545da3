import { writeFile } from "node:fs/promises";
import { Args, Flags } from "@oclif/core";
import { toHex } from "../../protocol/bytes.js";
import { query } from "../../terminal/base/command-row.js";
import { parseTransactionId } from "../../terminal/base/node-questions.js";
import { interfacesFlag, interfacesOf, traceTransactionCalls } from "../../terminal/contract/call-trace.js";
import { abiFlag, interfaceFlag } from "../../terminal/contract/contract-input.js";
import { sourceMapFlag, sourceMapsOf, traceEnergyByLine } from "../../terminal/contract/energy-trace.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { list, one, record } from "../../terminal/schema/result-shape.js";
import { joinedInterfaces } from "../../wallet/abi/signature-list.js";
import { Failure } from "../../wallet/failure.js";
import type { Json } from "../../wallet/json.js";
import { callJsonRpc } from "../../wallet/node/json-rpc.js";
import { callLines } from "../../wallet/view/call-view.js";
import { lineTable } from "../../wallet/view/energy-lines.js";
import { flameGraph } from "../../wallet/view/flame-graph.js";

export const TxTrace = query({
	takesIds: true,
	summary: "Show the calls of a transaction as a tree: functions, values, energy, results, events",
	description:
		"Only a node that executes transactions again can tell: that of a development chain, or one with " +
		"node.jsonrpc.debug, as long as it has the state before the block (node.history.state). " +
		"Names come from the interfaces on the chain, from --abi and --artifact, and from the list of common signatures.",
	examples: [
		"<%= config.bin %> tx trace 4f0c…",
		"<%= config.bin %> tx trace 4f0c… --artifact build/Store.json --json",
		"<%= config.bin %> tx trace 4f0c… --flame energy.svg",
		"<%= config.bin %> tx trace 4f0c… --source-map artifacts/build-info/1f3a….json",
	],
	args: {
		id: Args.string({ description: "transaction id", required: true, ignoreStdin: true }),
	},
	result: one(
		record({
			kind: "text",
			from: "address",
			to: "address",
			"code?": "address",
			"value?": "int64",
			"tokenId?": "int64",
			"tokenValue?": "int64",
			"function?": "text",
			"arguments?": "any",
			"input?": "hex",
			"size?": "integer",
			energy: "int64",
			"penalty?": "int64",
			result: "text",
			"returned?": "any",
			"reason?": "text",
			"inner?": list("any"),
			"operations?": list("any"),
			"lines?": list(
				record({ file: "text", line: "integer", text: "text", energy: "int64", operations: "integer" }),
			),
			"unmapped?": "int64",
		}),
	),
	flags: {
		...nodeFlags,
		...abiFlag,
		...interfacesFlag,
		...sourceMapFlag,
		flame: Flags.string({
			description: "file to write a flame graph of the energy to, as SVG",
			helpValue: "<path>",
		}),
	},
	run: async ({ args, flags, client, print }) => {
		const id = parseTransactionId(args.id);
		const own = (await interfaceFlag(flags.abi)) ?? [];
		const given = joinedInterfaces(own, await interfacesOf(flags.artifact));
		const ask = async (method: string, params: readonly unknown[]): Promise<Json> => {
			try {
				return await callJsonRpc(client, method, params);
			} catch (error) {
				// Where JSON-RPC isn't served at all, the refusal tells how to name the address.
				if (!(error instanceof Failure) || error.code !== "not_served" || !error.facts.node) throw error;
				throw new Failure("not_served", "this node doesn't trace transactions", {
					hint: "a development chain does, and a node with node.jsonrpc.debug = true",
				});
			}
		};
		const tree = await traceTransactionCalls(client, id, ask, given);
		if (flags.flame !== undefined) await writeFile(flags.flame, flameGraph(tree, toHex(id)));
		if (flags["source-map"] === undefined) return print.record(tree, callLines(tree));
		const maps = await sourceMapsOf(flags["source-map"]);
		const { lines, unmapped } = await traceEnergyByLine(client, id, ask, maps);
		print.record({ ...tree, lines, unmapped }, [...callLines(tree), "", ...lineTable(lines, unmapped)]);
	},
});
