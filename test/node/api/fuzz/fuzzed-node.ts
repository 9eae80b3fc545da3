/** The node under test, in a process of its own: a block a second, every server, no limits of calls. */

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import {
	DEVELOPMENT_HD_PATH,
	DEVELOPMENT_MNEMONIC,
	defaultProducerKey,
	deriveAccounts,
} from "../../../../src/node/development/accounts.js";
import { prepareDevelopment } from "../../../../src/node/development/development.js";
import { setCode } from "../../../../src/node/development/state-edits.js";
import { type NodePorts, startNode } from "../../../../src/node/node.js";
import { fromHex } from "../../../../src/protocol/bytes.js";
import { CONTRACT_HEX } from "./values.js";

/** Only a node that hangs takes longer, however much else the machine does. */
const HANG_MS = 300_000;
/** Returns 42; never ends if the call's data begins with ff. */
const CODE = "60003560f81c60ff14601657602a60005260206000f35b601656";

/** What the node says about itself. */
export interface Vitals {
	readonly rssMiB: number;
	readonly heapMiB: number;
	readonly head: number;
	/** Faults of the program that it logged since it was asked last. */
	readonly faults: readonly string[];
}

export interface FuzzedNode {
	readonly ports: NodePorts;
	/** Undefined: alive. */
	exit(): string | undefined;
	vitals(): Promise<Vitals>;
	close(): void;
}

export async function startFuzzedNode(): Promise<FuzzedNode> {
	const child = fork(fileURLToPath(import.meta.url), ["--serve"], {
		execArgv: ["--import", "tsx", "--expose-gc"],
	});
	let ended: string | undefined;
	child.once("exit", (code, signal) => {
		ended = `the node ended with ${code ?? signal}`;
	});
	const ports = await new Promise<NodePorts>((resolve, reject) => {
		child.once("message", (message) => resolve(message as NodePorts));
		child.once("exit", () => reject(new Error(ended)));
	});
	return {
		ports,
		exit: () => ended,
		vitals: () =>
			new Promise((resolve, reject) => {
				if (ended) return reject(new Error(ended));
				const deadline = setTimeout(() => reject(new Error("the node gives no sign of life")), HANG_MS);
				child.once("message", (message) => {
					clearTimeout(deadline);
					resolve(message as Vitals);
				});
				child.send("vitals");
			}),
		close: () => {
			child.removeAllListeners("exit");
			child.disconnect();
		},
	};
}

async function serve(): Promise<void> {
	const development = prepareDevelopment({
		accounts: deriveAccounts(DEVELOPMENT_MNEMONIC, DEVELOPMENT_HD_PATH, 3, 1_000_000_000_000n),
		producerKey: defaultProducerKey(),
		seal: { intervalMs: 1_000 },
		economy: "genesis",
		parameters: [],
		genesisTimestampMs: 0n,
		maintenanceMs: 21_600_000,
		solidLag: 1n,
		dialect: "deployed",
		ports: { http: 0, solidity: 0, pbft: 0, jsonrpc: 0, grpc: 0, grpcSolidity: 0 },
	});
	const { node } = development.config;
	const listener = { enabled: true, port: 0 };
	const listeners = { full: listener, solidity: listener, pbft: listener };
	const config = {
		...development.config,
		node: {
			...node,
			http: { ...node.http, ...listeners, maxConnections: 0 },
			jsonrpc: { ...node.jsonrpc, ...listeners },
			rpc: { ...node.rpc, ...listeners },
		},
	};
	const faults: string[] = [];
	const running = await startNode({
		config,
		development: {
			...development,
			config,
			initialize: (state) => {
				development.initialize(state);
				setCode(state, fromHex(CONTRACT_HEX), fromHex(CODE), "Answer");
			},
		},
		dataDirectory: undefined,
		producers: [],
		host: "127.0.0.1",
		limitTime: false,
		log: { info: () => {}, warn: () => {}, error: (fields) => void faults.push(JSON.stringify(fields)) },
	});
	process.on("message", () => {
		(globalThis as { gc?: () => void }).gc?.();
		const { rss, heapUsed } = process.memoryUsage();
		const vitals: Vitals = {
			rssMiB: rss / 2 ** 20,
			heapMiB: heapUsed / 2 ** 20,
			head: Number(running.open.chain.head.number),
			faults: faults.splice(0),
		};
		process.send?.(vitals);
	});
	process.once("disconnect", () => void running.close().then(() => process.exit()));
	process.send?.(running.ports);
}

if (process.argv.includes("--serve")) await serve();
