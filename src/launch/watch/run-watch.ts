/** Runs `coin network watch`: follows the head from the given options, and prints events as they arrive (protocol/inclusion-proof §4). */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { networkPreset } from "../../node/config/networks/networks.js";
import type { NodeAddress } from "../../node/network/environment.js";
import { localAddresses, nodeEnvironment } from "../../node/network/node-environment.js";
import type { SetChange, WatchedBlock } from "../../node/network/watch/header-chain.js";
import { NoHeadError, type WatchEvent, watch } from "../../node/network/watch/watch.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import { checkpointNamed } from "../../protocol/inclusion/checkpoints.js";
import {
	InclusionError,
	MAX_SET_LENGTH,
	readWitnessSet,
	setNumber,
	type WitnessSet,
} from "../../protocol/inclusion/witness-set.js";
import { PUBLIC_NETWORKS, type PublicNetwork, publicNetworkOf } from "../../protocol/public-networks.js";
import { readBoundedFile } from "../../wallet/bounded-file.js";
import { Failure } from "../../wallet/failure.js";
import { readAddress } from "../../wallet/values/address-text.js";
import { parseDuration } from "../../wallet/values/moment.js";
import { isNodeUrl, readPeerAddress, type WatchWords } from "./words.js";

/** Timeout of connecting and of each response; slower peers aren't used. */
const STEP_MS = 5_000;
/** Bytes received between garbage collections; by itself, the runtime lets some ten megabytes of buffers accumulate. */
const RELEASE_BYTES = 1_000_000;
const MAX_ADDRESSES = 1_000;

/** Where output is written. */
interface Printer {
	readonly json: boolean;
	line(text: string): void;
	record(record: object): void;
	/** Prints anything that isn't part of the result. */
	note(text: string): void;
}

const blockOf = ({ number, id, timestampMs, address }: WatchedBlock) => ({
	number: String(number),
	id: toHex(id),
	timestamp: new Date(Number(timestampMs)).toISOString(),
	witness: toBase58Check(address),
});

const blockText = (block: WatchedBlock): string => {
	const { number, id, timestamp, witness } = blockOf(block);
	return `${number} ${id} ${timestamp} ${witness}`;
};

const row = (name: string, text: string): string => `${name.padEnd(12)} ${text}`;

const addresses = (keys: SetChange["added"]): string[] => keys.map(({ address }) => toBase58Check(address));

/** @param file where a proof was written */
function eventRecord(event: WatchEvent, file: string | undefined): object {
	switch (event.kind) {
		case "peer":
			return { event: "peer", address: event.address, codeVersion: event.codeVersion };
		case "left":
			return { event: "left", address: event.address, reason: event.why };
		case "verified":
			return {
				event: "verified",
				head: blockOf(event.head),
				irreversible: blockOf(event.final),
				needed: event.needed,
				witnesses: event.of,
				afterMs: Math.round(event.afterMs),
				...(event.passedOver !== undefined && { passedOver: String(event.passedOver) }),
			};
		case "block":
			return {
				event: "block",
				block: blockOf(event.block),
				transactions: event.transactions,
				...(event.final !== undefined && { irreversible: String(event.final) }),
				reorg: event.isReorg,
			};
		case "transaction":
		case "proven":
			return {
				event: event.kind,
				txID: toHex(event.id),
				block: String(event.block.number),
				type: event.type,
				result: event.result,
				...(event.kind === "proven" && {
					builders: event.builders,
					...(file === undefined ? { proof: event.proof } : { file }),
				}),
			};
		case "witnesses":
			return {
				event: "witnesses",
				block: String(event.number),
				added: addresses(event.added),
				removed: addresses(event.removed),
				silent: event.silent,
				by: "blocks that two thirds of the witnesses before built on",
			};
		case "unproven":
			return { event: "unproven", count: event.count, reason: event.why };
	}
}

