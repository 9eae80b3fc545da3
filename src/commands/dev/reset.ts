import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";

export default class DevReset extends DevelopmentCommand {
	static override summary = "Let a development chain begin anew";
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(DevReset);
		this.printDone(await this.change(flags, "dev_reset", []), "the chain begins anew");
	}
}
