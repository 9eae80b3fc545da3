/** `coin node db …`: maintenance of a data directory that no node has open. */

import { relative } from "node:path";
import { Flags } from "@oclif/core";
import { configSource, hasConfig } from "../../launch/config-source.js";
import {
	compactDatabase,
	copyDirectory,
	databaseDirectory,
	directorySize,
	partSizes,
	readAllEntries,
	readStoredChain,
	verifyBlocks,
} from "../../launch/database-work.js";
import { openOffline } from "../../launch/offline-chain.js";
import { checkSegments, listSegments, removeStrays } from "../../launch/segment-work.js";
import { readFounding } from "../../node/development/directory.js";
import { toHex } from "../../protocol/bytes.js";
import { command } from "../../terminal/base/command-row.js";
import { directoryFlags, progressFlag } from "../../terminal/flags/flags.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { endInterrupted, interruption, takeOverSignals } from "../../terminal/prompt/interrupt.js";
import { lines, one, record } from "../../terminal/schema/result-shape.js";
import { Failure } from "../../wallet/failure.js";

export const NodeDbCheck = command({
	summary: "Check every group of every segment of old blocks",
	description:
		"Each is compared with its checksum and unpacked; each block has the id that the segment says, and follows the one " +
		"before. The directory must not be in use by a node.",
	examples: ["<%= config.bin %> node db check -d /var/lib/coin"],
	result: one(record({ segments: "integer", blocks: "integer", bytes: "integer" })),
	flags: { ...directoryFlags, ...progressFlag },
	run: async ({ flags, audience, print }) => {
		const directory = flags["output-directory"];
		let interrupted = false;
		takeOverSignals(() => {
			interrupted = true;
		});
		const database = await databaseDirectory(configSource(flags), directory);
		const checked = await withProgress("checking", audience(), (progress) =>
			checkSegments(directory, database, (blocks, of) => {
				progress.update(`checking: ${blocks.toLocaleString("en")} of ${of.toLocaleString("en")} blocks`);
				return !interrupted;
			}),
		);
		if (!checked) return endInterrupted();
		print.record(checked);
	},
});

export const NodeDbCompact = command({
	summary: "Rewrite a database without what was deleted or replaced",
	description: "Files that a kill left of segments go too. The directory must not be in use by a node.",
	examples: ["<%= config.bin %> node db compact -d /var/lib/coin"],
	result: one(record({ directory: "text", bytesBefore: "integer", bytesAfter: "integer" })),
	flags: { ...directoryFlags, ...progressFlag },
	run: async ({ flags, audience, print }) => {
		const directory = await databaseDirectory(configSource(flags), flags["output-directory"]);
		const bytesBefore = directorySize(directory);
		await withProgress("compacting", audience(), async () => {
			await compactDatabase(directory);
			await removeStrays(flags["output-directory"], directory);
		});
		print.record({ directory, bytesBefore, bytesAfter: directorySize(directory) });
	},
});

export const NodeDbCopy = command({
	summary: "Copy a data directory",
	description:
		"A node can be started on the copy. It appears whole or not at all; the original must not be in use by a node.",
	examples: ["<%= config.bin %> node db copy -d /var/lib/coin --to /backup/coin"],
	result: one(record({ from: "text", to: "text", entries: "integer" })),
	flags: {
		...directoryFlags,
		...progressFlag,
		to: Flags.string({ description: "new data directory", helpValue: "<dir>", required: true }),
	},
	run: async ({ flags, audience, print }) => {
		const from = flags["output-directory"];
		const name = relative(from, await databaseDirectory(configSource(flags), from));
		const interrupted = interruption();
		const entries = await withProgress("copying", audience(), (progress) =>
			copyDirectory(from, name, flags.to, (count) => {
				progress.update(`copying: ${count.toLocaleString("en")} entries`);
				return !interrupted.aborted;
			}),
		);
		if (entries === undefined) return endInterrupted();
		print.record({ from, to: flags.to, entries });
	},
});

