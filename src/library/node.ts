/** `coin/node`: runs a development chain inside your own program, for tests and tools. */

import { chooseDevelopment } from "../launch/development-options.js";
import { prepareDevelopment } from "../node/development/development.js";
import { startNode } from "../node/node.js";
import type { NodeLog } from "../node/node-log.js";
import { toBase58Check } from "../protocol/address.js";
import { toHex } from "../protocol/bytes.js";
import { nodeSettings } from "../wallet/configuration/settings.js";
import { Failure } from "../wallet/failure.js";
import type { JsonRecord } from "../wallet/json.js";
import { callJsonRpc } from "../wallet/node/json-rpc.js";
import { NodeClient } from "../wallet/node/node-client.js";
import { parseCoinAmount } from "../wallet/values/amount.js";

/** Options of a development chain, named after the flags of `coin node start`. */
export interface DevelopmentChainOptions {
	/** Number of funded accounts; 10 if absent. */
	readonly accounts?: number;
	/** Initial balance of each account, with its unit; `10000coin` if absent. */
	readonly balance?: string;
	/** Mnemonic from which their keys are derived, or `random`; if absent, the one that all development chains share. */
	readonly mnemonic?: string;
	/** When blocks are sealed: one per transaction, only on request, or at an interval in seconds; `instant` if absent. */
	readonly seal?: "instant" | "manual" | number;
	/** Public network whose rules apply; those of `nile` accept post-quantum signatures. `main` if absent. */
	readonly network?: "main" | "nile";
	/** Spelling of brand words in responses. */
	readonly dialect?: "neutral" | "deployed";
	/** Values of chain parameters, keyed by any of their names. */
	readonly parameters?: Readonly<Record<string, number | bigint>>;
	/** Port of the gateway, which serves all APIs; if absent or 0, any free port. */
	readonly port?: number;
	/** Data directory; if absent, the state is kept in memory. */
	readonly directory?: string;
	/**
	 * Initial state as written by `coin dev dump`: the path of a file, or its bytes. The dump must come from a chain with the same
	 * accounts and parameters. Not available on a fork.
	 */
	readonly initialState?: string | Uint8Array;
	/**
	 * Base URL of the node to fork from, as in `coin node start --fork-url`. That node must run in another process: reading from it
	 * blocks this one.
	 */
	readonly forkUrl?: string;
	/** Number or id of the block after which the fork begins; if absent, the head block. */
	readonly forkBlock?: number | string;
	/** URL of that node's JSON-RPC, if it isn't served at `forkUrl`. */
	readonly forkJsonrpcUrl?: string;
	/** Receives each line that the node logs; if absent, nothing is logged. */
	readonly log?: NodeLog;
}

export interface DevelopmentChainAccount {
	/** Base58. */
	readonly address: string;
	/** 64 hexadecimal digits. */
	readonly privateKey: string;
}

/** Servers that a development chain runs; it has none of a node's other servers. */
type DevelopmentPort = "gateway" | "full" | "solidity" | "jsonrpc" | "grpc" | "grpcSolidity";

/** Options for sealing blocks on request. */
export interface MineOptions {
	/** Number of blocks; 1 if absent. */
	readonly blocks?: number;
	/** Interval between their timestamps, in milliseconds. */
	readonly intervalMs?: number;
	/** Timestamp of the first block, in milliseconds since 1970. */
	readonly timestampMs?: number;
}

export interface MinedBlock {
	readonly number: bigint;
	/** 64 hexadecimal digits. */
	readonly blockID: string;
	readonly timestampMs: bigint;
}

