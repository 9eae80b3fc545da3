/** `coin vote …`: votes for witnesses. */

import { Flags } from "@oclif/core";
import { toBase58Check } from "../protocol/address.js";
import { VoteWitnessContract } from "../protocol/messages.js";
import { accountArgument } from "../terminal/base/account-query.js";
import { ActingCommand } from "../terminal/base/acting-command.js";
import { accountQuery } from "../terminal/base/command-row.js";
import { actingFlags } from "../terminal/flags/acting-flags.js";
import { keystoreFlags, nodeFlags } from "../terminal/flags/flags.js";
import { list, one, record } from "../terminal/schema/result-shape.js";
import { Failure } from "../wallet/failure.js";
import { existingAccount } from "../wallet/node/chain-query.js";
import { contractOf } from "../wallet/transaction/contract.js";
import { accountNamed } from "../wallet/transaction/signing.js";
import { addedVotes, parseVotes, votesOf, votingPower } from "../wallet/view/voting.js";

export class VoteCast extends ActingCommand {
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

export const VoteShow = accountQuery({
	summary: "Show the votes of an account, and how many it has left",
	args: accountArgument,
	result: one(
		record({
			account: "address",
			power: "int64",
			cast: "int64",
			free: "int64",
			votes: list(record({ witness: "address", votes: "int64" })),
		}),
	),
	flags: { ...nodeFlags, ...keystoreFlags },
	run: async ({ client, address, print }) => {
		const votes = votesOf(await existingAccount(client, address));
		const power = await votingPower(client, address);
		const cast = votes.reduce((sum, vote) => sum + vote.votes, 0n);
		const record = {
			account: toBase58Check(address),
			power,
			cast,
			free: power > cast ? power - cast : 0n,
			votes,
		};
		print.record(record, {
			...record,
			votes: votes.length > 0 ? votes.map(({ witness, votes: count }) => `${witness}=${count}`) : "none",
		});
	},
});
