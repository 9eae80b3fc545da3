import { Flags } from "@oclif/core";
import {
	AdoptionPace,
	type AdoptionRequest,
	durationText,
	judgeAdoption,
	runAdoption,
	sizeText,
} from "../../launch/adoption-work.js";
import { configSource } from "../../launch/config-source.js";
import type { AdoptionCost } from "../../node/adoption/cost.js";
import { toHex } from "../../protocol/bytes.js";
import { command, type Terminal } from "../../terminal/base/command-row.js";
import { directoryFlags, progressFlag, required } from "../../terminal/flags/flags.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { endInterrupted, interruption } from "../../terminal/prompt/interrupt.js";
import { either, list, one, record } from "../../terminal/schema/result-shape.js";

export const NodeAdopt = command({
	summary: "Continue from a reference node's data directory",
	description:
		"Reads the data of a stopped reference node, LevelDB or RocksDB, full or lite, and makes a data directory of them on " +
		"which a node starts where that one ended. The source is only read. Interrupted, it goes on by the same command; an " +
		"incomplete directory can't be started on. Blocks, indexes and signatures of the latest blocks are checked, and the " +
		"hash of the state is that of the source; the source itself is believed: adopt only data whose source you trust.",
	examples: [
		"<%= config.bin %> node adopt /var/lib/reference/output-directory -c config.conf --dry-run",
		"<%= config.bin %> node adopt /var/lib/reference/output-directory -c config.conf -d /var/lib/coin",
	],
	result: one(
		either(
			record({
				path: "text",
				engines: list("text"),
				release: "text",
				head: "int64",
				blockID: "hex",
				solidified: "int64",
				lowest: "int64",
				lite: "boolean",
				checkpointRows: "integer",
				bytes: "integer",
				needed: "integer",
				free: "integer",
				entries: "integer",
				seconds: "integer",
				notes: list("text"),
			}),
			record({
				head: "int64",
				blockID: "hex",
				lowest: "int64",
				lite: "boolean",
				entries: "integer",
				bytes: "integer",
				checkedBlocks: "integer",
				checkedTransactions: "integer",
				otherKeys: "integer",
				stateHash: "hex",
				seconds: "integer",
				notes: list("text"),
			}),
		),
	),
	args: {
		directory: required("the reference node's output directory, or the directory of its stores"),
	},
	flags: {
		...directoryFlags,
		...progressFlag,
		blocks: Flags.option({
			options: ["copy", "none"] as const,
			description: "old blocks and receipts: copy them, or none, as a lite node",
			default: "copy",
		})(),
		expect: Flags.string({
			description: "refuse data without this block",
			helpValue: "<height>:<id>",
		}),
		"dry-run": Flags.boolean({
			description: "only judge the data: whose, how far, what is missing, how large",
		}),
	},
	run: async ({ args, flags, audience, print, note }) => {
		const request: AdoptionRequest = {
			source: args.directory,
			dataDirectory: flags["output-directory"],
			config: configSource(flags),
			blocks: flags.blocks,
			expect: flags.expect,
		};
		if (flags["dry-run"]) return judge(request, { print, note });
		const interrupted = interruption();
		const started = performance.now();
		const adopted = await withProgress("judging", audience(), (progress) => {
			const pace = new AdoptionPace(() => performance.now());
			return runAdoption(
				request,
				(state) => {
					progress.update(pace.text(state));
					return !interrupted.aborted;
				},
				(cost) => note(costText(cost)),
			);
		});
		if (!adopted) {
			note("interrupted; the same command goes on from here");
			return endInterrupted();
		}
		const { judgement, lowest, entries, bytes, checks, stateHash, differences } = adopted;
		print.record({
			head: judgement.head.number,
			blockID: toHex(judgement.head.id),
			lowest,
			lite: lowest > 1n,
			entries,
			bytes,
			checkedBlocks: checks.blocks,
			checkedTransactions: checks.transactions,
			otherKeys: checks.otherKeys,
			stateHash: toHex(stateHash.hash),
			seconds: Math.round((performance.now() - started) / 1000),
			notes: [...judgement.notes, ...differences],
		});
		note("nothing but its source vouches for the state: start the node and compare its head with others");
	},
});

async function judge(
	request: AdoptionRequest,
	{ print, note }: Pick<Terminal, "print" | "note">,
): Promise<void> {
	const { cost, head, lowest, ...judgement } = await judgeAdoption(request);
	const { path, engines, release, solidified, checkpointRows, bytes, notes } = judgement;
	print.record({
		path,
		engines,
		release,
		head: head.number,
		blockID: toHex(head.id),
		solidified,
		lowest,
		lite: lowest > 1n,
		checkpointRows,
		bytes,
		...cost,
		notes,
	});
	if (cost.needed > cost.free) {
		note(`the data directory has room for ${sizeText(cost.free)} only`);
	}
}

function costText({ needed, free, entries, seconds }: AdoptionCost & { readonly free: number }): string {
	const room = `takes up to ${sizeText(needed)} of the ${sizeText(free)} that are free`;
	return `${room}, about ${entries.toLocaleString("en")} entries, about ${durationText(seconds * 1000)}`;
}
