/** `coin/node`: a development chain in a program of one's own, for tests and tools. */

import { chooseDevelopment } from "../launch/development-options.js";
import { prepareDevelopment } from "../node/development/development.js";
import { type NodeLog, type NodePorts, startNode } from "../node/node.js";
import { toBase58Check } from "../protocol/address.js";
import { toHex } from "../protocol/bytes.js";

/** What a chain is made of; the names are those of `coin node start`. */
export interface DevelopmentChainOptions {
	/** Number of funded accounts; 10 if absent. */
	readonly accounts?: number;
	/** Balance of each, with its unit; `10000coin` if absent. */
	readonly balance?: string;
	/** Mnemonic of their keys, or `random`; absent: the one that development chains share. */
	readonly mnemonic?: string;
	/** A block for every transaction, on command, or every so many seconds; `instant` if absent. */
	readonly seal?: "instant" | "manual" | number;
	/** Spelling of brand words in answers. */
	readonly dialect?: "neutral" | "deployed";
	/** Chain parameters by any of their names. */
	readonly parameters?: Readonly<Record<string, number | bigint>>;
	/** Port of the gateway, which serves all APIs; absent or 0: any free one. */
	readonly port?: number;
	/** Data directory; absent: in memory. */
	readonly directory?: string;
	/** Hears what the node logs. */
	readonly log?: NodeLog;
}

export interface DevelopmentChainAccount {
	/** Base58. */
	readonly address: string;
	/** 64 hexadecimal digits. */
	readonly privateKey: string;
}

export interface RunningDevelopmentChain {
	/** Base URL of the gateway: HTTP API at `/wallet`, JSON-RPC at `/jsonrpc`, the methods of development at `/dev`. */
	readonly url: string;
	/** All ports that are bound. */
	readonly ports: NodePorts;
	/** 64 hexadecimal digits. */
	readonly genesisId: string;
	readonly accounts: readonly DevelopmentChainAccount[];
	/** Stops servers and production; writes the state where there is a directory. */
	stop(): Promise<void>;
}

const HOST = "127.0.0.1";
const SILENT: NodeLog = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * Starts a development chain in this process; resolves once its gateway answers.
 *
 * Chains run beside each other, but share one address prefix. Servers listen on this machine only.
 * @throws {Failure} `bad_value` for an option, `start_failed` for a port that is in use
 */
export async function startDevelopmentChain(
	options: DevelopmentChainOptions = {},
): Promise<RunningDevelopmentChain> {
	const { directory, log = SILENT, parameters = {} } = options;
	const texts = new Map<string, string>([["port", String(options.port ?? 0)]]);
	for (const name of ["accounts", "balance", "mnemonic", "seal", "dialect"] as const) {
		if (options[name] !== undefined) texts.set(name, String(options[name]));
	}
	const settings = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
	const chosen = await chooseDevelopment(
		(name) => texts.get(name),
		settings,
		() => {},
	);
	const development = prepareDevelopment(chosen.options);
	const node = await startNode({
		config: development.config,
		dataDirectory: directory,
		producers: [],
		development,
		host: HOST,
		log,
		limitTime: false,
	});
	return {
		url: `http://${HOST}:${node.ports.gateway}`,
		ports: node.ports,
		genesisId: node.genesisId,
		accounts: chosen.options.accounts.map(({ address, privateKey }) => ({
			address: toBase58Check(address),
			privateKey: toHex(privateKey),
		})),
		stop: () => node.close(),
	};
}
