import { Args } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { Failure } from "../../wallet/failure.js";

const HINT =
	"coin dev snapshot takes one and prints its id; going back to a snapshot removes it and all later ones";

export default class DevRevert extends DevelopmentCommand {
	static override summary = "Bring a development chain back to a snapshot; it and all later ones are gone";
	static override args = {
		id: Args.string({ description: "as dev snapshot printed it", required: true, ignoreStdin: true }),
	};
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevRevert);
		const answer = await this.change(flags, "dev_revert", [args.id]).catch((error: unknown) => {
			throw error instanceof Failure && error.code === "rpc_error" ? error.with({ hint: HINT }) : error;
		});
		this.printDone(answer, `back at the snapshot ${args.id}; it and all later ones are gone`);
	}
}
