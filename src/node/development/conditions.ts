/**
 * Runtime settings of a development chain besides its state: clock, sealing mode, how far the irreversible
 * state lags, and whose transactions count without a signature (protocol/development-chain §§3, 4.3, 4.4).
 * The chain's rules read them as their schedule.
 */

import { fromKey, toKey } from "../../protocol/bytes.js";
import type { DevelopmentSchedule } from "../rules/chain-rules.js";

/** `instant`, `manual`, or the interval in milliseconds. */
export type SealMode = "instant" | "manual" | { readonly intervalMs: number };

/** The part of the conditions stored in a snapshot. */
export interface CapturedConditions {
	readonly offsetMs: bigint;
	readonly nextTimestampMs: bigint | undefined;
	readonly solidLag: bigint;
	readonly unlocked: readonly string[];
	readonly unlockAll: boolean;
}

interface ConditionsOptions {
	/** Address of the only producer. */
	readonly producer: Uint8Array;
	readonly seal: SealMode;
	readonly solidLag: bigint;
	readonly unstakeDelayMs: bigint | undefined;
	/** Accounts that may act unsigned from the start. */
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
	/** Requested time of the next block. */
	nextTimestampMs: bigint | undefined;
	/** Every account may act unsigned. */
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

	/** Makes the chain's clock follow another clock than the machine's. */
	follow(wallClock: () => bigint): void {
		this.wallClock = wallClock;
	}

	/** The chain's time, in milliseconds. */
	readonly now = (): bigint => this.wallClock() + this.offsetMs;

	/** Sets the clock. */
	setTime(ms: bigint): void {
		this.offsetMs = ms - this.wallClock();
	}

	/** Minimum lifetime of transactions; the producer itself may seal at any time. */
	get slotMs(): bigint {
		return this.sealing || typeof this.sealMode === "string" ? 1n : BigInt(this.sealMode.intervalMs);
	}

	/** Runs a block sealing, which is exempt from the interval. */
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

	/** Accounts that may act unsigned. */
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

	/** Resets to the initial conditions, except for the sealing mode. */
	reset(): void {
		const { solidLag, unlocked, unlockAll } = this.options;
		const names = unlocked.map(toKey);
		this.restore({ offsetMs: 0n, nextTimestampMs: undefined, solidLag, unlocked: names, unlockAll });
	}
}
