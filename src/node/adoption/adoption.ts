/** Adopting a reference node's data: validate, copy store by store, check, and only then let a node start. */

import { concatBytes, equalBytes, toHex } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { sha256 } from "../../protocol/hash.js";
import type { PublicNetwork } from "../../protocol/public-networks.js";
import { propertySeed } from "../chain/configured-rules.js";
import { metaChange } from "../chain/data-directory.js";
import type { NodeConfig } from "../config/config.js";
import { genesisId } from "../config/genesis-config.js";
import { yieldToEventLoop } from "../scheduling/time-slice.js";
import type { BatchChange, KeyValueDatabase } from "../state/database.js";
import { StateDatabase } from "../state/state-database.js";
import { hashDatabase } from "../state/state-hash/hash-database.js";
import { hashingThreads } from "../state/state-hash/hash-threads.js";
import { sumsChange } from "../state/state-hash/kept-hashes.js";
import type { StateHashValue } from "../state/state-hash/state-hash.js";
import { createView, type StateView } from "../state/view.js";
import { bookDifferences, type CheckResult, checkAdopted, REFERENCE_WINDOW } from "./adoption-checks.js";
import { AdoptionError } from "./adoption-error.js";
import {
	type AdoptionMark,
	type BlockChoice,
	checkMark,
	markChange,
	NO_MARK,
	readMark,
} from "./adoption-mark.js";
import { AdoptionStopped, BatchWriter } from "./batch-writer.js";
import type { ForeignEntry } from "./engine/foreign-store.js";
import { type Expected, type Judgement, judge } from "./judgement.js";
import type { Source } from "./source-directory.js";
import { hashSource } from "./source-hash.js";
import { SourceReader } from "./source-reader.js";
import { type AdoptionStep, type AdoptionWork, steps } from "./steps.js";
import { AccountSums } from "./sums.js";

/** Store of a derived table in reference nodes. */
const REWARDS = "reward-vi";

interface HashProgress {
	readonly phase: "hash";
	readonly of: "source" | "copy";
	readonly store: string;
	/** Entries hashed so far. */
	readonly entries: number;
}

interface CopiedState {
	readonly value: StateHashValue;
	/** Lets a node that maintains the state hash skip the pass over the database at its first start. */
	readonly change: BatchChange;
}

/**
 * Whether a copy holds the state of its source: both are hashed from disk (protocol/state-hash). Nothing may
 * be written meanwhile.
 * @param onProgress false stops
 * @returns undefined if it was stopped
 * @throws {AdoptionError} names the stores that differ, or the record that can't be read
 */
async function compareCopy(
	source: Source,
	database: KeyValueDatabase,
	onProgress: (progress: HashProgress) => boolean,
): Promise<CopiedState | undefined> {
	try {
		const report =
			(of: HashProgress["of"]) =>
			(store: string, entries: number): boolean =>
				onProgress({ phase: "hash", of, store, entries });
		const given = await hashSource(source, report("source"));
		const made = given && (await hashDatabase(database, report("copy"), hashingThreads()));
		if (!made) return undefined;
		const value = made.value();
		refuseOther(given.hash.value(), value);
		return { value, change: sumsChange(given.head.number, made.sums()) };
	} catch (error) {
		if (!(error instanceof DecodeError)) throw error;
		throw new AdoptionError(`a record of the state can't be read: ${error.message}`, { cause: error });
	}
}

function refuseOther(given: StateHashValue, made: StateHashValue): void {
	if (Buffer.compare(given.hash, made.hash) === 0) return;
	const names = new Set([...given.stores.keys(), ...made.stores.keys()]);
	const differ = [...names].filter((name) => {
		const [theirs, ours] = [given.stores.get(name)?.hash, made.stores.get(name)?.hash];
		return !theirs || !ours || Buffer.compare(theirs, ours) !== 0;
	});
	throw new AdoptionError(
		`the copy isn't the state of its source, which may have changed meanwhile: ${differ.join(", ")} differ; delete it and adopt again`,
	);
}

/** Progress of an adoption. */
export type AdoptionProgress =
	| {
			readonly phase: "copy";
			readonly store: string;
			/** Entries written, including former runs. */
			readonly entries: number;
			/** Bytes read in this run, and skipped because a former run had read them; with the total. */
			readonly bytesRead: number;
			readonly bytesSkipped: number;
			readonly bytes: number;
	  }
	| { readonly phase: "check"; readonly blocks: bigint; readonly of: bigint }
	| HashProgress;

export interface AdoptionOptions {
	readonly config: NodeConfig;
	readonly blocks: BlockChoice;
	/** Called after each batch; false stops: a second run resumes from there. */
	readonly onProgress: (progress: AdoptionProgress) => boolean;
	/** Bytes per batch; the default suits current disks. */
	readonly batchBytes?: number | undefined;
	/** Number of blocks to copy if not all; default: as many as a lite node has. */
	readonly keptBlocks?: bigint | undefined;
}

