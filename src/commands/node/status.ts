/** `coin node status` and `top`: the status of a running node. */

import { setTimeout as delay } from "node:timers/promises";
import { Flags } from "@oclif/core";
import { fromUtf8 } from "../../protocol/bytes.js";
import { genesisTitle } from "../../protocol/public-networks.js";
import { query } from "../../terminal/base/command-row.js";
import {
	type NodeReading,
	type NodeSummary,
	nodeSummary,
	nodeSummaryLines,
	sumMetrics,
} from "../../terminal/chain/node-summary.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { localTime, printJson, printLine, redrawLines, TextList } from "../../terminal/output/output.js";
import { canDraw } from "../../terminal/progress/progress.js";
import { interruption } from "../../terminal/prompt/interrupt.js";
import { Failure, onRefusal } from "../../wallet/failure.js";
import { isRecord, type JsonRecord, member, plainText } from "../../wallet/json.js";
import { fetchChainParameters } from "../../wallet/node/chain-parameters.js";
import { type BlockReference, fetchBlockByNumber, fetchHead } from "../../wallet/node/chain-query.js";
import { jsonRpcUrl } from "../../wallet/node/json-rpc.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { fetchStateHash } from "../../wallet/node/state-compare.js";

// Rules unknown to this program that a network has adopted or is voting on (protocol/consensus §6).

/** Blocks of a round, in which each producer makes one block. */
const ROUND = 27n;

/**
 * Checks the last round of blocks and the parameters that a node reports.
 * @returns warnings; empty if this program knows everything
 */
export async function unknownRules(client: NodeClient, head: BlockReference): Promise<readonly string[]> {
	const [versions, parameters] = await Promise.all([voteWarning(client, head), parameterWarning(client)]);
	return [...versions, ...parameters];
}

async function voteWarning(client: NodeClient, head: BlockReference): Promise<readonly string[]> {
	const { newestVersion } = await import("../../node/rules/fork-gates.js");
	const newest = newestVersion({});
	const numbers: bigint[] = [];
	for (let number = head.number; number > 0n && head.number - number < ROUND; number--) numbers.push(number);
	const versions = await Promise.all(numbers.map((number) => versionOf(client, number)));
	const unknown = versions.filter((version) => version > newest);
	if (unknown.length === 0) return [];
	return [
		`${unknown.length} of the last ${versions.length} blocks vote for version ${Math.max(...unknown)}, which this program doesn't know (its newest: ${newest}): update it before the vote passes`,
	];
}

async function versionOf(client: NodeClient, number: bigint): Promise<number> {
	const answer = await client.call("getblock", { id_or_num: String(number), detail: false });
	const header = member(answer, "block_header");
	const raw = isRecord(header) ? header["raw_data"] : undefined;
	return isRecord(raw) ? Number(raw["version"] ?? 0) : 0;
}

async function parameterWarning(client: NodeClient): Promise<readonly string[]> {
	const { chainParameterNamed } = await import("../../node/consensus/parameters.js");
	const active = [...(await fetchChainParameters(client))].filter(
		([name, value]) => value !== 0n && chainParameterNamed(name) === undefined,
	);
	return active.map(
		([name, value]) =>
			`the chain's parameter ${name} is ${value}, and this program doesn't know it: its own node can't follow that chain`,
	);
}

/** Maximum length printed of a node's text. */
const MAX_PEERS = 1_000;
const MAX_WARNINGS = 50;
const MAX_TEXT = 1_000;

const shortened = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/** An older head is considered behind: blocks come every three seconds. */
const BEHIND_SECONDS = 60;

