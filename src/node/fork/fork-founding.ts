/** Beginning a fork: which node, which block, what it begins with. */

import type { StoreDefinition } from "../state/definition.js";
import { storeDefinitions } from "../state/definition.js";
import { ForkError, ForkReadError } from "./fork-error.js";
import { type ForkFounding, type ForkReport, readFacts } from "./fork-facts.js";
import { OwnSource } from "./own-source.js";
import { beginPublicFork } from "./public-founding.js";
import { PublicSource } from "./public-source.js";
import type { Requests } from "./requests.js";
import { isAnswerObject, SourceClient, SourceRefusedError, type Unknown } from "./source-client.js";
import type { StateSource } from "./state-source.js";

/** What JSON-RPC answers for a method that a server doesn't have. */
const UNKNOWN_METHOD = -32_601;

/** Places where a node's JSON-RPC may be, if its address says nothing. */
function endpointsOf(url: string): readonly string[] {
	let given: URL;
	try {
		given = new URL(url);
	} catch {
		throw new ForkError("--fork-url is not an address such as http://127.0.0.1:8545/jsonrpc");
	}
	if (given.protocol !== "http:" && given.protocol !== "https:")
		throw new ForkError("--fork-url begins with neither http: nor https:");
	if (given.pathname.endsWith("/jsonrpc")) return [url];
	const beside = new URL(url);
	beside.pathname = `${given.pathname.replace(/\/$/, "")}/jsonrpc`;
	return [beside.href, url];
}

/**
 * Asks a node for a block and for what is fixed about its chain.
 * @param block number or id; undefined: the head
 * @param jsonrpcUrl where the node has its JSON-RPC; undefined: it is looked for
 * @throws {ForkError} with one sentence
 */
export async function beginFork(
	requests: Requests,
	url: string,
	block: string | undefined,
	jsonrpcUrl?: string,
): Promise<ForkReport> {
	let last: Error | undefined;
	for (const endpoint of jsonrpcUrl === undefined ? endpointsOf(url) : [jsonrpcUrl]) {
		const client = new SourceClient(requests, endpoint);
		try {
			return reportOf(endpoint, await client.later("coin_getStateInfo", block ?? "latest"));
		} catch (error) {
			if (error instanceof SourceRefusedError && error.code !== UNKNOWN_METHOD)
				throw new ForkError(error.message);
			if (!(error instanceof ForkReadError)) throw error;
			last = error;
		}
	}
	if (block !== undefined) {
		throw new ForkError(
			`--fork-block needs a node of this program with node.jsonrpc.state = true; ${last?.message ?? "there is none"}`,
		);
	}
	return beginPublicFork(requests, url, jsonrpcUrl);
}

function reportOf(url: string, answer: unknown): ForkReport {
	const info: Unknown = isAnswerObject(answer) ? answer : {};
	const { block, history, chain } = info;
	const { number, id }: Unknown = isAnswerObject(block) ? block : {};
	if (!Number.isSafeInteger(number) || typeof id !== "string" || !/^[0-9a-f]{64}$/.test(id))
		throw new ForkError("the fork's source doesn't tell which block it is");
	const isKept = isAnswerObject(history) && history["isKept"] === true;
	return {
		founding: { url, kind: "exact", number: String(number), id, facts: readFacts(chain) },
		warnings: isKept
			? []
			: [
					"the fork's source keeps no history (node.history.state): once it has gone on by some blocks, what wasn't read before can't be had any more",
				],
	};
}

/** The source of a fork that was begun. */
export function sourceOf(
	{ url, jsonrpcUrl, id, kind, number, facts }: ForkFounding,
	requests: Requests,
): StateSource & { close?(): void } {
	if (kind === "public") {
		const genesisTimestampMs = BigInt(facts.genesisTimestampMs);
		return new PublicSource(requests, { url, jsonrpcUrl, number: BigInt(number), genesisTimestampMs });
	}
	return new OwnSource(new SourceClient(requests, url), id);
}

/** Keys of every ordered store of a source. @throws {ForkError} */
export async function orderedKeys(
	source: StateSource,
): Promise<ReadonlyMap<StoreDefinition<unknown>, readonly string[]>> {
	const all = new Map<StoreDefinition<unknown>, readonly string[]>();
	for (const store of storeDefinitions) {
		if (!store.ordered || !source.has(store)) continue;
		try {
			all.set(store, await source.keys(store));
		} catch (error) {
			if (error instanceof ForkReadError) throw new ForkError(error.message);
			throw error;
		}
	}
	return all;
}