export interface Adopted {
	readonly judgement: Judgement;
	/** Lowest block besides genesis. */
	readonly lowest: bigint;
	/** Entries written, including former runs. */
	readonly entries: number;
	readonly bytes: number;
	readonly checks: CheckResult;
	/** Of the source, and of the copy. */
	readonly stateHash: StateHashValue;
	/** Inconsistencies in sums over all accounts, the order book or a derived table, one sentence each. */
	readonly differences: readonly string[];
}

/** A source that passed validation. */
interface JudgedSource {
	readonly reader: SourceReader;
	readonly judgement: Judgement;
}

/** Validates a source without writing anything; its stores are closed again. @throws {OperatorError} */
export async function judgeSource(
	source: Source,
	{ genesis, node }: NodeConfig,
	block?: Expected["block"],
): Promise<JudgedSource> {
	const reader = await SourceReader.open(source);
	try {
		const expected = { genesisId: genesisId(genesis), network: node.network ?? "main", block };
		return { reader, judgement: await judge(reader, expected) };
	} finally {
		reader.close();
	}
}

/**
 * Adopts a source, or resumes where a former run ended.
 * @param database empty, or with the mark of such a run; stays open
 * @param directory its name in messages
 * @returns undefined if it was stopped
 * @throws {OperatorError} one sentence; what is written can't be started on
 */
export async function adopt(
	{ reader, judgement }: JudgedSource,
	database: KeyValueDatabase,
	directory: string,
	options: AdoptionOptions,
): Promise<Adopted | undefined> {
	const { config, blocks } = options;
	const { source } = reader;
	try {
		const lowestKept = lowestKeptOf(judgement, options);
		const mark = readMark(database, directory) ?? beginning(source, blocks);
		checkMark(mark, source, blocks, directory);
		// Until this is written, the directory is empty, and a node would create a new chain in it.
		await database.write([markChange(mark)], true);
		const progress = new CopyProgress(reader, judgement, options);
		const writer = new BatchWriter(database, mark, (now) => progress.report(now), options.batchBytes);
		await runSteps({ reader, judgement, blocks, lowestKept, database, writer }, progress);
		const state = await StateDatabase.open(database);
		const view = createView(state.baseBackend, propertySeed(config));
		const checks = await checkAdopted(view, config.node, lowestKept, (done, of) =>
			options.onProgress({ phase: "check", blocks: done, of }),
		);
		if (!checks) return undefined;
		const differences = [
			...sumsDiffer(view, writer.mark, config),
			...(await bookDifferences(view)),
			...(await rewardsDiffer(reader, config)),
		];
		reader.close();
		const compared = await compareCopy(source, database, options.onProgress);
		if (!compared) return undefined;
		await database.write([metaChange(genesisId(config.genesis)), compared.change, NO_MARK], true);
		const { entries, bytes } = writer.mark;
		const stateHash = compared.value;
		return { judgement, lowest: lowestKept, entries, bytes, checks, stateHash, differences };
	} catch (error) {
		if (error instanceof AdoptionStopped) return undefined;
		throw error;
	} finally {
		reader.close();
	}
}

function lowestKeptOf({ head, lowest }: Judgement, options: AdoptionOptions): bigint {
	if (options.blocks === "copy") return lowest;
	const kept = options.keptBlocks ?? REFERENCE_WINDOW;
	const first = head.number - kept + 1n;
	if (first > lowest) return first;
	throw new AdoptionError(
		`--blocks none keeps the newest ${kept} blocks, and the data have those from ${lowest} to ${head.number} only: use --blocks copy`,
	);
}

function sumsDiffer(view: StateView, { sums }: AdoptionMark, { genesis }: NodeConfig): readonly string[] {
	const votes = genesis.witnesses.reduce((sum, { voteCount }) => sum + voteCount, 0n);
	return new AccountSums(sums).differences(view, votes);
}

/** By network, from `storage.merkleRoot.reward-vi` of its nodes. */
const REWARD_ROOTS: Readonly<Record<PublicNetwork, string>> = {
	main: "9debcb9924055500aaae98cdee10501c5c39d4daa75800a996f4bdda73dbccd8",
	nile: "b474b61f93824cd70106f8f5283fa740d61b83a7d57a3c12401d627f1fae0a77",
};
/** Marks the table as complete. */
const MARKER = Uint8Array.of(0);
/** Rows processed before others get a turn. */
const TURN_ROWS = 4_096;