export const NodeStatus = query({
	summary: "Show a node's head, peers and whether it is in sync",
	description:
		"Warns where the network votes for a block version, or has a parameter, that this program doesn't know, and where the node can't check the chain's shielded proofs.",
	examples: ["<%= config.bin %> node status --require-sync"],
	flags: {
		...nodeFlags,
		"require-sync": Flags.boolean({ description: "fail unless the node is in sync" }),
	},
	run: async ({ config, flags, client, print, warning }) => {
		const info = await client.call("getnodeinfo", {});
		const head = await fetchHead(client);
		const genesis = await fetchBlockByNumber(client, 0n);
		const solid = /^Num:(\d+)/.exec(plainText(info["solidityBlock"]))?.[1] ?? "0";
		const configuration = member(info, "configNodeInfo");
		const health = await nodeHealth(client);
		const warnings = [...health.warnings, ...(await unknownRules(client, head))];
		for (const text of warnings) warning(text);
		const peers = (Array.isArray(info["peerList"]) ? info["peerList"] : [])
			.slice(0, MAX_PEERS)
			.filter(isRecord);
		const behindSeconds = Math.max(0, Math.round((Date.now() - Number(head.timestampMs)) / 1000));
		const isSyncing = peers.some((peer) => peer["needSyncFromPeer"] === true);
		// A node configured without peers, such as a development chain, can't be behind anyone.
		const isAlone = isRecord(configuration) && hasNoNetwork(configuration);
		const sync = isAlone ? "alone" : isSyncing || behindSeconds > BEHIND_SECONDS ? "behind" : "in sync";
		const status = {
			version: isRecord(configuration) ? configuration["codeVersion"] : undefined,
			program: config.version,
			head: head.number,
			solid: BigInt(solid),
			headTime: head.timestampMs,
			behindSeconds,
			peers: peers.map(peerOf),
			sync,
			genesis: genesis && Buffer.from(genesis.id).toString("hex"),
			stateHash: health.stateHash ?? (await newestStateHash(client)),
		};
		print.record(status, {
			...status,
			version: `${shortened(plainText(status.version) || "unknown")}, the release that the node answers as`,
			program: `coin ${status.program}, this program`,
			headTime: localTime(head.timestampMs),
			genesis: genesis && genesisTitle(genesis.id),
			stateHash: status.stateHash && `${status.stateHash.hash} after block ${status.stateHash.block}`,
			...(isAlone
				? { sync: "alone: it has no peer network, as a development chain, and follows no other node" }
				: {}),
			peers: new TextList(peers.map((peer) => lineOf(peerOf(peer)))),
		});
		if (flags["require-sync"] && sync === "behind") {
			throw new Failure("node_syncing", behindText(head.number, behindSeconds, peers.length), {
				hint:
					peers.length > 0
						? "coin node top shows how it gets on"
						: "its log says what it has tried to find some",
			});
		}
	},
});

/** The first block's time is 1970, so an age in seconds would be meaningless. */
function behindText(head: bigint, seconds: number, peers: number): string {
	const alone = peers === 0 ? " and has no peers" : "";
	return head === 0n
		? `the node is at the network's first block${alone}`
		: `the node is ${seconds} s behind${alone}`;
}

/** undefined: the node doesn't hash its state, or serves no JSON-RPC */
async function newestStateHash(
	client: NodeClient,
): Promise<{ readonly block: number; readonly hash: string } | undefined> {
	const found = await fetchStateHash(client, jsonRpcUrl(client.settings)).catch(onRefusal(undefined));
	return found && { block: found.block, hash: found.hash };
}

/** A development chain reports no network and doesn't listen for peers. */
function hasNoNetwork({ listenPort, p2pVersion }: JsonRecord): boolean {
	return plainText(listenPort) === "0" && plainText(p2pVersion) === "0";
}

interface PeerLine {
	readonly host: string;
	readonly outgoing: boolean;
	readonly latencyMs: number;
	/** Blocks that the node has yet to fetch from this peer. */
	readonly toFetch: number;
	readonly state: "in sync" | "we are behind" | "it is behind";
}