/** @param file where a proof was written */
function eventLine(event: WatchEvent, file: string | undefined): string {
	switch (event.kind) {
		case "peer":
			return row("peer", `${event.address} ${event.codeVersion}`);
		case "left":
			return row("left", `${event.address}: ${event.why}`);
		case "verified": {
			const by = `${event.needed} of ${event.of} trusted witnesses built on block ${event.final.number}`;
			const gap =
				event.passedOver === undefined ? "" : `; blocks from ${event.passedOver} on were not looked at`;
			return row("verified", `${blockText(event.head)}; ${by}, after ${Math.round(event.afterMs)} ms${gap}`);
		}
		case "block": {
			const { block, transactions, final, isReorg } = event;
			const solid = final === undefined ? "" : `, irreversible ${final}`;
			return row(isReorg ? "reorg" : "block", `${blockText(block)}, ${transactions} transactions${solid}`);
		}
		case "transaction":
			return row(
				"transaction",
				`${toHex(event.id)} ${event.type} ${event.result} in block ${event.block.number}`,
			);
		case "proven": {
			const where = file === undefined ? "" : `: ${file}`;
			return row(
				"proven",
				`${toHex(event.id)} block ${event.block.number} is irreversible, ${event.builders} witnesses built on it${where}`,
			);
		}
		case "witnesses":
			return row("witnesses", changeText(event));
		case "unproven":
			return row("unproven", `${event.count} transactions: ${event.why}`);
	}
}

/** Describes what is known about a change of witnesses, how it is known, and what isn't. */
function changeText({ number, added, removed, silent }: SetChange): string {
	const names = (keys: SetChange["added"]): string =>
		keys.length === 0 ? "none" : addresses(keys).join(" ");
	const unknown =
		silent === 0 ? "" : `; ${silent} made no block, and no header says whether they still belong to it`;
	return `up to block ${number}: new ${names(added)}, gone ${names(removed)}, by blocks that two thirds of those before built on${unknown}`;
}

/**
 * @param askNode fetches a node's witnesses; absent if this program can't do that
 * @throws {Failure}
 */
export async function runWatch(words: WatchWords, printer: Printer, askNode?: AskNode): Promise<void> {
	const { trusted, source } = await trustedSet(words, askNode);
	const named = words.network as PublicNetwork | undefined;
	const wanted = named && fromHex(PUBLIC_NETWORKS[named].genesisId);
	if (wanted && trusted.chain && !equalBytes(wanted, trusted.chain))
		throw new Failure("wrong_network", `the checkpoint is of the chain ${toHex(trusted.chain)}`);
	const genesis = wanted ?? trusted.chain;
	const network = genesis && publicNetworkOf(genesis);
	const { peers, networkId } = await networkOf(network, words);
	const hasPostQuantum = network !== "main";
	const left = blocksOf(words);
	const addresses = [...new Set(words.address)].map(addressOf);
	if (addresses.length > MAX_ADDRESSES) throw new Failure("usage", `at most ${MAX_ADDRESSES} addresses`);
	if (words.proofs !== undefined && addresses.length === 0)
		throw new Failure("usage", "--proofs is for the transactions of --address");
	if (words.proofs !== undefined) mkdirSync(words.proofs, { recursive: true });
	printer.note(trustNote(trusted, source));
	const report = reporter(words, printer, left);
	const environment = nodeEnvironment();
	const resolved = await Promise.all(
		peers.map(async ({ host, port }) => ({
			host: await environment.resolveHost(host).catch(() => host),
			port,
		})),
	);
	await watch({
		environment,
		peers: resolved,
		networkId,
		genesis,
		trusted,
		hasPostQuantum,
		addresses,
		timeoutMs: STEP_MS,
		ownIpv4: localAddresses().ipv4,
		report,
		release: { everyBytes: RELEASE_BYTES, now: collectGarbage() },
		patienceMs: parseDuration(words.timeout),
	}).catch((error: unknown) => {
		if (!(error instanceof NoHeadError)) throw error;
		const reasons = Object.fromEntries(error.reasons);
		const [first] = error.reasons;
		throw new Failure("no_connection", `${error.message}${first ? `: ${first[0]}: ${first[1]}` : ""}`, {
			details: { peers: reasons },
			hint: "is this machine connected? where the witnesses have changed since the checkpoint, take them anew: coin witness keys",
		});
	});
}

/** Prints events, writes proofs, and counts. @returns false after the last event */
function reporter(
	{ proofs }: WatchWords,
	printer: Printer,
	blocks: number | undefined,
): (event: WatchEvent) => boolean {
	let left = blocks;
	let isFirst = true;
	return (event) => {
		const file =
			event.kind === "proven" && proofs !== undefined ? join(proofs, `${toHex(event.id)}.proof`) : undefined;
		if (file !== undefined && event.kind === "proven") writeFileSync(file, event.proof);
		if (event.kind === "left" || event.kind === "peer") {
			if (printer.json) printer.record(eventRecord(event, file));
			else printer.note(eventLine(event, file));
		} else if (printer.json) printer.record(eventRecord(event, file));
		else printer.line(eventLine(event, file));
		if (event.kind === "block" && left !== undefined) left--;
		if (event.kind === "verified") isFirst = false;
		return isFirst || left === undefined || left > 0;
	};
}

