/** Where a node of the network has its JSON-RPC, which gives storage: on a port of its own, beside that of its HTTP interface. */

import { ForkError, ForkReadError } from "./fork-error.js";
import type { Requests } from "./requests.js";
import { isAnswerObject, originOf, SourceClient } from "./source-client.js";

/** The network's usual ports: of the HTTP interface, and of the JSON-RPC. */
const HTTP_PORT = 8090;
const JSON_RPC_PORT = 8545;

interface FoundJsonRpc {
	readonly url?: string;
	/** One sentence, where there is none. */
	readonly warning?: string;
}

/** Places beside an HTTP interface, in the order in which they are tried. Credentials stay with their port. */
function placesBeside(base: string): readonly string[] {
	const given = new URL(base);
	const ports = [JSON_RPC_PORT, Number(given.port) - HTTP_PORT + JSON_RPC_PORT];
	const others = [...new Set(ports)]
		.filter((port) => port > 0 && port < 65_536 && String(port) !== given.port)
		.map((port) => `${given.protocol}//${given.hostname}:${port}/jsonrpc`);
	return [`${base}/jsonrpc`, ...others];
}

/**
 * Looks for the JSON-RPC of a chain.
 * @param base address of the HTTP interface, without a slash at its end
 * @param given where it must be; undefined: where nodes of the network have it
 * @param genesisId 64 hexadecimal digits: another chain's is not taken
 * @throws {ForkError} if it isn't where it must be
 */
export async function findJsonRpc(
	requests: Requests,
	base: string,
	given: string | undefined,
	genesisId: string,
): Promise<FoundJsonRpc> {
	const places = given === undefined ? placesBeside(base) : [checkedUrl(given)];
	const reasons: string[] = [];
	for (const url of places) {
		const reason = await whyNot(requests, url, genesisId);
		if (reason === undefined) return { url };
		reasons.push(reason);
	}
	if (given !== undefined)
		throw new ForkError(`--fork-jsonrpc-url is not of the forked chain: ${reasons[0]}`);
	const tried = [...new Set(places.map(originOf))].join(", ");
	return {
		warning: `no JSON-RPC of the chain is at ${tried}: storage of contracts can't be read until --fork-jsonrpc-url names it`,
	};
}

function checkedUrl(text: string): string {
	try {
		const url = new URL(text);
		if (url.protocol === "http:" || url.protocol === "https:") return url.href;
	} catch (error) {
		if (!(error instanceof TypeError)) throw error;
	}
	throw new ForkError("--fork-jsonrpc-url is not an address such as http://127.0.0.1:8545/jsonrpc");
}

/** Why a place is not the JSON-RPC of a chain; undefined: it is. */
async function whyNot(requests: Requests, url: string, genesisId: string): Promise<string | undefined> {
	const client = new SourceClient(requests, url);
	try {
		const genesis = await client.later("eth_getBlockByNumber", "0x0", false);
		const hash = isAnswerObject(genesis) ? genesis["hash"] : undefined;
		return hash === `0x${genesisId}` ? undefined : `${client.name} has another genesis block`;
	} catch (error) {
		if (error instanceof ForkReadError) return error.message;
		throw error;
	}
}
