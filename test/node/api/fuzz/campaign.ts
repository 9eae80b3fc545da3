/** Sends generated requests to a server, many at a time, and checks that each is answered as a server should. */

import { type ClientHttp2Session, connect, constants } from "node:http2";
import type fc from "fast-check";
import fastCheck from "fast-check";
import { Pool } from "undici";
import { LARGE_BODY } from "../../../../src/node/api/request-body.js";
import type { FuzzedNode } from "./fuzzed-node.js";
import { type GrpcRequest, grpcRequests } from "./grpc-requests.js";
import { type HttpRequest, httpRequests } from "./http-requests.js";
import { play, type RawConnection, rawConnections } from "./raw-connections.js";
import { rpcRequests } from "./rpc-requests.js";

const AT_A_TIME = 16;
const BATCH = 1_000;
/** A request that is neither answered nor refused after so long hangs; it is no judgement of speed, since the machine may do much else. */
const LIMIT_MS = 300_000;
/** One connection without any sense for so many requests. */
const RAW_SHARE = 20;

/** Throws if an answer is no proper one. */
type Send<T> = (request: T) => Promise<void>;

interface Target {
	readonly port: string;
	run(node: FuzzedNode, port: number, count: number, seed: number): Promise<void>;
}

async function samples<T>(
	arbitrary: fc.Arbitrary<T>,
	count: number,
	seed: number,
	send: Send<T>,
): Promise<void> {
	for (let done = 0; done < count; done += BATCH) {
		const numRuns = Math.min(BATCH, count - done);
		const requests = fastCheck.sample(arbitrary, { seed: seed + done, numRuns });
		let next = 0;
		const worker = async (): Promise<void> => {
			while (next < requests.length) {
				const request = requests[next++] as T;
				try {
					await send(request);
				} catch (error) {
					const shown = JSON.stringify(request).slice(0, 600);
					throw new Error(`${(error as Error).message} (seed ${seed + done}) for ${shown}`, { cause: error });
				}
			}
		};
		await Promise.all(Array.from({ length: AT_A_TIME }, worker));
	}
}

/** Codes of the client library for connections that the server closed: a client may have left, a head may be too long. */
const CLOSED = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE", "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH"]);
/** What the client library itself refuses to send. */
const UNSENDABLE = new Set(["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED"]);

function httpSender(pool: Pool): Send<HttpRequest> {
	return async ({ method, path, headers, body }) => {
		try {
			const answer = await pool.request({
				method: method as "GET",
				path,
				headers,
				body: body ?? null,
				headersTimeout: LIMIT_MS,
				bodyTimeout: LIMIT_MS,
			});
			const text = await answer.body.text();
			const { statusCode } = answer;
			// Several large bodies of one address at a time are more than it may have.
			const isCrowded = statusCode === 503 && Buffer.byteLength(body ?? "") > LARGE_BODY;
			if (statusCode >= 500 && statusCode !== 501 && !isCrowded)
				throw new Error(`status ${statusCode}: ${text}`);
			if ((statusCode === 404 || statusCode === 405) && /GET|POST/.test(method) && text === "") {
				throw new Error(`status ${statusCode} without a message`);
			}
		} catch (error) {
			const { code } = error as { code?: string };
			if (code === undefined || !(CLOSED.has(code) || UNSENDABLE.has(code))) throw error;
		}
	};
}

async function overHttp(
	requests: fc.Arbitrary<HttpRequest>,
	port: number,
	count: number,
	seed: number,
): Promise<void> {
	const pool = new Pool(`http://127.0.0.1:${port}`, { connections: AT_A_TIME });
	try {
		await samples(requests, count, seed, httpSender(pool));
	} finally {
		await pool.destroy();
	}
}

class GrpcSender {
	private session: ClientHttp2Session | undefined;

	constructor(private readonly port: number) {}

