/** `coin stake …`: staking coins, delegating what they give, unstaking. */

import { Args, Flags } from "@oclif/core";
import { toBase58Check } from "../protocol/address.js";
import {
	CancelAllUnfreezeV2Contract,
	DelegateResourceContract,
	FreezeBalanceV2Contract,
	UnDelegateResourceContract,
	UnfreezeBalanceContract,
	UnfreezeBalanceV2Contract,
	WithdrawExpireUnfreezeContract,
} from "../protocol/messages.js";
import { accountArgument, accountQueryFlags } from "../terminal/base/account-query.js";
import { ActingCommand, type ActingContext } from "../terminal/base/acting-command.js";
import { accountQuery } from "../terminal/base/command-row.js";
import { actingFlags } from "../terminal/flags/acting-flags.js";
import { resourceFlag, stakeFlag } from "../terminal/flags/flags.js";
import { firstDue, refusedUntil } from "../terminal/output/due-time.js";
import { localTime } from "../terminal/output/output.js";
import { lines, one } from "../terminal/schema/result-shape.js";
import { delegationShape, stakeShape } from "../terminal/schema/view-shapes.js";
import { Failure } from "../wallet/failure.js";
import { existingAccount, headBlock } from "../wallet/node/chain-query.js";
import { contractOf } from "../wallet/transaction/contract.js";
import { accountNamed } from "../wallet/transaction/signing.js";
import { formatCoin, parsePositiveCoins } from "../wallet/values/amount.js";
import { parseBlocks } from "../wallet/values/duration.js";
import { parseResource, resourceName } from "../wallet/values/resource.js";
import { delegationsOf } from "../wallet/view/delegations.js";
import { delegatableMaximum, type StakeView, stakeView, unstakings } from "../wallet/view/stake-view.js";

export class StakeCancel extends ActingCommand {
	static override summary = "Cancel all unstaking: coins on their way back are staked again";
	static override description = "What is ready to be withdrawn is withdrawn.";
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(StakeCancel);
		const context = await this.context(flags);
		await this.act(context, flags, contractOf(CancelAllUnfreezeV2Contract, { owner_address: context.owner }));
	}
}

