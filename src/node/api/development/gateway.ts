/**
 * A development chain's single port for everything tools need (protocol/development-chain §4.1): the HTTP APIs, JSON-RPC with
 * the development methods, administration, events. It uses the deployed spelling even where the other servers don't.
 */

import { fromHex, toHex, toKey } from "../../../protocol/bytes.js";
import { Witness, WitnessList } from "../../../protocol/messages.js";
import { transactionInfoById } from "../../chain/block-store.js";
import type { Producer } from "../../chain/packing.js";
import type { ContractConsole } from "../../development/contract-console.js";
import type { DevelopmentControl } from "../../development/control.js";
import type { Development } from "../../development/development.js";
import { switchedOff } from "../../development/initial-state.js";
import { budgetAddress } from "../../listening/connection-gate.js";
import type { StateView } from "../../state/view.js";
import { Broadcaster } from "../broadcast.js";
import type { ApiNode, ServerKind } from "../context.js";
import { defineEndpoint, type Endpoint, pageRequest, printed } from "../endpoint.js";
import { FOLDERS } from "../endpoint-table.js";
import { explorerAnswer, isExplorerPath, LIVE_PATH } from "../explorer-path.js";
import { HEALTH_PATH, HEALTHY, isHistoryPath, sendHistory } from "../history/history-path.js";
import { type HttpAnswer, JSON_TYPE } from "../http-answer.js";
import { plainContext } from "../http-context.js";
import { HttpListener } from "../http-listener.js";
import { HttpServer } from "../http-server.js";
import { portError } from "../http-servers.js";
import { contextsOf, Dispatcher } from "../jsonrpc/dispatcher.js";
import { FilterRegistry, feedFilters } from "../jsonrpc/filter-registry.js";
import { methodsByName } from "../jsonrpc/method-table.js";
import { componentOf, SOCKET_PATHS } from "../jsonrpc/server.js";
import { SocketServer } from "../jsonrpc/subscriptions/socket-server.js";
import type { HttpRequest } from "../plain-request.js";
import { collectBody } from "../request-body.js";
import { pathOf, queryOf } from "../request-head.js";
import { servicePage } from "../service-pages.js";
import { type AdminAnswer, answerAdmin, TEXT_TYPE } from "./admin.js";
import { DevelopmentRpc } from "./rpc.js";
import { accessOf, isForeignPage, type OriginRule } from "./web-origin.js";

/** A state dump arrives as one request. */
const MAX_RPC_BODY = 256 << 20;

/** Paths for development methods only; the second is the stock runtime's. */
const DEVELOPMENT_PATHS: ReadonlySet<string> = new Set(["/dev", "/tre"]);
const RPC_PATHS: ReadonlySet<string> = new Set(["/", "/jsonrpc"]);

interface GatewayOptions {
	readonly api: ApiNode;
	readonly control: DevelopmentControl;
	readonly development: Development;
	readonly producer: Producer;
	/** Address to bind; all interfaces if undefined. */
	readonly host: string | undefined;
	readonly port: number;
	/** The node's bound ports, by name. */
	readonly bound: { readonly ports: Readonly<Record<string, number>> };
}

interface RunningGateway {
	readonly port: number;
	close(): Promise<void>;
}

/** @throws {PortError} */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
	const gateway = new Gateway(options);
	try {
		const port = await gateway.listen();
		return { port, close: () => gateway.close() };
	} catch (error) {
		await gateway.close();
		throw portError(options.port, "development gateway", error);
	}
}

/** Last path segments of endpoints whose answers list internal transactions. */
const LISTING: ReadonlySet<string> = new Set([
	"triggerconstantcontract",
	"gettransactioninfobyid",
	"gettransactioninfobyblocknum",
]);

const BROADCAST = "broadcasttransaction";

/**
 * Contracts' console output in the answers where tools look for it (protocol/development-chain §4.7): the internal
 * transaction that logged a line carries its call data, a member that the network's messages don't have.
 */
