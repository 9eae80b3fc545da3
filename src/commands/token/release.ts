import { UnfreezeAssetContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/acting-command.js";
import { actingFlags } from "../../terminal/acting-flags.js";
import { contractOf } from "../../wallet/contract.js";

export default class TokenRelease extends ActingCommand {
	static override summary = "Release the locked supply of one's own token that is due";
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(TokenRelease);
		const context = await this.context(flags);
		await this.act(context, flags, contractOf(UnfreezeAssetContract, { owner_address: context.owner }));
	}
}
