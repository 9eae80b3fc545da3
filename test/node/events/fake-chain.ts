/** A chain of real blocks without rules, whose transactions log, for feeds to follow. */

import type { ChainObserver, CommittedBlock } from "../../../src/node/chain/observers.js";
import type { EventConfig } from "../../../src/node/config/event-config.js";
import { Delivery } from "../../../src/node/events/delivery.js";
import type { EventBudget } from "../../../src/node/events/event-budget.js";
import type { EventChain } from "../../../src/node/events/loaded-block.js";
import {
	BROKER_LIMITS,
	type DeliveryPart,
	type Receiver,
} from "../../../src/node/events/receivers/receiver.js";
import { StoredBacklog } from "../../../src/node/events/stored-backlog.js";
import type { Slice } from "../../../src/node/scheduling/sliced-work.js";
import type { StateView } from "../../../src/node/state/view.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { readBe64 } from "../../../src/protocol/bytes.js";
import {
	Any,
	Block,
	BlockHeader,
	BlockHeaderRaw,
	Transaction,
	TransactionContract,
	TransactionContractContractType,
	TransactionInfo,
	TransactionInfoLog,
	TransactionRaw,
	TransactionRet,
	TransferContract,
} from "../../../src/protocol/messages.js";

const ADDRESS = Uint8Array.from({ length: 21 }, (_, i) => (i === 0 ? 0x41 : i));

function transactionOf(salt: number): Transaction {
	const value = TransferContract.encode(
		TransferContract.create({ owner_address: ADDRESS, to_address: ADDRESS, amount: BigInt(salt) }),
	);
	return Transaction.create({
		raw_data: TransactionRaw.create({
			timestamp: BigInt(salt),
			contract: [
				TransactionContract.create({
					type: TransactionContractContractType.TransferContract,
					parameter: Any.create({ type_url: "type.googleapis.com/protocol.TransferContract", value }),
				}),
			],
		}),
	});
}

interface Made {
	readonly block: SignedBlock;
	readonly infos: readonly TransactionInfo[];
}

/** @param salt what makes blocks of one height different */
function makeBlock(parent: SignedBlock | undefined, salt: number, logBytes = 1, logCount = 1): Made {
	const number = parent ? parent.number + 1n : 0n;
	const message = Block.create({
		transactions: number === 0n ? [] : [transactionOf(Number(number) * 1_000 + salt)],
		block_header: BlockHeader.create({
			raw_data: BlockHeaderRaw.create({
				number,
				timestamp: number * 3_000n + BigInt(salt),
				parentHash: parent?.id ?? new Uint8Array(32),
			}),
		}),
	});
	const block = SignedBlock.decode(Block.encode(message));
	const infos = block.transactions.map(({ id }) =>
		TransactionInfo.create({
			id,
			blockNumber: number,
			log: Array.from({ length: logCount }, () =>
				TransactionInfoLog.create({
					address: ADDRESS.subarray(1),
					data: new Uint8Array(logBytes).fill(salt),
				}),
			),
		}),
	);
	return { block, infos };
}

export class FakeChain {
	private made: Made[] = [makeBlock(undefined, 0)];
	private readonly observers = new Set<ChainObserver>();
	/** Blocks by which the solidified one lags. */
	lag = 3;
	private solid = 0;
	/** Length of the data of logs. */
	logBytes = 1;
	/** Logs of a block. */
	logCount = 1;
	/** Heights whose block can't be read. */
	readonly missing = new Set<number>();

	get head(): SignedBlock {
		return (this.made.at(-1) as Made).block;
	}

	get solidNumber(): number {
		return this.solid;
	}

	/** Ids of all blocks but the first. */
	get ids(): readonly string[] {
		return this.made.slice(1).map(({ block }) => block.idHex);
	}

	observe(observer: ChainObserver): () => void {
		this.observers.add(observer);
		return () => this.observers.delete(observer);
	}

