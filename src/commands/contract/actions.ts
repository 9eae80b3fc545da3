/** `coin contract …`: deploying contracts and changing one's own. */

import { Args, Flags } from "@oclif/core";
import { contractAddress } from "../../protocol/address.js";
import {
	ClearABIContract,
	UpdateEnergyLimitContract,
	UpdateSettingContract,
} from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { valueFlags, valuesOf } from "../../terminal/contract/contract-input.js";
import { deployable, deploymentFlags } from "../../terminal/contract/deployment-input.js";
import { actingFlags, feeLimitFlags, requestedFeeLimit } from "../../terminal/flags/acting-flags.js";
import { interfaceOf } from "../../wallet/abi/interface.js";
import { deploymentPlan } from "../../wallet/actions/contract-plan.js";
import { keepInterface } from "../../wallet/configuration/own-interfaces.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { parseCount, parsePercent } from "../../wallet/values/integer-text.js";

export class ContractDeploy extends ActingCommand {
	static override summary = "Deploy a contract";
	static override description =
		"Takes a compiler's or toolchain's file, or code and interface by themselves; the constructor's arguments follow. " +
		"The contract's address is known, and printed, before the transaction is sent.";
	static override usage = "contract deploy (--artifact <path> | --bin <code>) [<argument>...]";
	static override examples = [
		"<%= config.bin %> contract deploy --artifact build/Store.json 42 --wait",
		"<%= config.bin %> contract deploy --bin @Store.bin --abi @Store.abi 42 --percent 50",
	];
	static override strict = false;
	static override flags = {
		...actingFlags,
		...feeLimitFlags,
		...valueFlags,
		...deploymentFlags,
		percent: Flags.string({
			description: "percentage of energy that callers pay",
			default: "100",
			helpGroup: "CONTRACT",
		}),
		"origin-energy-limit": Flags.string({
			description: "energy that you pay for one call at most",
			default: "10000000",
			helpGroup: "CONTRACT",
		}),
	};

	async run(): Promise<void> {
		const { argv, flags } = await this.parse(ContractDeploy);
		const percent = BigInt(parsePercent(flags.percent));
		const energyLimit = parseCount(flags["origin-energy-limit"]);
		const values = valuesOf(flags);
		const { code, abi, name } = await deployable(flags);
		const items = interfaceOf(abi);
		const context = await this.context(flags);
		const { owner, settings } = context;
		const plan = await deploymentPlan(context, {
			code,
			abi,
			name,
			arguments: argv as string[],
			callerPercent: percent,
			ownerEnergyLimit: energyLimit,
			offline: flags.offline,
			...values,
			...requestedFeeLimit(flags),
		});
		await this.act(context, flags, {
			...plan,
			result: flags["dry-run"] ? { feeLimit: plan.feeLimitSun } : {},
			afterSending: async ({ transaction }) => {
				// The record loses what tuples hold.
				if (items.length > 0) await keepInterface(settings, contractAddress(transaction.id, owner), abi);
			},
		});
	}
}

export class ContractClearAbi extends ActingCommand {
	static override summary = "Remove the interface that is stored with a contract, for good";
	static override args = {
		address: Args.string({ description: "the contract", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ContractClearAbi);
		const context = await this.context(flags);
		await this.act(context, flags, {
			...contractOf(ClearABIContract, {
				owner_address: context.owner,
				contract_address: await accountNamed(context.settings, args.address),
			}),
			confirmation: 2,
		});
	}
}

export class ContractSetEnergyLimit extends ActingCommand {
	static override summary = "Set how much energy the owner of a contract pays for one call at most";
	static override examples = ["<%= config.bin %> contract set-energy-limit store 1000000"];
	static override args = {
		address: Args.string({ description: "the contract", required: true, ignoreStdin: true }),
		limit: Args.string({ description: "energy, more than 0", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ContractSetEnergyLimit);
		const limit = parseCount(args.limit);
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(UpdateEnergyLimitContract, {
				owner_address: context.owner,
				contract_address: await accountNamed(context.settings, args.address),
				origin_energy_limit: limit,
			}),
		);
	}
}

export class ContractSetPercent extends ActingCommand {
	static override summary = "Set which percentage of a contract's energy its callers pay";
	static override examples = ["<%= config.bin %> contract set-percent store 50"];
	static override args = {
		address: Args.string({ description: "the contract", required: true, ignoreStdin: true }),
		percent: Args.string({ description: "0 to 100", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ContractSetPercent);
		const percent = BigInt(parsePercent(args.percent));
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(UpdateSettingContract, {
				owner_address: context.owner,
				contract_address: await accountNamed(context.settings, args.address),
				consume_user_resource_percent: percent,
			}),
		);
	}
}
