/**
 * What the owner of a development chain can do: seal blocks, move the clock, revert to snapshots, edit the
 * state, impersonate accounts (protocol/development-chain §4). Every change happens between two blocks.
 */

import { randomUUID } from "node:crypto";
import { toHex } from "../../protocol/bytes.js";
import type { CommittedBlock } from "../chain/observers.js";
import type { OpenChain } from "../chain/open-chain.js";
import type { Sealer } from "../production/sealer.js";
import { TimeSlice } from "../scheduling/time-slice.js";
import type { StateMark } from "../state/state-history.js";
import { createView, type StateView } from "../state/view.js";
import type { AccountBatch, AccountBook } from "./accounts.js";
import type { DevelopmentConditions, SealMode } from "./conditions.js";
import { Snapshots } from "./snapshots.js";
import { makeMaintenanceDue, setBalance } from "./state-edits.js";
import { dumpState, loadState } from "./state-file.js";

/** A time that the chain can't accept. */
export class TimeError extends Error {
	override readonly name = "TimeError";
}

/** The latest possible date, in the year 275760: times up to it stay within 64 bits. */
const LAST_TIME_MS = 8_640_000_000_000_000n;

function checkPossible(ms: bigint): void {
	if (ms > LAST_TIME_MS) throw new TimeError(`timestamp must be at most ${LAST_TIME_MS} ms`);
}

/** How to seal blocks manually. */
export interface MineRequest {
	/** Default: 1. */
	readonly blocks?: number | undefined;
	/** Interval between their times. */
	readonly intervalMs?: bigint | undefined;
	/** Time of the first. */
	readonly timestampMs?: bigint | undefined;
}

interface ControlOptions {
	readonly open: OpenChain;
	readonly sealer: Sealer;
	readonly conditions: DevelopmentConditions;
	readonly book: AccountBook;
	/** Turns log lines about blocks and contracts on or off. */
	readonly setLogging?: ((on: boolean) => void) | undefined;
}

/** Milliseconds for which manual sealing may block other work. */
const MINING_MS = 50;

export class DevelopmentControl {
	readonly snapshots: Snapshots;
	/** Changes at every start and reset. */
	instanceId = newInstanceId();

	/** State to which a fork resets: the other node may no longer have its initial state. */
	private readonly start: StateMark | undefined;

	constructor(readonly options: ControlOptions) {
		const { open, conditions } = options;
		if (open.isFork) this.start = open.history.mark();
		this.snapshots = new Snapshots(open.chain, open.history, conditions);
	}

	get open(): OpenChain {
		return this.options.open;
	}

	get conditions(): DevelopmentConditions {
		return this.options.conditions;
	}

	get book(): AccountBook {
		return this.options.book;
	}

	get state(): StateView {
		return this.open.chain.state;
	}

	/** Runs a change between two blocks, and persists what no block contains. */
	private change<T>(work: () => T | Promise<T>): Promise<T> {
		return this.options.sealer.exclusive(async () => {
			const result = await work();
			await this.open.persist();
			return result;
		});
	}

	/** Edits the state immediately, outside blocks. */
	edit<T>(work: (state: StateView) => T): Promise<T> {
		return this.change(() => this.editState(work));
	}

	/** @param work writes to a view that is only valid during the call; pending transactions are re-executed */
	private editState<T>(work: (state: StateView) => T): T {
		const { chain, history, seed } = this.open;
		const waiting = chain.suspend();
		try {
			return work(createView(history.editBackend, seed));
		} finally {
			chain.resume(waiting);
		}
	}

	/** Seals blocks now, with all waiting transactions. @returns the last one @throws {TimeError} */
	mine({ blocks = 1, intervalMs, timestampMs }: MineRequest = {}): Promise<CommittedBlock> {
		if (timestampMs !== undefined) this.checkTime(timestampMs);
		const first = timestampMs ?? this.conditions.now();
		checkPossible(first + BigInt(blocks) * (intervalMs ?? 0n));
		const { sealer } = this.options;
		return sealer.exclusive(async () => {
			const slice = new TimeSlice(MINING_MS);
			let last = sealer.seal({ byHand: true, timestampMs });
			for (let sealed = 1; sealed < blocks; sealed++) {
				if (slice.over) await slice.yield();
				const next = intervalMs === undefined ? undefined : last.block.timestampMs + intervalMs;
				last = sealer.seal({ byHand: true, timestampMs: next });
			}
			// Explicit times become the chain's time.
			if (last.block.timestampMs > this.conditions.now() && (timestampMs ?? intervalMs) !== undefined) {
				this.conditions.setTime(last.block.timestampMs);
			}
			return last;
		});
	}

	setSealing(mode: SealMode): Promise<void> {
		return this.options.sealer.exclusive(() => this.options.sealer.setMode(mode));
	}

