import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord } from "../../wallet/json.js";

export default class DevInfo extends DevelopmentCommand {
	static override summary = "Show how a development chain runs: head, clock, sealing, snapshots, ports";
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(DevInfo);
		const info = await this.ask(flags, "dev_info", []);
		if (!isRecord(info)) throw new Failure("rpc_error", "the node answered with no information");
		const { version, genesis, chainId, head, headTime, clockOffsetMs, sealing, solidLag } = info;
		const { snapshots, unlocked, unlockAll, instanceId, ports } = info;
		this.printRecord({
			version,
			genesis,
			chainId,
			head,
			timestamp: headTime,
			offsetMs: clockOffsetMs,
			sealing: String(sealing),
			solidLag,
			snapshots,
			unlocked,
			unlockAll,
			instanceId,
			ports,
		});
	}
}
