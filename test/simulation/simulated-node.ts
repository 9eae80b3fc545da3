/** An honest simulated node: the real transport, discovery and application over a given chain. */

import type { ApplicationListener } from "../../src/node/network/connection.js";
import { Discovery } from "../../src/node/network/discovery/discovery.js";
import type { NodeAddress } from "../../src/node/network/environment.js";
import type { LocalChain } from "../../src/node/network/local-chain.js";
import { Application } from "../../src/node/network/peers/application.js";
import { type OwnWitness, type PeerSettings, PeerWorld } from "../../src/node/network/peers/peer-world.js";
import type { CandidateSource } from "../../src/node/network/transport/candidates.js";
import { PeerTransport, type TransportConfig } from "../../src/node/network/transport/peer-transport.js";
import { NEWEST_RELEASE } from "../../src/node/rules/release.js";
import type { SignedBlock } from "../../src/protocol/block.js";
import type { SignedTransaction } from "../../src/protocol/transaction.js";
import type { SimulatedEnvironment } from "./environment.js";
import type { SimulatedHost } from "./host.js";

export const NETWORK_ID = 20_261_121;
export const PORT = 18_888;
const SLOT_MS = 3_000;
/** How long a started node waits for the network before it produces on its own head. */
const SYNC_WAIT_MS = 40_000;

/** A chain that can produce blocks. */
export interface ProducingChain extends LocalChain {
	readonly headTimestampMs: bigint;
	/** Builds the block of a slot, if its witness is ours, without applying it. */
	produceFor(timestampMs: bigint): SignedBlock | undefined;
}

export interface NodeOptions {
	readonly host: SimulatedHost;
	readonly chain: ProducingChain;
	readonly seeds: readonly NodeAddress[];
	readonly active: readonly NodeAddress[];
	readonly limits: Pick<TransportConfig, "maxConnections" | "minConnections" | "minActiveConnections">;
	/** Keys to vote with. */
	readonly witnesses?: readonly OwnWitness[];
	/** Votes that confirm a block. */
	readonly quorum?: number;
	/** The network whose rules apply; mainnet by default. */
	readonly network?: PeerSettings["network"] | undefined;
	/** Called when this node disconnects a peer. */
	readonly onDisconnect: (peer: string, reason: string, why: string) => void;
	/** Called with internal errors. */
	readonly onFault: (error: unknown, where: string) => void;
}

interface Running {
	readonly environment: SimulatedEnvironment;
	readonly world: PeerWorld;
	readonly transport: PeerTransport;
	readonly application: Application;
	discovery: Discovery | undefined;
}

export function modelSettings({
	limits,
	quorum = 19,
	network = "main",
}: Pick<NodeOptions, "limits" | "quorum" | "network">): PeerSettings {
	return {
		...limits,
		network,
		networkId: NETWORK_ID,
		release: NEWEST_RELEASE,
		maxTransactionsPerSecond: 1000,
		maxBlocksPerSecond: 10,
		summariesPerSecond: 3,
		fetchesPerSecond: 3,
		disconnectsPerSecond: 1,
		maxRequestedBlocks: 500,
		maxWaitingTransactions: 50_000,
		syncFetchBatch: 2000,
		fetchBlockTimeoutMs: 500,
		blockCacheTimeoutMs: 3_600_000,
		inactiveThresholdMs: 600_000,
		eliminateAtRandom: false,
		effectiveCheck: false,
		maxUnsolidified: undefined,
		isFastForward: false,
		relayHosts: new Set(),
		maxRelayWitnesses: 4,
		quorum,
		voteExpireBlocks: 20,
		maxQueuedBytes: 32 << 20,
	};
}

export class SimulatedNode {
	private running: Running | undefined;
	private bootedMs = 0;
	private isSynced = false;

	constructor(readonly options: NodeOptions) {}

	get address(): string {
		return this.options.host.address;
	}

	get chain(): ProducingChain {
		return this.options.chain;
	}

	get isUp(): boolean {
		return this.running !== undefined;
	}

	/** Undefined while the node is down. */
	get peers(): PeerWorld | undefined {
		return this.running?.world;
	}

	get transport(): PeerTransport | undefined {
		return this.running?.transport;
	}

