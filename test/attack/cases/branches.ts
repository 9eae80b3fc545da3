/** Branches of blocks that no witness made. */

import { setTimeout as sleep } from "node:timers/promises";
import type { SignedBlock } from "../../../src/node/network/wire/application-messages.js";
import { producerWithKey } from "../../../src/node/production/slot-producer.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import {
	BlockHeaderRaw,
	Transaction,
	TransactionContract,
	TransactionContractContractType,
	TransactionRaw,
} from "../../../src/protocol/messages.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import { sealBlock } from "../../node/chain/sealed-block.js";
import { ask } from "../ask.js";
import { type Attack, attackerHost, caused } from "../attack.js";
import { AttackPeer } from "../attack-peer.js";
import { RICH_KEY } from "../template.js";
import type { Victim } from "../victim.js";

const SLOT_MS = 3000;

interface Place {
	readonly id: Uint8Array;
	readonly number: bigint;
	readonly timestampMs: number;
}

/** The block at this depth below the head; 0 is the head. */
async function below(victim: Victim, depth: number): Promise<Place> {
	const read = async (body: object): Promise<Place> => {
		const text = await ask(victim.ports.http, "/wallet/getblock", JSON.stringify({ detail: false, ...body }));
		const { blockID, block_header } = JSON.parse(text) as {
			blockID: string;
			block_header: { raw_data: { number: number; timestamp: number } };
		};
		const { number, timestamp } = block_header.raw_data;
		return { id: fromHex(blockID), number: BigInt(number), timestampMs: timestamp };
	};
	const head = await read({});
	return depth === 0 ? head : read({ id_or_num: String(Number(head.number) - depth) });
}

/** A large transaction that costs the attacker nothing. */
function ballast(bytes: number): SignedTransaction {
	const contract = [TransactionContract.create({ type: TransactionContractContractType.TransferContract })];
	const raw_data = TransactionRaw.create({ data: new Uint8Array(bytes), contract });
	return new SignedTransaction(Transaction.create({ raw_data }));
}

/** A chain of blocks, signed by a key other than that of the stated witness. */
function branchOn(
	place: Place,
	count: number,
	contents: readonly SignedTransaction[],
	firstMs: number,
): SignedBlock[] {
	const producer = producerWithKey(RICH_KEY);
	const blocks: SignedBlock[] = [];
	let parent: { readonly id: Uint8Array; readonly number: bigint } = place;
	for (let n = 0; n < count; n++) {
		const raw = BlockHeaderRaw.create({
			number: parent.number + 1n,
			parentHash: parent.id,
			timestamp: BigInt(firstMs + n * SLOT_MS),
			version: 32,
			witness_address: producer.witness,
		});
		const block = sealBlock(raw, contents, producer);
		blocks.push(block);
		parent = block;
	}
	return blocks;
}

interface Lie {
	/** How far below the head the branch forks. */
	readonly depth: number;
	/** Blocks of the branch. */
	readonly length: number;
	/** Transactions of each block. */
	readonly contents?: () => readonly SignedTransaction[];
	readonly configuration?: () => string;
}

/** Announces a longer chain, and serves its blocks. */
export function lieAbout(
	name: string,
	sends: string,
	{ depth, length, contents = () => [], configuration = () => "" }: Lie,
): Attack {
	return {
		name,
		sends,
		configuration,
		async run(victim, durationMs) {
			const outcomes: string[] = [];
			const inBlock = contents();
			let given = 0;
			const end = Date.now() + durationMs;
			for (let n = 0; Date.now() < end; n++) {
				const place = await below(victim, depth);
				const blocks = branchOn(place, length, inBlock, place.timestampMs + SLOT_MS);
				const tip = blocks.at(-1) as SignedBlock;
				const head = { id: tip.id, number: tip.number };
				const peer = await AttackPeer.greet(victim.ports, { host: attackerHost(n), head }).catch(
					() => undefined,
				);
				if (!peer) {
					await sleep(200);
					continue;
				}
				peer.serve(
					() => blocks,
					() => given++,
				);
				await peer.until(() => false, 3000);
				outcomes.push(peer.gone ?? "kept");
				peer.end();
			}
			return caused(outcomes, given, "blocks");
		},
	};
}

export const branches: readonly Attack[] = [
	lieAbout("branch-flood", "branches of 15 blocks of 900 KB, signed by a random key", {
		depth: 14,
		length: 15,
		contents: () => [ballast(900_000)],
	}),
	lieAbout("branch-longer", "branches one block longer than the chain, signed by a random key", {
		depth: 14,
		length: 15,
	}),
	lieAbout("branch-far", "the claim of a head 500 blocks ahead, and nothing but forged blocks", {
		depth: 5,
		length: 500,
	}),
];
