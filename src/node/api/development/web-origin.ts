/**
 * Detects requests to a development chain from web pages that don't belong to its owner. A page can send
 * requests to this machine without asking for permission; it may read the chain and broadcast signed
 * transactions, nothing else (protocol/development-chain §5).
 */

import type { IncomingHttpHeaders } from "node:http";

/** Development methods that change nothing and reveal no keys. */
export const READING_METHODS: ReadonlySet<string> = new Set([
	"dev_info",
	"eth_accounts",
	"eth_requestAccounts",
	"dev_instanceId",
	"dev_sealing",
	"tre_version",
	"tre_instanceId",
	"tre_unlockedAccounts",
	"anvil_nodeInfo",
	"hardhat_metadata",
	"anvil_getAutomine",
	"hardhat_getAutomine",
	"debug_traceTransaction",
	"debug_traceCall",
	"debug_storageRangeAt",
	"txpool_status",
	"txpool_content",
	"txpool_contentFrom",
	"txpool_inspect",
	"debug_getRawBlock",
	"debug_getRawHeader",
	"debug_getRawReceipts",
	"debug_getRawTransaction",
	"debug_getBadBlocks",
]);

/** What a caller may do on a development chain beyond the regular methods. */
export type DevelopmentAccess = "everything" | "reading" | "nothing";

export interface OriginRule {
	/** Origins whose pages have full access, as browsers write them; `*`: all. */
	readonly allowed: ReadonlySet<string>;
	/** The host name the listener is bound to; undefined: all interfaces. */
	readonly host: string | undefined;
}

/** What a request may do, given its headers; a page can reach this address under a host name of its own (DNS rebinding). */
export function accessOf(headers: IncomingHttpHeaders, origins: OriginRule): DevelopmentAccess {
	const isRemote = origins.host === undefined || !isLoopbackName(origins.host);
	if (!isRemote && !isLoopbackName(hostName(headers.host))) return "nothing";
	return isForeignPage(headers, origins) ? "reading" : "everything";
}

/** Only pages served from this machine's own address, of which there are none. */
const NO_ORIGINS: OriginRule = { allowed: new Set(), host: "127.0.0.1" };

/** Whether it was sent by a page of another server that isn't explicitly allowed. */
export function isForeignPage(
	headers: IncomingHttpHeaders,
	{ allowed, host }: OriginRule = NO_ORIGINS,
): boolean {
	const { origin } = headers;
	if (allowed.has("*")) return false;
	if (origin !== undefined && allowed.has(origin)) return false;
	const site = headers["sec-fetch-site"];
	const isPage = origin !== undefined || (site !== undefined && site !== "none");
	if (!isPage) return false;
	// With DNS rebinding, a page reaches this address under its own host name and counts as same-origin.
	if (!isOwnName(headers.host, host)) return true;
	return origin === undefined ? site !== "same-origin" : origin !== `http://${headers.host}`;
}

function isOwnName(header: string | undefined, bound: string | undefined): boolean {
	const name = hostName(header);
	return isLoopbackName(name) || name === bound || /^[\d.]+$|^\[[\da-f:]+\]$/i.test(name);
}

/** The host name in a Host header, without the port. */
function hostName(header: string | undefined): string {
	return (header ?? "").replace(/:\d+$/, "").toLowerCase();
}

function isLoopbackName(host: string): boolean {
	return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
}

/** Whether a text is an origin as browsers write it, or `*`. */
export function isOrigin(text: string): boolean {
	return text === "*" || (URL.canParse(text) && new URL(text).origin === text);
}
