import { Args } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { parseNatural } from "../../wallet/values/integer-text.js";

export default class DevSolidLag extends DevelopmentCommand {
	static override summary = "Set how many blocks the irreversible state of a development chain lags behind";
	static override args = {
		blocks: Args.string({ description: "0 or more", required: true, ignoreStdin: true }),
	};
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevSolidLag);
		const params = [parseNatural(args.blocks).toString()];
		this.printDone(
			await this.change(flags, "dev_setSolidLag", params),
			`the irreversible state lags ${params[0]} blocks behind`,
		);
	}
}