export class StakeDelegate extends ActingCommand {
	static override summary = "Delegate the resource of staked coins to another account";
	static override examples = ["<%= config.bin %> stake delegate 100coin --for energy --to alice --lock 3d"];
	static override args = {
		amount: Args.string({
			description: "staked coins whose resource is delegated, with the unit",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = {
		...actingFlags,
		for: resourceFlag,
		to: Flags.string({ description: "account that may use it", helpValue: "<account>", required: true }),
		lock: Flags.string({
			description: "time, or number of blocks, for which it can't be taken back",
			helpValue: "<duration or blocks>",
		}),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(StakeDelegate);
		const balance = parsePositiveCoins(args.amount);
		const resource = parseResource(flags.for);
		const lockBlocks = flags.lock === undefined ? undefined : parseBlocks(flags.lock);
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(DelegateResourceContract, {
				owner_address: context.owner,
				resource,
				balance,
				receiver_address: await accountNamed(context.settings, flags.to),
				...(lockBlocks === undefined ? {} : { lock: true, lock_period: lockBlocks }),
			}),
		);
	}
}

export class StakeFreeze extends ActingCommand {
	static override summary = "Stake coins for bandwidth or energy";
	static override examples = ["<%= config.bin %> stake freeze 500coin --for energy --wait"];
	static override args = {
		amount: Args.string({ description: "how much, with its unit", required: true, ignoreStdin: true }),
	};
	static override flags = { ...actingFlags, for: stakeFlag };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(StakeFreeze);
		const amount = parsePositiveCoins(args.amount);
		const resource = parseResource(flags.for, { votes: true });
		const context = await this.context(flags);
		await this.act(context, flags, {
			...contractOf(FreezeBalanceV2Contract, {
				owner_address: context.owner,
				frozen_balance: amount,
				resource,
			}),
		});
	}
}

export const StakeList = accountQuery({
	summary: "List the delegations of an account, given and received",
	args: accountArgument,
	result: lines(delegationShape),
	flags: accountQueryFlags,
	run: async ({ client, view, address, print }) => {
		const delegations = [
			...(await delegationsOf(client, address, view, "given")),
			...(await delegationsOf(client, address, view, "received")),
		];
		print.list(
			delegations,
			["from", "to", "resource", "amount", "lockedUntil"],
			"no delegations",
			delegations.map((row) => ({
				...row,
				amount: formatCoin(row.amount),
				lockedUntil: row.lockedUntil === undefined ? "" : localTime(row.lockedUntil),
			})),
		);
	},
});

export const StakeMax = accountQuery({
	summary: "Print how much of a stake could be delegated now",
	description:
		"Coins with their unit for people, sun with --json. The node counts what the stake's resource was used for.",
	args: accountArgument,
	flags: { ...accountQueryFlags, for: resourceFlag },
	run: async ({ flags, client, view, address, json, print }) => {
		const resource = parseResource(flags.for);
		const sun = await delegatableMaximum(client, address, resource, view);
		print.scalar(json ? sun : formatCoin(sun));
	},
});

export const StakeShow = accountQuery({
	summary: "Show what an account has staked, delegated and unstaked",
	args: accountArgument,
	result: one(stakeShape),
	flags: accountQueryFlags,
	run: async ({ client, view, address, print }) => {
		const stakes = await stakeView(client, await existingAccount(client, address, view), view);
		print.record(stakes, inCoins(stakes));
	},
});

/** The same with units. */
function inCoins(stakes: StakeView): object {
	const { staked, delegated, received, unstaking, withdrawable, delegatable, version1 } = stakes;
	const amounts = (record: Readonly<Record<string, bigint>>): object =>
		Object.fromEntries(Object.entries(record).map(([name, sun]) => [name, formatCoin(sun)]));
	const rows = (list: StakeView["unstaking"]): object[] =>
		list.map((row) => ({ ...row, amount: formatCoin(row.amount) }));
	return {
		...stakes,
		staked: amounts(staked),
		delegated: amounts(delegated),
		received: amounts(received),
		unstaking: unstaking.length > 0 ? rows(unstaking) : "none",
		withdrawable: formatCoin(withdrawable),
		delegatable: amounts(delegatable),
		version1: version1 && rows(version1),
	};
}

export class StakeUndelegate extends ActingCommand {
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

export class StakeUnfreezeV1 extends ActingCommand {
	static override summary = "End a stake of the first generation";
	static override description =
		"Ends all of it that is due, for one resource: the account's own, or what it gave to --receiver.";
	static override flags = {
		...actingFlags,
		for: stakeFlag,
		receiver: Flags.string({ description: "account that has the resource", helpValue: "<account>" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(StakeUnfreezeV1);
		const resource = parseResource(flags.for, { votes: true });
		const context = await this.context(flags);
		const { receiver } = flags;
		await this.act(
			context,
			flags,
			contractOf(UnfreezeBalanceContract, {
				owner_address: context.owner,
				resource,
				...(receiver === undefined
					? {}
					: { receiver_address: await accountNamed(context.settings, receiver) }),
			}),
		);
	}
}

export class StakeUnfreeze extends ActingCommand {
	static override summary = "Begin to unstake coins";
	static override description =
		"The coins can be withdrawn after the network's delay (stake show tells when); votes that the remaining stake " +
		"doesn't cover are reduced. What was ready to be withdrawn before is withdrawn too.";
	static override examples = ["<%= config.bin %> stake unfreeze 100coin --for energy"];
	static override args = {
		amount: Args.string({ description: "how much, with its unit", required: true, ignoreStdin: true }),
	};
	static override flags = { ...actingFlags, for: stakeFlag };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(StakeUnfreeze);
		const amount = parsePositiveCoins(args.amount);
		const resource = parseResource(flags.for, { votes: true });
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(UnfreezeBalanceV2Contract, {
				owner_address: context.owner,
				unfreeze_balance: amount,
				resource,
			}),
		);
	}
}

export class StakeWithdraw extends ActingCommand {
	static override summary = "Withdraw coins whose unstaking is over";
	static override flags = actingFlags;

	private due: bigint | undefined;

	async run(): Promise<void> {
		const { flags } = await this.parse(StakeWithdraw);
		const context = await this.context(flags);
		this.due = firstDue(unstakings(context.account).map(({ due }) => due));
		await this.act(
			context,
			flags,
			contractOf(WithdrawExpireUnfreezeContract, { owner_address: context.owner }),
		);
	}

	/** With coins on their way back, the same call succeeds later. */
	protected override explain(failure: Failure): Failure {
		const explained = super.explain(failure);
		return failure.code === "contract_validate" && this.due !== undefined
			? refusedUntil(explained, this.due, "the next coins can be withdrawn")
			: explained;
	}
}
