/**
 * A chain on a simulated disk: it repeatedly runs until its process crashes during a write, the machine loses
 * power, or the disk is full, and is reopened. Reproducible by seed.
 */

import { LogAccessError, LogDamagedError } from "../../src/node/chain/block-log.js";
import type { OpenChain } from "../../src/node/chain/open-chain.js";
import { ChainError } from "../../src/node/rules/errors.js";
import { DatabaseError } from "../../src/node/state/database.js";
import { openSmall, produce, smallConfig, transfer, users } from "../node/chain/small-chain.js";
import { compareWithReplay } from "../soak/replayed-state.js";
import { ProcessDiedError, SimulatedDisk } from "./disk.js";
import { Randomness } from "./randomness.js";

export interface StorageResult {
	readonly seed: number;
	readonly description: string;
	readonly failures: readonly string[];
	readonly restarts: number;
}

const LIVES = 6;
const DIRECTORY = "/simulated";
const LIMITS = { entries: 60, logBytes: 12_000 };
/** Enough for any start. */
const ENOUGH_BYTES = 1 << 30;

type End = "kill" | "power" | "full" | "close";

/** What the chain has reported to others. */
interface Told {
	readonly transactions: Set<string>;
	readonly blocks: Map<bigint, string>;
}

export async function runStorage(seed: number): Promise<StorageResult> {
	return new StorageRun(seed).run();
}

class StorageRun {
	private readonly random: Randomness;
	private readonly disk: SimulatedDisk;
	private readonly isSynced: boolean;
	private readonly failures: string[] = [];
	private readonly ends: End[] = [];
	private told: Told = { transactions: new Set(), blocks: new Map() };
	private hasFailed = false;

	constructor(private readonly seed: number) {
		this.random = new Randomness(seed).branch("storage");
		this.disk = new SimulatedDisk(this.random.branch("disk"));
		this.isSynced = this.random.chance(0.5);
	}

	async run(): Promise<StorageResult> {
		for (let life = 0; life < LIVES && this.failures.length === 0; life++) {
			const end = this.random.pick<End>(["kill", "kill", "power", "power", "full", "close"]);
			this.ends.push(end);
			try {
				await this.live(end);
			} catch (error) {
				this.fail(`life ${life}, ${end}: ${(error as Error).stack}`);
			}
		}
		if (this.failures.length === 0) await this.checkWhole();
		const description = `${this.isSynced ? "synced" : "not synced"}, ${this.ends.join(" ")}`;
		return { seed: this.seed, description, failures: this.failures, restarts: this.ends.length };
	}

	private fail(message: string): void {
		this.failures.push(message);
	}

	private async open(): Promise<OpenChain> {
		this.hasFailed = false;
		const config = smallConfig();
		return openSmall({
			config: { ...config, storage: { ...config.storage, sync: this.isSynced } },
			dataDirectory: DIRECTORY,
			storage: await this.disk.database(),
			logFiles: this.disk.files(),
			flushLimits: LIMITS,
			onStorageFailure: () => {
				this.hasFailed = true;
			},
		});
	}

	/** Opens, works, and ends, possibly while opening. */
	private async live(end: End): Promise<void> {
		const { disk, random } = this;
		if (end === "full") disk.space = random.below(random.chance(0.3) ? 500 : 60_000);
		if (end === "kill" || end === "power") disk.writesLeft = random.below(random.chance(0.2) ? 12 : 250);
		try {
			const open = await this.open();
			this.checkTold(open);
			await this.work(open);
			if (end === "close" || end === "full") await open.close();
		} catch (error) {
			if (!this.isExpected(error, end)) throw error;
		}
		// Pending actions of the dead process have no effect.
		if (end === "power") {
			disk.losePower();
			if (!this.isSynced) this.told = { transactions: new Set(), blocks: new Map() };
		} else disk.kill();
		disk.space = ENOUGH_BYTES;
	}

	private isExpected(error: unknown, end: End): boolean {
		if (!(error instanceof Error) || error.message.includes("\n")) return false;
		if (end === "full") {
			const isSpace = error instanceof LogAccessError || error instanceof DatabaseError;
			return isSpace && /space/.test(error.message);
		}
		if (end === "close") return false;
		return error instanceof ProcessDiedError || error instanceof LogAccessError;
	}

	/** Nothing reported may be lost, except by a power loss without syncing every record. */
	private checkTold({ chain }: OpenChain): void {
		for (const [number, id] of this.told.blocks) {
			const found = chain.blockByNumber(number)?.idHex;
			if (found !== id) this.fail(`block ${number} was ${id} and is ${found}`);
		}
		for (const id of this.told.transactions) {
			if (!chain.state.transaction.has(Buffer.from(id, "hex")))
				this.fail(`transaction ${id} was accepted and is gone`);
		}
	}

	private async work(open: OpenChain): Promise<void> {
		const { random } = this;
		for (let step = random.between(5, 80); step > 0 && !this.hasFailed; step--) {
			if (random.chance(0.6)) this.pay(open);
			else {
				const block = produce(open, BigInt(random.between(1, 3)));
				this.told.blocks.set(block.number, block.idHex);
			}
			while (open.chain.executeWaiting());
			if (random.chance(0.3)) for (let i = random.below(40); i > 0; i--) await undefined;
		}
	}

	private pay(open: OpenChain): void {
		const { random } = this;
		const from = random.below(users.length);
		const to = users[random.below(users.length)] as Uint8Array;
		const payment = transfer(open, from, to, BigInt(random.between(1, 1_000_000)));
		try {
			open.chain.pushTransaction(payment);
			this.told.transactions.add(payment.idHex);
		} catch (error) {
			if (!(error instanceof ChainError)) throw error;
		}
	}

	/** Checks that the state equals that of replaying the blocks. */
	private async checkWhole(): Promise<void> {
		try {
			const open = await this.open();
			this.checkTold(open);
			const fresh = await openSmall();
			await compareWithReplay(open, fresh);
			await open.close();
			// After a clean close, it opens again with the same head.
			const again = await this.open();
			if (again.chain.head.idHex !== open.chain.head.idHex) this.fail("another head after a close");
		} catch (error) {
			const kind = error instanceof LogDamagedError ? "damage where there was none" : "at the end";
			this.fail(`${kind}: ${(error as Error).stack}`);
		}
	}
}
