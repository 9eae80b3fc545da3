import { Flags } from "@oclif/core";
import { contractAddress } from "../../protocol/address.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { valueFlags, valuesOf } from "../../terminal/contract/contract-input.js";
import { deployable, deploymentFlags } from "../../terminal/contract/deployment-input.js";
import { actingFlags, feeLimitFlags, feeLimitWish } from "../../terminal/flags/acting-flags.js";
import { interfaceOf } from "../../wallet/abi/interface.js";
import { deploymentPlan } from "../../wallet/actions/contract-plan.js";
import { keepInterface } from "../../wallet/configuration/own-interfaces.js";
import { parseCount, parsePercent } from "../../wallet/values/integer-text.js";

export default class ContractDeploy extends ActingCommand {
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
			...feeLimitWish(flags),
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