	/** Moves the clock forward. @returns how far it is ahead of the wall clock, in ms @throws {TimeError} */
	increaseTime(ms: bigint): bigint {
		if (ms < 0n) throw new TimeError("timestamp must be > 0");
		checkPossible(this.conditions.now() + ms);
		this.conditions.offsetMs += ms;
		return this.conditions.offsetMs;
	}

	/** Sets the clock. @throws {TimeError} for a time before the head's */
	setTime(ms: bigint): void {
		this.checkTime(ms);
		this.conditions.setTime(ms);
	}

	/** Sets the time of the next block; later ones continue from there. @throws {TimeError} */
	setNextTimestamp(ms: bigint): void {
		this.checkTime(ms);
		this.conditions.nextTimestampMs = ms;
	}

	private checkTime(ms: bigint): void {
		if (ms <= 0n) throw new TimeError("timestamp must be > 0");
		checkPossible(ms);
		if (ms <= this.state.properties.headTimestampMs) {
			throw new TimeError("timestamp must be greater than the head block's");
		}
	}

	/** Seals a block that performs the maintenance. */
	async maintain(): Promise<CommittedBlock> {
		return this.change(() => {
			const { nextTimestampMs, now } = this.conditions;
			const nowMs = nextTimestampMs ?? now();
			this.editState((state) => makeMaintenanceDue(state, nowMs));
			return this.options.sealer.seal({ byHand: true });
		});
	}

	snapshot(): Promise<string> {
		return this.options.sealer.exclusive(() => this.snapshots.take(this.book.more.length));
	}

	/** @throws {SnapshotError} */
	revert(id: string): Promise<void> {
		return this.change(() => this.book.keep(this.snapshots.revert(id)));
	}

	/** @throws {SnapshotError} */
	dropSnapshot(id: string): void {
		this.snapshots.drop(id);
	}

	/** Drops pending transactions. @param idHex a single one; undefined: all @returns how many */
	dropTransactions(idHex?: string): Promise<number> {
		return this.change(() => {
			const { chain } = this.open;
			const waiting = chain.suspend();
			const kept = waiting.filter(
				({ transaction }) => idHex !== undefined && transaction.idHex !== idHex.toLowerCase(),
			);
			chain.resume(kept);
			return waiting.length - kept.length;
		});
	}

	/** Derives and funds a batch of accounts, in one block. */
	async addAccounts(count: number, balanceSun: bigint): Promise<AccountBatch> {
		return this.change(async () => {
			const batch = await this.book.nextBatch(count, balanceSun);
			this.fund(batch);
			this.book.add(batch);
			return batch;
		});
	}

	/** Tops up the initial accounts to at least their initial balance. */
	async fundAccounts(): Promise<void> {
		await this.change(() => this.fund(this.book.primary));
	}

	private fund({ accounts }: AccountBatch): void {
		this.editState((state) => {
			for (const { address, balanceSun } of accounts) {
				if ((state.account.get(address)?.balance ?? -1n) < balanceSun) setBalance(state, address, balanceSun);
			}
		});
		this.options.sealer.seal({ byHand: true });
	}

	/** @returns gzip */
	dump(): Promise<Uint8Array> {
		return this.options.sealer.exclusive(() => dumpState(this.open));
	}

	/** Replaces the whole state; snapshots are lost. @throws {StateFileError} */
	load(dump: Uint8Array): Promise<void> {
		return this.change(async () => {
			await loadState(this.open, dump);
			this.snapshots.clear();
			const { timestampMs } = this.head;
			if (timestampMs > this.conditions.now()) this.conditions.setTime(timestampMs);
		});
	}

	private returnToStart(start: StateMark): void {
		const { chain, history } = this.open;
		chain.announceUndoing(start.blocks.at(-1)?.number ?? start.base.settled);
		chain.suspend();
		history.returnTo(start);
		chain.resume([]);
	}

	/** Resets chain, clock and unlocked accounts. A fork returns to its state at the start of the node. */
	reset(): Promise<void> {
		return this.change(async () => {
			if (this.start) this.returnToStart(this.start);
			else await this.open.replaceState(undefined);
			this.snapshots.clear();
			this.conditions.reset();
			this.book.keep(0);
			this.instanceId = newInstanceId();
			this.options.sealer.seal({ byHand: true });
		});
	}

	/** The head block's number and id, and its time. */
	get head(): { readonly number: bigint; readonly idHex: string; readonly timestampMs: bigint } {
		const { properties } = this.state;
		return {
			number: properties.headNumber,
			idHex: toHex(properties.headId),
			timestampMs: properties.headTimestampMs,
		};
	}
}

function newInstanceId(): string {
	return `0x${toHex(Buffer.from(randomUUID().replaceAll("-", ""), "hex"))}`;
}
