/** The node under load: a development chain in a process of its own, a block a second, without limits of calls. */

import { prepareDevelopment } from "../../src/node/development/development.js";
import { startNode } from "../../src/node/node.js";
import { sha256 } from "../../src/protocol/hash.js";
import { addressOfPrivateKey } from "../../src/protocol/signature.js";

export const ACCOUNTS = 2_000;
const INTERVAL_MS = 1_000;

export const keyOf = (index: number): Uint8Array => sha256(Buffer.from(`bench account ${index}`));
export const addressOf = (index: number): Uint8Array => addressOfPrivateKey(keyOf(index));

export interface Served {
	readonly http: number;
	readonly jsonrpc: number;
}

/** What the node tells about the time since it was asked last. */
export interface Report {
	readonly rssMiB: number;
	/** CPU time since the start, in microseconds. */
	readonly cpuUs: number;
	readonly blocks: number;
	/** Slots without a block. */
	readonly missed: number;
	/** How long after its slot the latest of the blocks was there. */
	readonly lateMs: number;
}

/** Runs until its parent goes away. */
export async function serve(): Promise<void> {
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
			jsonrpc: { ...node.jsonrpc, full: listener },
		},
	};
	const running = await startNode({
		config,
		development: { ...development, config },
		dataDirectory: undefined,
		producers: [],
		host: "127.0.0.1",
		log: {
			info: () => {},
			warn: () => {},
			error: (fields) => process.stderr.write(`${JSON.stringify(fields)}\n`),
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
	process.send?.(served);
	process.on("message", () => {
		const { user, system } = process.cpuUsage();
		const rssMiB = Math.round(process.memoryUsage().rss / 2 ** 20);
		const report: Report = { rssMiB, cpuUs: user + system, blocks, missed, lateMs };
		[blocks, missed, lateMs] = [0, 0, 0];
		process.send?.(report);
	});
	process.once("disconnect", () => void running.close().then(() => process.exit()));
}
