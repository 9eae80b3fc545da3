/** `coin stake …`: staking, unstaking, and delegating resources. */

import { Flags } from "@oclif/core";
import { toBase58Check } from "../protocol/address.js";
import { accountArgument, accountQuery, accountQueryFlags } from "../terminal/base/command-row.js";
import { required, resourceFlag, stakeFlag } from "../terminal/flags/flags.js";
import { firstDue, localTime, refusedUntil } from "../terminal/output/output.js";
import { lines, one } from "../terminal/schema/result-shape.js";
import { delegationShape, stakeShape } from "../terminal/schema/view-shapes.js";
import { acting, nothingBefore, sendsNow } from "../terminal/sending/rows.js";
import type { Actor } from "../wallet/actions/plan.js";
import {
	cancelUnstakingPlan,
	delegatePlan,
	type Stake,
	stakePlan,
	undelegatePlan,
	unstakePlan,
	unstakeV1Plan,
	withdrawUnstakedPlan,
} from "../wallet/actions/stake.js";
import type { Failure } from "../wallet/failure.js";
import { existingAccount, fetchHead } from "../wallet/node/chain-query.js";
import { accountNamed } from "../wallet/transaction/signing.js";
import { formatCoin, parsePositiveCoins } from "../wallet/values/amount.js";
import { parseBlocks } from "../wallet/values/moment.js";
import { parseResource, resourceName } from "../wallet/values/resource.js";
import { delegationsOf } from "../wallet/view/delegations.js";
import { delegatableMaximum, type StakeView, stakeView, unstakings } from "../wallet/view/stake-view.js";

export const StakeCancel = acting({
	summary: "Cancel all unstaking: coins on their way back are staked again",
	description: "What is ready to be withdrawn is withdrawn.",
	examples: ["<%= config.bin %> stake cancel --from ann --wait"],
	plan: async ({ actor, flags }) => {
		const context = await actor();
		if (sendsNow(flags) && unstakings(context.account).length === 0)
			return { nothing: "no coins are being unstaked" };
		return cancelUnstakingPlan(context);
	},
});

export const StakeDelegate = acting({
	summary: "Delegate the resource of staked coins to another account",
	description:
		"The amount stands first, as in every coin stake command; --to names the account, which is no recipient: no coins move.",
	examples: ["<%= config.bin %> stake delegate 100coin --for energy --to alice --lock 3d"],
	args: {
		amount: required("staked coins whose resource is delegated, with the unit"),
	},
	flags: {
		for: resourceFlag,
		to: Flags.string({ description: "account that may use it", helpValue: "<account>", required: true }),
		lock: Flags.string({
			description: "time, or number of blocks, for which it can't be taken back",
			helpValue: "<duration or blocks>",
		}),
	},
	plan: async ({ args, flags, actor }) => {
		const stake = { amountSun: parsePositiveCoins(args.amount), resource: parseResource(flags.for) };
		const lockBlocks = flags.lock === undefined ? undefined : parseBlocks(flags.lock);
		const context = await actor();
		const receiver = await accountNamed(context.settings, flags.to);
		return delegatePlan(context, { ...stake, receiver }, lockBlocks);
	},
});

/** @throws {Failure} `bad_value`, `amount_unit` */
function stakeOf(amount: string, resource: string): Stake {
	return { amountSun: parsePositiveCoins(amount), resource: parseResource(resource, { votes: true }) };
}

export const StakeFreeze = acting({
	summary: "Stake coins for bandwidth or energy",
	examples: ["<%= config.bin %> stake freeze 500coin --for energy --wait"],
	args: {
		amount: required("how much, with its unit"),
	},
	flags: { for: stakeFlag },
	plan: async ({ args, flags, actor }) => {
		const stake = stakeOf(args.amount, flags.for);
		return stakePlan(await actor(), stake);
	},
});

