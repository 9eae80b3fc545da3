/** One gRPC server over a service table: filters, limits, statuses (protocol/grpc §1.1, §2.1). */

import { constants, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import {
	type ChannelOptions,
	Server,
	ServerCredentials,
	type ServerUnaryCall,
	type sendUnaryData,
	status,
} from "@grpc/grpc-js";
import type { Message } from "../../../protocol/codec/descriptor.js";
import { isLongMessage, messageParts } from "../../../protocol/codec/message-parts.js";
import { BudgetError } from "../../../protocol/codec/reader.js";
import { spell, toNeutral } from "../../../protocol/dialect.js";
import { isWireError } from "../../../protocol/json/exceptions.js";
import { MAX_TIMER_MS } from "../../../protocol/timing.js";
import type { RpcConfig } from "../../config/service-config.js";
import {
	budgetAddress,
	CONNECTION_TIMES,
	ConnectionGate,
	type ConnectionTimes,
	MAX_CONNECTIONS,
	sweepIntervalMs,
} from "../../listening/connection-gate.js";
import { yieldToEventLoop } from "../../scheduling/time-slice.js";
import { answersOf, plainStyle } from "../answers.js";
import { atBlock, blockNamed, PastBlockError } from "../at-block.js";
import type { Broadcaster } from "../broadcast.js";
import type { ApiContext, ApiNode, ServerKind } from "../context.js";
import { endpoints } from "../endpoint-table.js";
import { type RunningServers, startServers } from "../http-servers.js";
import { LITE_NODE_TEXT } from "../lite-node.js";
import type { CallGate } from "../rate-limiter.js";
import { REQUEST_BUDGET } from "../request.js";
import { CallTotals, ClientCalls, MAX_CALLS } from "./client-calls.js";
import { Health } from "./health.js";
import { LongMessages, ReceivedMessages } from "./large-messages.js";
import {
	admitStreams,
	CallStarts,
	type LibraryCall,
	limitHeaders,
	messageLength,
	nameUnknownMethods,
	wasReset,
	watchCalls,
	whenSent,
} from "./library-answers.js";
import { CallError, LongMessage, type ServiceMethod, UNREADABLE, UnimplementedError } from "./method.js";
import { reflect } from "./reflection.js";
import { fullName, type GrpcService, PACKAGE, servicesOf, spellings } from "./service-table.js";

const DISABLED_TEXT = "this API is unavailable due to config";

const KEEP_ALIVE_MS = 7_200_000;
const CLOSE_GRACE_MS = 1_000;
/** Minimum every client starts with: the HTTP/2 preface and an empty SETTINGS frame. */
const GREETING_BYTES = 24 + 9;
/** Open reflection and health streams per connection: clients need one of each. */
const MAX_STREAMS = 16;
/** Open calls, and unread answer bytes, over all connections. */
const MAX_OPEN = 4_000;
const MAX_UNSENT = 64 << 20;
/** Answers at least this long pass through a separate gate. */
const LONG = 8 << 20;

/** Raw bytes: the method decodes them, since its failures have their own texts. */
const asIs = (bytes: Buffer): Buffer => bytes;

interface Client {
	readonly socket: Socket;
	readonly work: ClientCalls;
}

/** Methods that read the state, in neutral spelling; the last two have other names over HTTP. */
const STATE_METHODS: ReadonlySet<string> = new Set([
	...endpoints.filter(({ readsState }) => readsState).map(({ name }) => name.toLowerCase()),
	"getbrokerageinfo",
	"getrewardinfo",
]);

/**
 * Whether a method accepts a past block (protocol/http §5.4).
 * @param path `/package.Service/Method`
 */
const readsState = (path: string): boolean =>
	STATE_METHODS.has(toNeutral(path.slice(path.lastIndexOf("/") + 1)).toLowerCase());

const IN_BOTH_WALLETS = [
	"GetBlockById",
	"GetBlockByLatestNum",
	"GetBlockByLatestNum2",
	"GetBlockByLimitNext",
	"GetBlockByLimitNext2",
	"GetBlockByNum",
	"GetBlockByNum2",
	"GetMerkleTreeVoucherInfo",
	"GetTransactionById",
	"GetTransactionCountByBlockNum",
	"GetTransactionInfoById",
	"IsSpend",
	"ScanAndMarkNoteByIvk",
	"ScanNoteByIvk",
	"ScanNoteByOvk",
	"TotalTransaction",
	"GetMarketOrderByAccount",
	"GetMarketOrderById",
	"GetMarketPriceByPair",
	"GetMarketOrderListByPair",
	"GetMarketPairList",
	"ScanShieldedORC20NotesByIvk",
	"ScanShieldedORC20NotesByOvk",
	"IsShieldedORC20ContractNoteSpent",
];

const CLOSED_METHODS: ReadonlySet<string> = new Set([
	...IN_BOTH_WALLETS.flatMap((name) => [`protocol.Wallet/${name}`, `protocol.WalletSolidity/${name}`]),
	"protocol.Database/GetBlockByNum",
]);

/**
 * Whether a lite node refuses a method (protocol/grpc §1.1).
 * @param name `protocol.Wallet/GetAccount`
 */
function isClosedMethod(name: string): boolean {
	return CLOSED_METHODS.has(name);
}

export class GrpcServer {
	/** By address and port, which is how calls identify their peer. */
	private readonly clients = new Map<string, Client>();
	private readonly totals = new CallTotals();
	private readonly received = new ReceivedMessages();
	private readonly server: Server;
	private readonly long: LongMessages;
	private readonly health: Health;
	private readonly gate: ConnectionGate;
	private readonly injector: ReturnType<Server["createConnectionInjector"]>;

	constructor(
		private readonly node: ApiNode,
		private readonly kind: ServerKind,
		private readonly broadcaster: Broadcaster,
		times: ConnectionTimes = CONNECTION_TIMES,
		maxConnections: number = MAX_CONNECTIONS.grpc,
	) {
		const { rpc } = node.config.node;
		this.long = new LongMessages(node.limiter.longMessages, node.limiter.unreadAnswers);
		this.server = new Server({
			...optionsOf(rpc),
			interceptors: [
				watchCalls(answersOf(node.config.node).tellsOversize, (call) => this.watch(call)),
				limitHeaders(rpc.maxHeaderListSize),
			],
		});
		const services = servicesOf(kind, node.config);
		for (const service of services) this.addService(service);
		const admit = (peer: string): (() => void) | undefined => this.admitStream(peer);
		this.health = new Health(this.server, new Set(services.map(({ name }) => `${PACKAGE}.${name}`)), admit);
		if (rpc.reflection) reflect(this.server, services, node.config.node, admit);
		nameUnknownMethods(this.server);
		admitStreams(this.server, (stream) => this.begin(stream), new CallStarts());
		// Our own listener, because the library's doesn't report why it failed to bind.
		this.injector = this.server.createConnectionInjector(ServerCredentials.createInsecure());
		// HTTP/2 needs both directions: a client that ends its half is gone.
		this.gate = new ConnectionGate(maxConnections, (socket) => this.serve(socket), false, {
			isStale: (socket, crowded) => this.isStale(socket, crowded, times),
			idleMs: (socket) => {
				const client = this.clients.get(peerOf(socket))?.work;
				return client && client.calls > 0 ? undefined : performance.now() - (client?.lastMs ?? 0);
			},
			hasAsked: (socket) => this.clients.get(peerOf(socket))?.work.hasAsked ?? false,
			unfinishedMs: () => undefined,
			everyMs: sweepIntervalMs(times),
		});
	}

	private serve(socket: Socket): void {
		const peer = peerOf(socket);
		this.clients.set(peer, { socket, work: new ClientCalls(this.totals) });
		socket.once("close", () => this.clients.delete(peer));
		this.injector.injectConnection(socket);
	}

	/** Counts a new call, and closes it if its client has too many. @returns whether to serve it */
	private begin(stream: ServerHttp2Stream): boolean {
		const { session } = stream;
		const { remoteAddress = "", remotePort } = session?.socket ?? {};
		const client = this.clients.get(`${remoteAddress}:${remotePort}`);
		const closed = client?.work.begin();
		if (client?.work.insists) {
			// Ends the session at once, so that calls already read after this one don't start.
			session?.destroy();
			client.socket.destroy();
			closed?.();
			return false;
		}
		if (!closed) {
			// Closing a stream with a code makes it emit an error, and nobody else listens.
			stream.once("error", () => {});
			stream.close(constants.NGHTTP2_REFUSED_STREAM);
			return false;
		}
		stream.once("close", closed);
		const { maxResets, resetWindowMs } = this.node.config.node.rpc;
		if (maxResets > 0 && resetWindowMs > 0) {
			stream.once("close", () => {
				if (!wasReset(stream)) return;
				if (client?.work.reset(performance.now(), resetWindowMs) !== maxResets + 1) return;
				session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
				// Lets the GOAWAY go out first.
				setImmediate(() => session?.destroy());
			});
		}
		return true;
	}

	/** Counts what is received for a served call. */
	private watch(call: LibraryCall): void {
		if (!call.stream) return;
		this.received.watch(call, budgetAddress(call.stream.session?.socket ?? {}));
		this.makeRoom();
	}

	/** When all connections together hold too much, closes the one that holds most. */
	private makeRoom(): void {
		const { open, unsent } = this.totals;
		if (open <= MAX_OPEN && unsent <= MAX_UNSENT) return;
		const held = ({ work }: Client): number => (open > MAX_OPEN ? work.open : work.unsent);
		const [first, ...others] = this.clients.values();
		if (!first) return;
		others.reduce((most, client) => (held(client) > held(most) ? client : most), first).socket.destroy();
	}

	/** Counts a client's stream. @returns ends it; undefined if the client has too many */
	private admitStream(peer: string): (() => void) | undefined {
		const client = this.clients.get(peer)?.work;
		if (!client || client.streams >= MAX_STREAMS) return undefined;
		client.streams++;
		client.hasAsked = true;
		let isOpen = true;
		return () => {
			if (!isOpen) return;
			isOpen = false;
			client.streams--;
			client.lastMs = performance.now();
		};
	}

	/**
	 * Whether to disconnect a client: it has stalled, or sent no preface; when others are waiting, also if it
	 * is idle or never finishes sending a call.
	 */
	private isStale(socket: Socket, crowded: boolean, { requestMs, crowdedMs }: ConnectionTimes): boolean {
		const client = this.clients.get(peerOf(socket))?.work;
		if (!client) return false;
		const nowMs = performance.now();
		if (client.hasStalled(socket.bytesWritten, nowMs)) return true;
		const idleMs = nowMs - client.lastMs;
		if (crowded) return client.calls === 0 && idleMs > crowdedMs;
		return socket.bytesRead < GREETING_BYTES && idleMs > requestMs;
	}

	/** @returns the bound port; rejects with the system's error */
	listen(port: number, host?: string): Promise<number> {
		return this.gate.listen(port, host);
	}

	/** Stops listening; calls in progress get a short grace period. */
	async close(): Promise<void> {
		this.health.close();
		this.injector.drain(CLOSE_GRACE_MS);
		await this.gate.close(() => false, CLOSE_GRACE_MS);
		this.server.forceShutdown();
	}

	private addService(service: GrpcService): void {
		for (const [name, method] of service.methods) {
			const call = this.callOf(fullName(service, name), method, this.refusalOf(service, name));
			for (const spelling of spellings(name)) {
				this.server.register(`/${PACKAGE}.${service.name}/${spelling}`, call, asIs, asIs, "unary");
			}
		}
	}

	/** Why a method isn't served at all; undefined if it is. */
	private refusalOf(service: GrpcService, name: string): CallError | undefined {
		const { isLite, config } = this.node;
		if (isLite && !config.node.openHistoryQueryWhenLite && isClosedMethod(fullName(service, name))) {
			return new CallError(status.UNAVAILABLE, LITE_NODE_TEXT);
		}
		const disabled = [...config.node.disabledApi].some((api) => toNeutral(api) === name.toLowerCase());
		return disabled ? new CallError(status.UNAVAILABLE, DISABLED_TEXT) : undefined;
	}

	private callOf(name: string, method: ServiceMethod, refusal: CallError | undefined) {
		const gate = this.node.limiter.rpc(name);
		const { observer, config } = this.node;
		const spelled = spell(name, config.node.dialect);
		return (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): void => {
			const started = observer ? performance.now() : 0;
			const client = this.clients.get(call.getPeer());
			if (client) client.work.calls++;
			this.answerInTurn(call, client, () => this.answer(call, method, gate, refusal))
				.then(
					(bytes) => answer(null, bytes),
					(error: unknown) => answer(this.statusOf(error, call.getPath())),
				)
				.finally(() => {
					if (client) {
						client.work.calls--;
						client.work.hasAsked = true;
						client.work.lastMs = performance.now();
					}
					observer?.called?.("grpc", spelled, performance.now() - started);
				});
		};
	}

	/** Makes an answer once the client has read most of its earlier ones. */
	private async answerInTurn(
		call: ServerUnaryCall<Buffer, Buffer>,
		client: Client | undefined,
		make: () => Promise<Buffer>,
	): Promise<Buffer> {
		if (!client) return make();
		const { socket, work } = client;
		const hadToWait = await work.turn();
		let bytes: Buffer | undefined;
		try {
			if (hadToWait) await yieldToEventLoop();
			if (call.cancelled || socket.destroyed) throw new CallError(status.CANCELLED, "");
			bytes = await make();
			return bytes;
		} finally {
			// Long answers are few (see large-messages.ts), so each only counts as one byte to detect a stalled client.
			const length = bytes ? messageLength(bytes) : 0;
			const gone = work.made(length < LONG ? length : 1);
			if (!bytes || call.cancelled) gone();
			else {
				whenSent(bytes, gone);
				call.once("cancelled", gone);
				this.makeRoom();
			}
		}
	}

	private async answer(
		call: ServerUnaryCall<Buffer, Buffer>,
		method: ServiceMethod,
		gate: CallGate,
		refusal: CallError | undefined,
	): Promise<Buffer> {
		if (refusal) throw refusal;
		const client = budgetAddress({ remoteAddress: addressOf(call.getPeer()) });
		const admitted = gate.enter(client);
		if (admitted !== true && !(await admitted)) throw new CallError(status.RESOURCE_EXHAUSTED, "");
		try {
			// A copy: parts of the message that are kept must not pin the connection's whole buffer.
			const request = method.request.decode(Uint8Array.from(call.request), REQUEST_BUDGET);
			const context = this.context(client, () => call.cancelled);
			const reply = await method.handle(this.asked(context, call), request);
			if (reply === undefined) return Buffer.alloc(0);
			const long =
				reply instanceof LongMessage
					? reply
					: isLongMessage(method.response, reply) && new LongMessage(messageParts(method.response, reply));
			if (long) return await this.long.gather(call, client, long);
			const bytes = method.response.encode(reply as Readonly<Message>);
			return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		} finally {
			gate.leave();
		}
	}

	private context(client: string, isAbandoned: () => boolean): ApiContext {
		const { node, kind, broadcaster } = this;
		return {
			server: kind,
			node,
			state: node.view(kind),
			broadcaster,
			style: plainStyle(node.config),
			client,
			isAbandoned,
		};
	}

	/**
	 * The call's context at the block named in its metadata, for methods that read state; on a node without
	 * past states, always the head.
	 */
	private asked(context: ApiContext, call: ServerUnaryCall<Buffer, Buffer>): ApiContext {
		const [name] = context.node.past ? call.metadata.get("block") : [];
		if (name === undefined || !readsState(call.getPath())) return context;
		try {
			const block = blockNamed(context, String(name));
			return block ? atBlock(context, block) : context;
		} catch (error) {
			if (error instanceof PastBlockError) throw new CallError(status.FAILED_PRECONDITION, error.message);
			throw error;
		}
	}

	private statusOf(error: unknown, path: string): { readonly code: number; readonly details: string } {
		if (error instanceof CallError) return { code: error.code, details: error.message };
		const name = path.replace(/^\//, "");
		if (error instanceof UnimplementedError) {
			return { code: status.UNIMPLEMENTED, details: `Method ${name} is unimplemented` };
		}
		// More items than any legitimate request has: the client's fault, not ours.
		if (error instanceof BudgetError) return { code: status.INVALID_ARGUMENT, details: error.message };
		if (!isWireError(error)) this.node.report(error, `gRPC ${name}`);
		return { code: status.UNKNOWN, details: UNREADABLE };
	}
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
	return `${remoteAddress}:${remotePort}`;
}

/** `address:port` without the port. */
function addressOf(peer: string): string {
	return peer.replace(/:\d+$/, "");
}

function optionsOf(rpc: RpcConfig): ChannelOptions {
	const options: ChannelOptions = {
		"grpc.max_receive_message_length": rpc.maxMessageSize,
		"grpc.max_send_message_length": -1,
		"grpc.max_concurrent_streams": Math.min(rpc.maxConcurrentCallsPerConnection, MAX_CALLS),
		"grpc-node.flow_control_window": rpc.flowControlWindow,
		"grpc.keepalive_time_ms": KEEP_ALIVE_MS,
		"grpc.enable_channelz": 0,
	};
	const idle = timerMs(rpc.maxConnectionIdleMs);
	const age = timerMs(rpc.maxConnectionAgeMs);
	if (idle !== undefined) options["grpc.max_connection_idle_ms"] = idle;
	if (age !== undefined) options["grpc.max_connection_age_ms"] = age;
	return options;
}

/** A duration for a timer; undefined if it exceeds the maximum delay. */
function timerMs(ms: bigint | undefined): number | undefined {
	return ms === undefined || ms > BigInt(MAX_TIMER_MS) ? undefined : Number(ms);
}

/** Port names by server. */
const PORTS = { full: "grpc", solidity: "grpcSolidity", pbft: "grpcPbft" } as const;
export type GrpcPort = (typeof PORTS)[ServerKind];

/**
 * Starts the servers that `node.rpc` enables.
 * @param host address to bind; every interface without it
 * @throws {PortError} after closing what was already bound
 */
export function startGrpcServers(
	node: ApiNode,
	broadcaster: Broadcaster,
	host?: string,
): Promise<RunningServers<GrpcPort>> {
	const make = (kind: ServerKind): GrpcServer => new GrpcServer(node, kind, broadcaster);
	return startServers({ protocol: "gRPC", listeners: node.config.node.rpc, names: PORTS, host, make });
}
