/** Creating a fork: from which node, at which block, with what state. */

import { addressPrefix } from "../../protocol/address.js";
import type { SignedBlock } from "../../protocol/block.js";
import { toHex } from "../../protocol/bytes.js";
import { TransferContract, WitnessList } from "../../protocol/messages.js";
import { RELEASES } from "../rules/release.js";
import { type StoreDefinition, storeDefinitions } from "../state/definition.js";
import { type ForkFounding, type ForkReport, readFacts } from "./fork-facts.js";
import { OwnSource } from "./own-source.js";
import { blockOf, isNothing, messageIn } from "./public-answers.js";
import { PublicSource } from "./public-source.js";
import { RequestError, type Requests } from "./requests.js";
import { isAnswerObject, originOf, SourceClient, SourceRefusedError, type Unknown } from "./source-client.js";
import { ForkError, ForkReadError, type StateSource } from "./state-source.js";

/** JSON-RPC error code for an unknown method. */
const UNKNOWN_METHOD = -32_601;

/** Where a node's JSON-RPC may be if the address doesn't say. */
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

/** The network's default ports of the HTTP interface and the JSON-RPC. */
const HTTP_PORT = 8090;
const JSON_RPC_PORT = 8545;

interface FoundJsonRpc {
	readonly url?: string;
	/** One sentence, if there is no JSON-RPC. */
	readonly warning?: string;
}

/** Candidates next to an HTTP interface, in order of preference. Credentials stay with their port. */
function placesBeside(base: string): readonly string[] {
	const given = new URL(base);
	const ports = [JSON_RPC_PORT, Number(given.port) - HTTP_PORT + JSON_RPC_PORT];
	const others = [...new Set(ports)]
		.filter((port) => port > 0 && port < 65_536 && String(port) !== given.port)
		.map((port) => `${given.protocol}//${given.hostname}:${port}/jsonrpc`);
	return [`${base}/jsonrpc`, ...others];
}

/**
 * Locates a chain's JSON-RPC.
 * @param base address of the HTTP interface, without trailing slash
 * @param given required location; undefined: the usual ones are tried
 * @param genesisId 64 hex digits: other chains are rejected
 * @throws {ForkError} if it isn't at the required location
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

/** Why a URL is not the chain's JSON-RPC; undefined if it is. */
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

/** Maximum witnesses asked about. */
const MAX_GUARD_WITNESSES = 1_000;
/** Maximum concurrent requests. */
const MAX_ASKED_AT_ONCE = 8;

/** Matches the refusal of such a withdrawal in every release (protocol/staking §7). */
const REFUSAL = /is a guard representative and is not allowed to withdraw/;

/**
 * @param base address of the HTTP interface, without trailing slash
 * @returns hexadecimal addresses; undefined if the source doesn't report them
 */
export async function guardsOf(requests: Requests, base: string): Promise<readonly string[] | undefined> {
	try {
		const witnesses = addressesOf(await requests.later(`${base}/wallet/listwitnesses`, "{}"));
		if (!witnesses || witnesses.length > MAX_GUARD_WITNESSES) return undefined;
		const guards: string[] = [];
		for (let i = 0; i < witnesses.length; i += MAX_ASKED_AT_ONCE) {
			const asked = witnesses.slice(i, i + MAX_ASKED_AT_ONCE).map(async (owner_address) => {
				const body = JSON.stringify({ owner_address });
				const answer = await requests.later(`${base}/wallet/withdrawbalance`, body);
				if (REFUSAL.test(answer)) guards.push(owner_address);
			});
			await Promise.all(asked);
		}
		return guards.sort();
	} catch (error) {
		if (error instanceof RequestError) return undefined;
		throw error;
	}
}

/** Undefined: the response can't be parsed. */
function addressesOf(text: string): readonly string[] | undefined {
	if (isNothing(text)) return [];
	try {
		return messageIn(WitnessList, text).witnesses.map(({ address }) => toHex(address));
	} catch {
		return undefined;
	}
}

