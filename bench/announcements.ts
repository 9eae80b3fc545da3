/**
 * Transaction announcements of an honest network: 30 peers announce each once, caches are full, and requested
 * ones are delivered. Then an attack with block announcements: unknown ids from one peer.
 *
 * npm run tool bench:announcements
 */

import type { PeerConnection } from "../src/node/network/connection.js";
import type { NetworkEnvironment } from "../src/node/network/environment.js";
import type { LocalChain } from "../src/node/network/local-chain.js";
import { Advertisement } from "../src/node/network/peers/advertisement.js";
import { Peer } from "../src/node/network/peers/peer.js";
import { type PeerSettings, PeerWorld } from "../src/node/network/peers/peer-world.js";
import {
	decodeInventory,
	encodeInventory,
	InventoryKind,
} from "../src/node/network/wire/application-messages.js";

const PEERS = 30;
/** More than any cache holds. */
const WARM_UP = 130_000;
const MEASURED = 10_000;
/** Transactions per step. */
const BATCH = 30;
const BLOCK_IDS = Number(process.argv[2] ?? 1_000_000);
const IDS_OF_MESSAGE = 1000;

let nowMs = 1_700_000_000_000;
let counter = 0;

function idOf(number: bigint): Uint8Array {
	const id = Buffer.alloc(32);
	id.writeBigInt64BE(number);
	id.writeUInt32BE(counter++, 12);
	return id;
}

function newNode() {
	const tasks: (() => void)[] = [];
	const environment = {
		now: () => nowMs,
		wallClock: () => nowMs,
		after: (_: number, task: () => void) => {
			tasks.push(task);
			return { cancel: () => {} };
		},
		every: () => ({ cancel: () => {} }),
		soon: (task: () => void) => tasks.push(task),
	} as unknown as NetworkEnvironment;
	const block = (number: bigint) => ({ id: idOf(number), number });
	const chain = {
		head: block(1000n),
		solid: block(982n),
		solidTimestampMs: BigInt(nowMs) - 54_000n,
		queuedTransactions: 0,
	} as unknown as LocalChain;
	const settings = {
		blockCacheTimeoutMs: 3_600_000,
		maxTransactionsPerSecond: 1_000_000,
		fetchBlockTimeoutMs: 200,
	} as PeerSettings;
	const quiet = { debug: () => {}, info: () => {}, warn: () => {} };
	const world = new PeerWorld(environment, chain, settings, quiet, [], () => true);
	const peers = Array.from({ length: PEERS }, (_, i) => {
		const connection = { id: i, backlog: 0, send: () => {}, remote: { host: `10.0.0.${i}`, port: 1 } };
		const peer = new Peer(connection as unknown as PeerConnection, block(0n), world.now);
		peer.needSyncFromPeer = false;
		peer.needSyncFromUs = false;
		world.add(peer);
		return peer;
	});
	const advertisement = new Advertisement(world, () => false);
	const run = (): void => {
		nowMs += 30;
		for (const task of tasks.splice(0)) task();
	};
	return { peers, advertisement, run };
}

/** Microseconds per transaction announced by all peers, with full caches. */
function honest(): number {
	const { peers, advertisement, run } = newNode();
	const batch = (): void => {
		const ids = Array.from({ length: BATCH }, () => idOf(0n));
		const payload = encodeInventory(InventoryKind.TX, ids);
		for (const peer of peers) advertisement.receiveInventory(peer, decodeInventory(payload));
		run();
		for (const peer of peers) {
			for (const key of [...peer.asked.keys()]) {
				advertisement.arrived(peer, InventoryKind.TX, Buffer.from(key.slice(1), "latin1"));
			}
		}
	};
	for (let i = 0; i < WARM_UP; i += BATCH) batch();
	const started = performance.now();
	for (let i = 0; i < MEASURED; i += BATCH) batch();
	return ((performance.now() - started) / MEASURED) * 1000;
}

/** Milliseconds for unknown block ids from one peer within five seconds. */
function hostile(): { readonly totalMs: number; readonly longestMs: number } {
	const { peers, advertisement, run } = newNode();
	const [peer] = peers as [Peer];
	let longestMs = 0;
	const started = performance.now();
	for (let done = 0; done < BLOCK_IDS; done += IDS_OF_MESSAGE) {
		const ids = Array.from({ length: IDS_OF_MESSAGE }, (_, i) => idOf(1001n + BigInt(done + i)));
		const payload = encodeInventory(InventoryKind.BLOCK, ids);
		const before = performance.now();
		advertisement.receiveInventory(peer, decodeInventory(payload));
		if (done % 10_000 === 0) run();
		longestMs = Math.max(longestMs, performance.now() - before);
	}
	return { totalMs: Math.round(performance.now() - started), longestMs: Math.round(longestMs * 10) / 10 };
}

const microseconds = Math.round(honest() * 10) / 10;
process.stdout.write(
	`${JSON.stringify({ honestMicroseconds: microseconds, hostileIds: BLOCK_IDS, ...hostile() })}\n`,
);
