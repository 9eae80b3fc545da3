import { Args } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { Failure } from "../../wallet/failure.js";
import { parseNatural } from "../../wallet/values/integer-text.js";

export default class DevSetParam extends DevelopmentCommand {
	static override summary = "Set a chain parameter of a development chain, without a proposal";
	static override examples = ["<%= config.bin %> dev set-param energyFee=210"];
	static override args = {
		setting: Args.string({
			description: "number or any name of the parameter, =, value",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevSetParam);
		const match = /^([^=]+)=(.+)$/.exec(args.setting);
		if (!match?.[1] || !match[2]) throw new Failure("bad_value", `"${args.setting}": write <name>=<value>`);
		const params = [match[1].trim(), parseNatural(match[2]).toString()];
		this.printDone(await this.change(flags, "dev_setParameter", params), `${params[0]} is ${params[1]}`);
	}
}
