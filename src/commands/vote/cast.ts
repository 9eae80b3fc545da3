import { Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { VoteWitnessContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { Failure } from "../../wallet/failure.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { addedVotes, parseVotes, votesOf } from "../../wallet/view/voting.js";

export default class VoteCast extends ActingCommand {
	static override summary = "Vote for witnesses";
	static override description =
		"Replaces all votes of the account; --add adds to them. coin vote show tells how many there are.";
	static override examples = ["<%= config.bin %> vote cast TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC=500 --wait"];
	static override strict = false;
	static override usage = "vote cast <witness>=<count>...";
	static override flags = {
		...actingFlags,
		add: Flags.boolean({ description: "add to the present votes", exclusive: ["offline"] }),
	};

	async run(): Promise<void> {
		const { argv, flags } = await this.parse(VoteCast);
		const words = argv as string[];
		if (words.length === 0)
			throw new Failure("usage", "no vote: name <witness>=<count>", { hint: "see --help" });
		const settings = await this.settings(flags);
		const wanted = await parseVotes(words, (text) => accountNamed(settings, text));
		const context = await this.context(flags);
		const votes = flags.add ? addedVotes(context.account.votes, wanted) : wanted;
		const before = votesOf(context.account).map(({ witness, votes: count }) => `${count} for ${witness}`);
		await this.act(context, flags, {
			...contractOf(VoteWitnessContract, { owner_address: context.owner, votes }),
			details: flags.offline ? [] : [`  votes now   ${before.join(", ") || "none"}`],
			result: {
				votes: votes.map(({ vote_address, vote_count }) => ({
					witness: toBase58Check(vote_address),
					votes: vote_count,
				})),
			},
		});
	}
}
