import { Args } from "@oclif/core";
import { ConfigurationCommand } from "../../terminal/base/configuration-command.js";
import { shownAddress } from "../../wallet/values/shown-address.js";

export default class ProfileUse extends ConfigurationCommand {
	static override summary = "Choose the profile that commands use";
	static override examples = ["<%= config.bin %> profile use dev"];
	static override args = {
		name: Args.string({ description: "the profile", required: true, ignoreStdin: true }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ProfileUse);
		const { http } = await this.edit(flags, [{ path: ["profile"], value: args.name }], args.name);
		const { COIN_PROFILE } = process.env;
		if (COIN_PROFILE && COIN_PROFILE !== args.name) {
			this.warning(`the variable COIN_PROFILE says ${COIN_PROFILE}, and it comes first`);
		}
		this.printRecord({ profile: args.name, http: shownAddress(http) });
	}
}