export const StakeList = accountQuery({
	summary: "List the delegations of an account, given and received",
	examples: ["<%= config.bin %> stake list ann"],
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
	examples: ["<%= config.bin %> stake max ann --for energy"],
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
	examples: ["<%= config.bin %> stake show ann"],
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

export const StakeUndelegate = acting({
	summary: "Take a delegated resource back",
	examples: ["<%= config.bin %> stake undelegate 5coin --for energy --to bob"],
	args: {
		amount: required("staked coins whose resource comes back, with the unit"),
	},
	flags: {
		for: resourceFlag,
		to: Flags.string({ description: "account that has it", helpValue: "<account>", required: true }),
	},
	plan: async ({ args, flags, actor }) => {
		const stake = { amountSun: parsePositiveCoins(args.amount), resource: parseResource(flags.for) };
		const context = await actor();
		const receiver = await accountNamed(context.settings, flags.to);
		return {
			...undelegatePlan(context, { ...stake, receiver }),
			explain: (failure) =>
				/insufficient delegate/i.test(failure.message)
					? lockedOr(failure, context, receiver, resourceName(stake.resource))
					: failure,
		};
	},
});

/** Adds when a locked delegation can be undelegated, which the network's error omits. */
async function lockedOr(
	failure: Failure,
	{ client, owner }: Actor,
	receiver: Uint8Array,
	resource: string,
): Promise<Failure> {
	const [given, head] = await Promise.all([delegationsOf(client, owner, "full", "given"), fetchHead(client)]);
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

export const StakeUnfreezeV1 = acting({
	summary: "End a stake of the first generation",
	description:
		"Ends all of it that is due, for one resource: the account's own, or what it gave to --receiver.",
	examples: ["<%= config.bin %> stake unfreeze-v1 --for energy --receiver bob"],
	flags: {
		for: stakeFlag,
		receiver: Flags.string({ description: "account that has the resource", helpValue: "<account>" }),
	},
	plan: async ({ flags: { for: resource, receiver }, actor }) => {
		const code = parseResource(resource, { votes: true });
		const context = await actor();
		const given = receiver === undefined ? undefined : await accountNamed(context.settings, receiver);
		return unstakeV1Plan(context, code, given);
	},
});

export const StakeUnfreeze = acting({
	summary: "Begin to unstake coins",
	description:
		"The coins can be withdrawn after the network's delay (--wait and stake show tell when); votes that the remaining stake " +
		"doesn't cover are reduced. What was ready to be withdrawn before is withdrawn too.",
	examples: ["<%= config.bin %> stake unfreeze 100coin --for energy"],
	args: {
		amount: required("how much, with its unit"),
	},
	flags: { for: stakeFlag },
	plan: async ({ args, flags, actor }) => {
		const stake = stakeOf(args.amount, flags.for);
		const context = await actor();
		return {
			...unstakePlan(context, stake),
			details: [
				"  due         after the delay for which the chain keeps unstaked coins back: --wait and coin stake show tell when",
			],
			found: async () => {
				const due = unstakings(await existingAccount(context.client, context.owner)).at(-1)?.due;
				return due === undefined ? {} : { due };
			},
		};
	},
});

export const StakeWithdraw = acting({
	summary: "Withdraw coins whose unstaking is over",
	description: "Where none can be withdrawn yet, nothing is done.",
	examples: ["<%= config.bin %> stake withdraw --from bob --wait"],
	plan: async ({ actor, flags }) => {
		const context = await actor();
		const due = firstDue(unstakings(context.account).map((one) => one.due));
		if (sendsNow(flags)) {
			if (due === undefined) return { nothing: "no coins are being unstaked" };
			const { timestampMs } = await fetchHead(context.client);
			const early = nothingBefore(due, timestampMs, "the next coins can be withdrawn");
			if (early) return early;
		}
		return {
			...withdrawUnstakedPlan(context),
			// While unstaking is pending, the same call succeeds later.
			explain: (failure) =>
				failure.code === "contract_validate" && due !== undefined
					? refusedUntil(failure, due, "the next coins can be withdrawn")
					: failure,
		};
	},
});
