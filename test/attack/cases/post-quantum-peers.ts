/**
 * Post-quantum fields of handshakes and announced headers, on a node whose witnesses have classical keys:
 * none may cost more than checking lengths and a key's address.
 */

import { setTimeout as sleep } from "node:timers/promises";
import {
	ApplicationType,
	decodeInventory,
	encodeInventory,
	type HelloMessage,
	InventoryKind,
	type SignedBlock as Sealed,
} from "../../../src/node/network/wire/application-messages.js";
import { producerWithKey } from "../../../src/node/production/slot-producer.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { concatBytes, equalBytes, fromHex } from "../../../src/protocol/bytes.js";
import { UnknownFields } from "../../../src/protocol/codec/unknown-fields.js";
import { Block, BlockHeader, BlockHeaderRaw, PQAuthSig } from "../../../src/protocol/messages.js";
import { headerFieldOf, helloFieldOf } from "../../../src/protocol/post-quantum/fields.js";
import { sealBlock } from "../../node/chain/sealed-block.js";
import { type Attack, attackerHost, caused } from "../attack.js";
import { AttackPeer } from "../attack-peer.js";
import { configuration, entryOf } from "./post-quantum.js";
import { headOf } from "./transactions.js";

const SENDERS = 8;
const SLOT_MS = 3000;
const entry = entryOf(1);
const HELLO_FIELD = 0x62;
const HEADER_FIELD = 0x1a;

/** As many empty signatures as fit. */
function emptyFields(tag: number, bytes: number): UnknownFields {
	const encoded = new Uint8Array(bytes);
	for (let at = 0; at < bytes; at += 2) encoded[at] = tag;
	const fields = new UnknownFields();
	fields.append(encoded, 0, encoded.length);
	return fields;
}

/** Fields of a handshake, and the expected disconnect reason; undefined if none. */
const GREETINGS: readonly (readonly [fields: UnknownFields | undefined, reason: string | undefined])[] = [
	[helloFieldOf(entry), undefined],
	[helloFieldOf(PQAuthSig.create({ ...entry, scheme: 9 })), "INCOMPATIBLE_PROTOCOL"],
	[helloFieldOf(PQAuthSig.create({ ...entry, signature: new Uint8Array(9) })), "INCOMPATIBLE_PROTOCOL"],
	[helloFieldOf(PQAuthSig.create({ ...entry, signature: new Uint8Array(20_000) })), "BAD_PROTOCOL"],
	[emptyFields(HELLO_FIELD, 12_000), "INCOMPATIBLE_PROTOCOL"],
];

const greetings: Attack = {
	name: "pq-greetings",
	sends:
		"greetings with right, oversize, unknown, wrong and 6,000 empty post-quantum signatures, from 8 peers",
	configuration,
	async run(victim, durationMs) {
		const outcomes: string[] = [];
		const wrong: string[] = [];
		const end = Date.now() + durationMs;
		const sender = async (n: number): Promise<void> => {
			for (let round = 0; Date.now() < end; round++) {
				const number = n + SENDERS * round;
				const [fields, reason] = GREETINGS[number % GREETINGS.length] as (typeof GREETINGS)[number];
				const greeting = (right: HelloMessage): HelloMessage => Object.assign(right, { $unknown: fields });
				const options = { host: attackerHost(number), greeting };
				const peer = await AttackPeer.greet(victim.ports, options).catch(() => undefined);
				if (!peer?.hello) {
					await sleep(100);
					continue;
				}
				await peer.until(() => false, 500);
				outcomes.push(peer.gone ?? "kept");
				if (peer.gone !== reason) wrong.push(`${peer.gone ?? "kept"} in place of ${reason ?? "kept"}`);
				peer.end();
			}
		};
		await Promise.all(Array.from({ length: SENDERS }, (_, n) => sender(n)));
		// Some connections may be refused for lack of slots; most must end for the expected reason.
		const judged = outcomes.length - wrong.length;
		if (wrong.length > judged) throw new Error(`not for the greeting's own reason: ${wrong[0]}`);
		return caused(outcomes, judged, "greetings judged");
	},
};

/** Fields replacing a header's signature. */
const FORGED_FIELDS: readonly (UnknownFields | undefined)[] = [
	headerFieldOf(entry),
	headerFieldOf(PQAuthSig.create({ ...entry, signature: new Uint8Array(1_900_000) })),
	headerFieldOf(PQAuthSig.create({ ...entry, public_key: new Uint8Array(1_900_000) })),
	headerFieldOf(PQAuthSig.create({ ...entry, scheme: 9 })),
	emptyFields(HEADER_FIELD, 1_900_000),
];

interface Parent {
	readonly id: Uint8Array;
	readonly timestampMs: number;
}

/** A block on the head with a witness's address and a forged signature. */
function forged({ id, timestampMs }: Parent, number: bigint, variant: number, keepsOwn: boolean): Sealed {
	const key = new Uint8Array(32);
	key[31] = 1;
	const raw = BlockHeaderRaw.create({
		number,
		parentHash: id,
		timestamp: BigInt(timestampMs + SLOT_MS) - BigInt(variant % 1000),
		version: 36,
		witness_address: producerWithKey(key).witness,
	});
	const { message } = sealBlock(raw, [], producerWithKey(key));
	const header = BlockHeader.create(message.block_header as BlockHeader);
	header.$unknown = FORGED_FIELDS[variant % FORGED_FIELDS.length];
	if (!keepsOwn) header.witness_signature = new Uint8Array(0);
	return SignedBlock.decode(Block.encode(Block.create({ block_header: header })));
}

const headers: Attack = {
	name: "pq-headers",
	sends:
		"announced blocks in a classical witness's name whose post-quantum signature is oversize, unknown, forged or 950,000 times empty, from 8 peers",
	configuration,
	async run(victim, durationMs) {
		const outcomes: string[] = [];
		let given = 0;
		let variant = 0;
		const end = Date.now() + durationMs;
		const sender = async (n: number): Promise<void> => {
			for (let round = 0; Date.now() < end; round++) {
				const host = attackerHost(n + SENDERS * round);
				const peer = await AttackPeer.greet(victim.ports, { host }).catch(() => undefined);
				if (!peer?.hello) {
					await sleep(100);
					continue;
				}
				const head = await headOf(victim);
				const id = fromHex(head.blockID);
				const number = BigInt(`0x${head.blockID.slice(0, 16)}`) + 1n;
				const timestampMs = Number(head.block_header.raw_data.timestamp);
				const block = forged({ id, timestampMs }, number, variant++, variant % 4 === 0);
				peer.on(ApplicationType.FETCH_INV_DATA, (payload) => {
					if (!decodeInventory(payload).ids.some((wanted) => equalBytes(wanted, block.id))) return;
					peer.say(ApplicationType.BLOCK, concatBytes(block.bytes));
					given++;
				});
				peer.say(ApplicationType.INVENTORY, encodeInventory(InventoryKind.BLOCK, [block.id]));
				await peer.until(() => false, 1500);
				outcomes.push(peer.gone ?? "kept");
				peer.end();
			}
		};
		await Promise.all(Array.from({ length: SENDERS }, (_, n) => sender(n)));
		if (!outcomes.includes("BAD_BLOCK")) throw new Error("no header's signature was looked at");
		return caused(outcomes, given, "blocks");
	},
};

export const postQuantumPeers: readonly Attack[] = [greetings, headers];
