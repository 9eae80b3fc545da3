/**
 * Operator pages besides the network's API: liveness, readiness, and the API document. The network's nodes have none of this.
 */

import { toHex } from "../../protocol/bytes.js";
import type { ThreeListeners } from "../config/config.js";
import type { ApiNode, ServerKind } from "./context.js";
import type { ServerAddresses } from "./openapi.js";

interface ServicePage {
	readonly status: number;
	readonly contentType: string;
	readonly text: string;
}

/** The server that received the request. */
interface AskedServer {
	/** `gateway`: a server for all APIs. */
	readonly kind: ServerKind | "gateway";
	/** The Host header. */
	readonly host: string | undefined;
	/** The query string. */
	readonly query: string;
}

type PageMaker = (node: ApiNode, asked: AskedServer) => ServicePage | Promise<ServicePage>;

const JSON_TYPE = "application/json";

/** An older head means that the node has fallen behind, unless it produces blocks itself on demand. */
const STALE_HEAD_MS = 120_000;

const json = (status: number, value: object): ServicePage => ({
	status,
	contentType: JSON_TYPE,
	text: `${JSON.stringify(value)}\n`,
});

/** Whether queries are up to date: the head is recent, and no peer has blocks missing here. */
function readiness(node: ApiNode, { query }: AskedServer): ServicePage {
	const lag = new URLSearchParams(query).get("lag");
	if (lag !== null && !/^\d{1,6}$/.test(lag)) return json(400, { reason: "lag is a number of seconds" });
	const { properties } = node.view("full");
	const head = Number(properties.headNumber);
	const ageMs = node.nowMs() - Number(properties.headTimestampMs);
	const reasons: string[] = [];
	if (node.network.peers().some((peer) => peer.needSyncFromPeer)) reasons.push("peers have blocks to fetch");
	const mostMs = lag === null ? STALE_HEAD_MS : 1000 * Number(lag);
	if ((lag !== null || !node.rules.development) && ageMs > mostMs) {
		reasons.push(`the head block is ${Math.round(ageMs / 1000)} s old`);
	}
	const ready = reasons.length === 0;
	return json(ready ? 200 : 503, { ready, head, ...(ready ? {} : { reason: reasons.join("; ") }) });
}

/** Liveness, with warnings for the operator. */
function health(node: ApiNode): ServicePage {
	const warnings = node.warnings?.() ?? [];
	const hash = node.stateHash?.kept.newest;
	const producing = node.isProducing?.();
	return json(200, {
		status: "ok",
		...(warnings.length > 0 && { warnings }),
		...(producing !== undefined && { producing }),
		...(hash && { stateHash: { block: Number(hash.number), hash: toHex(hash.hash) } }),
	});
}

const PAGES: ReadonlyMap<string, PageMaker> = new Map<string, PageMaker>([
	["/health", health],
	["/ready", readiness],
	["/healthz", health],
	["/readyz", readiness],
	[
		"/openapi.json",
		async ({ config: { node } }, asked) => {
			const { openApiText } = await import("./openapi-page.js");
			const text = await openApiText(node.dialect, addressesSeenFrom(asked, node.http));
			return { status: 200, contentType: JSON_TYPE, text };
		},
	],
	[
		"/openapi",
		async () => {
			const { openApiPage } = await import("./openapi-page.js");
			return { status: 200, contentType: "text/html;charset=utf-8", text: openApiPage() };
		},
	],
]);

/** Whether a path is one of these pages; each request is rate-limited as a call of `service`. */
export const isServicePage = (path: string): boolean => PAGES.has(path);

/** The page at a path, if there is one. */
export function servicePage(
	path: string,
	node: ApiNode,
	asked: AskedServer,
): ServicePage | Promise<ServicePage> | undefined {
	return PAGES.get(path)?.(node, asked);
}

/** A valid Host header; anything else isn't echoed. */
const HOST = /^(\[[0-9a-fA-F:.]{2,45}\]|[\w.-]{1,253})(:\d{1,5})?$/;

/** The host in a Host header, if valid. */
export const hostOf = (header: string | undefined): string | undefined => HOST.exec(header ?? "")?.[0];

/**
 * The node's servers as seen by a client of one of them: that one under the address the client used, the others next to it.
 */
function addressesSeenFrom({ kind, host }: AskedServer, http: ThreeListeners): ServerAddresses {
	const [own, name] = HOST.exec(host ?? "") ?? [undefined, "127.0.0.1"];
	const address = (of: ServerKind): string =>
		own !== undefined && (kind === "gateway" || kind === of)
			? `http://${own}`
			: `http://${name}:${http[of].port}`;
	return { full: address("full"), solidity: address("solidity"), pbft: address("pbft") };
}
