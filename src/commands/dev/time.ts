import { Args, Flags } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { localTime } from "../../terminal/output/output.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord } from "../../wallet/json.js";
import { parseDuration } from "../../wallet/values/duration.js";

export default class DevTime extends DevelopmentCommand {
	static override summary = "Print the clock of a development chain, or move it";
	static override examples = [
		"<%= config.bin %> dev time --add 3d",
		"<%= config.bin %> dev time --next @1795280000000",
	];
	static override args = {
		move: Args.string({
			description: "+<duration> or @<epoch ms>; the same as --add or --set",
			ignoreStdin: true,
		}),
	};
	static override flags = {
		...developmentFlags,
		add: Flags.string({
			description: "move it forward",
			helpValue: "<duration>",
			exclusive: ["set", "next"],
		}),
		set: Flags.string({ description: "set it", helpValue: "@<epoch ms>", exclusive: ["next"] }),
		next: Flags.string({ description: "time of the next block", helpValue: "@<epoch ms>" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevTime);
		const { move } = args;
		if (move !== undefined && !/^[+@]/.test(move))
			throw new Failure("bad_value", `"${move}": write +<duration> or @<epoch ms>`);
		if (move?.startsWith("+")) await this.change(flags, "dev_increaseTime", [parseDuration(move.slice(1))]);
		if (move?.startsWith("@")) await this.change(flags, "dev_setTime", [epochMs(move)]);
		if (flags.add !== undefined) await this.change(flags, "dev_increaseTime", [parseDuration(flags.add)]);
		if (flags.set !== undefined) await this.change(flags, "dev_setTime", [epochMs(flags.set)]);
		if (flags.next !== undefined)
			await this.change(flags, "dev_setNextBlockTimestamp", [epochMs(flags.next)]);
		const info = await this.ask(flags, "dev_info", []);
		if (!isRecord(info)) throw new Failure("rpc_error", "the node answered with no information");
		const { headTime, clockOffsetMs } = info;
		// The chain's clock is this machine's with an offset; the newest block may be far behind it.
		const clock = BigInt(Date.now()) + BigInt(String(clockOffsetMs));
		const record = { clock, timestamp: headTime, offsetMs: clockOffsetMs };
		const head = typeof headTime === "bigint" ? localTime(headTime) : headTime;
		this.printRecord(record, { clock: localTime(clock), "newest block": head, offsetMs: clockOffsetMs });
	}
}

function epochMs(text: string): bigint {
	if (!/^@\d{1,16}$/.test(text)) throw new Failure("bad_value", `"${text}": write a time as @<epoch ms>`);
	return BigInt(text.slice(1));
}
