/** The old blocks of a data directory: moved into segments, while reads still go through one database. */

import { setTimeout as sleep } from "node:timers/promises";
import { BlockMover, lowestStored, MOVER_LIMITS, type MoverLimits } from "../segments/block-mover.js";
import { type SegmentFiles, segmentFilesOnDisk } from "../segments/segment-files.js";
import { SegmentedDatabase } from "../segments/segmented-database.js";
import { Segments, segmentsDirectory } from "../segments/segments.js";
import type { CacheBudget } from "../state/cache-budget.js";
import type { KeyValueDatabase } from "../state/database.js";
import { stores } from "../state/definition.js";
import { rowsOfSections } from "./section-bloom.js";

export class OldBlocks {
	private mover: BlockMover | undefined;
	private onFailure: (error: unknown) => void = () => {};
	private stored = 0n;
	/** The move in progress; resolves when everything due has been moved. */
	moving: Promise<void> | undefined;

	private constructor(
		private readonly database: KeyValueDatabase,
		private readonly segments: Segments,
		/** The database including what the segments hold. */
		readonly storage: KeyValueDatabase,
		private readonly lowestInDatabase: bigint,
	) {}

	/** @throws {DatabaseError} if a segment is missing or not what it was */
	static async open(
		database: KeyValueDatabase,
		dataDirectory: string,
		files: SegmentFiles = segmentFilesOnDisk,
		budget?: CacheBudget,
	): Promise<OldBlocks> {
		const segments = await Segments.open(
			database,
			segmentsDirectory(dataDirectory),
			files,
			budget?.segmentBytes,
		);
		const lowest = segments.list[0]?.first ?? (await lowestStored(database)) ?? 0n;
		return new OldBlocks(database, segments, new SegmentedDatabase(database, segments), lowest);
	}

	/** The lowest stored block besides genesis; 0: there was none on opening. */
	get lowest(): bigint {
		const { list, next } = this.segments;
		return list[0]?.first ?? next ?? this.lowestInDatabase;
	}

	/**
	 * Starts moving blocks whenever enough of them are due.
	 * @param keep how many of the newest stay; undefined: all
	 * @param onFailure told if that can't go on
	 */
	start(
		limits: MoverLimits = MOVER_LIMITS,
		keep: number | undefined,
		onFailure: (error: unknown) => void,
	): void {
		const mover = new BlockMover({
			database: this.database,
			segments: this.segments,
			stored: () => this.stored,
			limits,
			keep,
			keysOf: logIndexKeys,
			now: () => performance.now(),
			pause: async (ms) => {
				await sleep(ms, undefined, { ref: false });
			},
		});
		this.mover = mover;
		this.onFailure = onFailure;
		this.move();
	}

	/** The database now holds all blocks up to one that can't be undone. */
	storedUpTo(number: bigint): void {
		this.stored = number;
		this.move();
	}

	private move(): void {
		this.moving = this.mover?.run();
		this.moving?.catch((error: unknown) => this.onFailure(error));
	}

	/** All entries of the database itself at one moment, without the segments. */
	storedEntries(): AsyncIterable<readonly [Uint8Array, Uint8Array]> {
		return this.database.entries(new Uint8Array(0));
	}

	/** Closes the segments; the database stays open. */
	release(): void {
		this.segments.close();
	}

	/** Stops moving; after that nothing reads the database for it. */
	async stop(): Promise<void> {
		await this.mover?.stop();
		this.mover = undefined;
	}
}

/** Log index rows whose last block is in the range. */
function* logIndexKeys(first: bigint, last: bigint): Generator<Uint8Array> {
	for (const key of rowsOfSections(first, last)) {
		yield Buffer.concat([Uint8Array.of(stores.sectionBloom.index), key]);
	}
}