	private open(): ClientHttp2Session {
		if (!this.session || this.session.closed || this.session.destroyed) {
			this.session = connect(`http://127.0.0.1:${this.port}`);
			// The server may end a session after nonsense; the next request opens another one.
			this.session.on("error", () => {});
		}
		return this.session;
	}

	send({ path, headers, data, cancels }: GrpcRequest): Promise<void> {
		return new Promise((resolve, reject) => {
			const stream = this.open().request({ ":method": "POST", ":path": path, te: "trailers", ...headers });
			const deadline = setTimeout(() => {
				stream.close(constants.NGHTTP2_CANCEL);
				reject(new Error("neither answered nor closed"));
			}, LIMIT_MS);
			const done = (): void => {
				clearTimeout(deadline);
				resolve();
			};
			stream.on("error", done);
			stream.on("close", done);
			stream.resume();
			stream.end(data);
			if (cancels) setImmediate(() => stream.close(constants.NGHTTP2_CANCEL));
		});
	}

	close(): void {
		this.session?.destroy();
	}
}

async function overGrpc(port: number, count: number, seed: number): Promise<void> {
	const sender = new GrpcSender(port);
	try {
		await samples(grpcRequests, count, seed, (request) => sender.send(request));
	} finally {
		sender.close();
	}
}

const http = (port: string, server: "full" | "solidity" | "pbft"): Target => ({
	port,
	run: (_node, number, count, seed) => overHttp(httpRequests(server), number, count, seed),
});
const rpc = (port: string): Target => ({
	port,
	run: (_node, number, count, seed) => overHttp(rpcRequests, number, count, seed),
});
const grpc = (port: string): Target => ({
	port,
	run: (_node, number, count, seed) => overGrpc(number, count, seed),
});

export const targets: readonly Target[] = [
	http("full", "full"),
	http("solidity", "solidity"),
	http("pbft", "pbft"),
	rpc("jsonrpc"),
	rpc("jsonrpcSolidity"),
	rpc("jsonrpcPbft"),
	grpc("grpc"),
	grpc("grpcSolidity"),
	grpc("grpcPbft"),
];

const rawSender =
	(port: number): Send<RawConnection> =>
	async (connection) => {
		const answer = await play(port, connection, LIMIT_MS);
		const [, status = "0"] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? [];
		if (Number(status) >= 500 && status !== "501") throw new Error(`status ${status}: ${answer}`);
	};

/** What a campaign against one server found. */
export interface Outcome {
	readonly requests: number;
	readonly connections: number;
	readonly seconds: number;
	/** Blocks that the node made meanwhile. */
	readonly blocks: number;
	readonly rssMiB: number;
	/** By how much the memory in use, after a collection, grew. */
	readonly heapGrowthMiB: number;
}

/**
 * Sends requests and raw connections to one of the servers.
 * @throws {Error} what no server should do: crash, hang, fault, or an error without a message
 */
export async function attack(
	node: FuzzedNode,
	target: Target,
	requests: number,
	seed: number,
): Promise<Outcome> {
	const port = node.ports[target.port as keyof typeof node.ports];
	if (port === undefined) throw new Error(`the node has no server ${target.port}`);
	const alive = (): void => {
		const exit = node.exit();
		if (exit) throw new Error(exit);
	};
	// The first requests load what is loaded on demand.
	await target.run(node, port, Math.min(requests, BATCH), seed + 1);
	const before = await node.vitals();
	const started = performance.now();
	await target.run(node, port, requests, seed);
	alive();
	const connections = Math.ceil(requests / RAW_SHARE);
	await samples(rawConnections, connections, seed, rawSender(port));
	alive();
	const after = await node.vitals();
	const faults = [...before.faults, ...after.faults];
	if (faults.length > 0) throw new Error(`${faults.length} faults, the first: ${faults[0]}`);
	return {
		requests,
		connections,
		seconds: (performance.now() - started) / 1000,
		blocks: after.head - before.head,
		rssMiB: after.rssMiB,
		heapGrowthMiB: after.heapMiB - before.heapMiB,
	};
}
