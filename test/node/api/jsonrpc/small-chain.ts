/** A state with a few blocks whose transactions left logs; nothing of it is executed. */

import { indexLogs } from "../../../../src/node/chain/section-bloom.js";
import { createMemoryDatabase } from "../../../../src/node/state/database.js";
import { StateDatabase } from "../../../../src/node/state/state-database.js";
import { createView, type StateView } from "../../../../src/node/state/view.js";
import { SignedBlock } from "../../../../src/protocol/block.js";
import { be64 } from "../../../../src/protocol/bytes.js";
import {
	Block,
	BlockHeader,
	BlockHeaderRaw,
	TransactionInfo,
	TransactionInfoLog,
	TransactionRet,
} from "../../../../src/protocol/messages.js";

/** A log by numbers: its address, then its topics. */
export type LogNumbers = readonly [address: number, ...topics: readonly number[]];

export const address = (n: number): Uint8Array => Buffer.alloc(20, n);
export const topic = (n: number): Uint8Array => Buffer.alloc(32, n);

/** One transaction a list of logs. */
export function infosOf(transactions: readonly (readonly LogNumbers[])[]): TransactionInfo[] {
	return transactions.map((logs, i) =>
		TransactionInfo.create({
			id: topic(0xa0 + i),
			log: logs.map(([from, ...topics]) =>
				TransactionInfoLog.create({ address: address(from), topics: topics.map(topic) }),
			),
		}),
	);
}

export function emptyBlock(number: bigint, salt = 0): SignedBlock {
	const raw_data = BlockHeaderRaw.create({ number, timestamp: number * 3000n + BigInt(salt) });
	return SignedBlock.decode(Block.encode(Block.create({ block_header: BlockHeader.create({ raw_data }) })));
}

export class SmallChain {
	private constructor(readonly state: StateView) {}

	static async create(): Promise<SmallChain> {
		const database = await StateDatabase.open(createMemoryDatabase());
		const seed = { genesisTimestampMs: 0n, maintenanceIntervalMs: 0n, committee: () => 0n };
		return new SmallChain(createView(database.headBackend, seed));
	}

	/** Puts a block on top. @param indexed whether the index of logs was kept */
	add(
		number: bigint,
		transactions: readonly (readonly LogNumbers[])[] = [],
		{ indexed = true, solidified = 0n, salt = 0 } = {},
	): { block: SignedBlock; infos: readonly TransactionInfo[] } {
		const { state } = this;
		const block = emptyBlock(number, salt);
		const infos = infosOf(transactions);
		for (const info of infos) info.blockTimeStamp = block.timestampMs;
		state.block.put(block.id, block.bytes);
		state.blockIndex.put(be64(number), block.id);
		if (infos.length > 0) {
			state.transactionResult.put(be64(number), TransactionRet.create({ transactioninfo: infos }));
		}
		if (indexed) indexLogs(state, number, infos);
		state.properties.set("latest_block_header_number", number);
		state.properties.set("latest_block_header_hash", block.id);
		state.properties.set("LATEST_SOLIDIFIED_BLOCK_NUM", solidified);
		return { block, infos };
	}
}
