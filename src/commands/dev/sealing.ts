import { Args } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { Failure } from "../../wallet/failure.js";

export default class DevSealing extends DevelopmentCommand {
	static override summary = "Print or set how a development chain seals blocks";
	static override examples = ["<%= config.bin %> dev sealing", "<%= config.bin %> dev sealing 3"];
	static override args = {
		mode: Args.string({
			description: "instant, manual, or the interval in seconds (default: print it)",
			ignoreStdin: true,
		}),
	};
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevSealing);
		const { mode } = args;
		if (mode !== undefined) {
			if (!/^(instant|manual|[1-9]\d?)$/.test(mode)) {
				throw new Failure("bad_value", `"${mode}": use instant, manual, or 1 to 60 seconds`);
			}
			await this.change(flags, "dev_setSealing", [/^\d/.test(mode) ? Number(mode) : mode]);
		}
		this.printScalar(String(await this.ask(flags, "dev_sealing", [])));
	}
}
