/**
 * A peer that greets as it should and then says many things, some of them true: it announces and delivers, claims to be
 * ahead and gives lists, votes, asks, and between all that sends damage and bodies that swell when they are uncompressed.
 */

import {
	ApplicationType,
	decodeInventory,
	decodeSyncBlockChain,
	encodeBlockChainInventory,
	encodeInventory,
	encodeSyncBlockChain,
	encodeTransactions,
	HelloMessage,
	helloBlockId,
	InventoryKind,
	PBFTCommitResult,
	PBFTMessage,
	PBFTMessageRaw,
} from "../../../../src/node/network/wire/application-messages.js";
import { TransportType, writeKeepAlive } from "../../../../src/node/network/wire/transport-messages.js";
import { SignedBlock } from "../../../../src/protocol/block.js";
import { be64, concatBytes, toKey } from "../../../../src/protocol/bytes.js";
import { Block, BlockHeader, BlockHeaderRaw } from "../../../../src/protocol/messages.js";
import type { SignedTransaction } from "../../../../src/protocol/transaction.js";
import type { ModelChain } from "../../../simulation/model-chain.js";
import { modelTransaction } from "../../../simulation/traffic.js";
import type { SimulatedWorld } from "../../../simulation/world.js";
import type { Attacker } from "./attacker.js";
import { mutate } from "./mutation.js";
import { helloOf } from "./offences.js";

/** Elements of swollen bodies: unknown fields, empty embedded messages, views of one byte. */
const SWELLING = ["7801", "0a00", "1200", "120100", "0a020a00", "2a00", "fb07fc07"];
const TYPES = [0x02, 0x03, 0x06, 0x07, 0x08, 0x09, 0x14, 0x20, 0x21, 0x22, 0x34, 0x40, 0xff, 0xfe, 0xfd];
const MAX_KEPT = 500;

export class Conversation {
	private readonly transactions = new Map<string, SignedTransaction>();
	private readonly blocks = new Map<string, SignedBlock>();

	constructor(
		private readonly world: SimulatedWorld,
		private readonly chain: ModelChain,
		private readonly attacker: Attacker,
		private readonly corpus: readonly Uint8Array[],
	) {
		attacker.onApplication = (type, payload) => this.answer(type, payload);
	}

	/** Says who it is: as high as the victim, or higher by as many blocks as it would like. */
	greet(): void {
		const { random } = this.world;
		const hello = helloOf(this.chain, this.world.now);
		if (random.chance(0.4)) {
			const number = this.chain.head.number + BigInt(random.between(1, 3000));
			hello.headBlockId = helloBlockId({ id: concatBytes(be64(number), random.bytes(24)), number });
		}
		this.attacker.say(ApplicationType.P2P_HELLO, HelloMessage.encode(hello));
	}

	/** One thing to say. */
	step(): void {
		const { random } = this.world;
		switch (random.below(9)) {
			case 0:
				this.announceTransactions();
				return;
			case 1:
				this.announceBlocks();
				return;
			case 2:
				this.ask();
				return;
			case 3:
				this.vote();
				return;
			case 4:
				this.ping();
				return;
			case 5:
				this.swell();
				return;
			case 6:
				this.deliver();
				return;
			case 7:
				for (let i = random.below(30); i > 0; i--) this.announceBlocks();
				return;
			default:
				this.attacker.raw(random.bytes(random.below(3)));
		}
	}

	private say(type: number, payload: Uint8Array): void {
		const { random } = this.world;
		this.attacker.say(type, random.chance(0.1) ? mutate(payload, random, this.corpus) : payload);
	}

	private announceTransactions(): void {
		const { random, now } = this.world;
		const made = Array.from({ length: random.between(1, 40) }, () =>
			modelTransaction(random, BigInt(Math.trunc(now))),
		);
		if (this.transactions.size < MAX_KEPT)
			for (const each of made) this.transactions.set(toKey(each.id), each);
		this.say(
			ApplicationType.INVENTORY,
			encodeInventory(
				InventoryKind.TX,
				made.map(({ id }) => id),
			),
		);
	}

	private announceBlocks(): void {
		const { random } = this.world;
		const ids = Array.from({ length: random.between(1, 60) }, () => {
			const block = this.forge(this.chain.head.number + BigInt(random.between(-5, 200)));
			return block.id;
		});
		this.say(ApplicationType.INVENTORY, encodeInventory(InventoryKind.BLOCK, ids));
	}

	/** A block without a signature. */
	private forge(number: bigint, parentHash = this.world.random.bytes(32)): SignedBlock {
		const { random, now } = this.world;
		const raw = BlockHeaderRaw.create({
			number,
			parentHash,
			timestamp: BigInt(Math.trunc(now)) - BigInt(random.below(5000)),
			witness_address: this.chain.activeWitnesses[0] ?? random.bytes(21),
		});
		const header = BlockHeader.create({ raw_data: raw, witness_signature: random.bytes(65) });
		const block = new SignedBlock(Block.create({ block_header: header }));
		if (this.blocks.size < MAX_KEPT) this.blocks.set(toKey(block.id), block);
		return block;
	}