type AskNode = (url: string) => Promise<WitnessSet>;

/** A function that frees unreferenced buffers; takes a few milliseconds in a program as small as this. */
function collectGarbage(): () => void {
	setFlagsFromString("--expose-gc");
	const collect: unknown = runInNewContext("gc");
	return typeof collect === "function" ? () => void collect() : () => undefined;
}

interface Trusted {
	readonly trusted: WitnessSet;
	readonly source: "built in" | "file" | "node";
}

/** @throws {Failure} */
async function trustedSet({ checkpoint, network }: WatchWords, askNode?: AskNode): Promise<Trusted> {
	const name = checkpoint ?? network ?? "main";
	const known = checkpointNamed(name);
	if (known) return { trusted: known, source: "built in" };
	if (checkpoint === undefined) {
		throw new Failure("usage", `there is no built-in checkpoint of the network "${name}"`, {
			hint: "name one with --checkpoint: a file that coin witness keys --out made, or a node's URL to take its word",
		});
	}
	if (askNode && isNodeUrl(name)) return { trusted: await askNode(name), source: "node" };
	try {
		const text = readBoundedFile(name, MAX_SET_LENGTH).toString("utf8");
		return { trusted: readWitnessSet(text), source: "file" };
	} catch (error) {
		if (error instanceof InclusionError) throw new Failure("bad_value", `${name}: ${error.message}`);
		throw error;
	}
}

function trustNote(trusted: WitnessSet, source: Trusted["source"]): string {
	const number = setNumber(trusted);
	const at = number === undefined ? "" : ` of block ${number}`;
	const who = {
		"built in": "brought along by this program",
		file: "of your file",
		node: "on a node's word alone: nothing proves that they are the network's",
	}[source];
	return `trusted: ${trusted.witnesses.length} witnesses${at}, ${who}`;
}

/** Peers and network id: as typed, or those of the public network. @throws {Failure} */
async function networkOf(
	network: PublicNetwork | undefined,
	words: WatchWords,
): Promise<{ peers: readonly NodeAddress[]; networkId: number | undefined }> {
	const given = words["network-id"];
	if (given !== undefined && !/^\d{1,9}$/.test(given))
		throw new Failure("bad_value", `"${given}" is not a network id`);
	const own = words.peer.map(readPeerAddress);
	const preset = network && publicPeers((await networkPreset(network)).text);
	const networkId = given === undefined ? preset?.networkId : Number(given);
	if (own.length > 0) return { peers: own, networkId };
	if (!preset) {
		throw new Failure("usage", "the checkpoint is not of a public network, whose nodes are known", {
			hint: "name a node with --peer",
		});
	}
	const peers = preset.seeds.map(readPeerAddress);
	return { peers: shuffled(peers), networkId };
}

/** The required part of a network's configuration. PERF: parsing it as HOCON would permanently take up megabytes. */
export function publicPeers(preset: string): {
	readonly networkId: number;
	readonly seeds: readonly string[];
} {
	const [, version = ""] = /\bp2p\.version = (\d+)/.exec(preset) ?? [];
	const [, list = ""] = /\bseed\.node\.ip\.list = \[([^\]]*)\]/.exec(preset) ?? [];
	return {
		networkId: Number(version),
		seeds: [...list.matchAll(/"([^"]+)"/g)].map(([, seed]) => seed as string),
	};
}

/** Shuffles, so that not all watchers start with the same seed. */
function shuffled<T>(list: readonly T[]): T[] {
	const drawn = list.map((item) => ({ item, at: Math.random() }));
	return drawn.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

function blocksOf({ blocks }: WatchWords): number | undefined {
	if (blocks === undefined) return undefined;
	if (!/^\d{1,9}$/.test(blocks)) throw new Failure("bad_value", `"${blocks}" is not a number of blocks`);
	return Number(blocks);
}

function addressOf(text: string): Uint8Array {
	const address = readAddress(text);
	if (!address) throw new Failure("bad_address", `"${text}" is not an address`);
	return address;
}
