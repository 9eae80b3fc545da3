/**
 * Version 0 of the event service: publishes events as blocks are applied (protocol/events §2.1). Up to
 * release 4.8.1 the network's node publishes only logs for a reorg; later ones also retract reverted blocks.
 */

import type { TransactionInfo } from "../../protocol/messages.js";
import { transactionInfosOf } from "../chain/block-store.js";
import type { ExecutedBlock } from "../chain/observers.js";
import { oneStep, type Work } from "../scheduling/sliced-work.js";
import type { ContractTrigger } from "./contract-triggers.js";
import type { BlockFollower } from "./event-service.js";
import { type EventChain, type LoadedBlock, loadedBlock } from "./loaded-block.js";
import { type BlockLogs, type EventSender, LIVE_LOGS, SOLID_LOGS } from "./sending.js";

interface LiveOptions {
	readonly chain: EventChain;
	readonly sender: EventSender;
	/** Runs work in FIFO order. */
	readonly run: (work: Work) => void;
	/** Whether everything up to the solidified block was published earlier. */
	readonly hasPublished?: boolean | undefined;
}

interface KeptLog {
	readonly trigger: ContractTrigger;
	readonly removed: boolean;
}

/** The logs of an unsolidified height. */
interface KeptLogs {
	readonly logs: KeptLog[];
	characters: number;
}

interface KeptBlock {
	readonly idHex: string;
	readonly infos: readonly Readonly<TransactionInfo>[];
}

export class LiveEvents implements BlockFollower {
	/** Logs by height in publishing order, kept until the height is solidified. */
	private readonly logs = new Map<number, KeptLogs>();
	private keptCharacters = 0;
	/** Heights whose logs were too long to keep, with the solidified number at their first publication. */
	private readonly remade = new Map<number, number>();
	/** Receipts from execution, of unsolidified blocks. */
	private readonly receipts = new Map<number, KeptBlock>();
	/** Solidified number of the current head, before the next block. */
	private solid: number;
	/** Solidified number of the head before a reorg. */
	private solidBeforeReorg: number;
	private published: { block: number | undefined; transaction: number | undefined; solidity: number };

	constructor(private readonly options: LiveOptions) {
		const { chain, hasPublished = false } = options;
		this.solid = chain.solidNumber;
		this.solidBeforeReorg = this.solid;
		const late = hasPublished ? this.solid : undefined;
		this.published = { block: late, transaction: late, solidity: this.solid };
	}

	reorg(): void {
		const begins = (): void => {
			this.solidBeforeReorg = this.solid;
		};
		this.options.run(oneStep(begins));
	}

	reverted(block: ExecutedBlock): void {
		this.options.run(this.revert(block));
	}

	committed(block: ExecutedBlock, inReorg: boolean): void {
		this.options.run(this.apply(block, inReorg, this.options.chain.solidNumber));
	}

	/** A development chain was rewound or replaced: the kept logs belong to another chain. */
	replaced(): void {
		const solid = this.options.chain.solidNumber;
		this.options.run(oneStep(() => this.replace(solid)));
	}

	private *revert({ block, infos }: ExecutedBlock): Work {
		const number = Number(block.number);
		this.receipts.delete(number);
		const { sender } = this.options;
		if (sender.wantsLive) yield* this.revertLogs({ block, infos });
		if (sender.tellsRemoved) yield* this.publishAtOnce({ block, infos }, this.solidBeforeReorg, true);
	}

	private *revertLogs({ block, infos }: ExecutedBlock): Work {
		const number = Number(block.number);
		const { sender } = this.options;
		const kept = this.logs
			.get(number)
			?.logs.filter(({ trigger, removed }) => !removed && trigger.members["blockHash"] === block.idHex)
			.map(({ trigger }) => trigger);
		// The same objects as the kept ones.
		const logs = kept
			? { triggers: kept, characters: 0 }
			: yield* sender.logsOf(this.loaded({ block, infos }, this.solidBeforeReorg));
		yield* sender.inOrder(logs.triggers, LIVE_LOGS, true);
		this.keep(number, logs, true, this.solidBeforeReorg);
	}

	private *apply({ block, infos }: ExecutedBlock, inReorg: boolean, solid: number): Work {
		const { sender } = this.options;
		const number = Number(block.number);
		const before = inReorg ? this.solidBeforeReorg : this.solid;
		this.solid = solid;
		this.receipts.set(number, { idHex: block.idHex, infos });
		const logs = yield* sender.logsOf(this.loaded({ block, infos }, before));
		yield* sender.inOrder(logs.triggers, LIVE_LOGS);
		this.keep(number, logs, false, before);
		if (inReorg) {
			if (sender.tellsRemoved) yield* this.publishAtOnce({ block, infos }, solid, false);
			return;
		}
		for (const loaded of this.due("block", { block, infos })) {
			sender.block(loaded);
			yield;
		}
		yield* this.publishSolidLogs();
		for (const loaded of this.due("transaction", { block, infos })) yield* sender.transactions(loaded);
		yield* this.publishSolid();
	}