export interface RunningDevelopmentChain {
	/** Base URL of the gateway: HTTP API at `/wallet`, JSON-RPC at `/jsonrpc`, the development methods at `/dev`. */
	readonly url: string;
	/** All ports that are bound. */
	readonly ports: Readonly<Partial<Record<DevelopmentPort, number>>>;
	/** 64 hexadecimal digits. */
	readonly genesisId: string;
	readonly accounts: readonly DevelopmentChainAccount[];
	/** Takes a snapshot of the state. @returns its id, for {@link revert} */
	snapshot(): Promise<string>;
	/** Reverts to a snapshot, which is discarded along with all later ones. @throws {Failure} `rpc_error` for an unknown id */
	revert(id: string): Promise<void>;
	/** Seals blocks now, including all pending transactions. @returns the last block */
	mine(options?: MineOptions): Promise<MinedBlock>;
	/** Moves the chain's clock forward. */
	increaseTime(ms: number): Promise<void>;
	/** Accepts unsigned transactions from an account. @param account an address in any written form */
	impersonate(account: string): Promise<void>;
	stopImpersonating(account: string): Promise<void>;
	/**
	 * Sets an account's balance, whatever it was before.
	 * @param balance with its unit: `5coin`, `7sun`
	 * @throws {Failure} `amount_unit`, `bad_value`
	 */
	setBalance(account: string, balance: string): Promise<void>;
	/** Calls any other method of a development chain by JSON-RPC at the gateway. @throws {Failure} `not_served`, `rpc_error` */
	request(method: string, params?: readonly unknown[]): Promise<unknown>;
	/** Stops the servers and block production; writes the state if there is a data directory. */
	stop(): Promise<void>;
}

/** Options that are passed on unchanged as flags of `coin node start`. */
const TEXTS = [
	["accounts", "accounts"],
	["balance", "balance"],
	["mnemonic", "mnemonic"],
	["seal", "seal"],
	["network", "network"],
	["dialect", "dialect"],
	["forkUrl", "fork-url"],
	["forkBlock", "fork-block"],
	["forkJsonrpcUrl", "fork-jsonrpc-url"],
] as const satisfies readonly (readonly [keyof DevelopmentChainOptions, string])[];

const HOST = "127.0.0.1";
const SILENT: NodeLog = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * Starts a development chain in this process; resolves once its gateway answers.
 *
 * Several chains can run at once, but they share one address prefix. The servers listen on 127.0.0.1 only.
 * @throws {Failure} `bad_value` for an invalid option, `start_failed` for a port that is in use
 */
export async function startDevelopmentChain(
	options: DevelopmentChainOptions = {},
): Promise<RunningDevelopmentChain> {
	const { directory, log = SILENT, parameters = {} } = options;
	const texts = new Map<string, string>([["port", String(options.port ?? 0)]]);
	for (const [name, flag] of TEXTS) {
		if (options[name] !== undefined) texts.set(flag, String(options[name]));
	}
	const { initialState } = options;
	if (typeof initialState === "string") texts.set("load-state", initialState);
	const settings = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
	const chosen = await chooseDevelopment(
		(name) => texts.get(name),
		settings,
		() => {},
	);
	if (initialState !== undefined && chosen.options.fork) {
		throw new Failure("usage", "a fork begins with the state of its source: leave initialState out");
	}
	const development = prepareDevelopment({
		...chosen.options,
		...(initialState instanceof Uint8Array ? { loadState: initialState } : {}),
	});
	const node = await startNode({
		config: development.config,
		dataDirectory: directory,
		producers: [],
		development,
		host: HOST,
		log,
		limitTime: false,
	});
	const url = `http://${HOST}:${node.ports.gateway}`;
	const client = new NodeClient(nodeSettings({ node: url }));
	const request = (method: string, params: readonly unknown[] = []) => callJsonRpc(client, method, params);
	const change = async (method: string, params: readonly unknown[]): Promise<void> => {
		if ((await request(method, params)) === false)
			throw new Failure("rpc_error", `${method} changed nothing`);
	};
	return {
		url,
		ports: node.ports,
		genesisId: node.genesisId,
		accounts: chosen.options.accounts.map(({ address, privateKey }) => ({
			address: toBase58Check(address),
			privateKey: toHex(privateKey),
		})),
		snapshot: async () => String(await request("dev_snapshot")),
		revert: (id) => change("dev_revert", [id]),
		mine: async (wanted = {}) => {
			if (typeof wanted !== "object")
				throw new Failure("bad_value", "mine takes what is wanted by name, such as { blocks: 5 }");
			const block = (await request("dev_mine", [wanted])) as JsonRecord;
			return {
				number: BigInt(String(block["number"])),
				blockID: String(block["blockID"]),
				timestampMs: BigInt(String(block["timestampMs"])),
			};
		},
		increaseTime: (ms) => change("dev_increaseTime", [ms]),
		impersonate: (account) => change("dev_impersonateAccount", [account]),
		setBalance: async (account, balance) =>
			change("dev_setBalance", [account, parseCoinAmount(balance).toString()]),
		stopImpersonating: (account) => change("dev_stopImpersonatingAccount", [account]),
		request,
		stop: () => node.close(),
	};
}
