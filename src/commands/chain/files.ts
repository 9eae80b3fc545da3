/** `coin chain export` and `import`: blocks in files. */

import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import type { Writable } from "node:stream";
import { Flags } from "@oclif/core";
import { configSource } from "../../launch/config-source.js";
import { type OfflineChain, openOffline } from "../../launch/offline-chain.js";
import { startFailure } from "../../launch/run-node.js";
import { delimited, readBlockFile } from "../../node/chain/block-file.js";
import { importBlocks } from "../../node/chain/importer.js";
import { ChainError, UnlinkedBlockError } from "../../node/rules/errors.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { publicNetworkOf } from "../../protocol/public-networks.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { command } from "../../terminal/base/command-row.js";
import { directoryFlags, required } from "../../terminal/flags/flags.js";
import { unwritable } from "../../terminal/output/new-file.js";
import { printJsonNote } from "../../terminal/output/output.js";
import { RateBar, rateFlag, rateMode } from "../../terminal/progress/rate-bar.js";
import { endInterrupted, interruption } from "../../terminal/prompt/interrupt.js";
import { Failure } from "../../wallet/failure.js";

export const ChainExport = command({
	summary: "Export blocks of a data directory into a file",
	description:
		"The file is a run of length-delimited blocks, as chain import reads it. The genesis block is left out.",
	examples: ["<%= config.bin %> chain export blocks.bin -c config.conf -d /var/lib/coin --from 1 --to 1000"],
	args: {
		file: required("new file, - for standard output"),
	},
	flags: {
		...directoryFlags,
		from: Flags.string({ description: "first block (1)", helpValue: "<n>", default: "1" }),
		to: Flags.string({ description: "last block (the head)", helpValue: "<n>" }),
		...rateFlag,
	},
	run: async ({ args, flags, chatty, print, warning }) => {
		const [from, until] = [
			blockNumber(flags.from),
			flags.to === undefined ? undefined : blockNumber(flags.to),
		];
		// Opening a missing directory would create an empty chain.
		if (!existsSync(flags["output-directory"])) {
			throw new Failure("not_found", `there is no data directory ${flags["output-directory"]}`);
		}
		const chain = await openOffline(configSource(flags), flags["output-directory"], 0, warning);
		const interrupted = interruption();
		const bar = await RateBar.open("exporting", rateMode(flags, chatty), true);
		let blocks = 0;
		let transactions = 0;
		let unsigned = 0;
		try {
			const head = chain.open.chain.head.number;
			const last = until === undefined || until > head ? head : until;
			if (from > last) {
				throw new Failure(
					"not_found",
					from > head
						? `there is no block ${from}: the chain in ${flags["output-directory"]} ends at ${head}`
						: `there is nothing from ${from} to ${last}`,
				);
			}
			const target = await openTarget(args.file);
			for (let number = from; number <= last && !interrupted.aborted; number++) {
				const block = chain.open.chain.blockByNumber(number);
				if (!block) throw new Failure("not_found", `block ${number} is not in the data directory`);
				if (!target.write(delimited(block.bytes))) await once(target, "drain");
				blocks++;
				transactions += block.transactions.length;
				unsigned += block.transactions.filter(isUnsigned).length;
				const done = Number(number - from + 1n) / Number(last - from + 1n);
				bar.update({ done, block: number, blocks, transactions });
			}
			await finish(target);
		} finally {
			bar.close();
			await chain.close();
		}
		if (unsigned > 0) {
			warning(`unsigned transactions of unlocked accounts: ${unsigned}; no other chain imports their blocks`);
		}
		const record = { blocks, transactions, from, to: from + BigInt(blocks) - 1n };
		// Standard output may carry the blocks themselves.
		if (args.file !== "-") print.record(record);
		else if (chatty) printJsonNote(record);
		if (interrupted.aborted) endInterrupted();
	},
});

