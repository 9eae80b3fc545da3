/** The real node behind a replay: in memory, in process, under the recording's clock. */

import { Chain } from "../node/chain/chain.js";
import { blackHoleAddress, genesisId, prepareBase, writeGenesis } from "../node/chain/genesis.js";
import { recentBlockKey } from "../node/chain/transaction-checks.js";
import type { CommitteeKey, NodeConfig } from "../node/config/config.js";
import { loadConfig } from "../node/config/config.js";
import { ForkGates } from "../node/consensus/fork-gates.js";
import type { ChainRules } from "../node/contracts/contract.js";
import { ChainError } from "../node/contracts/errors.js";
import { settleAccountAssets } from "../node/state/asset-layout.js";
import { createMemoryDatabase } from "../node/state/database.js";
import { type StoreDefinition, storeDefinitions } from "../node/state/definition.js";
import type { PropertySeed } from "../node/state/property-table.js";
import { type BlockChange, StateDatabase } from "../node/state/state-database.js";
import { createView } from "../node/state/view.js";
import { setAddressPrefix } from "../protocol/address.js";
import { SignedBlock } from "../protocol/block.js";
import { be64, fromHex, fromKey, toHex, toKey } from "../protocol/bytes.js";
import { DecodeError } from "../protocol/codec/reader.js";
import { toDeployed } from "../protocol/dialect.js";
import { TransactionRet } from "../protocol/messages.js";
import type { Change, Changes, Head, OpenTarget, Refusal, ReplayTarget, State } from "./target.js";

/** Long enough that nothing leaves the pool by age: recorded times jump. */
const NEVER_MS = 1n << 50n;

/** Boots a node from a recording's configuration. */
export const openNode: OpenTarget = async (recording) => NodeTarget.open(loadConfig(recording.configFile));

class NodeTarget implements ReplayTarget {
	readonly grpc = undefined;

	private constructor(
		private readonly database: StateDatabase,
		private readonly chain: Chain,
		private readonly setTime: (ms: bigint) => void,
	) {}

	static async open(config: NodeConfig): Promise<NodeTarget> {
		setAddressPrefix(config.net.addressPrefix);
		let nowMs = 0n;
		const database = await StateDatabase.open(createMemoryDatabase(), settleAccountAssets);
		const seed = propertySeed(config);
		const base = createView(database.baseBackend, seed);
		writeGenesis(base, config.genesis);
		prepareBase(base, {
			blackHole: blackHoleAddress(config.genesis),
			allowTvmConstantinople: config.committee.allowTvmConstantinople,
			needToUpdateAsset: config.storage.needToUpdateAsset,
		});
		const state = createView(database.headBackend, seed);
		const rules = chainRules(config);
		const chain = new Chain(
			{
				state,
				rules,
				forks: new ForkGates(state, rules),
				machine: () => {
					throw new Error("the contract machine is missing");
				},
			},
			database,
			createView(database.solidBackend, seed),
			{
				balanceHistory: config.storage.balanceHistory,
				transactionHistory: config.storage.transactionHistory,
				pendingTimeoutMs: NEVER_MS,
				sortPendingByFee: config.node.pending.sortByFee,
				shieldedAllowed: config.node.shielded.enabled,
				maxPendingShielded: config.node.pending.maxShielded,
			},
			() => nowMs,
			undefined,
		);
		return new NodeTarget(database, chain, (ms) => {
			nowMs = ms;
		});
	}

	setClock(ms: bigint): void {
		this.setTime(ms);
	}

	genesisState(): Promise<State> {
		return this.dump();
	}

	async applyBlock(bytes: Uint8Array) {
		const changes: BlockChange[] = [];
		const stop = this.chain.observe({ applied: ({ change }) => changes.push(change) });
		try {
			const outcome = await this.push(bytes);
			return "error" in outcome ? outcome : { ...outcome, changes: this.encode(changes) };
		} finally {
			stop();
		}
	}

	async push(bytes: Uint8Array): Promise<Head | Refusal> {
		this.executeWaiting();
		try {
			this.chain.push(SignedBlock.decode(bytes));
		} catch (error) {
			return { error: describeRefusal(error) };
		}
		return this.head();
	}

	private head(): Head {
		const { state } = this.chain;
		const number = state.properties.headNumber;
		const infos = state.transactionResult.get(be64(number));
		return {
			number: Number(number),
			id: toHex(state.properties.headId),
			infos: infos === undefined ? null : TransactionRet.encode(infos),
		};
	}