	/** A delivery that has ended observes nothing. */
	forgetObservers(): void {
		this.observers.clear();
	}

	push(blocks: number, salt = 0): void {
		for (let count = 0; count < blocks; count++) {
			const made = makeBlock(this.head, salt, this.logBytes, this.logCount);
			this.made.push(made);
			this.moveSolid();
			for (const observer of this.observers) observer.committed?.({ ...made } as unknown as CommittedBlock);
		}
	}

	/** Leaves some blocks for others. */
	switch(leaves: number, brings: number, salt: number): void {
		const reverted = this.made.splice(this.made.length - leaves).reverse();
		const made: Made[] = [];
		for (let count = 0; count < brings; count++) {
			made.push(makeBlock(this.head, salt));
			this.made.push(made.at(-1) as Made);
		}
		this.moveSolid();
		const committed = made as unknown as readonly CommittedBlock[];
		for (const observer of this.observers) observer.reorg?.({ reverted, committed });
	}

	/** As a development chain is put back: also below the solidified number. */
	putBack(blocks: number): void {
		for (let count = 0; count < blocks; count++) {
			const made = this.made.at(-1) as Made;
			for (const observer of this.observers) observer.reorg?.({ reverted: [made], committed: [] });
			this.made.pop();
		}
		this.solid = Math.min(this.solid, Math.max(0, Number(this.head.number) - this.lag));
	}

	private moveSolid(): void {
		this.solid = Math.max(this.solid, Number(this.head.number) - this.lag);
	}

	get view(): EventChain {
		const chain = this;
		const none = { get: () => undefined };
		const transactionResult = {
			get: (key: Uint8Array) => {
				const made = chain.made[Number(readBe64(key))];
				return made && TransactionRet.create({ transactioninfo: [...made.infos] });
			},
		};
		return {
			state: {
				contract: none,
				abi: none,
				transactionHistory: none,
				blockIndex: { get: (key: Uint8Array) => chain.made[Number(readBe64(key))]?.block.id },
				transactionResult,
			} as unknown as StateView,
			get headNumber() {
				return chain.made.length - 1;
			},
			get solidNumber() {
				return chain.solid;
			},
			dialect: "neutral",
			block: (number) => (chain.missing.has(number) ? undefined : chain.made[number]?.block),
		};
	}
}

/** All messages of a block at once. */
export const onePart: DeliveryPart = { block: { number: 1n, idHex: "ab" }, part: 0, parts: 1 };

interface DeliveringOptions {
	readonly config: EventConfig;
	readonly chain: EventChain;
	readonly receiver: Receiver;
	readonly budget: EventBudget;
	readonly warn?: (text: string) => void;
	readonly pause?: (ms: number) => Promise<void>;
	readonly slice?: () => Slice;
	readonly file?: string | undefined;
	readonly formerFile?: string | undefined;
	readonly isSolid?: boolean;
	readonly fromBlock?: number | undefined;
}

/** A delivery at least once, under the name "a". */
export function storedDelivery(options: DeliveringOptions) {
	const { receiver, config, warn = () => {}, pause = async () => {}, fromBlock } = options;
	const common = { ...options, name: "a", warn, info: () => {} };
	const first = config.version === 1 && config.startBlock > 0n ? Number(config.startBlock) : undefined;
	const backlog = new StoredBacklog({
		...common,
		file: options.file,
		limits: receiver.limits ?? BROKER_LIMITS,
		slice: options.slice ?? unsliced,
		fromBlock: fromBlock ?? first,
	});
	return new Delivery({ ...common, backlog, pause });
}

/** Time that is over after each step, until it is waited for. */
export function sliced(): Slice {
	let isOver = false;
	return {
		get over() {
			const was = isOver;
			isOver = true;
			return was;
		},
		yield: async () => {
			await new Promise((resolve) => setImmediate(resolve));
			isOver = false;
		},
	};
}

/** Time that is never over. */
export const unsliced = (): Slice => ({ over: false, yield: async () => {} });
