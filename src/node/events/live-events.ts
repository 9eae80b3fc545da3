/**
 * Version 0 of the event service: events are told while blocks are applied (protocol/events §2.1). After a move to another branch its
 * blocks and transactions are not told, only their logs, as the network's node has it.
 */

import type { SignedBlock } from "../../protocol/block.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import type { ChainObserver, ErasedBlock } from "../chain/observers.js";
import { receiptsOf } from "../history/stored-blocks.js";
import type { ContractTrigger } from "./contract-triggers.js";
import type { EventChain, LoadedBlock } from "./loaded-block.js";
import { type BlockLogs, type EventSender, LIVE_LOGS, SOLID_LOGS } from "./sending.js";

interface KeptLog {
	readonly trigger: ContractTrigger;
	readonly removed: boolean;
}

/** The logs of a height that isn't solidified. */
interface KeptLogs {
	readonly logs: KeptLog[];
	characters: number;
}

interface KeptBlock {
	readonly idHex: string;
	readonly infos: readonly Readonly<TransactionInfo>[];
}

export class LiveEvents implements ChainObserver {
	/** Logs by height, in the order of telling, until the height is solidified. */
	private readonly logs = new Map<number, KeptLogs>();
	private keptCharacters = 0;
	/** Heights whose logs were too long to be kept, with what was solidified when they were published first. */
	private readonly remade = new Map<number, number>();
	/** Receipts of the moment of execution, of blocks that aren't solidified. */
	private readonly receipts = new Map<number, KeptBlock>();
	/** As of the head before the next block. */
	private solid: number;
	/** As of the head before a move to another branch. */
	private solidBeforeSwitch: number;
	private told: { block: number | undefined; transaction: number | undefined; solidity: number };

	/** @param hasTold everything up to the solidified block has been told before */
	constructor(
		private readonly chain: EventChain,
		private readonly sender: EventSender,
		hasTold = false,
	) {
		this.solid = chain.solidNumber;
		this.solidBeforeSwitch = this.solid;
		const late = hasTold ? this.solid : undefined;
		this.told = { block: late, transaction: late, solidity: this.solid };
	}

	switched(): void {
		this.solidBeforeSwitch = this.solid;
	}

	erased({ block, infos }: ErasedBlock): void {
		const number = Number(block.number);
		this.receipts.delete(number);
		const { sender } = this;
		if (!sender.wantsLive) return;
		const kept = this.logs
			.get(number)
			?.logs.filter(({ trigger, removed }) => !removed && trigger.members["blockHash"] === block.idHex)
			.map(({ trigger }) => trigger);
		// The same objects as those that are kept already.
		const logs = kept
			? { triggers: kept, characters: 0 }
			: sender.logsOf(this.loaded(block, infos, this.solidBeforeSwitch));
		sender.inOrder(logs.triggers, LIVE_LOGS, true);
		this.keep(number, logs, true, this.solidBeforeSwitch);
	}

	applied({ block, infos }: ErasedBlock, switching: boolean): void {
		const { sender, chain } = this;
		const number = Number(block.number);
		const before = switching ? this.solidBeforeSwitch : this.solid;
		this.solid = chain.solidNumber;
		this.receipts.set(number, { idHex: block.idHex, infos });
		const logs = sender.logsOf(this.loaded(block, infos, before));
		sender.inOrder(logs.triggers, LIVE_LOGS);
		this.keep(number, logs, false, before);
		if (switching) return;
		if (sender.wants("block")) this.tell("block", block, infos, (loaded) => sender.block(loaded));
		this.tellSolidLogs();
		if (sender.wants("transaction")) {
			this.tell("transaction", block, infos, (loaded) => sender.transactions(loaded));
		}
		this.tellSolid();
	}

	/** A development chain was put back, or replaced: what was kept is of another chain. */
	replaced(): void {
		this.logs.clear();
		this.remade.clear();
		this.keptCharacters = 0;
		this.receipts.clear();
		this.solid = this.chain.solidNumber;
		this.solidBeforeSwitch = this.solid;
		this.told = { block: undefined, transaction: undefined, solidity: this.solid };
	}

	/** This block, or all that are solidified now; the first time only the highest of them. */
	private tell(
		kind: "block" | "transaction",
		block: SignedBlock,
		infos: readonly Readonly<TransactionInfo>[],
		send: (loaded: LoadedBlock) => void,
	): void {
		const { solid, sender } = this;
		if (!sender.isLate(kind)) {
			send(this.loaded(block, infos, solid));
			return;
		}
		for (let number = (this.told[kind] ?? solid - 1) + 1; number <= solid; number++) {
			const loaded = this.ofChain(number);
			if (loaded) send(loaded);
		}
		this.told[kind] = solid;
	}

	private tellSolidLogs(): void {
		const { sender } = this;
		const heights = [...this.logs.keys(), ...this.remade.keys()].filter((number) => number <= this.solid);
		for (const number of heights.sort((a, b) => a - b)) {
			const kept = this.logs.get(number)?.logs ?? this.remadeLogs(number);
			for (const { trigger, removed } of kept) sender.log(trigger, SOLID_LOGS, removed);
			for (const { trigger, removed } of kept) sender.event(trigger, SOLID_LOGS, removed);
			this.drop(number);
			this.remade.delete(number);
		}
	}

	/** Of the chain's own block: what was taken back at that height isn't known any more. */
	private remadeLogs(number: number): readonly KeptLog[] {
		const loaded = this.ofChain(number, this.remade.get(number));
		if (!loaded) return [];
		return this.sender.logsOf(loaded).triggers.map((trigger) => ({ trigger, removed: false }));
	}

	private drop(number: number): void {
		this.keptCharacters -= this.logs.get(number)?.characters ?? 0;
		this.logs.delete(number);
	}

	private tellSolid(): void {
		const { solid, sender, told } = this;
		if (sender.wants("solidity")) {
			for (let number = told.solidity + 1; number <= solid; number++) {
				const block = this.chain.block(number);
				if (block) sender.solidified(block);
			}
		}
		told.solidity = solid;
		for (const number of this.receipts.keys()) if (number <= solid) this.receipts.delete(number);
	}

	private keep(number: number, { triggers, characters }: BlockLogs, removed: boolean, solid: number): void {
		if (!this.sender.wantsSolid && !this.sender.wantsLive) return;
		if (triggers.length === 0) return;
		if (this.remade.has(number)) {
			this.remade.set(number, solid);
			return;
		}
		if (this.keptCharacters + characters > this.sender.maxKept) {
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
		const block = this.chain.block(number);
		if (!block) return undefined;
		const kept = this.receipts.get(number);
		const infos = kept?.idHex === block.idHex ? kept.infos : receiptsOf(this.chain.state, block);
		return this.loaded(block, infos, solid);
	}

	private loaded(
		block: SignedBlock,
		infos: readonly Readonly<TransactionInfo>[],
		solid: number,
	): LoadedBlock {
		const { state, dialect } = this.chain;
		return { block, infos, state, solidNumber: BigInt(solid), dialect };
	}
}
