import { Args } from "@oclif/core";
import { toHex } from "../../protocol/bytes.js";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { parseTransactionId } from "../../terminal/base/query-command.js";

export default class DevDrop extends DevelopmentCommand {
	static override takesIds = true;
	static override summary = "Take a waiting transaction out of a development chain's pool, or all of them";
	static override description = "Prints how many were taken out.";
	static override args = {
		transaction: Args.string({ description: "its id (default: all)", ignoreStdin: true }),
	};
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevDrop);
		const { transaction } = args;
		const params = transaction === undefined ? [] : [toHex(parseTransactionId(transaction))];
		const count = Number(await this.change(flags, "dev_dropTransaction", params));
		if (!this.json) this.note(`waiting transactions taken out: ${count}`);
		this.printScalar(count);
	}
}
