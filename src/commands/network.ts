/** `coin network …`: the peer-to-peer network, without an own node. */

import { Args, Flags } from "@oclif/core";
import { readPeerAddress, WATCH_FLAGS } from "../launch/watch/words.js";
import { localAddresses, nodeEnvironment } from "../node/network/node-environment.js";
import { DEFAULT_PEER_PORT, ProbeError, type ProbeReport, probePeer } from "../node/network/peer-probe.js";
import { HelloCode, helloCodeName } from "../node/network/wire/transport-messages.js";
import { toHex } from "../protocol/bytes.js";
import type { WitnessSet } from "../protocol/inclusion/witness-set.js";
import { command } from "../terminal/base/command-row.js";
import { printJson, printLine } from "../terminal/output/output.js";
import { one, record } from "../terminal/schema/result-shape.js";
import { Failure, type FailureCode } from "../wallet/failure.js";
import { parseDuration } from "../wallet/values/moment.js";

const block = record({ number: "int64", id: "hex" });

export const NetworkProbe = command({
	summary: "Ask a node of the peer network who it is",
	description:
		"Connects as a peer does: handshake, the node's view of its chain, the time of one ping. A network id that isn't " +
		"given is asked for first. Afterwards the node doesn't let this address in again for a minute.",
	examples: [
		"<%= config.bin %> network probe 192.0.2.7:18888",
		"<%= config.bin %> network probe [2001:db8::7]:18888 --network-id 11111 --json",
	],
	result: one(
		record({
			address: "text",
			nodeId: "hex",
			networkId: "integer",
			transportVersion: "integer",
			"connections?": record({ current: "integer", max: "integer" }),
			codeVersion: "text",
			nodeType: "text",
			lowestBlock: "int64",
			genesis: "hex",
			solid: block,
			head: block,
			latencyMs: "integer",
		}),
	),
	args: {
		address: Args.string({
			description: `host:port or [ipv6]:port; the port may be left out (${DEFAULT_PEER_PORT})`,
			required: true,
		}),
	},
	flags: {
		"network-id": Flags.integer({
			description: "network to ask for (default: the node's own)",
			helpValue: "<n>",
		}),
		genesis: Flags.string({ description: "id that its genesis block must have", helpValue: "<hex>" }),
		timeout: Flags.string({
			description: "time for connecting and for each answer",
			helpValue: "<duration>",
			default: "5s",
		}),
	},
	run: async ({ args, flags, print }) => {
		const address = readPeerAddress(args.address);
		const genesis = flags.genesis === undefined ? undefined : parseBlockId(flags.genesis);
		const options = {
			environment: nodeEnvironment(),
			address,
			networkId: flags["network-id"],
			timeoutMs: parseDuration(flags.timeout),
			ownIpv4: localAddresses().ipv4,
		};
		const report = await probePeer(options).catch((error: unknown) => {
			throw error instanceof ProbeError ? asFailure(args.address, error) : error;
		});
		const found = toHex(report.genesis.id);
		if (genesis !== undefined && found !== genesis) {
			throw new Failure("wrong_network", `${args.address} has the genesis block ${found}`);
		}
		print.record({ address: args.address, ...recordOf(report) }, [...textOf(args.address, report)]);
	},
});

type WatchFlag = keyof typeof WATCH_FLAGS;
const wordsOf = (name: WatchFlag) => {
	const { description, helpValue } = WATCH_FLAGS[name];
	return { description, helpValue };
};

export const NetworkWatch = command({
	summary: "Watch the head of a network without a chain of one's own",
	description:
		"Joins as a peer and believes headers alone: that each stands on the one before it, is signed by its witness in a slot of that " +
		"witness, and that two thirds of the trusted witnesses have built on it. With --address it shows the transactions that name an " +
		"address, and makes a proof of each as soon as its block is irreversible (coin tx verify).",
	examples: [
		"<%= config.bin %> network watch --blocks 0",
		"<%= config.bin %> network watch --address TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC --proofs received",
		"<%= config.bin %> network watch --checkpoint witnesses.json --peer 127.0.0.1:18888",
	],
	flags: {
		network: Flags.string({ ...wordsOf("network"), options: WATCH_FLAGS.network.options }),
		checkpoint: Flags.string(wordsOf("checkpoint")),
		peer: Flags.string({ ...wordsOf("peer"), multiple: true }),
		"network-id": Flags.string(wordsOf("network-id")),
		address: Flags.string({ ...wordsOf("address"), multiple: true }),
		proofs: Flags.string(wordsOf("proofs")),
		blocks: Flags.string(wordsOf("blocks")),
		timeout: Flags.string({ ...wordsOf("timeout"), default: WATCH_FLAGS.timeout.default }),
	},
	run: async ({ flags, json, note }) => {
		const { runWatch } = await import("../launch/watch/run-watch.js");
		const { peer = [], address = [], network, checkpoint, proofs, blocks, timeout } = flags;
		const words = {
			network,
			checkpoint,
			peer,
			"network-id": flags["network-id"],
			address,
			proofs,
			blocks,
			timeout,
		};
		await runWatch(words, { json, line: printLine, record: printJson, note }, nodeWitnesses);
	},
});

