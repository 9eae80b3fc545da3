/** `coin node hash`: one hash over the whole state of a data directory. */

import { Flags } from "@oclif/core";
import { configSource } from "../../launch/config-source.js";
import { hashDirectory } from "../../launch/state-hash-work.js";
import { STATE_HASH_VERSION } from "../../node/state/state-hash/state-hash.js";
import { toHex } from "../../protocol/bytes.js";
import { command } from "../../terminal/base/command-row.js";
import { chainFlags, directoryFlags, progressFlag } from "../../terminal/flags/flags.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { endInterrupted, interruption } from "../../terminal/prompt/interrupt.js";
import { list, one, record } from "../../terminal/schema/result-shape.js";

export const NodeHash = command({
	summary: "Hash the whole state that a data directory holds",
	description:
		"Of a directory of this program, or of a reference node's, LevelDB or RocksDB, which is only read. Directories that stand " +
		"at the same block and hold the same state have the same hash, whichever program and release wrote them: equal means that " +
		"every entry is. A directory of this program is hashed as its database stands, without the blocks after it, which lie in " +
		"the journal. It must not be in use by a node.",
	examples: [
		"<%= config.bin %> node hash -d /var/lib/coin",
		"<%= config.bin %> node hash --data /var/lib/reference/output-directory --json",
	],
	result: one(
		record({
			directory: "text",
			reference: "boolean",
			engines: list("text"),
			head: "int64",
			blockID: "hex",
			version: "integer",
			hash: "hex",
			entries: "integer",
			seconds: "integer",
			stores: list(record({ store: "text", entries: "integer", hash: "hex" })),
		}),
	),
	flags: {
		...chainFlags,
		...progressFlag,
		config: directoryFlags.config,
		data: Flags.string({
			char: "d",
			aliases: ["output-directory"],
			description: "data directory, of this program or a reference node's",
			helpValue: "<dir>",
			default: "output-directory",
		}),
	},
	run: async ({ flags, audience, print }) => {
		const directory = flags.data;
		const interrupted = interruption();
		const started = performance.now();
		const hashed = await withProgress("hashing", audience(), (progress) =>
			hashDirectory(directory, configSource(flags), (store, entries) => {
				progress.update(`hashing ${store}: ${entries.toLocaleString("en")} entries`);
				return !interrupted.aborted;
			}),
		);
		if (!hashed) return endInterrupted();
		const { head, value, engines, isReference } = hashed;
		print.record({
			directory,
			reference: isReference,
			engines,
			head: head.number,
			blockID: toHex(head.id),
			version: STATE_HASH_VERSION,
			hash: toHex(value.hash),
			entries: value.entries,
			seconds: Math.round((performance.now() - started) / 1000),
			stores: [...value.stores].map(([store, one]) => ({
				store,
				entries: one.entries,
				hash: toHex(one.hash),
			})),
		});
	},
});