class ConsoleView {
	constructor(
		private readonly console: ContractConsole,
		private readonly state: () => StateView,
	) {}

	/** Rewrites the answers of a path; undefined: left unchanged. */
	rewriterOf(path: string): ((text: string) => string) | undefined {
		const name = path.slice(path.lastIndexOf("/") + 1);
		if (name === BROADCAST) return (text) => this.withWritten(text);
		return LISTING.has(name) ? (text) => this.withData(text) : undefined;
	}

	/** Adds the data for the hashes of console calls. Our writer puts no whitespace between members. */
	private withData(text: string): string {
		if (this.console.isSilent) return text;
		return text.replaceAll(/"hash":\s?"([0-9a-f]{64})"/g, (member, hash: string) => {
			const data = this.console.dataOf(hash);
			return data === undefined ? member : `${member},"data":"${data}"`;
		});
	}

	/** Adds the execution's console output to a broadcast's answer if a block already contains the transaction. */
	private withWritten(text: string): string {
		const id = this.console.isSilent ? undefined : /"txid":\s?"([0-9a-f]{64})"/.exec(text)?.[1];
		const info = id && transactionInfoById(this.state(), fromHex(id));
		const written = info
			? info.internal_transactions.filter(({ hash }) => this.console.dataOf(toHex(hash)))
			: [];
		if (written.length === 0) return text;
		const members = written.map(({ hash, caller_address, transferTo_address, note }) => ({
			hash: toHex(hash),
			data: this.console.dataOf(toHex(hash)),
			caller_address: toHex(caller_address),
			transferTo_address: toHex(transferTo_address),
			note: toHex(note),
		}));
		return text.replace(/\}(\s*)$/, `,"internal_transactions":${JSON.stringify(members)}}$1`);
	}
}

const MAX_LIMIT = 1000n;

/** Witnesses by current votes, including changes of the current period; most votes first. */
function currentRanking(state: StateView): Witness[] {
	const changes = new Map<string, bigint>();
	const add = (address: Uint8Array, count: bigint): void => {
		changes.set(toKey(address), (changes.get(toKey(address)) ?? 0n) + count);
	};
	for (const { old_votes, new_votes } of state.votes.values()) {
		for (const { vote_address, vote_count } of old_votes) add(vote_address, -vote_count);
		for (const { vote_address, vote_count } of new_votes) add(vote_address, vote_count);
	}
	const witnesses = state.witness.values().map((stored) => {
		const witness = Witness.copy(stored);
		witness.voteCount += changes.get(toKey(witness.address)) ?? 0n;
		return witness;
	});
	return witnesses.sort((a, b) => (a.voteCount === b.voteCount ? 0 : a.voteCount > b.voteCount ? -1 : 1));
}

const paginatedNowWitnessList = defineEndpoint({
	name: "getpaginatednowwitnesslist",
	about: "A page of the super representatives by their votes of this moment.",
	servers: ["full", "solidity"],
	request: pageRequest,
	reply: printed(WitnessList),
	handle: ({ state }, { offset, limit }) => {
		if (offset < 0n || limit <= 0n) return undefined;
		const end = offset + (limit < MAX_LIMIT ? limit : MAX_LIMIT);
		return WitnessList.create({ witnesses: currentRanking(state).slice(Number(offset), Number(end)) });
	},
});

/** Endpoints of later releases that today's tools already call, by path (protocol/development-chain §4.1). */
function laterRoutes(server: ServerKind): ReadonlyMap<string, Endpoint> {
	const endpoint = paginatedNowWitnessList;
	return new Map(
		endpoint.servers.includes(server) ? [[`${FOLDERS[server]}/${endpoint.name}`, endpoint]] : [],
	);
}

class Gateway {
	private readonly node: ApiNode;
	private readonly servers: ReadonlyMap<string, HttpServer>;
	private readonly rpc: DevelopmentRpc;
	private readonly listener: HttpListener;
	private readonly sockets: SocketServer | undefined;
	private readonly stopObserving: () => void;
	private readonly origins: OriginRule;
	private readonly consoleView: ConsoleView;
	private readonly broadcaster: Broadcaster;

