import { Flags } from "@oclif/core";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { nodeWarnings } from "../../terminal/chain/node-warnings.js";
import { unknownRules } from "../../terminal/chain/unknown-rules.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import { localTime } from "../../terminal/output/output.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord, type JsonRecord, member } from "../../wallet/json.js";
import { blockByNumber, headBlock } from "../../wallet/node/chain-query.js";

/** A head that is older than this is behind: blocks come every three seconds. */
const BEHIND_SECONDS = 60;

export default class NodeStatus extends QueryCommand {
	static override summary = "Show a node's head, peers and whether it is in sync";
	static override description =
		"Warns where the network votes for a block version, or has a parameter, that this program doesn't know, and where the node can't check the chain's shielded proofs.";
	static override flags = {
		...nodeFlags,
		"require-sync": Flags.boolean({ description: "fail unless the node is in sync" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(NodeStatus);
		const client = await this.client(flags);
		const info = await client.call("getnodeinfo", {});
		const head = await headBlock(client);
		const genesis = await blockByNumber(client, 0n);
		const solid = /^Num:(\d+)/.exec(String(info["solidityBlock"] ?? ""))?.[1] ?? "0";
		const configuration = member(info, "configNodeInfo");
		const warnings = [...(await nodeWarnings(client)), ...(await unknownRules(client, head))];
		for (const warning of warnings) this.warning(warning);
		const peers = (Array.isArray(info["peerList"]) ? info["peerList"] : []).filter(isRecord);
		const behindSeconds = Math.max(0, Math.round((Date.now() - Number(head.timestampMs)) / 1000));
		const isSyncing = peers.some((peer) => peer["needSyncFromPeer"] === true);
		// Nobody can be ahead of a node that has no peers by its configuration, such as a development chain.
		const isAlone = isRecord(configuration) && hasNoNetwork(configuration);
		const sync = isAlone ? "alone" : isSyncing || behindSeconds > BEHIND_SECONDS ? "behind" : "in sync";
		const status = {
			version: isRecord(configuration) ? configuration["codeVersion"] : undefined,
			program: this.config.version,
			head: head.number,
			solid: BigInt(solid),
			headTime: head.timestampMs,
			behindSeconds,
			peers: peers.map(peerOf),
			sync,
			genesis: genesis && Buffer.from(genesis.id).toString("hex"),
		};
		this.printRecord(status, {
			...status,
			version: `${String(status.version ?? "unknown")}, the release that the node answers as`,
			program: `coin ${status.program}, this program`,
			headTime: localTime(head.timestampMs),
			...(isAlone
				? { sync: "alone: it has no peer network, as a development chain, and follows no other node" }
				: {}),
			peers: peers.length === 0 ? "none" : peers.map((peer) => lineOf(peerOf(peer))).join("\n"),
		});
		if (flags["require-sync"] && sync === "behind") {
			throw new Failure("node_syncing", `the node is ${behindSeconds} s behind`);
		}
	}
}

/** A development chain names no network and listens to no peers. */
function hasNoNetwork({ listenPort, p2pVersion }: JsonRecord): boolean {
	return String(listenPort) === "0" && String(p2pVersion) === "0";
}

interface PeerLine {
	readonly host: string;
	readonly outgoing: boolean;
	readonly latencyMs: number;
	/** Blocks that the node still wants from this peer. */
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
		host: String(peer["host"] ?? "").replace(/^\//, ""),
		outgoing: peer["active"] === true,
		latencyMs: Number(peer["avgLatency"] ?? 0),
		toFetch: Number(peer["syncToFetchSize"] ?? 0),
		state,
	};
}

function lineOf({ host, outgoing, latencyMs, state }: PeerLine): string {
	return `${host}  ${outgoing ? "dialed" : "accepted"}  ${Math.round(latencyMs)} ms  ${state}`;
}
