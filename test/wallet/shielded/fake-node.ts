/** A node with blocks that a test makes: transactions of the chain's own pool, without anybody's checking them. */

import { blockId } from "../../../src/protocol/block.js";
import { fromHex, toHex, utf8 } from "../../../src/protocol/bytes.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { BlockHeaderRaw } from "../../../src/protocol/messages.js";
import type { NoteToSend, NoteToSpend } from "../../../src/protocol/sapling/descriptions.js";
import type { ShieldedKeys } from "../../../src/protocol/sapling/key-set.js";
import { buildShieldedTransfer } from "../../../src/protocol/sapling/transfer-builder.js";
import type { SignedTransaction } from "../../../src/protocol/transaction.js";
import { nodeSettings } from "../../../src/wallet/configuration/settings.js";
import type { JsonRecord } from "../../../src/wallet/json.js";
import { NodeClient } from "../../../src/wallet/node/node-client.js";
import { SimulatedProver, seededRandom } from "./simulated-prover.js";

interface FakeBlock {
	readonly id: Uint8Array;
	readonly answer: JsonRecord;
}

export class FakeNode extends NodeClient {
	blocks: FakeBlock[] = [];
	/** Blocks that can still be replaced. */
	loose = 0;
	/** Endpoints as they were asked. */
	readonly asked: string[] = [];

	constructor() {
		super(nodeSettings({ node: "http://127.0.0.1:1" }));
		this.add();
	}

	/** The next block. @param branch blocks of another one have other ids */
	add(transactions: readonly SignedTransaction[] = [], branch = "main"): void {
		const number = BigInt(this.blocks.length);
		const parentHash = sha256(utf8(branch));
		const raw = BlockHeaderRaw.create({ number, timestamp: number * 3000n, parentHash });
		const id = blockId(number, sha256(BlockHeaderRaw.encode(raw)));
		const answer: JsonRecord = {
			blockID: toHex(id),
			block_header: { raw_data: { number, timestamp: number * 3000n, parentHash: toHex(parentHash) } },
			transactions: transactions.map(({ idHex, rawBytes }) => ({
				txID: idHex,
				raw_data: { contract: [{ type: "ShieldedTransferContract" }] },
				raw_data_hex: toHex(rawBytes),
				ret: [{ contractRet: "SUCCESS" }],
			})),
		};
		this.blocks.push({ id, answer });
	}

	override async call(endpoint: string, request: object): Promise<JsonRecord> {
		this.asked.push(endpoint);
		const numbers = request as { num?: bigint; startNum?: bigint; endNum?: bigint };
		switch (endpoint) {
			case "getnowblock":
				return this.last.answer;
			case "getblockbynum":
				return this.blocks[Number(numbers.num)]?.answer ?? {};
			case "getblockbylimitnext":
				return {
					block: this.blocks
						.slice(Number(numbers.startNum), Number(numbers.endNum))
						.map(({ answer }) => answer),
				};
			case "getnodeinfo":
				return { solidityBlock: `Num:${this.solid},ID:00` };
			default:
				throw new Error(`${endpoint} is not answered here`);
		}
	}

	/** What is irreversible is asked for by number alone. */
	override readonly settings = { ...nodeSettings({ node: "http://127.0.0.1:1" }), solidity: undefined };

	private get last(): FakeBlock {
		return this.blocks.at(-1) as FakeBlock;
	}

	private get solid(): number {
		return Math.max(0, this.blocks.length - 1 - this.loose);
	}
}

const prover = new SimulatedProver();
const random = seededRandom("fake node");

/** A transaction of the chain's own pool. @param keys of whoever spends */
export async function poolTransaction(
	outputs: readonly NoteToSend[],
	spends: readonly NoteToSpend[] = [],
	keys?: ShieldedKeys,
): Promise<SignedTransaction> {
	const { full, spending, ovk } = keys ?? {};
	return await buildShieldedTransfer(
		{
			...(full && spending ? { keys: { ak: full.ak, nsk: spending.nsk, ask: spending.ask } } : {}),
			spends,
			outputs,
			ovk: ovk ?? random(32),
		},
		{
			refBlockBytes: fromHex("0000"),
			refBlockHash: new Uint8Array(8),
			expirationMs: 1n,
			timestampMs: BigInt(random(4)[0] ?? 0),
		},
		"000000",
		{ prover, random },
	);
}