export const NodeDbShow = command({
	summary: "List the segments of old blocks",
	description:
		"The directory must not be in use by a node. What is not moved yet is in the database too; a running node goes on with it.",
	examples: ["<%= config.bin %> node db show -d /var/lib/coin"],
	result: lines(
		record({ first: "int64", last: "int64", blocks: "integer", bytes: "integer", moved: "boolean" }),
	),
	flags: directoryFlags,
	run: async ({ flags, print }) => {
		const directory = flags["output-directory"];
		const segments = await listSegments(directory, await databaseDirectory(configSource(flags), directory));
		const rows = segments.map(({ first, last, bytes, isMoved }) => ({
			first,
			last,
			blocks: Number(last - first) + 1,
			bytes,
			moved: isMoved,
		}));
		print.list(
			rows,
			["first", "last", "blocks", "bytes", "moved"],
			"no segments: every block that is kept is in the database, or where it was adopted in place",
		);
	},
});

export const NodeDbStat = command({
	summary: "Show what a data directory holds",
	description:
		"The directory must not be in use by a node. Without the configuration of its network it tells what the database " +
		"holds: the chain up to the block of its database; the blocks after it lie in the journal.",
	examples: [
		"<%= config.bin %> node db stat -d /var/lib/coin",
		"<%= config.bin %> node db stat -c config.conf -d /var/lib/coin",
	],
	result: one(
		record({
			directory: "text",
			genesis: "hex",
			"head?": "int64",
			"headId?": "hex",
			timestamp: "time",
			"stored?": "int64",
			"solid?": "int64",
			databaseBytes: "integer",
			journalBytes: "integer",
			segmentBytes: "integer",
			historyBytes: "integer",
		}),
	),
	flags: directoryFlags,
	run: async ({ flags, print, note, warning }) => {
		const directory = flags["output-directory"];
		const database = await databaseDirectory(configSource(flags), directory);
		const sizes = partSizes(directory, database);
		if (!hasConfig(configSource(flags)) && readFounding(directory) === undefined) {
			if (flags.config !== directoryFlags.config.default)
				throw new Failure("bad_value", `there is no configuration ${flags.config}`);
			const { genesisId, number, timestampMs } = await readStoredChain(directory, database);
			note("no configuration: blocks after the one of the database, which lie in the journal, are not read");
			return print.record({
				directory,
				genesis: toHex(genesisId),
				timestamp: timestampMs,
				stored: number,
				...sizes,
			});
		}
		const offline = await openOffline(configSource(flags), directory, 0, warning);
		const { chain, rules } = offline.open;
		const found = {
			directory,
			genesis: toHex(rules.genesisId),
			head: chain.head.number,
			headId: chain.head.idHex,
			timestamp: chain.head.timestampMs,
			solid: chain.solidifiedNumber,
		};
		await offline.close();
		print.record({ ...found, ...sizes });
	},
});

export const NodeDbVerify = command({
	summary: "Check that a data directory is whole",
	description:
		"Reads every entry of the database, takes up the block log as a start does, and walks all blocks: each must be " +
		"there, follow the one before, and hold the transactions of its header. The directory must not be in use.",
	examples: ["<%= config.bin %> node db verify -c config.conf -d /var/lib/coin"],
	result: one(
		record({
			entries: "integer",
			bytes: "integer",
			blocks: "integer",
			transactions: "integer",
			head: "int64",
		}),
	),
	flags: directoryFlags,
	run: async ({ flags, print, warning }) => {
		const directory = flags["output-directory"];
		const read = await readAllEntries(await databaseDirectory(configSource(flags), directory));
		const offline = await openOffline(configSource(flags), directory, 0, warning);
		let [blocks, transactions] = [0, 0];
		try {
			verifyBlocks(offline, (_number, _head, count) => {
				blocks++;
				transactions += count;
				return true;
			});
			print.record({ ...read, blocks, transactions, head: offline.open.chain.head.number });
		} finally {
			await offline.close();
		}
	},
});
