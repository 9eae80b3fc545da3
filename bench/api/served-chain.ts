/**
 * The node under load, in its own process without rate limits: a development chain with a block per second,
 * or the JSON-RPC server of a long pre-written chain.
 */

import { Broadcaster } from "../../src/node/api/broadcast.js";
import type { ApiNode } from "../../src/node/api/context.js";
import { startJsonRpcServers } from "../../src/node/api/jsonrpc/servers.js";
import { RateLimiter } from "../../src/node/api/rate-limiter.js";
import { type Development, prepareDevelopment } from "../../src/node/development/development.js";
import { startNode } from "../../src/node/node.js";
import { sha256 } from "../../src/protocol/hash.js";
import { addressOfPrivateKey } from "../../src/protocol/signature.js";
import { writtenChain } from "../logs/written-chain.js";
import { tellParent } from "./reports.js";

export const ACCOUNTS = 2_000;
const INTERVAL_MS = 1_000;

export const keyOf = (index: number): Uint8Array => sha256(Buffer.from(`bench account ${index}`));
export const addressOf = (index: number): Uint8Array => addressOfPrivateKey(keyOf(index));

export interface Served {
	readonly http: number;
	readonly jsonrpc: number;
}

const reportError = (fields: object): void => void process.stderr.write(`${JSON.stringify(fields)}\n`);

function prepared(): Development {
	const development = prepareDevelopment({
		accounts: Array.from({ length: ACCOUNTS }, (_, index) => ({
			address: addressOf(index),
			privateKey: keyOf(index),
			balanceSun: 1_000_000_000_000n,
		})),
		producerKey: keyOf(-1),
		seal: { intervalMs: INTERVAL_MS },
		economy: "main",
		parameters: [],
		genesisTimestampMs: BigInt(Date.now()) - 10_000n,
		maintenanceMs: 21_600_000,
		solidLag: 1n,
		dialect: "neutral",
		ports: { http: 0, jsonrpc: 0 },
	});
	const { node } = development.config;
	const listener = { enabled: true, port: 0 };
	const config = {
		...development.config,
		node: {
			...node,
			http: { ...node.http, full: listener, maxConnections: 0 },
			jsonrpc: { ...node.jsonrpc, full: listener, maxBlockRange: 0 },
		},
	};
	return { ...development, config };
}

/** Runs until the parent disconnects. */
export async function serve(): Promise<void> {
	const development = prepared();
	const running = await startNode({
		config: development.config,
		development,
		dataDirectory: undefined,
		producers: [],
		// Calls may take longer on a busy machine.
		limitTime: false,
		host: "127.0.0.1",
		log: {
			info: () => {},
			warn: () => {},
			error: reportError,
		},
	});
	let blocks = 0;
	let missed = 0;
	let lateMs = 0;
	let lastMs = 0;
	running.open.chain.observe({
		committed: ({ block }) => {
			const atMs = Number(block.timestampMs);
			blocks++;
			if (lastMs > 0) missed += Math.round((atMs - lastMs) / INTERVAL_MS) - 1;
			lateMs = Math.max(lateMs, Date.now() - atMs);
			lastMs = atMs;
		},
	});
	const served: Served = { http: running.ports.full ?? 0, jsonrpc: running.ports.jsonrpc ?? 0 };
	const counted = () => {
		const told = { blocks, missed, lateMs };
		[blocks, missed, lateMs] = [0, 0, 0];
		return told;
	};
	tellParent(served, counted, () => running.close());
}

/** Serves a static chain with this many blocks. Runs until the parent disconnects. */
export async function serveLogs(blocks: number): Promise<void> {
	const [state, { config }] = [await writtenChain(blocks), prepared()];
	// The members that log queries use.
	const node = {
		config,
		limiter: new RateLimiter(config.rateLimiter),
		view: () => state,
		rules: {},
		upMs: 0,
		report: (error: unknown, where: string) => reportError({ where, error: String(error) }),
	} as unknown as ApiNode;
	const { ports } = await startJsonRpcServers({
		node,
		broadcaster: new Broadcaster(node),
		observe: () => () => {},
		producerAddresses: () => [],
		host: "127.0.0.1",
	});
	const served: Served = { http: 0, jsonrpc: ports.jsonrpc ?? 0 };
	tellParent(served);
}
