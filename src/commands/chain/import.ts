import { stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { Args } from "@oclif/core";
import { configSource } from "../../launch/config-source.js";
import { type OfflineChain, openOffline } from "../../launch/offline-chain.js";
import { startFailure } from "../../launch/run-node.js";
import { readBlockFile } from "../../node/chain/block-file.js";
import { importBlocks } from "../../node/chain/importer.js";
import { ChainError, UnlinkedBlockError } from "../../node/rules/errors.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { publicNetworkOf } from "../../protocol/public-networks.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { directoryFlags } from "../../terminal/flags/directory-flags.js";
import { RateBar, rateFlag, rateMode } from "../../terminal/progress/rate-bar.js";
import { endInterrupted, interruption } from "../../terminal/prompt/interrupt.js";
import { Failure } from "../../wallet/failure.js";

export class ChainImport extends CoinCommand {
	static override summary = "Import blocks from a file into a data directory";
	static override description =
		"Every block is checked as one from the network. Blocks that are there already are skipped, so an import that was " +
		"interrupted is resumed by the same command. Files may be compressed (.br, .gz).";
	static override examples = ["<%= config.bin %> chain import blocks.bin -c config.conf -d /var/lib/coin"];
	static override args = {
		file: Args.string({
			description: "file of blocks, - for standard input",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = {
		...directoryFlags,
		...rateFlag,
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ChainImport);
		const total =
			args.file === "-" || /\.(br|gz|ndjson)$/.test(args.file) ? undefined : await fileSize(args.file);
		const chain = await openOffline(
			configSource(flags),
			flags["output-directory"],
			Math.max(1, availableParallelism() - 1),
		);
		const interrupted = interruption();
		const bar = await RateBar.open("importing", rateMode(flags, this.chatty), total !== undefined);
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
			throw await this.refusal(error, chain.open);
		} finally {
			bar.close();
			await chain.close();
		}
		const { head } = chain.open.chain;
		this.printRecord({
			blocks,
			transactions,
			head: head.number,
			blockID: head.idHex,
			seconds: Math.round(bar.seconds * 100) / 100,
			transactionsPerSecond: Math.round(transactions / bar.seconds),
		});
		if (interrupted.aborted) {
			this.note("interrupted; the same command goes on from here");
			endInterrupted();
		}
	}

	private async refusal(error: unknown, { chain, rules }: OfflineChain["open"]): Promise<unknown> {
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
}

async function fileSize(path: string): Promise<number | undefined> {
	try {
		return (await stat(path)).size;
	} catch {
		// The reader says what is wrong with the file.
		return undefined;
	}
}
