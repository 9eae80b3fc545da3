import { relative, resolve } from "node:path";
import { Args } from "@oclif/core";
import { databaseDirectory } from "../../../launch/database-work.js";
import { findSnapshot, makeSnapshot, signedText } from "../../../launch/snapshot-work.js";
import { SIGNATURE_NAME, sizesOf } from "../../../node/snapshot/manifest.js";
import { SnapshotCommand, signerFlags } from "../../../terminal/base/snapshot-command.js";
import { directoryFlags } from "../../../terminal/flags/directory-flags.js";
import { progressFlag } from "../../../terminal/flags/flags.js";
import { withProgress } from "../../../terminal/progress/progress.js";
import { endInterrupted, takeOverSignals } from "../../../terminal/prompt/interrupt.js";
import { one, record } from "../../../terminal/schema/result-shape.js";
import { openableKey } from "../../../wallet/transaction/signing.js";

export default class NodeSnapshotCreate extends SnapshotCommand {
	static override summary = "Make a snapshot of a node's data while it runs, or of a directory at rest";
	static override description =
		"Writes a folder of compressed chunks with their hashes and a manifest, which any web server can give out. The running " +
		"node makes it, as its user and on its machine, and goes on meanwhile; it holds everything up to the last block that " +
		"can't be undone, and no keys. A snapshot that is signed can be trusted by its signer's address.";
	static override examples = [
		"<%= config.bin %> node snapshot create /srv/snapshots/today -d /var/lib/coin --signer main",
	];
	static override result = one(
		record({
			directory: "text",
			head: "int64",
			blockID: "hex",
			entries: "integer",
			bytes: "integer",
			unpackedBytes: "integer",
			chunks: "integer",
			segments: "integer",
			"signer?": "address",
			seconds: "integer",
		}),
	);
	static override args = {
		directory: Args.string({ description: "folder that isn't there yet", required: true, ignoreStdin: true }),
	};
	static override flags = { ...directoryFlags, ...progressFlag, ...signerFlags };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(NodeSnapshotCreate);
		const { signer, "output-directory": dataDirectory } = flags;
		// A name that is wrong should be told before an hour's work.
		if (signer !== undefined) await openableKey(await this.ownSettings(flags), signer);
		let interrupted = false;
		takeOverSignals(() => {
			interrupted = true;
		});
		const started = performance.now();
		const manifest = await withProgress("making the snapshot", this.audience(flags), (progress) =>
			makeSnapshot({
				dataDirectory,
				name: relative(dataDirectory, databaseDirectory(flags.config, dataDirectory)),
				target: args.directory,
				version: this.config.version,
				onProgress: ({ entries }) => {
					progress.update(`making the snapshot: ${entries.toLocaleString("en")} entries`);
					return !interrupted;
				},
			}),
		);
		if (!manifest) return endInterrupted();
		const directory = resolve(args.directory);
		const seconds = Math.round((performance.now() - started) / 1000);
		const { packed, unpacked } = sizesOf(manifest);
		const signed = signer === undefined ? {} : { signer: await this.sign(directory, signer, flags) };
		this.printRecord({
			directory,
			head: BigInt(manifest.head.number),
			blockID: manifest.head.id,
			entries: manifest.entries,
			bytes: packed,
			unpackedBytes: unpacked,
			chunks: manifest.chunks.length,
			segments: manifest.segments.length,
			...signed,
			seconds,
		});
	}

	private async sign(
		directory: string,
		signer: string,
		flags: Parameters<SnapshotCommand["signText"]>[3],
	): Promise<string> {
		const { hash } = await findSnapshot(directory);
		return this.signText(signedText(hash), { directory, name: SIGNATURE_NAME }, signer, flags);
	}
}
