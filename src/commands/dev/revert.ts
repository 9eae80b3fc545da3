import { Args } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/development-command.js";

export default class DevRevert extends DevelopmentCommand {
	static override summary = "Bring a development chain back to a snapshot; it and all later ones are gone";
	static override args = {
		id: Args.string({ description: "as dev snapshot printed it", required: true, ignoreStdin: true }),
	};
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevRevert);
		this.printDone(
			await this.change(flags, "dev_revert", [args.id]),
			`back at the snapshot ${args.id}; it and all later ones are gone`,
		);
	}
}
