import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord } from "../../wallet/json.js";

export default class DevMaintenance extends DevelopmentCommand {
	static override summary = "Seal a block of a development chain that counts votes and ends proposals";
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(DevMaintenance);
		const answer = await this.change(flags, "dev_maintenance", []);
		if (!isRecord(answer)) throw new Failure("rpc_error", "the node answered with no block");
		const number = String(answer["number"]);
		if (!this.json)
			this.note(`sealed block ${number}: votes are counted, and proposals whose time is over are ended`);
		this.printScalar(number);
	}
}
