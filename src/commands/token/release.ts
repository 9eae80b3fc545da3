import { UnfreezeAssetContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { firstDue, refusedUntil } from "../../terminal/output/due-time.js";
import type { Failure } from "../../wallet/failure.js";
import { contractOf } from "../../wallet/transaction/contract.js";

export default class TokenRelease extends ActingCommand {
	static override summary = "Release the locked supply of one's own token that is due";
	static override flags = actingFlags;

	private due: bigint | undefined;

	async run(): Promise<void> {
		const { flags } = await this.parse(TokenRelease);
		const context = await this.context(flags);
		this.due = firstDue(context.account.frozen_supply.map(({ expire_time }) => expire_time));
		await this.act(context, flags, contractOf(UnfreezeAssetContract, { owner_address: context.owner }));
	}

	/** With a locked part left, the same call succeeds later. */
	protected override explain(failure: Failure): Failure {
		const explained = super.explain(failure);
		return failure.code === "contract_validate" && this.due !== undefined
			? refusedUntil(explained, this.due, "the next part can be released")
			: explained;
	}
}
