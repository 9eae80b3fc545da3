import { toBase58Check } from "../../protocol/address.js";
import { AccountQuery, accountArgument } from "../../terminal/base/account-query.js";
import { keystoreFlags, nodeFlags } from "../../terminal/flags/flags.js";
import { list, one, record } from "../../terminal/schema/result-shape.js";
import { existingAccount } from "../../wallet/node/chain-query.js";
import { votesOf, votingPower } from "../../wallet/view/voting.js";

export default class VoteShow extends AccountQuery {
	static override summary = "Show the votes of an account, and how many it has left";
	static override args = accountArgument;
	static override result = one(
		record({
			account: "address",
			power: "int64",
			cast: "int64",
			free: "int64",
			votes: list(record({ witness: "address", votes: "int64" })),
		}),
	);
	static override flags = { ...nodeFlags, ...keystoreFlags };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(VoteShow);
		const { client, address } = await this.subject(flags, args.account);
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
		this.printRecord(record, {
			...record,
			votes: votes.length > 0 ? votes.map(({ witness, votes: count }) => `${witness}=${count}`) : "none",
		});
	}
}