	private ask(): void {
		const { random } = this.world;
		const height = BigInt(random.below(Number(this.chain.head.number) + 1));
		const ref = { id: this.chain.idAt(height) as Uint8Array, number: height };
		for (let i = random.below(5); i >= 0; i--) {
			this.say(ApplicationType.SYNC_BLOCK_CHAIN, encodeSyncBlockChain([this.chain.genesis, ref]));
		}
		if (random.chance(0.5)) {
			this.say(ApplicationType.FETCH_INV_DATA, encodeInventory(InventoryKind.BLOCK, [ref.id]));
		}
	}

	private vote(): void {
		const { random } = this.world;
		const view_n = this.chain.head.number + BigInt(random.between(-30, 30));
		const raw = PBFTMessageRaw.create({
			msg_type: random.below(6) as PBFTMessageRaw["msg_type"],
			data_type: random.below(2) as PBFTMessageRaw["data_type"],
			view_n,
			epoch: this.chain.nextMaintenanceMs,
			data: random.bytes(32),
		});
		if (random.chance(0.7)) {
			const signature = Array.from({ length: random.below(60) }, () => random.bytes(65));
			const commit = PBFTCommitResult.create({ data: PBFTMessageRaw.encode(raw), signature });
			this.say(ApplicationType.PBFT_COMMIT_MSG, PBFTCommitResult.encode(commit));
			return;
		}
		const message = PBFTMessage.create({ raw_data: raw, signature: random.bytes(65) });
		this.say(ApplicationType.PBFT_MSG, PBFTMessage.encode(message));
	}

	private ping(): void {
		const { random } = this.world;
		const ping = writeKeepAlive(TransportType.PING, this.world.now);
		const trailing = Buffer.alloc(
			2 * random.below(random.chance(0.1) ? 1000 : 20),
			Buffer.from("7801", "hex"),
		);
		this.attacker.say(ping[0] as number, concatBytes(ping.subarray(1), trailing));
		this.attacker.say(ApplicationType.P2P_PING, Uint8Array.of(0xc0));
	}

	/** Some kilobytes on the wire, up to five megabytes behind it. */
	private swell(): void {
		const { random } = this.world;
		const bytes = random.chance(0.2) ? random.below(5_200_000) : random.below(60_000);
		const body = Buffer.alloc(bytes, Buffer.from(random.pick(SWELLING), "hex"));
		this.attacker.say(random.pick(TYPES), body);
	}

	/** What may have been asked for, and what was not. */
	private deliver(): void {
		const { random } = this.world;
		const blocks = [...this.blocks.values()];
		const transactions = [...this.transactions.values()];
		if (blocks.length > 0 && random.chance(0.5)) this.say(ApplicationType.BLOCK, random.pick(blocks).bytes);
		else if (transactions.length > 0) {
			this.say(ApplicationType.TXS, encodeTransactions([random.pick(transactions)]));
		}
	}

	/** Mostly gives what it is asked for, as it should. */
	private answer(type: number, payload: Uint8Array): void {
		const { random } = this.world;
		if (random.chance(0.2) || !this.attacker.isOpen) return;
		if (type === ApplicationType.SYNC_BLOCK_CHAIN) this.giveList(payload);
		else if (type === ApplicationType.FETCH_INV_DATA) this.give(payload);
	}

	private giveList(payload: Uint8Array): void {
		const { random } = this.world;
		const [first] = decodeSyncBlockChain(payload);
		if (!first) return;
		const ids = [first];
		let parent = first.id;
		for (let i = random.below(120); i > 0; i--) {
			const block = this.forge(first.number + BigInt(ids.length), parent);
			ids.push({ id: block.id, number: block.number });
			parent = block.id;
		}
		this.say(ApplicationType.BLOCK_CHAIN_INVENTORY, encodeBlockChainInventory({ ids, remain: 0n }));
	}

	private give(payload: Uint8Array): void {
		const { kind, ids } = decodeInventory(payload);
		if (kind === InventoryKind.BLOCK) {
			for (const id of ids) {
				const block = this.blocks.get(toKey(id));
				if (block) this.say(ApplicationType.BLOCK, this.fatten(block.bytes));
			}
			return;
		}
		const found = ids.flatMap((id) => this.transactions.get(toKey(id)) ?? []);
		if (found.length > 0) this.say(ApplicationType.TXS, this.fatten(encodeTransactions(found)));
	}

	/** At times with a lot behind it: empty transactions, or unknown fields. */
	private fatten(bytes: Uint8Array): Uint8Array {
		const { random } = this.world;
		if (!random.chance(0.05)) return bytes;
		return concatBytes(
			bytes,
			Buffer.alloc(random.below(1_900_000) & ~1, Buffer.from(random.pick(["0a00", "7801"]), "hex")),
		);
	}
}
