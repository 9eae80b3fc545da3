import { Args } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";

export default class DevSetStorage extends DevelopmentCommand {
	static override summary = "Set a slot of the storage of a contract of a development chain";
	static override examples = ["<%= config.bin %> dev set-storage TMVQ… 0 42"];
	static override args = {
		contract: Args.string({ description: "address or label", required: true, ignoreStdin: true }),
		slot: Args.string({ description: "number, or 0x…", required: true, ignoreStdin: true }),
		value: Args.string({
			description: "number, or 0x… of up to 32 bytes",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevSetStorage);
		const account = await this.account(flags, args.contract);
		this.printDone(
			await this.change(flags, "dev_setStorageAt", [account, args.slot, args.value]),
			`the slot ${args.slot} of ${args.contract} holds ${args.value}`,
		);
	}
}
