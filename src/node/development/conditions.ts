/**
 * What can be changed on a development chain while it runs, beside its state: the clock, how blocks are sealed, how far
 * the irreversible state lags, whose transactions count without a signature (protocol/development-chain §§3, 4.3, 4.4). The rules of the
 * chain read it as their schedule.
 */

import { fromKey, toKey } from "../../protocol/bytes.js";
import type { DevelopmentSchedule } from "../rules/chain-rules.js";

/** `instant`, `manual`, or the interval in milliseconds. */
export type SealMode = "instant" | "manual" | { readonly intervalMs: number };

/** What a snapshot keeps of the conditions. */
export interface CapturedConditions {
	readonly offsetMs: bigint;
	readonly nextTimestampMs: bigint | undefined;
	readonly solidLag: bigint;
	readonly unlocked: readonly string[];
	readonly unlockAll: boolean;
}

interface ConditionsOptions {
	/** Address of the one producer. */
	readonly producer: Uint8Array;
	readonly seal: SealMode;
	readonly solidLag: bigint;
	readonly unstakeDelayMs: bigint | undefined;
	/** Accounts that act unsigned from the start. */
	readonly unlocked: readonly Uint8Array[];
	readonly unlockAll: boolean;
}

export class DevelopmentConditions implements DevelopmentSchedule {
	readonly producers: readonly Uint8Array[];
	readonly unstakeDelayMs: bigint | undefined;
	sealMode: SealMode;
	solidLag: bigint;
	/** Milliseconds that the chain's clock is ahead of the wall clock; may be negative. */
	offsetMs = 0n;
	/** Time of the next block, asked for by hand. */
	nextTimestampMs: bigint | undefined;
	/** Every account acts unsigned. */
	unlockAll: boolean;
	private unlocked: Set<string>;
	private sealing = false;
	private wallClock: () => bigint = () => BigInt(Date.now());

	constructor(private readonly options: ConditionsOptions) {
		this.producers = [options.producer];
		this.unstakeDelayMs = options.unstakeDelayMs;
		this.sealMode = options.seal;
		this.solidLag = options.solidLag;
		this.unlockAll = options.unlockAll;
		this.unlocked = new Set(options.unlocked.map(toKey));
	}

	/** Lets the chain's clock follow another one than the machine's. */
	follow(wallClock: () => bigint): void {
		this.wallClock = wallClock;
	}

	/** The chain's time, in milliseconds. */
	readonly now = (): bigint => this.wallClock() + this.offsetMs;

	/** Sets the clock. */
	setTime(ms: bigint): void {
		this.offsetMs = ms - this.wallClock();
	}

	/** Transactions must live this long; the producer itself may seal at any time. */
	get slotMs(): bigint {
		return this.sealing || typeof this.sealMode === "string" ? 1n : BigInt(this.sealMode.intervalMs);
	}

	/** Runs the work of sealing a block, which no interval binds. */
	whileSealing<T>(work: () => T): T {
		this.sealing = true;
		try {
			return work();
		} finally {
			this.sealing = false;
		}
	}

	readonly actsUnsigned = (owner: Uint8Array): boolean => this.unlockAll || this.unlocked.has(toKey(owner));

	unlock(account: Uint8Array): void {
		this.unlocked.add(toKey(account));
	}

	lock(account: Uint8Array): void {
		this.unlocked.delete(toKey(account));
	}

	/** Accounts that act unsigned. */
	get unlockedAccounts(): readonly Uint8Array[] {
		return [...this.unlocked].map(fromKey);
	}

	capture(): CapturedConditions {
		const { offsetMs, nextTimestampMs, solidLag, unlockAll } = this;
		return { offsetMs, nextTimestampMs, solidLag, unlockAll, unlocked: [...this.unlocked] };
	}

	restore(captured: CapturedConditions): void {
		this.offsetMs = captured.offsetMs;
		this.nextTimestampMs = captured.nextTimestampMs;
		this.solidLag = captured.solidLag;
		this.unlockAll = captured.unlockAll;
		this.unlocked = new Set(captured.unlocked);
	}

	/** As at the start; the way of sealing stays. */
	reset(): void {
		const { solidLag, unlocked, unlockAll } = this.options;
		const names = unlocked.map(toKey);
		this.restore({ offsetMs: 0n, nextTimestampMs: undefined, solidLag, unlocked: names, unlockAll });
	}
}
