/** Adopts a reference node's data directory: checks the target and the free space, and reports progress (protocol/command-line §7). */

import { existsSync, statfsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
	type Adopted,
	type AdoptionOptions,
	type AdoptionProgress,
	adopt,
	judgeSource,
} from "../node/adoption/adoption.js";
import type { BlockChoice } from "../node/adoption/adoption-mark.js";
import { type AdoptionCost, adoptionCost } from "../node/adoption/cost.js";
import { openForeignStore } from "../node/adoption/engine/foreign-store.js";
import { type Expected, type Judgement, parseExpectedBlock } from "../node/adoption/judgement.js";
import { openSourceDirectory } from "../node/adoption/source-directory.js";
import { ADOPTION_KEY, leftByChain, openDataDirectory, readMeta } from "../node/chain/data-directory.js";
import type { KeyValueDatabase } from "../node/state/database.js";
import { setAddressPrefix } from "../protocol/address.js";
import { useFastHashing } from "../protocol/hash.js";
import { Failure } from "../wallet/failure.js";
import { type ConfigSource, readConfig } from "./config-source.js";
import { withStartFailures } from "./run-node.js";

export interface AdoptionRequest {
	/** The reference node's directory. */
	readonly source: string;
	readonly dataDirectory: string;
	readonly config: ConfigSource;
	readonly blocks: BlockChoice;
	/** `<height>:<id>`. */
	readonly expect: string | undefined;
}

interface Cost extends AdoptionCost {
	/** Free space at the new directory's location, in bytes. */
	readonly free: number;
}

/** Checks the source without writing anything. @throws {Failure} `start_failed` with one sentence */
export async function judgeAdoption(request: AdoptionRequest): Promise<Judgement & { readonly cost: Cost }> {
	return withStartFailures(async () => {
		const { config, source, block } = await prepare(request);
		const { judgement } = await judgeSource(source, config, block);
		const free = freeBytes(request.dataDirectory);
		return { ...judgement, cost: { ...adoptionCost(judgement, request.blocks), free } };
	});
}

/**
 * Adopts the source, or resumes an earlier run.
 * @param onCost called with the estimated time and space before anything is written
 * @returns undefined if it was stopped
 * @throws {Failure} `start_failed` with one sentence
 */
export async function runAdoption(
	request: AdoptionRequest,
	onProgress: AdoptionOptions["onProgress"],
	onCost: (cost: Cost) => void = () => {},
): Promise<Adopted | undefined> {
	return withStartFailures(async () => {
		const { dataDirectory, blocks } = request;
		const { config, source, block } = await prepare(request);
		const judged = await judgeSource(source, config, block);
		// An earlier run has already used some of the space.
		if (!existsSync(join(dataDirectory, config.storage.directory))) {
			const cost = adoptionCost(judged.judgement, blocks);
			const free = freeBytes(dataDirectory);
			if (cost.needed > free) throw noRoom(dataDirectory, "adoption", cost.needed, free);
			onCost({ ...cost, free });
		}
		const database = await openDataDirectory(dataDirectory, config.storage.directory);
		try {
			if (!database.get(ADOPTION_KEY)) await refuseChain(database, dataDirectory, "adopt");
			return await adopt(judged, database, dataDirectory, { config, blocks, onProgress });
		} finally {
			await database.close();
		}
	});
}

async function prepare({ source, config: named, expect }: AdoptionRequest) {
	const config = await readConfig(named);
	setAddressPrefix(config.net.addressPrefix);
	await useFastHashing();
	const block = expect === undefined ? undefined : expectedBlock(expect);
	return { config, block, source: openSourceDirectory(resolve(source), openForeignStore) };
}

function expectedBlock(text: string): Expected["block"] {
	try {
		return parseExpectedBlock(text);
	} catch (error) {
		throw new Failure("bad_value", `--expect: ${(error as Error).message}`);
	}
}

/** Free space in bytes at the location of an existing or future directory. */
export function freeBytes(dataDirectory: string): number {
	let place = resolve(dataDirectory);
	while (!existsSync(place)) place = dirname(place);
	const { bavail, bsize } = statfsSync(place);
	return bavail * bsize;
}

export function noRoom(
	dataDirectory: string,
	what: "adoption" | "snapshot",
	needed: number,
	free: number,
): Failure {
	return new Failure(
		"start_failed",
		`${dataDirectory} has room for ${sizeText(free)}; the ${what} takes up to ${sizeText(needed)}`,
	);
}

/** Refuses a directory unless it is empty, or has an incomplete run of the same command. */
export async function refuseChain(
	database: KeyValueDatabase,
	dataDirectory: string,
	what: "adopt" | "restore",
): Promise<void> {
	if ((await readMeta(database, dataDirectory)) || leftByChain(dataDirectory) !== undefined) {
		throw new Failure("bad_value", `${dataDirectory} holds a chain already; ${what} into a new directory`);
	}
}

/** Reports an adoption's progress, and the time left at the pace of this run. */
export class AdoptionPace {
	private readonly startedMs: number;

	constructor(private readonly nowMs: () => number) {
		this.startedMs = nowMs();
	}

	text(progress: AdoptionProgress): string {
		if (progress.phase === "check") {
			return `checking: block ${progress.blocks.toLocaleString("en")} of ${progress.of.toLocaleString("en")}`;
		}
		if (progress.phase === "hash") {
			return `comparing: ${progress.store} of the ${progress.of}, ${progress.entries.toLocaleString("en")} entries`;
		}
		const { store, entries, bytesRead, bytesSkipped, bytes } = progress;
		const read = `${sizeText(bytesRead + bytesSkipped)} of ${sizeText(bytes)}`;
		const rest = Math.max(0, bytes - bytesRead - bytesSkipped);
		const passed = this.nowMs() - this.startedMs;
		const left = bytesRead > 0 ? `, ${durationText((passed / bytesRead) * rest)} left` : "";
		return `adopting ${store}: ${entries.toLocaleString("en")} entries, ${read}${left}`;
	}
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** Formats a number of bytes with a suitable unit. */
export function sizeText(bytes: number): string {
	const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
	return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

export function durationText(ms: number): string {
	const seconds = Math.ceil(ms / 1000);
	if (seconds < 60) return `${seconds} s`;
	const minutes = Math.ceil(seconds / 60);
	return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