/**
 * Fetches the witnesses from a node without verification, if nothing else is known about a network. What this needs is loaded only then.
 * @throws {Failure}
 */
async function nodeWitnesses(url: string): Promise<WitnessSet> {
	const [{ loadSettings }, { NodeClient }, { fetchWitnessSet }] = await Promise.all([
		import("../wallet/configuration/settings.js"),
		import("../wallet/node/node-client.js"),
		import("../wallet/inclusion/witness-keys.js"),
	]);
	return fetchWitnessSet(new NodeClient(await loadSettings({ node: url }, process.env)));
}

function recordOf({ genesis, solid, head, isLight, lowestBlock, nodeId, ...report }: ProbeReport): object {
	const reference = ({ number, id }: ProbeReport["head"]) => ({ number: String(number), id: toHex(id) });
	return {
		nodeId: toHex(nodeId),
		networkId: report.networkId,
		transportVersion: report.transportVersion,
		...(report.connections && { connections: report.connections }),
		codeVersion: report.codeVersion,
		nodeType: isLight ? "light" : "full",
		lowestBlock: String(lowestBlock),
		genesis: toHex(genesis.id),
		solid: reference(solid),
		head: reference(head),
		latencyMs: report.latencyMs,
	};
}

function textOf(address: string, report: ProbeReport): readonly string[] {
	const { connections } = report;
	const rows: readonly (readonly [string, string])[] = [
		["node", `${report.codeVersion} at ${address}, ${report.isLight ? "light" : "full"}`],
		["node id", toHex(report.nodeId)],
		["network", `${report.networkId}, transport version ${report.transportVersion}`],
		...(connections ? [["connections", `${connections.current} of ${connections.max}`] as const] : []),
		["genesis", toHex(report.genesis.id)],
		["solid", `${report.solid.number} ${toHex(report.solid.id)}`],
		["head", `${report.head.number} ${toHex(report.head.id)}`],
		...(report.isLight ? [["first block", String(report.lowestBlock)] as const] : []),
		["latency", `${report.latencyMs} ms`],
	];
	return rows.map(([name, value]) => `${name.padEnd(12)} ${value}`);
}

const REFUSALS: Readonly<Record<number, readonly [FailureCode, string]>> = {
	[HelloCode.TOO_MANY_PEERS]: ["node_busy", "has no room for another peer"],
	[HelloCode.MAX_CONNECTION_WITH_SAME_IP]: ["node_busy", "has enough peers at this address"],
	[HelloCode.TIME_BANNED]: [
		"node_busy",
		"doesn't let this address in for now: a connection ended a moment ago",
	],
	[HelloCode.DIFFERENT_VERSION]: ["wrong_network", "belongs to another network"],
};

function asFailure(address: string, error: ProbeError): Failure {
	const { message, code, networkId } = error;
	switch (error.problem) {
		case "unreachable":
			return new Failure("network", `no connection to ${address}: ${message}`, { cause: error });
		case "silent":
			return new Failure("timeout", `${address} says nothing: ${message}`, { cause: error });
		case "refused": {
			const [kind, text] = REFUSALS[code ?? HelloCode.UNKNOWN] ?? ["no_connection", "refuses the handshake"];
			const network = kind === "wrong_network" ? `: ${networkId}` : "";
			const details = { handshake: helloCodeName(code ?? HelloCode.UNKNOWN), networkId };
			return new Failure(kind, `${address} ${text}${network}`, { details, cause: error });
		}
		default:
			return new Failure("network", `${address} is not a node of this kind: ${message}`, { cause: error });
	}
}

/** @throws {Failure} `bad_value` */
function parseBlockId(text: string): string {
	const digits = text.trim().replace(/^0x/i, "").toLowerCase();
	if (!/^[0-9a-f]{64}$/.test(digits))
		throw new Failure("bad_value", `"${text}" is not a block id: it has 64 hex digits`);
	return digits;
}
