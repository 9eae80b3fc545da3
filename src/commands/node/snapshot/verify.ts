import { Args } from "@oclif/core";
import { sizeText } from "../../../launch/adoption-work.js";
import { checkSnapshot, findSnapshot } from "../../../launch/snapshot-work.js";
import { sizesOf } from "../../../node/snapshot/manifest.js";
import { toBase58Check } from "../../../protocol/address.js";
import { CoinCommand } from "../../../terminal/base/coin-command.js";
import { progressFlag } from "../../../terminal/flags/flags.js";
import { withProgress } from "../../../terminal/progress/progress.js";
import { endInterrupted, takeOverSignals } from "../../../terminal/prompt/interrupt.js";
import { one, record } from "../../../terminal/schema/result-shape.js";

export default class NodeSnapshotVerify extends CoinCommand {
	static override summary = "Read a snapshot whole and tell whether it is what its manifest says";
	static override description =
		"Every chunk and every segment is compared with its hash, and the entries with the format. Shows who signed it.";
	static override examples = [
		"<%= config.bin %> node snapshot verify /srv/snapshots/today",
		"<%= config.bin %> node snapshot verify https://snapshots.example/today",
	];
	static override result = one(
		record({
			head: "int64",
			blockID: "hex",
			timestamp: "time",
			lowest: "int64",
			genesis: "hex",
			program: "text",
			created: "time",
			entries: "integer",
			bytes: "integer",
			unpackedBytes: "integer",
			"signer?": "address",
		}),
	);
	static override args = {
		snapshot: Args.string({
			description: "folder, or address of a web server",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = { ...progressFlag };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(NodeSnapshotVerify);
		let interrupted = false;
		takeOverSignals(() => {
			interrupted = true;
		});
		const found = await findSnapshot(args.snapshot);
		const isWhole = await withProgress("reading the snapshot", this.audience(flags), (progress) =>
			checkSnapshot(found, (bytes, of) => {
				progress.update(`reading the snapshot: ${sizeText(bytes)} of ${sizeText(of)}`);
				return !interrupted;
			}),
		);
		if (!isWhole) return endInterrupted();
		const { manifest, signer } = found;
		const { packed, unpacked } = sizesOf(manifest);
		this.printRecord({
			head: BigInt(manifest.head.number),
			blockID: manifest.head.id,
			timestamp: BigInt(manifest.head.timestampMs),
			lowest: BigInt(manifest.lowest),
			genesis: manifest.genesisId,
			program: manifest.program,
			created: BigInt(manifest.createdMs),
			entries: manifest.entries,
			bytes: packed,
			unpackedBytes: unpacked,
			...(signer ? { signer: toBase58Check(signer) } : {}),
		});
	}
}
