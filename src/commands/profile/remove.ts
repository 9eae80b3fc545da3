import { Args } from "@oclif/core";
import { ConfigurationCommand } from "../../terminal/base/configuration-command.js";
import { BUILT_IN, readConfiguration } from "../../wallet/configuration/configuration.js";
import { Failure } from "../../wallet/failure.js";

export default class ProfileRemove extends ConfigurationCommand {
	static override summary = "Remove a profile from the configuration";
	static override description = "A built-in profile loses what the configuration changed.";
	static override examples = ["<%= config.bin %> profile remove gate"];
	static override args = {
		name: Args.string({ description: "the profile", required: true, ignoreStdin: true }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ProfileRemove);
		const settings = await this.settings({ config: flags.config });
		const { profiles, top } = await readConfiguration(settings.configurationFile, "", false);
		if (!(args.name in profiles)) {
			const why = args.name in BUILT_IN ? "is built in and unchanged" : "doesn't exist";
			throw new Failure("not_found", `the profile "${args.name}" ${why}`);
		}
		if (top["profile"] === args.name && !(args.name in BUILT_IN)) {
			throw new Failure("bad_value", `the profile "${args.name}" is in use`, {
				hint: "coin profile use chooses another one first",
			});
		}
		await this.edit(flags, [{ path: ["profiles", args.name], value: undefined }]);
		this.printRecord({ profile: args.name, removed: true });
	}
}
