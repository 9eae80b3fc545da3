/** Operations on the segments of a data directory that no node has open (protocol/command-line §7). */

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { yieldToEventLoop } from "../node/scheduling/time-slice.js";
import { segmentFilesOnDisk } from "../node/segments/segment-files.js";
import {
	type NotedSegment,
	notedName,
	noteKey,
	Segments,
	segmentsDirectory,
} from "../node/segments/segments.js";
import { SignedBlock } from "../protocol/block.js";
import { equalBytes } from "../protocol/bytes.js";
import { useFastHashing } from "../protocol/hash.js";
import { Failure } from "../wallet/failure.js";
import { withDatabase } from "./database-work.js";

/** Opens the segments listed in a database for an operation. @throws {Failure} `start_failed`, `not_found` */
function withSegments<T>(
	dataDirectory: string,
	database: string,
	work: (segments: Segments) => Promise<T> | T,
): Promise<T> {
	return withDatabase(dataDirectory, relative(dataDirectory, database), async (opened) => {
		const segments = await Segments.open(opened, segmentsDirectory(dataDirectory), segmentFilesOnDisk);
		try {
			return await work(segments);
		} finally {
			segments.close();
		}
	});
}

/** The segments of a directory, oldest first. */
export function listSegments(dataDirectory: string, database: string): Promise<readonly NotedSegment[]> {
	return withSegments(dataDirectory, database, ({ list }) => [...list]);
}

interface CheckedSegments {
	readonly segments: number;
	readonly blocks: number;
	readonly bytes: number;
}

/**
 * Verifies every group of every segment: it is unchanged, and its blocks are consecutive.
 * @param onBlocks called with the number of blocks read, and the total; returns false to stop
 * @returns undefined if it was stopped
 * @throws {Failure} `start_failed` with the file and what is wrong with it
 */
export async function checkSegments(
	dataDirectory: string,
	database: string,
	onBlocks: (blocks: number, of: number) => boolean,
): Promise<CheckedSegments | undefined> {
	await useFastHashing();
	return withSegments(dataDirectory, database, async (segments) => {
		const { list } = segments;
		const of = list.reduce((sum, { first, last }) => sum + Number(last - first) + 1, 0);
		let blocks = 0;
		let parent: Uint8Array | undefined;
		for (const note of list) {
			for (const { ids, blocks: rows } of segments.check(note)) {
				for (const [at, id] of ids.entries()) {
					const block = rows[at] && SignedBlock.decode(rows[at]);
					const isNext = block && equalBytes(block.id, id) && (!parent || equalBytes(block.parentId, parent));
					if (!isNext) throw damaged(segments.pathOf(note), id);
					parent = id;
				}
				blocks += ids.length;
				if (!onBlocks(blocks, of)) return undefined;
				await yieldToEventLoop();
			}
		}
		return { segments: list.length, blocks, bytes: list.reduce((sum, { bytes }) => sum + bytes, 0) };
	});
}

function damaged(path: string, id: Buffer): Failure {
	const number = id.readBigUInt64BE(0);
	return new Failure(
		"start_failed",
		`the segment ${path} is damaged: block ${number} doesn't follow the one before`,
	);
}

/** Removes unlisted files, which a killed process left of a segment that was rewritten or never completed. */
export async function removeStrays(dataDirectory: string, database: string): Promise<void> {
	const directory = segmentsDirectory(dataDirectory);
	if (!existsSync(directory)) return;
	await withSegments(dataDirectory, database, ({ list }) => {
		const noted = new Set(list.map(({ first }) => notedName(noteKey(first))));
		for (const name of readdirSync(directory)) {
			if (/^\d{12}\.seg(\.new)?$/.test(name) && !noted.has(name)) rmSync(join(directory, name));
		}
	});
}