/** Whether it needs its account impersonated (protocol/development-chain §4.3); not shielded ones. */
function isUnsigned({ message, type }: SignedTransaction): boolean {
	return message.signature.length === 0 && type?.name !== "ShieldedTransferContract";
}

function blockNumber(text: string): bigint {
	if (!/^\d{1,18}$/.test(text)) throw new Failure("bad_value", `"${text}" is not a block number`);
	return BigInt(text);
}

async function openTarget(file: string): Promise<Writable> {
	if (file === "-") return process.stdout;
	const stream = createWriteStream(file, { flags: "wx" });
	await once(stream, "open").catch(unwritable(file));
	return stream;
}

async function finish(target: Writable): Promise<void> {
	if (target === process.stdout) return;
	target.end();
	await once(target, "finish");
}

export const ChainImport = command({
	summary: "Import blocks from a file into a data directory",
	description:
		"Every block is checked as one from the network. Blocks that are there already are skipped, so an import that was " +
		"interrupted is resumed by the same command. Files may be compressed (.br, .gz).",
	examples: ["<%= config.bin %> chain import blocks.bin -c config.conf -d /var/lib/coin"],
	args: {
		file: required("file of blocks, - for standard input"),
	},
	flags: {
		...directoryFlags,
		...rateFlag,
	},
	run: async ({ args, flags, chatty, print, note, warning }) => {
		const total =
			args.file === "-" || /\.(br|gz|ndjson)$/.test(args.file) ? undefined : await fileSize(args.file);
		const chain = await openOffline(
			configSource(flags),
			flags["output-directory"],
			Math.max(1, availableParallelism() - 1),
			warning,
		);
		const interrupted = interruption();
		const bar = await RateBar.open("importing", rateMode(flags, chatty), total !== undefined);
		let read = 0;
		const counted = async function* (blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
			for await (const block of blocks) {
				read += block.length;
				yield block;
			}
		};
		let blocks = 0;
		let transactions = 0;
		try {
			await importBlocks(
				{
					open: chain.open,
					pool: chain.pool,
					prepare: chain.prepare,
					signal: interrupted,
					onProgress: (progress) => {
						({ blocks, transactions } = progress);
						chain.check();
						bar.update({
							done: total && Math.min(read / total, 1),
							block: progress.block.number,
							blocks,
							transactions,
						});
					},
				},
				counted(readBlockFile(args.file)),
			);
		} catch (error) {
			throw await refusal(error, chain.open);
		} finally {
			bar.close();
			await chain.close();
		}
		const { head } = chain.open.chain;
		print.record({
			blocks,
			transactions,
			head: head.number,
			blockID: head.idHex,
			seconds: Math.round(bar.seconds * 100) / 100,
			transactionsPerSecond: Math.round(transactions / bar.seconds),
		});
		if (interrupted.aborted) {
			note("interrupted; the same command goes on from here");
			endInterrupted();
		}
	},
});

async function refusal(error: unknown, { chain, rules }: OfflineChain["open"]): Promise<unknown> {
	const head = chain.head.number;
	if (error instanceof ChainError || error instanceof DecodeError) {
		const reason =
			error instanceof UnlinkedBlockError
				? "it continues no block of this chain; the file belongs to another chain or begins later"
				: error.message;
		const network = publicNetworkOf(rules.genesisId);
		const { nextStop } = await import("../../node/config/networks/departures.js");
		const stop = network && nextStop(network, head);
		return new Failure("contract_validate", `the block after ${head} is refused: ${reason}`, {
			details: { head },
			...(stop && BigInt(stop.height) === head + 1n
				? { hint: `the network's history departs from its rules there: ${stop.what}` }
				: {}),
		});
	}
	return startFailure(error);
}

async function fileSize(path: string): Promise<number | undefined> {
	try {
		return (await stat(path)).size;
	} catch {
		// Malformed files are reported by the reader.
		return undefined;
	}
}
