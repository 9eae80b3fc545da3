/** `coin vote …`: votes for witnesses. */

import { Flags } from "@oclif/core";
import { toBase58Check } from "../protocol/address.js";
import { accountArgument, accountQuery } from "../terminal/base/command-row.js";
import { keystoreFlags, nodeFlags } from "../terminal/flags/flags.js";
import { list, one, record } from "../terminal/schema/result-shape.js";
import { acting, sendsNow } from "../terminal/sending/rows.js";
import { votePlan } from "../wallet/actions/vote.js";
import { Failure } from "../wallet/failure.js";
import { existingAccount } from "../wallet/node/chain-query.js";
import { accountNamed } from "../wallet/transaction/signing.js";
import { fetchVotingPower, parseVotes, sameVotes, votesOf } from "../wallet/view/voting.js";

export const VoteCast = acting({
	summary: "Vote for witnesses",
	description:
		"Replaces all votes of the account; --add adds to them. coin vote show tells how many there are.",
	examples: ["<%= config.bin %> vote cast TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC=500 --wait"],
	strict: false,
	usage: "vote cast <witness>=<count>...",
	flags: {
		add: Flags.boolean({ description: "add to the present votes", exclusive: ["offline"] }),
	},
	plan: async ({ argv, flags, settings, actor }) => {
		if (argv.length === 0)
			throw new Failure("usage", "no vote: name <witness>=<count>", { hint: "see --help" });
		const known = await settings();
		const wanted = await parseVotes(argv, (text) => accountNamed(known, text));
		const context = await actor();
		const same = !flags.add && sendsNow(flags) && sameVotes(context.account.votes, wanted);
		if (same) return { nothing: "the votes are as wanted already" };
		const before = votesOf(context.account).map(({ witness, votes: count }) => `${count} for ${witness}`);
		// Signing casts the votes again even if unchanged; the prompt shows them.
		const kept = flags.add && flags.yes ? before.join(", ") : "";
		const message = `votes that are cast once more because the node says so: ${kept}`;
		return {
			...votePlan(context, wanted, flags),
			warnings: kept === "" ? [] : [{ code: "votes_kept", message }],
			details: flags.offline ? [] : [`  votes now   ${before.join(", ") || "none"}`],
		};
	},
});

export const VoteShow = accountQuery({
	summary: "Show the votes of an account, and how many it has left",
	examples: ["<%= config.bin %> vote show ann"],
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
		const power = await fetchVotingPower(client, address);
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