/** What such a source can't provide, one line each. */
const PUBLIC_WARNINGS: readonly string[] = [
	"the source is not a node of this program: an entry is as it is at its head when it is first read, not as it was at one block",
	"votes that aren't counted yet, names of accounts, orders of the market and shielded notes can't be had: they are not there; rewards of votes are what may be withdrawn at the fork",
	"usages of bandwidth and energy are those of the source's head; new tokens get numbers from 2000001",
	"eth_getLogs finds nothing before the fork; balances of the past aren't known",
];

const NO_GUARDS =
	"the source doesn't say which witnesses were there at its genesis: on the fork they may withdraw their rewards";

/** Configuration values that aren't reported: those of the network. */
const NETWORK_FACTS = {
	network: "main",
	release: RELEASES.at(-1),
	genesisWitnesses: [],
	proposalExpireMs: "259200000",
	energyLimitHeight: "4727890",
	checkFrozenTime: true,
	maintenanceIntervalMs: "21600000",
	committee: {},
};

/**
 * Forks from a node of another program, using its public queries.
 * @param url of the HTTP interface, with or without the path of its JSON-RPC
 * @param jsonrpcUrl of the JSON-RPC; undefined: the usual locations are tried
 * @throws {ForkError}
 */
async function beginPublicFork(
	requests: Requests,
	url: string,
	jsonrpcUrl: string | undefined,
): Promise<ForkReport> {
	const place = new URL(url);
	place.pathname = place.pathname.replace(/\/(?:jsonrpc)?\/?$/, "");
	const base = place.href.replace(/\/$/, "");
	const block = async (path: string, body: object): Promise<SignedBlock> => {
		try {
			const found = blockOf(await requests.later(`${base}/wallet/${path}`, JSON.stringify(body)));
			if (found) return found;
		} catch (error) {
			const what = error instanceof RequestError ? "can't be read" : "gives a block that can't be read";
			throw new ForkError(`the fork's source ${originOf(url)} ${what}: ${(error as Error).message}`);
		}
		throw new ForkError(`the fork's source ${originOf(url)} has no blocks`);
	};
	const genesis = await block("getblockbynum", { num: 0 });
	const head = await block("getnowblock", {});
	const rpc = await findJsonRpc(requests, base, jsonrpcUrl, genesis.idHex);
	const guards = await guardsOf(requests, base);
	const founding: ForkFounding = {
		url: base,
		...(rpc.url === undefined ? {} : { jsonrpcUrl: rpc.url }),
		kind: "public",
		number: String(head.number),
		id: head.idHex,
		facts: readFacts({
			...NETWORK_FACTS,
			genesisWitnesses: (guards ?? []).map((address) => ({ address, votes: "0" })),
			genesisId: genesis.idHex,
			genesisTimestampMs: String(genesis.timestampMs),
			blackHole: blackHoleOf(genesis),
			addressPrefix: addressPrefix(),
		}),
	};
	const missing = [...(rpc.warning ? [rpc.warning] : []), ...(guards ? [] : [NO_GUARDS])];
	return { founding, warnings: [...PUBLIC_WARNINGS, ...missing] };
}

/** The black hole is the account with the lowest genesis balance, which is negative on networks. */
function blackHoleOf({ transactions }: SignedBlock): string {
	let least: TransferContract | undefined;
	for (const { parameter } of transactions) {
		if (!(parameter instanceof TransferContract)) continue;
		if (!least || parameter.amount < least.amount) least = parameter;
	}
	return least ? toHex(least.to_address) : "";
}

/**
 * Queries a node for a block and the fixed facts of its chain.
 * @param block number or id; undefined: the head
 * @param jsonrpcUrl of the JSON-RPC; undefined: the usual locations are tried
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

/** The source of an existing fork. */
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
