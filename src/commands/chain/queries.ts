/** `coin chain …`: head, parameters and prices of the chain. */

import { Flags } from "@oclif/core";
import { fromHex, fromUtf8, toHex } from "../../protocol/bytes.js";
import { query } from "../../terminal/base/command-row.js";
import { pickParameters } from "../../terminal/chain/parameter-names.js";
import { nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { localTime, printJson } from "../../terminal/output/output.js";
import { either, one, record } from "../../terminal/schema/result-shape.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord, type Json, member } from "../../wallet/json.js";
import {
	chainFees,
	fetchChainParameters,
	fetchPriceHistory,
	PRICED_THINGS,
} from "../../wallet/node/chain-parameters.js";
import { fetchGenesisId, fetchHead } from "../../wallet/node/chain-query.js";
import { currentReference, referenceRecord } from "../../wallet/transaction/reference.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { parseDuration } from "../../wallet/values/moment.js";

export const ChainBurned = query({
	summary: "Print how many coins were burned as fees",
	description: "Coins with their unit for people, sun with --json.",
	examples: ["<%= config.bin %> chain burned --solidity"],
	flags: { ...nodeFlags, ...solidityFlag },
	run: async ({ client, view, json, print }) => {
		const answer = await client.call("getburncoin", {}, view);
		// The member is spelled in the node's dialect, and is the only one.
		const [sun] = Object.values(answer);
		if (typeof sun !== "bigint") throw new Failure("rpc_error", "the node's answer holds no amount");
		print.scalar(json ? sun : formatCoin(sun));
	},
});

export const ChainFees = query({
	summary: "Show what the chain charges for transactions",
	description: "Coins with their unit for people, sun with --json.",
	examples: ["<%= config.bin %> chain fees --json"],
	flags: nodeFlags,
	run: async ({ client, print }) => {
		const fees = await chainFees(client);
		const shown = Object.entries(fees).map(([name, sun]) => [name, formatCoin(sun)]);
		print.record(fees, Object.fromEntries(shown) as object);
	},
});

export const ChainHeadCommand = query({
	summary: "Print the number of the newest block",
	description:
		"With --ref one line of JSON with what a machine without network needs to build a transaction: the newest " +
		"irreversible block and an expiry. Acting commands take it with --ref, and need no node then.",
	examples: [
		"<%= config.bin %> chain head",
		"<%= config.bin %> chain head --ref --expires 6h > ref.json",
		"<%= config.bin %> chain head --ref | <%= config.bin %> wallet send alice 25coin --ref - --sign > signed.json",
	],
	result: one(
		either(
			"int64",
			record({
				number: "int64",
				blockID: "hex",
				refBlockBytes: "hex",
				refBlockHash: "hex",
				expiration: "time",
				"chain?": "hex",
			}),
		),
	),
	flags: {
		...nodeFlags,
		ref: Flags.boolean({ description: "what a transaction refers to, for building without network" }),
		expires: Flags.string({
			description: "with --ref: life of the transaction from the head block (12h)",
			helpValue: "<duration>",
			dependsOn: ["ref"],
		}),
	},
	run: async ({ flags, client, print }) => {
		if (!flags.ref) return print.scalar((await fetchHead(client)).number);
		printJson(referenceRecord(await currentReference(client, parseDuration(flags.expires ?? "12h"))));
	},
});

export const ChainId = query({
	summary: "Print the id of the chain's genesis block",
	examples: ["<%= config.bin %> chain id"],
	flags: nodeFlags,
	run: async ({ client, print }) => print.scalar(toHex(await fetchGenesisId(client))),
});

export const ChainMaintenance = query({
	summary: "Print when votes are counted next",
	description: "Local time for people, milliseconds since 1970 with --json.",
	examples: ["<%= config.bin %> chain maintenance --json"],
	flags: nodeFlags,
	run: async ({ client, json, print }) => {
		const { num } = await client.call("getnextmaintenancetime", {});
		if (typeof num !== "bigint") throw new Failure("rpc_error", "the node's answer holds no time");
		print.scalar(json ? num : localTime(num));
	},
});

export const ChainNodes = query({
	summary: "List the nodes of the network that a node knows",
	examples: ["<%= config.bin %> chain nodes"],
	flags: nodeFlags,
	run: async ({ client, print }) => {
		const { nodes } = await client.call("listnodes", {});
		const rows = (Array.isArray(nodes) ? nodes : []).filter(isRecord).flatMap((node) => addressOf(node));
		print.list(rows, ["host", "port"], "no nodes");
	},
});

/** The host is sent as hex-encoded text. */
function addressOf(node: { readonly [name: string]: Json }): { host: string; port: number }[] {
	const address = member(node, "address");
	if (!isRecord(address)) return [];
	const { host, port } = address;
	return [{ host: fromUtf8(fromHex(String(host ?? ""))), port: Number(port ?? 0n) }];
}

export const ChainParams = query({
	summary: "List the parameters of the chain, all or the named ones",
	description:
		"A name is the wire's, the proposal's, or the number by which proposals go. Named ones are explained.",
	examples: ["<%= config.bin %> chain params getEnergyFee MEMO_FEE 3"],
	strict: false,
	usage: "chain params [name...]",
	flags: nodeFlags,
	run: async ({ argv, client, print }) => {
		const rows = await pickParameters(await fetchChainParameters(client), argv);
		const columns = ["id", "name", "value", ...(argv.length > 0 ? ["about"] : [])];
		print.list(rows, columns, "no parameters");
	},
});

export const ChainPrices = query({
	summary: "Show the prices of energy, bandwidth and memos, in sun",
	examples: ["<%= config.bin %> chain prices --history"],
	flags: {
		...nodeFlags,
		history: Flags.boolean({ description: "all prices with the times from which they held" }),
	},
	run: async ({ flags, client, print }) => {
		const histories = await Promise.all(
			PRICED_THINGS.map(async (thing) => ({ thing, changes: await fetchPriceHistory(client, thing) })),
		);
		if (flags.history) {
			const rows = histories.flatMap(({ thing, changes }) => changes.map((change) => ({ thing, ...change })));
			const shown = rows.map((row) => ({ ...row, since: row.since > 0n ? localTime(row.since) : "genesis" }));
			print.list(rows, ["thing", "since", "price"], "no prices", shown);
			return;
		}
		print.record(Object.fromEntries(histories.map(({ thing, changes }) => [thing, changes.at(-1)?.price])));
	},
});

export const ChainSolid = query({
	summary: "Print the number of the newest irreversible block",
	examples: ["<%= config.bin %> chain solid"],
	flags: nodeFlags,
	run: async ({ client, print }) => print.scalar((await fetchHead(client, "solidity")).number),
});