	get discovery(): Discovery | undefined {
		return this.running?.discovery;
	}

	async boot(): Promise<void> {
		const { host, chain, seeds, active, limits } = this.options;
		const environment = host.boot();
		const nodeId = environment.randomBytes(64);
		const self = { ipv4: host.address, ipv6: "" };
		const found: { discovery?: Discovery } = {};
		const candidates: CandidateSource = {
			connectable: () => found.discovery?.connectable() ?? [],
			dnsNodes: () => [],
			get tableSize() {
				return found.discovery?.tableSize ?? 0;
			},
		};
		let application: Application | undefined;
		const listener: ApplicationListener = {
			connected: (connection) => application?.connected(connection),
			received: (connection, type, payload) => application?.received(connection, type, payload),
			oversized: (connection, message) => application?.oversized(connection, message),
			disconnected: (connection) => application?.disconnected(connection),
		};
		const config = {
			...limits,
			listenPort: PORT,
			networkId: NETWORK_ID,
			active,
			passive: [],
			fastForward: [],
			maxConnectionsWithSameIp: 2,
			detectNodes: false,
		};
		const transport = new PeerTransport({ environment, config, listener, candidates, self, nodeId });
		const log = {
			debug: () => {},
			info: (fields: object, message: string) => this.note(fields, message),
			warn: (fields: object, message: string) => this.trace(fields, message),
		};
		const settings = modelSettings(this.options);
		const { witnesses = [] } = this.options;
		const world = new PeerWorld(environment, chain, settings, log, witnesses, () => true);
		application = new Application(world, transport, {
			configured: () => active,
			relays: [],
			report: (error, where) => this.options.onFault(error, where),
		});
		application.start();
		const running: Running = { environment, world, transport, application, discovery: undefined };
		this.running = running;
		this.bootedMs = environment.now();
		this.isSynced = false;
		this.produceInSlots(running);
		await transport.start();
		const discovery = await Discovery.start(environment, {
			networkId: NETWORK_ID,
			self: { ...self, port: PORT, nodeId },
			seeds: [...seeds, ...active],
		});
		found.discovery = discovery;
		running.discovery = discovery;
	}

	crash(silent: boolean): void {
		// Unwritten data is lost; nothing may continue to run.
		this.running?.application.stop();
		this.running = undefined;
		this.options.host.crash(silent);
	}

	/** A client submits a transaction. */
	submit(transaction: SignedTransaction): void {
		if (this.running === undefined) return;
		const result = this.chain.submit(transaction);
		if (result.kind === "accepted") this.running.application.advertisement.announceOwn(result.served);
	}

	private produceInSlots(running: Running): void {
		const { environment, application } = running;
		const next = () => {
			const waitMs = SLOT_MS - (environment.wallClock() % SLOT_MS);
			environment.after(waitMs, () => {
				const now = environment.wallClock();
				const slotMs = now - (now % SLOT_MS);
				if (this.mayProduce(environment)) {
					const block = this.chain.produceFor(BigInt(slotMs));
					if (block !== undefined) {
						application.advertisement.broadcastBlock(block);
						const result = this.chain.push(block);
						if (result.kind !== "accepted")
							this.options.onFault(new Error(JSON.stringify(result)), "own block");
					}
				}
				next();
			});
		};
		next();
	}

	private mayProduce(environment: SimulatedEnvironment): boolean {
		const isFresh = environment.wallClock() - Number(this.chain.headTimestampMs) < 2 * SLOT_MS;
		this.isSynced ||= isFresh || environment.now() - this.bootedMs >= SYNC_WAIT_MS;
		return this.isSynced;
	}

	private note(fields: object, message: string): void {
		this.trace(fields, message);
		if (message !== "disconnecting peer") return;
		const { peer, reason, why, mayBeHonest } = fields as Record<"peer" | "reason" | "why", string> & {
			readonly mayBeHonest: boolean;
		};
		this.options.onDisconnect(peer, mayBeHonest ? "" : reason, why);
	}

	private trace(fields: object, message: string): void {
		this.options.host.world.log(() => `${this.address} ${message} ${JSON.stringify(fields)}`);
	}
}