	/** Publishes a reorg's block and its transactions, unless the topics wait for solidification. */
	private *publishAtOnce(executed: ExecutedBlock, solid: number, removed: boolean): Work {
		const { sender } = this.options;
		if (sender.wants("block") && !sender.isLate("block")) sender.block(this.loaded(executed, solid), removed);
		yield;
		if (sender.wants("transaction") && !sender.isLate("transaction")) {
			yield* sender.transactions(this.loaded(executed, solid), removed);
		}
	}

	private replace(solid: number): void {
		this.logs.clear();
		this.remade.clear();
		this.keptCharacters = 0;
		this.receipts.clear();
		this.solid = solid;
		this.solidBeforeReorg = solid;
		this.published = { block: undefined, transaction: undefined, solidity: solid };
	}

	/** Blocks now due for a kind: this one, or all newly solidified ones (at first only the highest). */
	private *due(kind: "block" | "transaction", committed: ExecutedBlock): Generator<LoadedBlock> {
		const { solid } = this;
		const { sender } = this.options;
		if (!sender.wants(kind)) return;
		if (!sender.isLate(kind)) {
			yield this.loaded(committed, solid);
			return;
		}
		for (let number = (this.published[kind] ?? solid - 1) + 1; number <= solid; number++) {
			const loaded = this.ofChain(number);
			if (loaded) yield loaded;
		}
		this.published[kind] = solid;
	}

	private *publishSolidLogs(): Work {
		const { sender } = this.options;
		const heights = [...this.logs.keys(), ...this.remade.keys()].filter((number) => number <= this.solid);
		for (const number of heights.sort((a, b) => a - b)) {
			const kept = this.logs.get(number)?.logs ?? (yield* this.remadeLogs(number));
			for (const { trigger, removed } of kept) {
				sender.log(trigger, SOLID_LOGS, removed);
				yield;
			}
			for (const { trigger, removed } of kept) {
				sender.event(trigger, SOLID_LOGS, removed);
				yield;
			}
			this.drop(number);
			this.remade.delete(number);
		}
	}

	/** From the chain's current block: retracted logs of that height are no longer known. */
	private *remadeLogs(number: number): Work<readonly KeptLog[]> {
		const loaded = this.ofChain(number, this.remade.get(number));
		if (!loaded) return [];
		const { triggers } = yield* this.options.sender.logsOf(loaded);
		return triggers.map((trigger) => ({ trigger, removed: false }));
	}

	private drop(number: number): void {
		this.keptCharacters -= this.logs.get(number)?.characters ?? 0;
		this.logs.delete(number);
	}

	private *publishSolid(): Work {
		const { solid, published } = this;
		const { sender, chain } = this.options;
		if (sender.wants("solidity")) {
			for (let number = published.solidity + 1; number <= solid; number++) {
				const block = chain.block(number);
				if (block) sender.solidified(block);
				yield;
			}
		}
		published.solidity = solid;
		for (const number of this.receipts.keys()) if (number <= solid) this.receipts.delete(number);
	}

	private keep(number: number, { triggers, characters }: BlockLogs, removed: boolean, solid: number): void {
		const { sender } = this.options;
		if (!sender.wantsSolid && !sender.wantsLive) return;
		if (triggers.length === 0) return;
		if (this.remade.has(number)) {
			this.remade.set(number, solid);
			return;
		}
		if (this.keptCharacters + characters > sender.maxKept) {
			this.drop(number);
			this.remade.set(number, solid);
			return;
		}
		const kept = this.logs.get(number) ?? { logs: [], characters: 0 };
		for (const trigger of triggers) kept.logs.push({ trigger, removed });
		kept.characters += characters;
		this.keptCharacters += characters;
		this.logs.set(number, kept);
	}

	private ofChain(number: number, solid = this.solid): LoadedBlock | undefined {
		const { chain } = this.options;
		const block = chain.block(number);
		if (!block) return undefined;
		const kept = this.receipts.get(number);
		const infos = kept?.idHex === block.idHex ? kept.infos : transactionInfosOf(chain.state, block);
		return this.loaded({ block, infos }, solid);
	}

	private loaded(block: ExecutedBlock, solid: number): LoadedBlock {
		return loadedBlock(this.options.chain, block, BigInt(solid));
	}
}
