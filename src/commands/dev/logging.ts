import { Args } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";

export default class DevLogging extends DevelopmentCommand {
	static override summary = "Switch the log of a development chain's blocks and contracts on or off";
	static override args = {
		state: Args.string({
			description: "on or off",
			required: true,
			ignoreStdin: true,
			options: ["on", "off"],
		}),
	};
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevLogging);
		this.printDone(
			await this.change(flags, "dev_setLogging", [args.state === "on"]),
			`the log of blocks and contracts is ${args.state}`,
		);
	}
}