	private encode(changes: readonly BlockChange[]): Changes {
		const all = new Map<string, Map<string, Change>>();
		for (const change of changes) {
			for (const { store, key, before, after } of this.database.changesOf(change)) {
				const entries = all.get(store.name) ?? new Map<string, Change>();
				all.set(store.name, entries.set(toHex(fromKey(key)), { before, after }));
			}
		}
		return all;
	}

	/** What the node does by itself after a block: waiting transactions are executed again. */
	private executeWaiting(): void {
		while (this.chain.executeWaiting(Number.POSITIVE_INFINITY));
	}

	async http() {
		this.executeWaiting();
		return { status: 0, type: null, allow: undefined, body: "(this node has no HTTP servers yet)" };
	}

	read(store: string, keyHex: string): Uint8Array | null {
		const definition = definitionOf(store);
		if (definition === undefined) return null;
		const key = toKey(fromHex(keyHex));
		const value = this.database.headBackend.get(definition, key);
		return value === undefined ? null : definition.codec.encode(value, key);
	}

	async heal(
		bytes: Uint8Array,
		infos: Uint8Array | null,
		writes: ReadonlyMap<string, ReadonlyMap<string, Uint8Array | null>>,
	): Promise<void> {
		const block = SignedBlock.decode(bytes);
		const { state } = this.chain;
		this.database.revert(0);
		const known = toHex(state.properties.headId) === block.idHex;
		for (const [store, entries] of writes) {
			const definition = definitionOf(store);
			if (definition === undefined) continue;
			for (const [keyHex, value] of entries) {
				const key = toKey(fromHex(keyHex));
				if (value === null) this.database.headBackend.delete(definition, key);
				else this.database.headBackend.put(definition, key, definition.codec.decode(value, key));
			}
		}
		if (infos !== null) state.transactionResult.put(be64(block.number), TransactionRet.decode(infos));
		if (!known) {
			this.chain.tree.push(block);
			state.block.put(block.id, block.bytes);
			state.blockIndex.put(be64(block.number), block.id);
			state.recentBlock.put(recentBlockKey(block.number), block.id.subarray(8, 16));
			for (const transaction of block.transactions) state.transaction.put(transaction.id, be64(block.number));
		}
		this.database.commitBlock(block.number);
	}

	finalState(): Promise<State> {
		this.database.revert(0);
		return this.dump();
	}

	private async dump(): Promise<State> {
		const state = new Map<string, Map<string, Uint8Array>>();
		for (const definition of storeDefinitions) {
			const entries = new Map<string, Uint8Array>();
			for await (const [key, value] of this.database.dump(definition))
				entries.set(toHex(fromKey(key)), value);
			if (entries.size > 0) state.set(definition.name, entries);
		}
		return state;
	}

	async close(): Promise<void> {}
}

function definitionOf(name: string): StoreDefinition<unknown> | undefined {
	return storeDefinitions.find((store) => store.name === name);
}

function propertySeed(config: NodeConfig): PropertySeed {
	return {
		genesisTimestampMs: config.genesis.timestampMs,
		maintenanceIntervalMs: BigInt(config.block.maintenanceTimeIntervalMs),
		committee: (key) => config.committee[key as CommitteeKey] ?? 0n,
	};
}

function chainRules(config: NodeConfig): ChainRules {
	return {
		genesisTimestampMs: config.genesis.timestampMs,
		genesisId: genesisId(config.genesis),
		blackHole: blackHoleAddress(config.genesis),
		genesisWitnesses: config.genesis.witnesses.map(({ address, voteCount }) => ({
			address,
			votes: voteCount,
		})),
		proposalExpireMs: BigInt(config.block.proposalExpireTimeMs),
		energyLimitHeight: BigInt(config.block.energyLimitBlockNumber),
		saveCancelDetails: config.vm.saveCancelAllUnfreezeV2Details,
	};
}

/** `ClassName: message`, as the reference's log names a refusal. */
function describeRefusal(error: unknown): string {
	if (error instanceof ChainError) return `${error.className}: ${toDeployed(error.message)}`;
	if (error instanceof DecodeError) return "BadItemException: Block proto data parse exception";
	return error instanceof Error ? `(crash) ${error.stack ?? error.message}` : String(error);
}