function peerOf(peer: JsonRecord): PeerLine {
	const state = peer["needSyncFromPeer"]
		? "we are behind"
		: peer["needSyncFromUs"]
			? "it is behind"
			: "in sync";
	return {
		host: shortened(plainText(peer["host"]).replace(/^\//, "")),
		outgoing: peer["active"] === true,
		latencyMs: Number(peer["avgLatency"] ?? 0),
		toFetch: Number(peer["syncToFetchSize"] ?? 0),
		state,
	};
}

function lineOf({ host, outgoing, latencyMs, state }: PeerLine): string {
	return `${host}  ${outgoing ? "dialed" : "accepted"}  ${Math.round(latencyMs)} ms  ${state}`;
}

/** Maximum length of the metrics page. */
const LONGEST_PAGE = 8 << 20;
const METRICS_MS = 5_000;
const MAX_SECONDS = 3_600;

export const NodeTop = query({
	outputKind: "stream",
	summary: "Show a node's figures at a summary, until interrupted",
	description:
		"Head, peers, pool, blocks a second, memory, processor, how fast it answers; with --metrics, the address of its page for Prometheus, also the lateness of its event loop and calls a second. In a terminal the figures are drawn in place; elsewhere, and with --json, each look is a line of JSON.",
	examples: [
		"<%= config.bin %> node top",
		"<%= config.bin %> node top --once --json",
		"<%= config.bin %> node top --metrics http://127.0.0.1:9527/metrics",
	],
	flags: {
		...nodeFlags,
		metrics: Flags.string({ description: "the node's page for Prometheus", helpValue: "<url>" }),
		interval: Flags.integer({ description: "seconds between looks", default: 2, min: 1, max: MAX_SECONDS }),
		once: Flags.boolean({ description: "look once and end" }),
	},
	run: async ({ flags, client, json }) => {
		const ended = interruption();
		const draws = !json && canDraw(process.stdout);
		let before: NodeReading | undefined;
		let drawn = 0;
		while (!ended.aborted) {
			const now = await readNode(client, flags.metrics);
			const summary = nodeSummary(now, before);
			before = now;
			if (flags.once) return printOnce(summary, json);
			if (draws) drawn = redrawLines(nodeSummaryLines(summary), drawn, process.stdout);
			else printJson(summary);
			await delay(flags.interval * 1000, undefined, { signal: ended }).catch(() => undefined);
		}
	},
});

function printOnce(summary: NodeSummary, json: boolean): void {
	if (json) printJson(summary);
	else for (const line of nodeSummaryLines(summary)) printLine(line);
}

async function readNode(client: NodeClient, metrics: string | undefined): Promise<NodeReading> {
	const startMs = performance.now();
	const info = await client.call("getnodeinfo", {});
	const answerMs = performance.now() - startMs;
	const [head, size, page] = await Promise.all([
		fetchHead(client),
		client.call("getpendingsize", {}),
		metrics === undefined ? undefined : readPage(metrics),
	]);
	return {
		atMs: performance.now(),
		answerMs,
		nowMs: Date.now(),
		head: head.number,
		headTimeMs: head.timestampMs,
		info,
		pool: Number(member(size, "pendingSize") ?? 0),
		metrics: page === undefined ? undefined : sumMetrics(page),
	};
}

/** @throws {Failure} `bad_value`; `network` */
async function readPage(url: string): Promise<string> {
	if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : "")) {
		throw new Failure("bad_value", `"${url}" is not the address of a page of metrics`);
	}
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(METRICS_MS), redirect: "error" });
		const parts: Uint8Array[] = [];
		let length = 0;
		for await (const part of response.body ?? []) {
			length += part.length;
			if (length > LONGEST_PAGE) throw new RangeError("the page is too long");
			parts.push(part);
		}
		if (!response.ok) throw new RangeError(`status ${response.status}`);
		return Buffer.concat(parts).toString("utf8");
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		throw new Failure("network", `the page of metrics can't be read: ${why}`);
	}
}

interface NodeHealth {
	readonly warnings: readonly string[];
	readonly stateHash?: { readonly block: number; readonly hash: string };
}

/** @returns empty if the node has no such page */
async function nodeHealth(client: NodeClient): Promise<NodeHealth> {
	const { status, body } = await client.send({ method: "GET", url: `${client.baseUrl("full")}/health` });
	if (status !== 200) return { warnings: [] };
	try {
		const { warnings, stateHash }: Record<string, unknown> = Object(JSON.parse(fromUtf8(body)));
		const { block, hash }: Record<string, unknown> = Object(stateHash);
		const isHash = typeof block === "number" && typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash);
		return {
			warnings: Array.isArray(warnings)
				? warnings.slice(0, MAX_WARNINGS).map((text) => shortened(typeof text === "string" ? text : ""))
				: [],
			...(isHash && { stateHash: { block, hash } }),
		};
	} catch {
		return { warnings: [] };
	}
}
