import { Args, Flags } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { Failure } from "../../wallet/failure.js";
import { parseCoinAmount } from "../../wallet/values/amount.js";
import { parseNatural } from "../../wallet/values/integer-text.js";

export default class DevSetStake extends DevelopmentCommand {
	static override summary = "Set what an account of a development chain has staked";
	static override description = "The stakes come out of nowhere: the balance stays. What isn't named stays.";
	static override examples = ["<%= config.bin %> dev set-stake alice --energy 5000coin --votes 100"];
	static override args = {
		account: Args.string({ description: "address or label", required: true, ignoreStdin: true }),
	};
	static override flags = {
		...developmentFlags,
		bandwidth: Flags.string({ description: "coins staked for bandwidth", helpValue: "<amount>" }),
		energy: Flags.string({ description: "coins staked for energy", helpValue: "<amount>" }),
		votes: Flags.string({ description: "votes that the account can cast", helpValue: "<n>" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevSetStake);
		const { bandwidth, energy, votes } = flags;
		if (bandwidth === undefined && energy === undefined && votes === undefined) {
			throw new Failure("usage", "say what is staked: --bandwidth, --energy or --votes");
		}
		const staked = {
			...(bandwidth === undefined ? {} : { bandwidthSun: parseCoinAmount(bandwidth).toString() }),
			...(energy === undefined ? {} : { energySun: parseCoinAmount(energy).toString() }),
			...(votes === undefined ? {} : { votes: parseNatural(votes).toString() }),
		};
		const account = await this.account(flags, args.account);
		this.printDone(
			await this.change(flags, "dev_setResources", [account, staked]),
			`${args.account} has staked what was asked for: coin stake show ${args.account}`,
		);
	}
}
