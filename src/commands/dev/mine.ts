import { Args, Flags } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord } from "../../wallet/json.js";
import { parseDuration } from "../../wallet/values/duration.js";

export default class DevMine extends DevelopmentCommand {
	static override summary = "Seal blocks of a development chain now";
	static override examples = ["<%= config.bin %> dev mine --blocks 5 --interval 3s"];
	static override args = {
		count: Args.integer({
			description: "how many; the same as --blocks",
			min: 1,
			max: 10_000,
			ignoreStdin: true,
		}),
	};
	static override flags = {
		...developmentFlags,
		blocks: Flags.integer({ description: "how many", default: 1, min: 1, max: 10_000 }),
		interval: Flags.string({ description: "distance of their times", helpValue: "<duration>" }),
		at: Flags.string({ description: "time of the first", helpValue: "@<epoch ms>" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevMine);
		const block = await this.change(flags, "dev_mine", [
			{
				blocks: args.count ?? flags.blocks,
				intervalMs: flags.interval === undefined ? undefined : parseDuration(flags.interval),
				timestampMs: flags.at === undefined ? undefined : epochMs(flags.at),
			},
		]);
		if (!isRecord(block)) throw new Failure("rpc_error", "the node answered with no block");
		const { number, blockID, timestampMs } = block;
		this.printRecord({ number, blockID, timestamp: timestampMs });
	}
}

function epochMs(text: string): bigint {
	if (!/^@\d{1,16}$/.test(text)) throw new Failure("bad_value", `--at "${text}": write @<epoch ms>`);
	return BigInt(text.slice(1));
}
