/** The real node for replays: in-process, in memory, with the recording's clock. */

import { randomBytes } from "node:crypto";
import { sourceTrace } from "../../src/diagnostics/stack-trace.js";
import type { Chain } from "../../src/node/chain/chain.js";
import { eachBlock } from "../../src/node/chain/observers.js";
import { putRecentBlock } from "../../src/node/chain/transaction-checks.js";
import { processTransaction } from "../../src/node/chain/transaction-processor.js";
import {
	loadConfig,
	type NodeConfig,
	type SettingPath,
	type ThreeListeners,
} from "../../src/node/config/config.js";
import { type RunningNode, startNode } from "../../src/node/node.js";
import { ChainError } from "../../src/node/rules/errors.js";
import { type StoreDefinition, storeDefinitions, stores } from "../../src/node/state/definition.js";
import type { BlockChange, StateDatabase } from "../../src/node/state/state-database.js";
import { SignedBlock } from "../../src/protocol/block.js";
import { be64, equalBytes, fromHex, fromKey, toHex, toKey } from "../../src/protocol/bytes.js";
import { DecodeError } from "../../src/protocol/codec/reader.js";
import { toDeployed } from "../../src/protocol/dialect.js";
import { Account, Block, TransactionRet } from "../../src/protocol/messages.js";
import type { SignedTransaction } from "../../src/protocol/transaction.js";
import { offerAdvertised } from "./advertised.js";
import { GrpcClient } from "./grpc-client.js";
import { HttpClient } from "./http-client.js";
import { offerHello, offerTransactions } from "./peer-messages.js";
import type { HelloLine, PeerTransactionsLine, Recording } from "./recording.js";
import type {
	Change,
	Changes,
	Entries,
	GrpcAnswer,
	GrpcRequest,
	Head,
	HttpAnswer,
	HttpRequest,
	OpenTarget,
	Refusal,
	ReplayTarget,
	State,
	TracedBlock,
} from "./target.js";
import { simulateBlock, traceBlock } from "./traces.js";
import { witnessProver } from "./witness-prover.js";

/** Prevents expiry from the pool: recorded times jump. */
const NEVER_MS = 1n << 50n;

/** Starts a node with a recording's configuration. */
export const openNode: OpenTarget = async (
	recording,
	params,
	{ trace = false, history = false, compiled = false } = {},
) =>
	openNodeOn(recording, undefined, {
		params,
		traces: trace,
		keepsHistory: history,
		compiled,
		opensPool: opensPool(recording),
	});

const POOL_GATE = Buffer.from("ALLOW_SHIELDED_TRANSACTION", "latin1").toString("hex");

/** Whether the chain began with the shielded pool enabled, which isn't in the reference's configuration. */
function opensPool(recording: Recording): boolean {
	for (const [, line] of recording.lines()) {
		return line.t === "genesis" && Number(line.state["properties"]?.[POOL_GATE] ?? 0) === 1;
	}
	return false;
}

interface TargetSetting {
	/** Folder of the parameters for shielded proofs. */
	readonly params?: string | undefined;
	/** Whether blocks can be traced. */
	readonly traces?: boolean;
	readonly opensPool?: boolean;
	readonly keepsHistory?: boolean;
	/** Compiles every contract program before it runs. */
	readonly compiled?: boolean;
}

/** The same on an existing data directory. */
export const openNodeOn = async (
	{ configFile, release, network }: Pick<Recording, "configFile" | "release" | "network">,
	dataDirectory: string | undefined,
	{ params, traces = false, opensPool = false, keepsHistory = false, compiled = false }: TargetSetting = {},
): Promise<ReplayTarget> => {
	const instead = new Map<SettingPath, unknown>([["node.release", release]]);
	if (network !== undefined) instead.set("node.network", network);
	if (keepsHistory) instead.set("node.history.state", "all");
	if (opensPool) instead.set("committee.allowShieldedTransaction", 1n);
	if (compiled) instead.set("vm.compile", "always");
	if (traces) instead.set("node.jsonrpc.debug", true);
	return NodeTarget.open(loadConfig(configFile, { instead }), dataDirectory, params);
};

class NodeTarget implements ReplayTarget {
	private readonly http1 = new HttpClient();
	private readonly http2 = new GrpcClient();
	/** The transaction tried last for the pool, if it was refused. */
	private refused: SignedTransaction | undefined;

	private constructor(
		private readonly node: RunningNode,
		private readonly setTime: (ms: bigint) => void,
		private readonly nowMs: () => bigint,
		readonly shieldedToken: string,
	) {
		const forget = () => {
			this.refused = undefined;
		};
		this.chain.observe({
			...eachBlock({ committed: forget }),
			pending: forget,
			rejected: (transaction) => {
				this.refused = transaction;
			},
		});
	}

