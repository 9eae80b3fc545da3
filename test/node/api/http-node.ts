/** A whole node in memory, at its genesis block, behind its HTTP servers. */

import { Agent, request } from "node:http";
import { parseConfig } from "../../../src/node/config/config.js";
import { type NodeOptions, type NodePorts, type PortName, startNode } from "../../../src/node/node.js";
import { toBase58Check } from "../../../src/protocol/address.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { addressOfPrivateKey, sign } from "../../../src/protocol/signature.js";

const keyOf = (i: number): Uint8Array => fromHex(i.toString(16).padStart(64, "0"));

/** Accounts that exist from the start; the first is rich. */
export const KEYS = [keyOf(0x1001), keyOf(0x1002)] as const;
export const RICH = addressOfPrivateKey(KEYS[0]);
export const POOR = addressOfPrivateKey(KEYS[1]);
export const RICH_HEX = toHex(RICH);
export const POOR_HEX = toHex(POOR);

/** Time of the genesis block. */
export const GENESIS_MS = 1_700_000_001_000n;
export const NOW_MS = GENESIS_MS + 1234n;

export interface Answer {
	readonly status: number;
	readonly type: string | undefined;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly text: string;
	/** The text as JSON. */
	readonly json: Record<string, unknown>;
}

export interface Ask {
	readonly server?: PortName;
	readonly method?: string;
	readonly body?: string | Uint8Array;
	readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpNode {
	/** Of the full node's server. */
	readonly port: number;
	readonly ports: NodePorts;
	/** GET without a body, POST with one, unless the method is given. */
	ask(path: string, options?: Ask): Promise<Answer>;
	post(path: string, body: unknown): Promise<Answer>;
	close(): Promise<void>;
}

/**
 * @param more further configuration
 * @param options of the node itself; with a log of its own nothing watches for faults
 */
export async function startHttpNode(
	more = "",
	clock = () => NOW_MS,
	options: Partial<NodeOptions> = {},
): Promise<HttpNode> {
	const config = parseConfig(`
		storage { db.directory = "database" }
		node {
			dialect = "deployed"
			http { fullNodePort = 0, solidityPort = 0, PBFTPort = 0 }
			rpc { enable = false, solidityEnable = false, PBFTEnable = false, minEffectiveConnection = 0 }
		}
		genesis.block {
			assets = [
				{ accountName = "Zion", accountType = "AssetIssue", address = "${toBase58Check(RICH)}", balance = "95000000000000000" }
				{ accountName = "Sun", accountType = "AssetIssue", address = "${toBase58Check(POOR)}", balance = "0" }
				{ accountName = "Blackhole", accountType = "AssetIssue", address = "TDshrsWta9TyV5hqGe7MB7oSAHQihvdjkE", balance = "-9223372036854775808" }
			]
			witnesses = [{ address = "${toBase58Check(POOR)}", url = "http://one.example", voteCount = 10 }]
			timestamp = "${GENESIS_MS}"
			parentHash = "0x0000000000000000000000000000000000000000000000000000000000000000"
		}
		${more}
	`);
	const faults: unknown[] = [];
	const node = await startNode({
		config,
		dataDirectory: undefined,
		producers: [],
		host: "127.0.0.1",
		limitTime: false,
		log: { info: () => {}, warn: () => {}, error: (fields) => void faults.push(fields) },
		clock,
		...options,
	});
	const agent = new Agent({ keepAlive: true });
	const ask = (path: string, options: Ask = {}): Promise<Answer> =>
		new Promise((resolve, reject) => {
			const { server = "full", body, headers } = options;
			const method = options.method ?? (body === undefined ? "GET" : "POST");
			const type = body === undefined ? {} : { "Content-Type": "application/json" };
			const outgoing = request(
				{
					host: "127.0.0.1",
					port: node.ports[server],
					method,
					path,
					agent,
					headers: { ...type, ...headers },
				},
				(incoming) => {
					const chunks: Uint8Array[] = [];
					incoming.on("data", (chunk: Uint8Array) => chunks.push(chunk));
					incoming.on("end", () => {
						const text = Buffer.concat(chunks).toString("utf8");
						resolve({
							status: incoming.statusCode ?? 0,
							type: incoming.headers["content-type"],
							headers: incoming.headers,
							text,
							get json() {
								return JSON.parse(text) as Record<string, unknown>;
							},
						});
					});
				},
			);
			outgoing.on("error", reject);
			outgoing.end(body);
		});
	return {
		port: node.ports.full ?? 0,
		ports: node.ports,
		ask,
		post: (path, body) => ask(path, { body: typeof body === "string" ? body : JSON.stringify(body) }),
		close: async () => {
			agent.destroy();
			await node.close();
			if (faults.length > 0) throw new Error(`the node reported faults: ${JSON.stringify(faults)}`);
		},
	};
}

/** Adds signatures to a transaction that a builder answered. */
export function signed(
	transaction: Record<string, unknown>,
	...keys: readonly Uint8Array[]
): Record<string, unknown> {
	const id = fromHex(transaction["txID"] as string);
	return { ...transaction, signature: keys.map((key) => toHex(sign(id, key))) };
}