	constructor(private readonly options: GatewayOptions) {
		const { api, control, development, producer, host } = options;
		const dialect = development.options.gatewayDialect ?? "deployed";
		this.node = inDialect(api, dialect);
		this.consoleView = new ConsoleView(development.console, () => this.node.view("full"));
		this.origins = { allowed: new Set(development.options.allowedOrigins ?? []), host };
		const broadcaster = new Broadcaster(this.node);
		this.broadcaster = broadcaster;
		const server = (kind: ServerKind): HttpServer =>
			new HttpServer(this.node, kind, broadcaster, laterRoutes(kind), this.origins);
		const full = server("full");
		this.servers = new Map([
			[FOLDERS.full, full],
			["/monitor", full],
			["/net", full],
			[FOLDERS.solidity, server("solidity")],
			[FOLDERS.pbft, server("pbft")],
		]);
		const { jsonrpc, http, release } = this.node.config.node;
		const filters = new FilterRegistry(() => this.node.upMs, jsonrpc, release);
		this.stopObserving = control.open.chain.observe(feedFilters(api.view("full"), filters, undefined));
		const context = contextsOf({
			server: "full",
			node: this.node,
			broadcaster,
			filters,
			producerAddresses: () => [producer.signer],
		});
		const methods = methodsByName(release, jsonrpc);
		const ordinary = new Dispatcher({ ...jsonrpc, release, methods, context });
		this.rpc = new DevelopmentRpc({
			ordinary,
			context: () => ({ control, node: this.node, broadcaster, ports: options.bound.ports }),
		});
		const sockets =
			jsonrpc.maxWebSockets > 0
				? new SocketServer({
						context,
						observe: (observer) => control.open.chain.observe(observer),
						paths: new Set([...SOCKET_PATHS, LIVE_PATH]),
						mayConnect: (headers) => !isForeignPage(headers, this.origins),
						answer: (text, caller, headers) =>
							this.rpc.answerLine(text, true, accessOf(headers, this.origins), caller),
						gate: this.node.limiter.http(componentOf("full")),
					})
				: undefined;
		this.sockets = sockets;
		this.listener = new HttpListener({
			maxConnections: http.maxConnections,
			upgrade: sockets && ((...asked) => sockets.upgrade(...asked)),
			handle: (request, answer) => this.route(request, answer),
			report: (error, where) => api.report(error, `${where} of the gateway`),
		});
	}

	listen(): Promise<number> {
		return this.listener.listen(this.options.port, this.options.host);
	}

	async close(): Promise<void> {
		this.stopObserving();
		await Promise.all([this.listener.close(), this.sockets?.close()]);
	}

