import { Args, Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { UnDelegateResourceContract } from "../../protocol/messages.js";
import { ActingCommand, type ActingContext } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { resourceFlag } from "../../terminal/flags/flags.js";
import { firstDue, refusedUntil } from "../../terminal/output/due-time.js";
import { Failure } from "../../wallet/failure.js";
import { headBlock } from "../../wallet/node/chain-query.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { parsePositiveCoins } from "../../wallet/values/amount.js";
import { parseResource, resourceName } from "../../wallet/values/resource.js";
import { delegationsOf } from "../../wallet/view/delegations.js";

export default class StakeUndelegate extends ActingCommand {
	static override summary = "Take a delegated resource back";
	static override args = {
		amount: Args.string({
			description: "staked coins whose resource comes back, with the unit",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = {
		...actingFlags,
		for: resourceFlag,
		to: Flags.string({ description: "account that has it", helpValue: "<account>", required: true }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(StakeUndelegate);
		const balance = parsePositiveCoins(args.amount);
		const resource = parseResource(flags.for);
		const context = await this.context(flags);
		const receiver = await accountNamed(context.settings, flags.to);
		const plan = contractOf(UnDelegateResourceContract, {
			owner_address: context.owner,
			resource,
			balance,
			receiver_address: receiver,
		});
		try {
			await this.act(context, flags, plan);
		} catch (error) {
			if (!(error instanceof Failure) || !/insufficient delegate/i.test(error.message)) throw error;
			throw await this.lockedOr(error, context, receiver, resourceName(resource));
		}
	}

	/** What is locked comes back from a time on, which the network's refusal doesn't tell. */
	private async lockedOr(
		failure: Failure,
		{ client, owner }: ActingContext,
		receiver: Uint8Array,
		resource: string,
	): Promise<Failure> {
		const [given, head] = await Promise.all([
			delegationsOf(client, owner, "full", "given"),
			headBlock(client),
		]);
		const mine = given.filter((one) => one.to === toBase58Check(receiver) && one.resource === resource);
		const due = firstDue(
			mine.flatMap(({ lockedUntil }) =>
				lockedUntil !== undefined && lockedUntil > head.timestampMs ? [lockedUntil] : [],
			),
		);
		return due === undefined
			? failure.with({ hint: "coin account delegated tells what can be taken back" })
			: refusedUntil(failure, due, "the delegation is locked: it can be taken back");
	}
}
