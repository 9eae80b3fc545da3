import { Flags } from "@oclif/core";
import { equalBytes } from "../../protocol/bytes.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { callArguments, callFlags, namedCall, valuesOf } from "../../terminal/contract/contract-input.js";
import { blockFlag, keystoreFlags, nodeFlags } from "../../terminal/flags/flags.js";
import { chainParameters } from "../../wallet/node/chain-parameters.js";
import { callConstant, estimatorEnergy } from "../../wallet/node/constant-call.js";
import { accountOrActive } from "../../wallet/transaction/signing.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { explainRevert } from "../../wallet/view/contract-outcome.js";
import { contractAt } from "../../wallet/view/contract-record.js";

export default class ContractEstimate extends QueryCommand {
	static override summary = "What a call of a contract would cost now";
	static override description =
		"energy is what a run without effect used; energyByEstimator the least limit with which it succeeds, where the " +
		"node works that out; feeSun its price without any staked energy; callerShare the percentage that the caller pays.";
	static override usage = "contract estimate <address> <function> [<argument>...]";
	static override examples = ["<%= config.bin %> contract estimate store 'set(uint256,string)' 7 hello"];
	static override strict = false;
	static override args = callArguments;
	static override flags = {
		...nodeFlags,
		...blockFlag,
		...keystoreFlags,
		...callFlags,
		from: Flags.string({
			description: "account that calls (default: the active wallet)",
			helpValue: "<account>",
			env: "COIN_FROM",
		}),
	};

	async run(): Promise<void> {
		const { args, argv, flags } = await this.parse(ContractEstimate);
		const settings = await this.settings(flags);
		const client = await this.stateClient(settings, flags.block);
		const words = {
			address: args.address,
			signature: args.function,
			arguments: (argv as string[]).slice(2),
			abi: flags.abi,
			data: flags.data,
			as: flags.as,
		};
		const { contract, data, items } = await namedCall(words, settings, client);
		const owner = await accountOrActive(settings, flags.from);
		const call = { owner, contract, data, ...valuesOf(flags) };
		try {
			const { energy } = await callConstant(client, call);
			const [energyByEstimator, parameters, record] = await Promise.all([
				estimatorEnergy(client, call),
				chainParameters(client),
				contractAt(client, contract),
			]);
			const feeSun = energy * (parameters.get("getEnergyFee") ?? 0n);
			const percent = record.smart_contract?.consume_user_resource_percent ?? 100n;
			const isOwn = record.smart_contract && equalBytes(record.smart_contract.origin_address, owner);
			const result = { energy, energyByEstimator, feeSun, callerShare: isOwn ? 100 : Number(percent) };
			this.printRecord(result, {
				"energy used": energy,
				...(energyByEstimator === undefined ? {} : { "least limit": energyByEstimator }),
				fee: `${formatCoin(feeSun)} without staked energy`,
				"caller pays": `${result.callerShare} %`,
			});
		} catch (error) {
			throw await explainRevert(error, items);
		}
	}
}