	private async route(request: HttpRequest, answer: HttpAnswer): Promise<void> {
		const isAdmin = /^\/+admin(?![^/?#])/.test(request.url ?? "");
		if (isAdmin && isForeignPage(request.headers, this.origins)) return this.refusePage(request, answer);
		answer.header("access-control-allow-origin", "*");
		if (request.method === "OPTIONS") {
			answer.header("access-control-allow-methods", "GET, POST, OPTIONS");
			answer.header("access-control-allow-headers", request.headers["access-control-request-headers"] ?? "*");
			return answer.empty(204);
		}
		// A leading `//` would make the next segment a host name.
		const target = (request.url ?? "/").replace(/^\/+/, "/");
		if (!URL.canParse(target, "http://gateway")) return answer.page(400);
		const url = new URL(target, "http://gateway");
		const path = url.pathname.replace(/\/{2,}/g, "/").replace(/(.)\/$/, "$1");
		const server = this.servers.get(/^\/[^/]*/.exec(path)?.[0] ?? "");
		if (server) {
			// Existing clients add a slash to paths that already have one.
			request.url = path + url.search;
			answer.rewrite = this.consoleView.rewriterOf(path);
			return server.route(request, answer);
		}
		if (request.method === "POST" && (RPC_PATHS.has(path) || DEVELOPMENT_PATHS.has(path))) {
			return this.call(request, answer, RPC_PATHS.has(path));
		}
		if (request.method !== "GET" && request.method !== "HEAD") return this.unknown(answer);
		if (this.node.config.node.http.explorer && isExplorerPath(path)) {
			return explorerAnswer(request, answer, pathOf(request), true);
		}
		if (isHistoryPath(path, this.node)) {
			const context = plainContext(this.node, this.broadcaster, request);
			return sendHistory(context, request, answer, path, url.search.slice(1));
		}
		const found = await this.get(request, path, url);
		if (!found) return this.unknown(answer);
		answer.send(found.status, found.type, found.text);
	}

	private refusePage({ headers }: HttpRequest, answer: HttpAnswer): void {
		const origin = headers.origin ?? "other origins";
		const message = `pages of ${origin} may not do this: coin node start --allow-origin`;
		answer.send(403, JSON_TYPE, `${JSON.stringify({ Error: message })}\n`);
	}

	private unknown(answer: HttpAnswer): void {
		answer.send(404, JSON_TYPE, '{"Error":"not found"}\n');
	}

	private async get(request: HttpRequest, path: string, url: URL): Promise<AdminAnswer | undefined> {
		const { control } = this.options;
		if (path === HEALTH_PATH) return HEALTHY;
		const page = await servicePage(path, this.node, {
			kind: "gateway",
			host: request.headers.host,
			query: queryOf(request),
		});
		if (page) return { status: page.status, type: page.contentType, text: page.text };
		if (path === "/") return { status: 200, type: TEXT_TYPE, text: `${this.describe().join("\n")}\n` };
		if (path !== "/admin" && !path.startsWith("/admin/")) return undefined;
		if (accessOf(request.headers, this.origins) !== "everything") return undefined;
		const { dialect } = this.node.config.node;
		const context = { control, dialect, describe: () => this.describe() };
		return answerAdmin(context, path.slice("/admin/".length), url.searchParams);
	}

	private async call(request: HttpRequest, answer: HttpAnswer, mixed: boolean): Promise<void> {
		const access = accessOf(request.headers, this.origins);
		const { maxBodySize } = this.node.config.node.jsonrpc;
		const body = await collectBody(request, access === "everything" ? MAX_RPC_BODY : maxBodySize);
		if (typeof body === "string") return answer.empty(413);
		const text = Buffer.from(body).toString("utf8");
		const reply = await this.rpc.answerLine(text, mixed, access, {
			isAbandoned: () => request.socket.destroyed,
			agent: request.headers["user-agent"],
			client: budgetAddress(request.socket),
		});
		answer.send(200, JSON_TYPE, reply);
	}

	private describe(): string[] {
		const { control, bound } = this.options;
		const { sealMode, solidLag } = control.conditions;
		const { properties } = this.node.view("full");
		const off = switchedOff((property) => properties.get(property) !== 0n);
		const sealing = typeof sealMode === "string" ? sealMode : `every ${sealMode.intervalMs / 1000} s`;
		return [
			`Development chain ${Buffer.from(control.open.rules.genesisId).toString("hex")}, version ${control.open.rules.release}`,
			`sealing: ${sealing}, head ${control.head.number}, irreversible state ${solidLag} blocks behind`,
			...Object.entries(bound.ports).map(([name, port]) => `${name}: ${port}`),
			...(off === undefined ? [] : [off]),
			"paths: /wallet /walletsolidity /walletpbft /monitor /net /jsonrpc /dev /admin /v1 /explorer/ /healthcheck /openapi.json",
		];
	}
}

/** The same node with a different dialect. Everything that changes over time is still read live. */
function inDialect(node: ApiNode, dialect: ApiNode["config"]["node"]["dialect"]): ApiNode {
	const config = { ...node.config, node: { ...node.config.node, dialect } };
	return Object.create(node, { config: { value: config, enumerable: true } }) as ApiNode;
}
