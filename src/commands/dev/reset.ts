import { DevelopmentCommand, developmentFlags } from "../../terminal/development-command.js";

export default class DevReset extends DevelopmentCommand {
	static override summary = "Let a development chain begin anew";
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(DevReset);
		this.printScalar((await this.ask(flags, "dev_reset", [])) === true);
	}
}
