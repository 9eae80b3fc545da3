/** Common code of benches with large states: one cached data set per size, one process per measurement. */

import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { OpenChain } from "../../src/node/chain/open-chain.js";
import { ContractValidateError } from "../../src/node/rules/errors.js";
import { installRecoverEngine } from "../../src/node/signatures/engine.js";
import { useFastHashing } from "../../src/protocol/hash.js";
import type { SignedTransaction } from "../../src/protocol/transaction.js";
import { random } from "../chance/random.js";
import { addEntries, keptFolder, type RawEntry, sharedCopy, writeBlocks } from "./data-set.js";
import { measureImport } from "./measured-import.js";
import { measureStart } from "./measured-start.js";
import { makeSenders, openNetwork, produceNext, type Sender } from "./network.js";

const BLOCKS = 100;
const PER_BLOCK = 200;
const MAX_SENDERS = BLOCKS * PER_BLOCK;

/** A state of variable size, and the transactions to execute on it. */
export interface LargeState {
	/** What the size counts. */
	readonly name: string;
	/** Blocks to import; by default 100 with 200 transactions each. */
	readonly blocks?: number;
	readonly perBlock?: number;
	/** Produces blocks before the entries are added. */
	prepare?(open: OpenChain, senders: readonly Sender[]): void;
	/** Entries that make up the size, including the senders', ascending. @param open the prepared chain */
	entries(open: OpenChain, count: number, senders: readonly Sender[]): Iterable<RawEntry>;
	/** @param pick a random number below a bound */
	transaction(
		open: OpenChain,
		sender: Sender,
		count: number,
		senders: readonly Sender[],
		pick: (bound: number) => number,
	): SignedTransaction;
}

async function make(state: LargeState, count: number, folder: string): Promise<void> {
	const data = join(folder, "data");
	const senders = makeSenders(Math.min(count, MAX_SENDERS));
	const open = await openNetwork(data);
	produceNext(open);
	state.prepare?.(open, senders);
	const entries = state.entries(open, count, senders);
	await open.close();
	await addEntries(data, entries);
	const copy = sharedCopy(data);
	try {
		writeBlocks(join(folder, "blocks"), await makeBlocks(state, count, senders, copy));
	} finally {
		rmSync(copy, { recursive: true, force: true });
	}
}

/** Whether a transaction is valid: the random sender may have nothing left to spend. */
function isTaken({ chain }: OpenChain, transaction: SignedTransaction): boolean {
	try {
		chain.pushTransaction(transaction);
		return true;
	} catch (error) {
		if (!(error instanceof ContractValidateError)) throw error;
		return false;
	}
}

async function makeBlocks(
	state: LargeState,
	count: number,
	senders: readonly Sender[],
	directory: string,
): Promise<readonly Uint8Array[]> {
	const open = await openNetwork(directory);
	const pick = random(7);
	const blocks: Uint8Array[] = [];
	const { blocks: length = BLOCKS, perBlock = PER_BLOCK } = state;
	for (let number = 0; number < length; number++) {
		for (let i = 0; i < perBlock; i++) {
			const sender = senders[pick(senders.length)] as Sender;
			if (!isTaken(open, state.transaction(open, sender, count, senders, pick))) i--;
		}
		blocks.push(produceNext(open));
		await open.throttle();
	}
	await open.close();
	return blocks;
}

/**
 * Prints a JSON line per size.
 * @param arguments_ sizes; in the measuring subprocess `--measure` and the folder of a data set
 */
export async function benchLargeState(state: LargeState, arguments_: readonly string[]): Promise<void> {
	await useFastHashing();
	if (arguments_[0] === "--measure") {
		process.stdout.write(`${JSON.stringify(await measureImport(arguments_[1] as string))}\n`);
		return;
	}
	installRecoverEngine();
	const counts = arguments_.length === 0 ? [1_000, 100_000, 1_000_000] : arguments_.map(Number);
	for (const count of counts) {
		const folder = await keptFolder(`${state.name}-${count}`, (path) => make(state, count, path));
		const { stdout, status } = spawnSync(
			process.execPath,
			[...process.execArgv, process.argv[1] as string, "--measure", folder],
			{ stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" },
		);
		if (status !== 0) throw new Error(`the measurement ended with ${status}`);
		const firstAnswerMs = await measureStart(folder);
		process.stdout.write(
			`${JSON.stringify({ [state.name]: count, ...JSON.parse(stdout), firstAnswerMs })}\n`,
		);
	}
}
