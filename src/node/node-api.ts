/** The node as its servers know it: the one place where the API room meets the chain. */

import { be64, equalBytes, fromKey, toKey } from "../protocol/bytes.js";
import type { SignedTransaction } from "../protocol/transaction.js";
import { retriedWhenBehind } from "./api/builder.js";
import type { ApiNode, NetworkView, PastStates, ServerKind, ShieldedWork } from "./api/context.js";
import { RateLimiter } from "./api/rate-limiter.js";
import type { OpenChain } from "./chain/open-chain.js";
import { prepareAsked, prepareSent } from "./chain/proofs-ahead.js";
import { isForLaterHead } from "./chain/transaction-checks.js";
import type { NodeConfig } from "./config/config.js";
import { activeWitnesses } from "./consensus/slots.js";
import type { NodeMetrics } from "./metrics/metrics.js";
import { ForkGates } from "./rules/fork-gates.js";
import { executions } from "./scheduling/call-queue.js";
import type { PrepareProofs } from "./shielded/proof-queue.js";
import type { Simulator } from "./simulation/simulator.js";
import { createView, type StateView } from "./state/view.js";
import type { TraceRunner } from "./tracing/trace-runner.js";

export interface NodeApiOptions {
	readonly open: OpenChain;
	readonly config: NodeConfig;
	/** Milliseconds since 1970. */
	readonly clock: () => bigint;
	/** Milliseconds of a clock that only goes forward. */
	readonly monotonicClock: () => number;
	readonly machine: ApiNode["machine"];
	/** Undefined: there is no index. */
	readonly history?: ApiNode["history"];
	readonly sources?: ApiNode["sources"];
	/** Executes transactions of blocks again; undefined: not for clients. */
	readonly tracing: TraceRunner | undefined;
	readonly simulator: Simulator | undefined;
	readonly network: NetworkView;
	/** Addresses whose keys this node produces with. */
	readonly ownWitnesses: readonly Uint8Array[];
	/** Whether this node is the one of its backup group that acts. */
	readonly isProducing: () => boolean;
	/** Number of the last block that votes of witnesses confirmed; 0 if there was none. */
	readonly confirmedNumber: () => bigint;
	/** Undefined: nobody counts. */
	readonly metrics: NodeMetrics | undefined;
	/** Runs after a transaction entered the pool; the answer to its sender waits for it. */
	readonly submitted: () => Promise<void>;
	/** Lets the head be of this moment, if it is behind. @returns whether that changed anything */
	readonly catchUp: (olderThanMs?: bigint) => boolean;
	/** Checks shielded proofs elsewhere before they are asked for; absent: nothing does. */
	readonly prepare?: PrepareProofs | undefined;
	/** What an operator must know. */
	readonly warnings?: () => readonly string[];
	/** What shielded transactions are built with. */
	readonly shieldedWork?: ShieldedWork | undefined;
	readonly report: (error: unknown, where: string) => void;
}

/** A node that talks to nobody. */
export function isolatedNetwork(nodeId: string): NetworkView {
	return {
		peers: () => [],
		connectableNodes: () => [],
		announce: () => 0,
		tableSize: 0,
		nodeId,
	};
}

export function createApiNode(options: NodeApiOptions): ApiNode {
	const { open, config, clock, monotonicClock, machine, network, submitted, report, metrics, catchUp } =
		options;
	const { prepare } = options;
	const { chain, rules } = open;
	const startedMs = monotonicClock();
	const confirmed = confirmedView(open, options.confirmedNumber);
	const views: Readonly<Record<ServerKind, () => StateView>> = {
		full: () => chain.state,
		solidity: () => open.solidState,
		pbft: confirmed,
	};
	return {
		config,
		rules,
		nowMs: () => Number(clock()),
		view: (server) => views[server](),
		// What has passed is asked of the head, whatever state is looked at (protocol/machine §1).
		forks: () => open.forks,
		// A development chain keeps those that its snapshots need.
		past: config.node.history.stateBlocks > 0 || rules.development ? pastStates(open) : undefined,
		history: options.history,
		sources: options.sources,
		rawStates: config.node.jsonrpc.state ? pastStates(open) : undefined,
		machine,
		tracing: options.tracing,
		simulator: options.simulator,
		pool: chain.pool,
		limiter: new RateLimiter(config.rateLimiter),
		get oldestRevertible() {
			return open.database.settledNumber + 1n;
		},
		submit: async (transaction: SignedTransaction, client?: string) => {
			await open.fetchFor(transaction, true);
			if (prepare) await prepareSent(open, prepare, transaction);
			if (isForLaterHead(chain.state, transaction)) catchUp();
			const push = () => retriedWhenBehind({ catchUp }, () => chain.pushTransaction(transaction));
			await executions.run(push, undefined, client);
			await submitted();
		},
		prepareCall: (transaction) => {
			const fetching = open.fetchFor(transaction, false);
			const asked = () => prepare && prepareAsked(open, prepare, transaction);
			return fetching ? fetching.then(asked) : asked();
		},
		catchUp,
		firstKey: async (store, from, end) => {
			const key = await open.database.firstKey(store, toKey(from), toKey(end));
			return key === undefined ? undefined : fromKey(key);
		},
		network,
		cheats: [],
		isLite: beganLater(open),
		isFork: open.isFork,
		statistics: {
			get meters() {
				return metrics?.meters();
			},
			get isProducing() {
				return options.isProducing();
			},
			get isActiveWitness() {
				const active = activeWitnesses(chain.state);
				return options.ownWitnesses.some((own) => active.some((each) => equalBytes(each, own)));
			},
			ownHost: "",
		},
		observer: metrics?.observer,
		get upMs() {
			return monotonicClock() - startedMs;
		},
		shieldedWork: options.shieldedWork,
		warnings: options.warnings ?? (() => []),
		report,
	};
}

function pastStates(open: OpenChain): PastStates {
	return {
		get first() {
			return open.database.lowestKnown;
		},
		at: (number) => open.stateAt(number),
		forks: (state) => new ForkGates(state, open.rules),
	};
}

/** Whether the chain's data began with a snapshot: there are blocks, and the first one isn't among them (protocol/configuration §4.3). */
function beganLater({ chain, rules }: OpenChain): boolean {
	if (rules.development) return false;
	return chain.head.number > 0n && !chain.state.blockIndex.has(be64(1n));
}

/**
 * The state that votes of witnesses confirmed (protocol/http §5.3): that after the last confirmed block, as far as it can
 * still be told from the head's. Without votes it is the solidified one.
 */
function confirmedView(open: OpenChain, confirmedNumber: () => bigint): () => StateView {
	const { chain, database, seed } = open;
	let made: { readonly key: string; readonly view: StateView } | undefined;
	return () => {
		const number = confirmedNumber();
		if (number <= database.settledNumber || number > chain.state.properties.headNumber)
			return open.solidState;
		// The view holds until the state changes.
		const key = `${number} ${chain.head.idHex} ${database.mark()}`;
		if (made?.key === key) return made.view;
		const backend = database.stateBefore(number + 1n);
		if (!backend) return open.solidState;
		made = { key, view: createView(backend, seed) };
		return made.view;
	};
}
