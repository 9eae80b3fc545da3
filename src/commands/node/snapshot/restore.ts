import { Args, Flags } from "@oclif/core";
import { sizeText } from "../../../launch/adoption-work.js";
import { type FoundSnapshot, findSnapshot, restoreInto } from "../../../launch/snapshot-work.js";
import { toBase58Check } from "../../../protocol/address.js";
import { equalBytes } from "../../../protocol/bytes.js";
import { SnapshotCommand } from "../../../terminal/base/snapshot-command.js";
import { directoryFlags } from "../../../terminal/flags/directory-flags.js";
import { keystoreFlags, progressFlag } from "../../../terminal/flags/flags.js";
import { withProgress } from "../../../terminal/progress/progress.js";
import { endInterrupted, takeOverSignals } from "../../../terminal/prompt/interrupt.js";
import { one, record } from "../../../terminal/schema/result-shape.js";
import { Failure } from "../../../wallet/failure.js";
import { accountNamed } from "../../../wallet/transaction/signing.js";

export default class NodeSnapshotRestore extends SnapshotCommand {
	static override summary = "Make a data directory of a snapshot";
	static override description =
		"Reads a folder or a web server, several chunks at once, and compares each with the signed manifest. Interrupted or " +
		"killed, the same command goes on; an incomplete directory can't be started on. Head, schedule and the latest blocks " +
		"are checked; the state itself is its signer's word.";
	static override examples = [
		"<%= config.bin %> node snapshot restore https://snapshots.example/today -c config.conf -d /var/lib/coin --trust <address>",
	];
	static override result = one(
		record({
			head: "int64",
			blockID: "hex",
			lowest: "int64",
			entries: "integer",
			checkedBlocks: "integer",
			checkedTransactions: "integer",
			"signer?": "address",
			seconds: "integer",
		}),
	);
	static override args = {
		snapshot: Args.string({
			description: "folder, or address of a web server",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = {
		...directoryFlags,
		...progressFlag,
		...keystoreFlags,
		trust: Flags.string({
			description: "account whose signature the snapshot must have; repeatable: one of them",
			helpValue: "<account>",
			multiple: true,
			multipleNonGreedy: true,
		}),
		unsigned: Flags.boolean({
			description: "take a snapshot that nobody vouches for",
			exclusive: ["trust"],
		}),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(NodeSnapshotRestore);
		const settings = await this.ownSettings(flags);
		const trusted = await Promise.all((flags.trust ?? []).map((name) => accountNamed(settings, name)));
		let interrupted = false;
		takeOverSignals(() => {
			interrupted = true;
		});
		const started = performance.now();
		const snapshot = await findSnapshot(args.snapshot);
		checkSigner(snapshot, trusted, flags.unsigned);
		const checks = await withProgress("restoring", this.audience(flags), (progress) =>
			restoreInto({
				snapshot,
				dataDirectory: flags["output-directory"],
				configFile: flags.config,
				onRoom: (needed, free) =>
					this.note(`the data take up to ${sizeText(needed)}; there is room for ${sizeText(free)}`),
				onProgress: (state) => {
					progress.update(
						state.phase === "read"
							? `restoring: ${sizeText(state.bytes)} of ${sizeText(state.of)}`
							: `checking: block ${state.blocks.toLocaleString("en")} of ${state.of.toLocaleString("en")}`,
					);
					return !interrupted;
				},
			}),
		);
		if (!checks) {
			this.note("interrupted; the same command goes on from here");
			return endInterrupted();
		}
		const { manifest, signer } = snapshot;
		this.printRecord({
			head: BigInt(manifest.head.number),
			blockID: manifest.head.id,
			lowest: BigInt(manifest.lowest),
			entries: manifest.entries,
			checkedBlocks: checks.blocks,
			checkedTransactions: checks.transactions,
			...(signer ? { signer: toBase58Check(signer) } : {}),
			seconds: Math.round((performance.now() - started) / 1000),
		});
	}
}

/** @throws {Failure} `bad_value` unless the snapshot is signed by one who is trusted, or needn't be */
function checkSigner({ signer }: FoundSnapshot, trusted: readonly Uint8Array[], unsigned: boolean): void {
	if (unsigned) return;
	const who = signer ? `signed by ${toBase58Check(signer)}` : "not signed";
	if (trusted.length === 0) {
		throw new Failure("bad_value", `the snapshot is ${who}; say whom you trust`, {
			hint: "--trust <account>, or --unsigned for a snapshot that you made yourself",
		});
	}
	if (signer && trusted.some((address) => equalBytes(address, signer))) return;
	throw new Failure("bad_value", `the snapshot is ${who}, which is not one of those that you trust`);
}
