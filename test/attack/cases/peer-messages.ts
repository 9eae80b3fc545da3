/** Messages that are cheap to send and expensive to read. */

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
	ApplicationType,
	encodeInventory,
	HelloMessage,
	InventoryKind,
} from "../../../src/node/network/wire/application-messages.js";
import { writeFrame } from "../../../src/node/network/wire/frames.js";
import { TransportType } from "../../../src/node/network/wire/transport-messages.js";
import { be64, concatBytes } from "../../../src/protocol/bytes.js";
import { type Attack, attackerHost, tally } from "../attack.js";
import { AttackPeer, frameOf } from "../attack-peer.js";

/** Message size before compression, slightly below the limit of a frame. */
const FULL = 5_200_000;
/** Delay between two connections from one address, in milliseconds. */
const PAUSE_MS = 200;

/** Repeats an unknown field: number 1000, type varint. */
const unknownFields = (bytes: number): Uint8Array => repeat(Uint8Array.of(0xc0, 0x3e, 0x01), bytes);
/** Repeats an empty item of a repeated field 1. */
const emptyItems = (bytes: number): Uint8Array => repeat(Uint8Array.of(0x0a, 0x00), bytes);

function repeat(pattern: Uint8Array, bytes: number): Uint8Array {
	const all = new Uint8Array(Math.floor(bytes / pattern.length) * pattern.length);
	for (let at = 0; at < all.length; at += pattern.length) all.set(pattern, at);
	return all;
}

/** Connects from changing addresses, and sends the same frames each time. */
function flood(name: string, sends: string, frames: readonly Uint8Array[], needsHello = true): Attack {
	return {
		name,
		sends,
		async run({ ports }, durationMs) {
			const outcomes: string[] = [];
			const end = Date.now() + durationMs;
			for (let n = 0; Date.now() < end; n++) {
				const options = { host: attackerHost(n) };
				const peer = await (needsHello
					? AttackPeer.greet(ports, options)
					: AttackPeer.open(ports, options)
				).catch(() => undefined);
				if (!peer) {
					outcomes.push("no connection");
					await sleep(PAUSE_MS);
					continue;
				}
				for (const frame of frames) peer.raw(frame);
				await peer.flushed();
				await peer.until(() => false, 1000);
				outcomes.push(peer.gone ?? "kept");
				peer.end();
				await sleep(PAUSE_MS);
			}
			return tally(outcomes);
		},
	};
}

const application = (type: number, payload: Uint8Array): Uint8Array => frameOf(type, payload);
const transport = (type: number, payload: Uint8Array): Uint8Array => frameOf(type, payload);

/** INVENTORY messages with forged ids at heights after the head. */
const madeUpBlocks = (count: number, from: bigint): Uint8Array =>
	encodeInventory(
		InventoryKind.BLOCK,
		Array.from({ length: count }, (_, n) => concatBytes(be64(from + BigInt(n % 1000)), randomBytes(24))),
	);

const madeUpTransactions = (count: number): Uint8Array =>
	encodeInventory(
		InventoryKind.TX,
		Array.from({ length: count }, () => new Uint8Array(randomBytes(32))),
	);

/** Announcements of one peer that stays connected as long as possible. */
function announcements(
	name: string,
	sends: string,
	make: (n: number) => Uint8Array,
	messages: number,
): Attack {
	return {
		name,
		sends,
		async run({ ports }, durationMs) {
			const payloads = Array.from({ length: messages }, (_, n) =>
				application(ApplicationType.INVENTORY, make(n)),
			);
			const outcomes: string[] = [];
			const end = Date.now() + durationMs;
			for (let n = 0; Date.now() < end; n++) {
				const peer = await AttackPeer.greet(ports, { host: attackerHost(n) }).catch(() => undefined);
				if (!peer) {
					await sleep(PAUSE_MS);
					continue;
				}
				for (const payload of payloads) {
					if (peer.gone !== undefined || Date.now() > end) break;
					peer.raw(payload);
					await peer.flushed();
				}
				await peer.until(() => false, 1000);
				outcomes.push(peer.gone ?? "kept");
				peer.end();
			}
			return tally(outcomes);
		},
	};
}

