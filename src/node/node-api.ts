/** The node as its servers see it: the only place where the API meets the chain. */

import { be64, equalBytes, fromKey, toHex, toKey } from "../protocol/bytes.js";
import type { SignedTransaction } from "../protocol/transaction.js";
import { retriedWhenBehind } from "./api/builder.js";
import type { ApiNode, NetworkView, PastStates, ServerKind } from "./api/context.js";
import type { DoubleSigners } from "./api/meters.js";
import { RateLimiter } from "./api/rate-limiter.js";
import type { OpenChain } from "./chain/open-chain.js";
import { isForLaterHead } from "./chain/transaction-checks.js";
import { prepareAsked, prepareSent, verifySent } from "./chain/work-ahead.js";
import { activeWitnesses } from "./consensus/slots.js";
import type { NodeCore, NodeParts } from "./node-core.js";
import { writingMachine } from "./node-development.js";
import { ForkGates } from "./rules/fork-gates.js";
import { executions } from "./scheduling/call-queue.js";
import { createView, type StateView } from "./state/view.js";

/** A node without peers. */
export function isolatedNetwork(nodeId: string): NetworkView {
	return {
		peers: () => [],
		connectableNodes: () => [],
		announce: () => 0,
		tableSize: 0,
		nodeId,
		ownHost: "",
	};
}

/** The peer network as servers show it, once it runs. */
export function networkView({ open, parts }: Pick<NodeCore, "open" | "parts">): NetworkView {
	const isolated = isolatedNetwork(toHex(open.rules.genesisId).repeat(2));
	const current = (): NetworkView => parts.peers ?? isolated;
	return {
		peers: () => current().peers(),
		connectableNodes: () => current().connectableNodes(),
		announce: (transaction) => current().announce(transaction),
		get tableSize() {
			return current().tableSize;
		},
		get nodeId() {
			return current().nodeId;
		},
		get ownHost() {
			return current().ownHost;
		},
	};
}

export function createApiNode(core: NodeCore, doubleSigners: Pick<DoubleSigners, "list">): ApiNode {
	const { options, open, clock, monotonicClock, machine, report, parts } = core;
	const { config, development } = options;
	const { metrics } = parts;
	const prepare = core.shielded?.prepare;
	const catchUp = (olderThanMs?: bigint): boolean => parts.sealer?.catchUp(olderThanMs) ?? false;
	const own = development ? [development.producer] : options.producers;
	const { chain, rules } = open;
	const startedMs = monotonicClock();
	const confirmed = confirmedView(open, () => parts.peers?.chain.confirmedNumber ?? 0n);
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
		// Passed versions are always those of the head, whichever state is queried (protocol/machine §1).
		forks: () => open.forks,
		// A development chain keeps those that its snapshots need.
		past: config.node.history.stateBlocks > 0 || rules.development ? pastStates(open) : undefined,
		history: parts.history,
		sources: core.sources,
		get stateHash() {
			return open.database.followedHash;
		},
		rawStates: config.node.jsonrpc.state ? pastStates(open) : undefined,
		machine: development ? writingMachine(core, development) : machine,
		tracing: parts.tracing,
		simulator: parts.simulator,
		pool: chain.pool,
		limiter: new RateLimiter(config.rateLimiter),
		get oldestRevertible() {
			return open.database.finalizedNumber + 1n;
		},
		submit: async (transaction: SignedTransaction, client?: string) => {
			await open.fetchFor(transaction, true);
			if (prepare) await prepareSent(open, prepare, transaction);
			await verifySigned(parts, open, transaction, client ?? "");
			if (isForLaterHead(chain.state, transaction)) catchUp();
			const push = () => retriedWhenBehind({ catchUp }, () => chain.pushTransaction(transaction));
			await executions.run(push, undefined, client);
			await parts.sealer?.submitted();
		},
		verifySignatures: (transaction, client = "") => verifySigned(parts, open, transaction, client),
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
		network: networkView(core),
		doubleSigners: () => doubleSigners.list,
		isLite: beganLater(open),
		isFork: open.isFork,
		statistics: {
			get meters() {
				return metrics?.meters();
			},
			get isProducing() {
				return parts.peers?.isMaster ?? true;
			},
			get isActiveWitness() {
				const active = activeWitnesses(chain.state);
				return own.some(({ witness }) => active.some((each) => equalBytes(each, witness)));
			},
		},
		observer: metrics?.observer,
		get upMs() {
			return monotonicClock() - startedMs;
		},
		shieldedWork: parts.shieldedWork,
		warnings: () => [...(options.warnings ?? []), ...warningsOf(parts)],
		isProducing: () => parts.production?.isReady(),
		report,
	};
}

/** Verifies slow signatures of a transaction on other threads; undefined: there is nothing to wait for. */
const verifySigned = (
	{ verifyAhead }: Pick<NodeParts, "verifyAhead">,
	open: OpenChain,
	transaction: SignedTransaction,
	client: string,
): Promise<void> | undefined => verifyAhead && verifySent(open, verifyAhead, transaction, client);

/** Warnings for the operator. */
function warningsOf(parts: NodeParts): readonly string[] {
	const all = [
		parts.faults?.warning(),
		parts.audit?.warning(),
		parts.production?.warning(),
		...sharedKeyWarnings(parts),
		parts.shieldedWarning?.(),
		fillingOf(parts.backfill),
		indexingOf(parts.history),
	];
	return all.filter((warning) => warning !== undefined);
}

/** Witnesses with whose keys of this node, or of its signer, somebody else makes blocks. */
export function sharedKeyWarnings({ production }: Pick<NodeParts, "production">): readonly string[] {
	return [...(production?.madeElsewhere ?? [])].map(
		([witness, count]) =>
			`another node or signer has the key of witness ${witness}: blocks made with it since the start of this node: ${count}`,
	);
}

/** Status for the operator of an index that lacks blocks. */
function indexingOf(history: NodeParts["history"]): string | undefined {
	const coverage = history?.coverage;
	if (!coverage || coverage.isComplete) return undefined;
	return `the history by account and contract is being made: it has all blocks from ${coverage.from} on, ${coverage.missing} older ones are missing`;
}

/** Status for the operator of a state history that lacks blocks. */
function fillingOf(backfill: NodeParts["backfill"]): string | undefined {
	const progress = backfill?.progress;
	if (!progress) return undefined;
	const { block, target } = progress;
	return `the history of the state is being filled in: block ${block} of ${target}; states before block ${target} aren't known yet`;
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

/** Whether the chain's data started from a snapshot, i.e. without the first block (protocol/configuration §4.3). */
function beganLater({ chain, rules }: OpenChain): boolean {
	if (rules.development) return false;
	return chain.head.number > 0n && !chain.state.blockIndex.has(be64(1n));
}

/**
 * The state confirmed by witness votes (protocol/http §5.3): after the last confirmed block, as far as it can
 * be derived from the head's. Without votes, the solidified state.
 */
function confirmedView(open: OpenChain, confirmedNumber: () => bigint): () => StateView {
	const { chain, database, seed } = open;
	let made: { readonly key: string; readonly view: StateView } | undefined;
	return () => {
		const number = confirmedNumber();
		if (number <= database.finalizedNumber || number > chain.state.properties.headNumber)
			return open.solidState;
		// The view is valid until the state changes.
		const key = `${number} ${chain.head.idHex} ${database.mark()}`;
		if (made?.key === key) return made.view;
		const backend = database.stateBefore(number + 1n);
		if (!backend) return open.solidState;
		made = { key, view: createView(backend, seed) };
		return made.view;
	};
}