	/** @param params folder of the parameters for shielded proofs */
	static async open(
		recorded: NodeConfig,
		dataDirectory: string | undefined,
		params?: string,
	): Promise<NodeTarget> {
		let nowMs = 0n;
		const node = await startNode({
			config: replayConfig(recorded, params),
			dataDirectory,
			limitTime: false,
			producers: [],
			shieldedWork: {
				random: (length) => Uint8Array.from(randomBytes(length)),
				prover: async () => witnessProver,
			},
			host: "127.0.0.1",
			log: { info: () => {}, warn: printLog, error: printLog },
			clock: () => nowMs,
		});
		const setTime = (ms: bigint): void => {
			nowMs = ms;
		};
		return new NodeTarget(node, setTime, () => nowMs, recorded.node.shielded.tokenId);
	}

	private get chain(): Chain {
		return this.node.open.chain;
	}

	private get database(): StateDatabase {
		return this.node.open.database;
	}

	setClock(ms: bigint): void {
		this.setTime(ms);
	}

	genesisState(): Promise<State> {
		return this.dump();
	}

	async applyBlock(bytes: Uint8Array) {
		// The reference packed this block from its pool, which removes every waiting transaction: those not in
		// the block were dropped (protocol/blocks §5.2). At least the block's were tried, even if not recorded.
		let waiting = 0;
		while (this.chain.pool.takeForBlock() !== undefined) waiting++;
		this.chain.undoLayers.packed(Math.max(waiting, transactionCount(bytes)));
		const changes: BlockChange[] = [];
		const stop = this.chain.observe(eachBlock({ committed: ({ change }) => changes.push(change) }));
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
			this.chain.push(SignedBlock.decode(bytes), "recording");
		} catch (error) {
			return { error: describeRefusal(error) };
		}
		return this.head();
	}

	async advertise(bytes: Uint8Array): Promise<Head | Refusal> {
		this.executeWaiting();
		const error = offerAdvertised(this.node.open, bytes, this.nowMs(), describeRefusal);
		return error === undefined ? this.head() : { error };
	}

	peerTransactions(body: Uint8Array): PeerTransactionsLine["answer"] {
		return offerTransactions(this.node.open, body);
	}

	peerHello(message: Uint8Array): HelloLine["answer"] {
		return offerHello(this.node.open, message);
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

	/** Executes waiting transactions again, as the node does by itself after a block. */
	private executeWaiting(): void {
		while (this.chain.executeWaiting(Number.POSITIVE_INFINITY));
	}

	async http(request: HttpRequest): Promise<HttpAnswer> {
		this.executeWaiting();
		const port = this.portOf(request.port);
		if (port === undefined) {
			return { status: 0, type: null, allow: undefined, body: `(no ${request.port} server)` };
		}
		return this.http1.send(port, request);
	}

	async grpc(request: GrpcRequest): Promise<GrpcAnswer> {
		this.executeWaiting();
		const port = this.portOf(request.port);
		if (port === undefined) return { error: { code: -1, message: `(no ${request.port} server)` } };
		return this.http2.send(port, request);
	}

	/** The actual port of a server, by its recorded name. */
	private portOf(name: string): number | undefined {
		return (this.node.ports as Readonly<Record<string, number | undefined>>)[name];
	}

	read(store: string, keyHex: string): Uint8Array | null {
		const definition = definitionOf(store);
		if (definition === undefined) return null;
		const key = toKey(fromHex(keyHex));
		const value = this.database.headBackend.get(definition, key);
		return value === undefined ? null : definition.codec.encode(value, key);
	}

	readAt(number: number, store: string, keyHex: string): Uint8Array | null {
		const definition = definitionOf(store);
		if (definition === undefined) return null;
		const state = this.database.stateAfter(BigInt(number));
		if (!state) throw new Error(`the state of block ${number} isn't kept`);
		const key = toKey(fromHex(keyHex));
		const value = state.get(definition, key);
		return value === undefined ? null : definition.codec.encode(value, key);
	}

	settled(): number {
		return Number(this.database.finalizedNumber);
	}

	flush(): Promise<void> {
		return this.node.open.flushNow();
	}

	async heal(bytes: Uint8Array, infos: Uint8Array | null, writes: Entries): Promise<boolean> {
		const block = SignedBlock.decode(bytes);
		const { state } = this.chain;
		const known = toHex(state.properties.headId) === block.idHex;
		if (!known && !equalBytes(state.properties.headId, block.parentId)) return false;
		this.database.revert(0);
		for (const [store, entries] of writes) {
			const definition = definitionOf(store);
			if (definition === undefined) continue;
			for (const [keyHex, value] of entries) {
				const key = toKey(fromHex(keyHex));
				if (value === null) this.database.headBackend.delete(definition, key);
				else this.database.headBackend.put(definition, key, this.healed(definition, key, value));
			}
		}
		if (infos !== null) state.transactionResult.put(be64(block.number), TransactionRet.decode(infos));
		if (!known) {
			const { finalizedNumber } = this.database;
			this.chain.tree.push(block, { headId: state.properties.headId, finalizedNumber });
			state.block.put(block.id, block.bytes);
			state.blockIndex.put(be64(block.number), block.id);
			putRecentBlock(state, block.id);
			for (const transaction of block.transactions) state.transaction.put(transaction.id, be64(block.number));
		}
		this.database.commitBlock(block.number);
		return true;
	}

	/** A recorded value; accounts keep balances that the reference stores apart (protocol/tokens §8.3). */
	private healed(definition: StoreDefinition<unknown>, key: string, value: Uint8Array): unknown {
		const recorded = definition.codec.decode(value, key);
		if (definition.name !== stores.account.name) return recorded;
		if (!this.chain.state.properties.on("ALLOW_ASSET_OPTIMIZATION")) return recorded;
		const present = this.database.headBackend.get(stores.account, key);
		const account = Account.copy(recorded as Account);
		account.assetV2 = new Map([...(present?.assetV2 ?? []), ...account.assetV2]);
		return account;
	}

	async trace(): Promise<TracedBlock | Refusal> {
		const { tracing, simulator } = this.node;
		if (!tracing || !simulator) return { error: "the target was not opened for traces" };
		const block = this.chain.head;
		const traced = await traceBlock(tracing, block);
		if ("error" in traced) return traced;
		const parent = this.chain.blockByNumber(block.number - 1n) as SignedBlock;
		return {
			...traced,
			problems: [...traced.problems, ...(await simulateBlock(simulator, parent, block, traced))],
		};
	}

	/**
	 * A recorded state includes pending transactions, and the writes of the last refused one: the recorder also
	 * read the layer that the reference had just discarded (core-http, market-fees).
	 */
	async finalState(): Promise<State> {
		this.executeWaiting();
		const mark = this.database.mark();
		if (this.refused !== undefined) this.tryAgain(this.refused);
		const state = await this.dump();
		this.database.revert(mark);
		return state;
	}

	/** Executes a transaction, and keeps its writes even if it fails. */
	private tryAgain(transaction: SignedTransaction): void {
		try {
			processTransaction(this.chain.environment, transaction, undefined, { verified: true });
		} catch (error) {
			if (!(error instanceof ChainError)) throw error;
		}
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

	async close(): Promise<void> {
		this.http1.close();
		this.http2.close();
		await this.node.close();
	}
}

/** The recording's configuration with free ports, no peers, and the deployed spelling. */
function replayConfig(recorded: NodeConfig, params: string | undefined): NodeConfig {
	const free = <T extends ThreeListeners>(listeners: T): T => ({
		...listeners,
		full: { ...listeners.full, port: 0 },
		solidity: { ...listeners.solidity, port: 0 },
		pbft: { ...listeners.pbft, port: 0 },
	});
	const { node } = recorded;
	return {
		...recorded,
		// Everything that happens is in the recording.
		run: { ...recorded.run, peers: false },
		node: {
			...node,
			dialect: "deployed",
			pending: { ...node.pending, timeoutMs: NEVER_MS },
			shielded: { ...node.shielded, parameters: parametersOf(params), allowsUnverified: true },
			http: free(node.http),
			jsonrpc: free(node.jsonrpc),
			rpc: free(node.rpc),
		},
	};
}

/** A recording may use any parameters, so they aren't checked against the network's hashes. */
const parametersOf = (folder: string | undefined) =>
	folder === undefined ? undefined : { folder, spendHash: undefined, outputHash: undefined };

function printLog(fields: object, message: string): void {
	process.stderr.write(`${message} ${Object.values(fields).join("\n  ")}\n`);
}

function definitionOf(name: string): StoreDefinition<unknown> | undefined {
	return storeDefinitions.find((store) => store.name === name);
}

/** `ClassName: message`, as in the reference's log. */
function describeRefusal(error: unknown): string {
	if (error instanceof ChainError) return `${error.className}: ${toDeployed(error.message)}`;
	if (error instanceof DecodeError) return "BadItemException: Block proto data parse exception";
	return error instanceof Error ? `(crash) ${sourceTrace(error)}` : String(error);
}

/** Number of transactions in an encoded block; 0 if invalid, which the push then refuses. */
function transactionCount(bytes: Uint8Array): number {
	try {
		return Block.decode(bytes).transactions.length;
	} catch (error) {
		if (error instanceof DecodeError) return 0;
		throw error;
	}
}
