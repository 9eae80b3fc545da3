import { writeFile } from "node:fs/promises";
import { Flags } from "@oclif/core";
import type { StorageLayout } from "../../abi/storage-layout.js";
import { addressFromHash } from "../../protocol/address.js";
import { equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import { TriggerSmartContract } from "../../protocol/messages.js";
import { query } from "../../terminal/base/command-row.js";
import { parseTransactionId } from "../../terminal/base/node-questions.js";
import { interfacesFlag, interfacesOf, traceTransactionCalls } from "../../terminal/contract/call-trace.js";
import { buildOf, buildOfStored } from "../../terminal/contract/compiler-input.js";
import { abiFlag, flaggedInterface } from "../../terminal/contract/contract-input.js";
import { nodeFlags, required } from "../../terminal/flags/flags.js";
import { list, one, record } from "../../terminal/schema/result-shape.js";
import { joinedInterfaces } from "../../wallet/abi/signature-list.js";
import { compareCode } from "../../wallet/compiler/comparison.js";
import { type MappedCode, mappedCodes } from "../../wallet/compiler/mapped-code.js";
import { Failure, onRefusal } from "../../wallet/failure.js";
import { type Json, type JsonRecord, writeJson } from "../../wallet/json.js";
import { callJsonRpc } from "../../wallet/node/json-rpc.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { isOnThisMachine } from "../../wallet/transaction/lifetime.js";
import { transactionFrom } from "../../wallet/transaction/transaction-view.js";
import { readAddress } from "../../wallet/values/address-text.js";
import { borrowedCodes, type CallNode } from "../../wallet/view/call-tree.js";
import { callLines } from "../../wallet/view/call-view.js";
import {
	fetchContract,
	layoutThroughProxy,
	MAX_CONTRACTS,
	storedSources,
} from "../../wallet/view/contract-record.js";
import { walletForms } from "../../wallet/view/contract-storage.js";
import {
	type EnergyByLine,
	energyByLine,
	lineTable,
	type MappedCodeOf,
} from "../../wallet/view/energy-lines.js";
import { flameGraph } from "../../wallet/view/flame-graph.js";
import { DIFFERENCE, type StorageChange, storageChanges } from "../../wallet/view/storage-changes.js";

/** Energy use by source line: from a node that traces, with source maps from files. */
const sourceMapFlag = {
	"source-map": Flags.string({
		description:
			"file with source maps and sources, to show the energy by line, in the flame graph also by function: a build file or artifact of hardhat, an artifact of tronbox or truffle, or a Solidity file; repeatable",
		helpValue: "<path>",
		multiple: true,
		multipleNonGreedy: true,
		helpGroup: "CONTRACT",
	}),
};

/** Traces with stacks, which contain the address of a call. */
const OPERATIONS = { disableStorage: true, enableMemory: false };

/** Maximum builds per transaction. */
const MAX_BUILDS = 20;

/** Sends a JSON-RPC request. */
type Ask = (method: string, params: readonly unknown[]) => Promise<Json>;

/** Compiled contracts from files. @throws {Failure} `bad_value` */
async function sourceMapsOf(paths: readonly string[]): Promise<readonly MappedCode[]> {
	return (await Promise.all(paths.map(async (path) => mappedCodes(await buildOf(path))))).flat();
}

/**
 * Traces a transaction by operation.
 * @throws {Failure} `not_found`
 */
async function traceEnergyByLine(
	client: NodeClient,
	id: Uint8Array,
	ask: Ask,
	maps: readonly MappedCode[],
): Promise<EnergyByLine> {
	const idHex = toHex(id);
	const { parameter } = transactionFrom(await client.call("gettransactionbyid", { value: idHex }), id);
	const root =
		parameter instanceof TriggerSmartContract ? toHex(parameter.contract_address.subarray(1)) : undefined;
	const answer = await ask("debug_traceTransaction", [`0x${idHex}`, OPERATIONS]);
	return energyByLine(answer, root, mappedCodeOf(client, maps));
}

function mappedCodeOf(client: NodeClient, maps: readonly MappedCode[]): MappedCodeOf {
	const known = new Map<string, Promise<MappedCode | undefined>>();
	return (address) => {
		const found = known.get(address);
		if (found) return found;
		if (known.size >= MAX_CONTRACTS) return Promise.resolve(undefined);
		const asked = fetchContract(client, addressFromHash(fromHex(address)))
			.then(({ runtimecode }) => maps.find(({ code }) => compareCode(code, runtimecode).match !== undefined))
			// The contract no longer exists.
			.catch(onRefusal(undefined, "not_found"));
		known.set(address, asked);
		return asked;
	};
}

/** Addresses of the contracts whose code ran, hex. */
function codesIn(root: CallNode): ReadonlySet<string> {
	const found = new Set<string>();
	const visit = ({ code, inner }: CallNode): void => {
		if (found.size < MAX_CONTRACTS) found.add(toHex(code));
		for (const entry of inner) if ("code" in entry) visit(entry);
	};
	visit(root);
	return found;
}

/**
 * Energy by line using sources stored at the node; undefined if there are none, or they can't be compiled.
 * Only for a local node: malicious sources can keep the compiler busy forever.
 */
async function storedEnergyByLine(
	client: NodeClient,
	id: Uint8Array,
	ask: Ask,
	root: CallNode,
	note: (text: string) => void,
): Promise<EnergyByLine | undefined> {
	const builds = new Map<string, JsonRecord>();
	for (const code of codesIn(root)) {
		const [row] = await storedSources(client, addressFromHash(fromHex(code)));
		// Contracts of one file are compiled only once.
		if (row && builds.size < MAX_BUILDS)
			builds.set(writeJson([row["compiler"], row["settings"], row["sources"]] as Json), row);
	}
	if (builds.size > 0 && !isOnThisMachine(client)) {
		note("sources of a node elsewhere aren't compiled: --source-map takes files for functions and lines");
		return undefined;
	}
	const orNote =
		(whose: string) =>
		(error: unknown): undefined => {
			if (!(error instanceof Failure)) throw error;
			note(`functions and lines${whose} aren't shown: ${error.message}`);
		};
	const maps: MappedCode[] = [];
	for (const row of builds.values()) {
		const build = await buildOfStored(row)
			.then(mappedCodes)
			.catch(orNote(` of ${String(row["contract"])}`));
		maps.push(...(build ?? []));
	}
	return maps.length === 0 ? undefined : traceEnergyByLine(client, id, ask, maps).catch(orNote(""));
}

/**
 * The storage it changed; undefined if the node doesn't report it, or it is too much.
 * @param like contract that has the layout of the one that is called, where that has none
 */
async function changesOf(
	client: NodeClient,
	id: Uint8Array,
	ask: Ask,
	root: CallNode,
	like: Uint8Array | undefined,
	note: (text: string) => void,
): Promise<readonly StorageChange[] | undefined> {
	let difference: Json;
	try {
		difference = await ask("debug_traceTransaction", [`0x${toHex(id)}`, DIFFERENCE]);
	} catch (error) {
		if (!(error instanceof Failure) || error.code !== "rpc_error") throw error;
		note(`what it stored isn't shown: ${error.message}`);
		return undefined;
	}
	let asked = 0;
	const borrowed = borrowedCodes(root);
	const layoutOf = async (address: Uint8Array): Promise<StorageLayout | undefined> => {
		const behind = borrowed.get(toHex(address.subarray(1))) ?? [];
		const given = like && equalBytes(address, addressFromHash(root.to)) ? [like] : [];
		for (const one of [address, ...behind.map(addressFromHash), ...given]) {
			if (++asked > MAX_CONTRACTS) return undefined;
			const found = await layoutThroughProxy(client, one).catch(onRefusal(undefined, "not_served"));
			if (found && found.layout.variables.length > 0) return found.layout;
		}
		return undefined;
	};
	// Keys built from words here are parsed again in the form they were written in.
	const read = (text: string): string | undefined => {
		const address = readAddress(text);
		return address && toHex(address.subarray(1));
	};
	return storageChanges(difference, root, layoutOf, walletForms(read));
}

/** Changed storage, grouped by contract. */
function changeLines(changes: readonly StorageChange[] = []): string[] {
	const lines: string[] = [];
	let last = "";
	for (const { contract, variable, type, before, after } of changes) {
		if (contract !== last) lines.push("", `storage of ${contract}`);
		last = contract;
		const [was, is] = [before, after].map((text) =>
			type === undefined ? text.replace(/^0x0+(?=.)/, "0x") : text,
		);
		lines.push(`  ${variable}${type === undefined ? "" : ` (${type})`}: ${was} -> ${is}`);
	}
	return lines;
}

export const TxTrace = query({
	takesIds: true,
	summary: "Show the calls of a transaction as a tree: functions, values, energy, results, events",
	description:
		"Only a node that executes transactions again can tell: that of a development chain, or one with " +
		"node.jsonrpc.debug, as long as it has the state before the block (node.history.state). " +
		"Names come from the interfaces on the chain, from --abi and --artifact, and from the list of common signatures; those of " +
		"variables that it changed from the layout that was kept at the deployment or stored with the node, also of the contract whose code a proxy runs, or that --as names. " +
		"For flame graphs and --source-map, sources are compiled; the project's own package solc is run if it belongs to the user or root.",
	examples: [
		"<%= config.bin %> tx trace 4f0c…",
		"<%= config.bin %> tx trace 4f0c… --artifact build/Store.json --json",
		"<%= config.bin %> tx trace 4f0c… --flame energy.svg",
		"<%= config.bin %> tx trace 4f0c… --source-map artifacts/build-info/1f3a….json",
	],
	args: {
		id: required("transaction id"),
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
			"changes?": list(
				record({ contract: "address", variable: "text", "type?": "text", before: "text", after: "text" }),
			),
		}),
	),
	flags: {
		...nodeFlags,
		...abiFlag,
		...interfacesFlag,
		...sourceMapFlag,
		flame: Flags.string({
			description:
				"file to write a flame graph of the energy to, as SVG; by function and line of --source-map, or of the sources that a node on this machine has",
			helpValue: "<path>",
		}),
	},
	run: async ({ args, flags, settings, client, print, note }) => {
		const id = parseTransactionId(args.id);
		const own = await flaggedInterface(flags.abi, settings, client);
		const interfaces = joinedInterfaces(own?.items ?? [], await interfacesOf(settings, flags.artifact));
		const ask = async (method: string, params: readonly unknown[]): Promise<Json> => {
			try {
				return await callJsonRpc(client, method, params);
			} catch (error) {
				// If JSON-RPC isn't served at all, the failure explains how to set the address.
				if (!(error instanceof Failure) || error.code !== "not_served" || !error.facts.node) throw error;
				throw new Failure("not_served", "this node doesn't trace transactions", {
					hint: "a development chain does, and a node with node.jsonrpc.debug = true",
				});
			}
		};
		const { tree, root } = await traceTransactionCalls(client, id, ask, interfaces);
		const changes = await changesOf(client, id, ask, root, own?.contract, note);
		const shown = [...callLines(tree), ...changeLines(changes)];
		const maps = await sourceMapsOf(flags["source-map"] ?? []);
		const byLine =
			maps.length > 0
				? await traceEnergyByLine(client, id, ask, maps)
				: flags.flame && (await storedEnergyByLine(client, id, ask, root, note));
		if (flags.flame !== undefined)
			await writeFile(flags.flame, flameGraph(byLine ? byLine.tree : tree, toHex(id)));
		if (!byLine || maps.length === 0) return print.record({ ...tree, changes }, shown);
		const { lines, unmapped } = byLine;
		if (lines.length === 0)
			note("no contract that ran has the code of --source-map: other settings of the compiler?");
		print.record({ ...tree, changes, lines, unmapped }, [...shown, "", ...lineTable(lines, unmapped)]);
	},
});
