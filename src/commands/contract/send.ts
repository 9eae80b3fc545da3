import { ActingCommand } from "../../terminal/base/acting-command.js";
import { callArguments, callFlags, namedCall, valuesOf } from "../../terminal/contract/contract-input.js";
import { actingFlags, feeLimitFlags, feeLimitWish } from "../../terminal/flags/acting-flags.js";
import { callPlan } from "../../wallet/actions/contract-plan.js";

export default class ContractSend extends ActingCommand {
	static override summary = "Call a function of a contract in a transaction";
	static override description =
		"The function is a signature, such as transfer(address,uint256), or a bare name of the contract's interface. " +
		"Arguments follow in order, or all of them as name=value. A call that would be refused is not sent.";
	static override usage = "contract send <address> <function> [<argument>...]";
	static override examples = [
		"<%= config.bin %> contract send store 'set(uint256,string)' 7 hello --wait",
		"<%= config.bin %> contract send store set next=7 note=hello --fee-limit 30coin",
	];
	static override strict = false;
	static override args = callArguments;
	static override flags = { ...actingFlags, ...feeLimitFlags, ...callFlags };

	async run(): Promise<void> {
		const { args, argv, flags } = await this.parse(ContractSend);
		const values = valuesOf(flags);
		const context = await this.context(flags);
		const { settings, client } = context;
		const call = await namedCall(
			{
				address: args.address,
				signature: args.function,
				arguments: (argv as string[]).slice(2),
				abi: flags.abi,
				data: flags.data,
				as: flags.as,
			},
			settings,
			flags.offline ? undefined : client,
		);
		const options = { offline: flags.offline, ...values, ...feeLimitWish(flags) };
		const plan = await callPlan(context, call, options);
		await this.act(context, flags, {
			...plan,
			result: flags["dry-run"] ? { feeLimit: plan.feeLimitSun } : {},
		});
	}
}