const commits: Attack = {
	name: "pbft-commits",
	sends: "200 PBFT_COMMIT messages of 250 KB for heights that were not asked for",
	async run({ ports }, durationMs) {
		const outcomes: string[] = [];
		const end = Date.now() + durationMs;
		for (let n = 0; n < 200 && Date.now() < end; ) {
			const peer = await AttackPeer.greet(ports, { host: attackerHost(n) }).catch(() => undefined);
			if (!peer) {
				await sleep(PAUSE_MS);
				continue;
			}
			for (; n < 200 && peer.gone === undefined; n++) {
				// Field 1 of the raw data is the kind, 3 the height; the signature list is noise.
				const raw = concatBytes(Uint8Array.of(0x08, 0x04, 0x18), varint(1_000_000 + n));
				const noise = randomBytes(250_000);
				const payload = concatBytes(
					Uint8Array.of(0x0a, raw.length),
					raw,
					Uint8Array.of(0x12),
					varint(noise.length),
					noise,
				);
				peer.raw(application(ApplicationType.PBFT_COMMIT_MSG, payload));
				await peer.flushed();
			}
			await peer.until(() => false, 500);
			outcomes.push(peer.gone ?? "kept");
			peer.end();
		}
		return tally(outcomes);
	},
};

function varint(value: number): Uint8Array {
	const bytes: number[] = [];
	let rest = value;
	for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
	bytes.push(rest);
	return Uint8Array.from(bytes);
}

const largeHello = concatBytes(HelloMessage.encode(HelloMessage.create({ version: 1 })), unknownFields(FULL));

export const peerMessages: readonly Attack[] = [
	flood("frame-hello", "a HELLO of the application with 1.7 M unknown fields", [
		application(ApplicationType.P2P_HELLO, largeHello),
	]),
	flood("frame-txs", "TXS with 2.6 M empty transactions", [
		application(ApplicationType.TXS, emptyItems(FULL)),
	]),
	flood("frame-block", "BLOCK with 2.6 M empty transactions", [
		application(ApplicationType.BLOCK, emptyItems(FULL)),
	]),
	flood("frame-pbft", "PBFT_MSG with 1.7 M unknown fields", [
		application(ApplicationType.PBFT_MSG, unknownFields(FULL)),
	]),
	flood("frame-summary", "SYNC_BLOCK_CHAIN and CHAIN_INVENTORY with 2.6 M empty ids", [
		application(ApplicationType.SYNC_BLOCK_CHAIN, emptyItems(FULL)),
		application(ApplicationType.BLOCK_CHAIN_INVENTORY, emptyItems(FULL)),
	]),
	flood(
		"frame-ping",
		"five PINGs of the transport with 1.7 M unknown fields each",
		Array.from({ length: 5 }, () => transport(TransportType.PING, unknownFields(FULL))),
	),
	flood(
		"frame-raw",
		"a first HELLO of 5 MB of unknown fields, before any handshake",
		[writeFrame(concatBytes(Uint8Array.of(TransportType.HELLO), unknownFields(FULL)))],
		false,
	),
	announcements(
		"inventory-blocks",
		"INVENTORY of a million forged block ids",
		(n) => madeUpBlocks(10_000, BigInt(70 + n)),
		100,
	),
	announcements(
		"inventory-transactions",
		"INVENTORY of 300,000 forged transaction ids",
		() => madeUpTransactions(10_000),
		30,
	),
	announcements(
		"inventory-small",
		"20,000 INVENTORY messages of one forged block id",
		(n) => madeUpBlocks(1, BigInt(70 + (n % 40))),
		20_000,
	),
	commits,
];
