/** Warns while a node has no peers, with what it has tried: soon after the start, then ever more rarely. */

import type { PeerConfig } from "../config/peer-config.js";
import type { NetworkEnvironment, Timer } from "./environment.js";

const LOOK_MS = 5_000;
/** Someone watching a node start should soon learn that the machine has no network. */
const FIRST_WARNING_MS = 10_000;
const EARLY_MS = 100;
const RAREST_MS = 3_600_000;

interface PeerCounts {
	/** Peers that completed the handshake. */
	readonly peers: number;
	/** Nodes that answered over UDP or are listed in DNS, and can be dialed. */
	readonly connectable: number;
}

interface PeerLog {
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
}

type Sources = Pick<
	PeerConfig,
	"seeds" | "active" | "discovery" | "dnsTreeUrls" | "listenPort" | "networkId"
>;

/** @returns ends it */
export function watchForPeers(
	environment: Pick<NetworkEnvironment, "every" | "now">,
	sources: Sources,
	counts: () => PeerCounts,
	log: PeerLog,
): Timer {
	let aloneSince: number | undefined = environment.now();
	let nextMs = FIRST_WARNING_MS;
	return environment.every(LOOK_MS, () => {
		const { peers, connectable } = counts();
		const now = environment.now();
		if (peers > 0) {
			if (nextMs > FIRST_WARNING_MS) log.info({ peers }, "there are peers now");
			aloneSince = undefined;
			nextMs = FIRST_WARNING_MS;
			return;
		}
		aloneSince ??= now;
		const aloneMs = now - aloneSince;
		// Timers may fire slightly early.
		if (aloneMs < nextMs - EARLY_MS) return;
		nextMs = aloneMs + Math.min(aloneMs, RAREST_MS);
		const seconds = Math.round(aloneMs / 1000);
		log.warn({ seconds, connectable }, `no peer for ${seconds} s: ${reason(sources, connectable)}`);
	});
}

/** What is missing, as far as a node without peers can tell. */
function reason({ listenPort, networkId, ...sources }: Sources, connectable: number): string {
	const { seeds, active, discovery, dnsTreeUrls } = sources;
	const onward = "this node goes on trying";
	if (connectable > 0) {
		return `${connectable} nodes can be dialed, and none has become a peer; does a firewall stop TCP, and is ${networkId} (node.p2p.version) the network's number? ${onward}`;
	}
	const asked = discovery && listenPort > 0 ? seeds.length + active.length : 0;
	if (asked > 0) {
		return `none of the ${asked} nodes to begin with (seed.node.ip.list, node.active) answers; is this machine connected, and does its firewall let UDP and TCP through, port ${listenPort} too? ${onward}`;
	}
	if (active.length > 0) return `none of the ${active.length} nodes of node.active can be reached; ${onward}`;
	if (dnsTreeUrls.length > 0) return `no list of node.dns.treeUrls has a node; ${onward}`;
	if (seeds.length > 0) {
		return "seeds are only asked with node.discovery.enable = true and a node.listen.port, and node.active names nobody";
	}
	return `the configuration names nobody (seed.node.ip.list, node.active), and nobody has dialed port ${listenPort}`;
}