/**
 * Checks the reference's derived table of old rewards; returns one sentence or none. The table's root is known for public
 * networks, so it proves that the data were read correctly (protocol/adoption §5). We compute old rewards from the state and
 * keep no such table. An incomplete table, as in a node that has just started building it, proves nothing.
 * @param rows of the store `reward-vi`, ascending
 */
export async function rewardRootDifference(
	rows: Iterable<ForeignEntry>,
	expected: string,
): Promise<string | undefined> {
	const all = new RootOfRows();
	const unmarked = new RootOfRows();
	let isComplete = false;
	let count = 0;
	for (const [key, value] of rows) {
		const leaf = sha256(concatBytes(key, value));
		all.add(leaf);
		if (equalBytes(key, MARKER)) isComplete = value.length === 1 && value[0] === 1;
		else unmarked.add(leaf);
		if (++count % TURN_ROWS === 0) await yieldToEventLoop();
	}
	if (!isComplete) return undefined;
	const roots = [all.root(), unmarked.root()].map(toHex);
	if (roots.includes(expected)) return undefined;
	return `the ${count} rows of reward-vi have the root ${roots[0]}, and those of the network ${expected}`;
}

/** Streaming Merkle root: pairs are hashed, an odd leaf moves up unchanged. */
export class RootOfRows {
	/** Roots of complete subtrees, widest first. */
	private readonly trees: { readonly height: number; readonly root: Uint8Array }[] = [];

	add(leaf: Uint8Array): void {
		let tree = { height: 0, root: leaf };
		for (let last = this.trees.at(-1); last?.height === tree.height; last = this.trees.at(-1)) {
			this.trees.pop();
			tree = { height: tree.height + 1, root: sha256(concatBytes(last.root, tree.root)) };
		}
		this.trees.push(tree);
	}

	/** The root; 32 zero bytes without leaves. */
	root(): Uint8Array {
		const [last, ...wider] = this.trees.map(({ root }) => root).reverse();
		return wider.reduce((right, left) => sha256(concatBytes(left, right)), last ?? new Uint8Array(32));
	}
}

/** Root known only for tables of public networks. */
async function rewardsDiffer(
	reader: SourceReader,
	{ publicNetwork }: NodeConfig,
): Promise<readonly string[]> {
	if (publicNetwork === undefined || !reader.source.stores.includes(REWARDS)) return [];
	await reader.use([REWARDS]);
	const difference = await rewardRootDifference(reader.entries(REWARDS), REWARD_ROOTS[publicNetwork]);
	reader.release(REWARDS);
	return difference === undefined ? [] : [difference];
}

function beginning({ path, fingerprint }: Source, blocks: BlockChoice): AdoptionMark {
	const step = (steps[0] as AdoptionStep).name;
	return { format: 1, path, fingerprint, blocks, step, after: "", entries: 0, bytes: 0, withoutHeight: 0 };
}

async function runSteps(work: AdoptionWork, progress: CopyProgress): Promise<void> {
	const { writer, reader } = work;
	const from = steps.findIndex(({ name }) => name === writer.mark.step);
	for (const [at, step] of steps.entries()) {
		if (at < from || writer.mark.step === DONE) {
			progress.skip(step);
			continue;
		}
		await reader.use(step.reads);
		progress.begin(step);
		const { after } = writer.mark;
		await step.run(work, after === "" ? undefined : Buffer.from(after, "hex"));
		await writer.finish(steps[at + 1]?.name ?? DONE);
		writer.counted = undefined;
		progress.end(step);
		for (const name of step.reads) reader.release(name);
	}
	await writer.settle();
}

/** Recorded in the mark as the step once all are done. */
const DONE = "checks";

/** Bytes of the source read so far, over all stores. */
class CopyProgress {
	private done = 0;
	private skipped = 0;
	private reading: AdoptionStep | undefined;

	constructor(
		private readonly reader: SourceReader,
		private readonly judgement: Judgement,
		private readonly options: AdoptionOptions,
	) {}

	begin(step: AdoptionStep): void {
		this.reading = step;
	}

	end(step: AdoptionStep): void {
		this.done += this.bytesOf(step);
		this.reading = undefined;
	}

	skip(step: AdoptionStep): void {
		this.skipped += this.bytesOf(step);
	}

	report(mark: AdoptionMark): boolean {
		const reads = this.reading?.reads ?? [];
		const reading = reads.reduce((sum, name) => sum + (this.reader.store(name)?.bytesRead ?? 0), 0);
		return this.options.onProgress({
			phase: "copy",
			store: mark.step,
			entries: mark.entries,
			bytesRead: this.done + reading,
			bytesSkipped: this.skipped,
			bytes: this.judgement.bytes,
		});
	}

	private bytesOf({ reads }: AdoptionStep): number {
		return reads.reduce((sum, name) => sum + (this.judgement.storeBytes.get(name) ?? 0), 0);
	}
}
