import { ProposalCreateContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { parameterNames, parameterNotes, parseParameters } from "../../terminal/chain/parameter-names.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { Failure } from "../../wallet/failure.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { newestProposalId } from "../../wallet/view/proposals.js";

export default class ProposalCreate extends ActingCommand {
	static override summary = "Propose new values of chain parameters";
	static override description =
		"Only witnesses may. A parameter goes by its number or any of its names (coin chain params).";
	static override examples = [
		"<%= config.bin %> proposal create MEMO_FEE=2000000 --from alice --wait",
		"<%= config.bin %> proposal create getEnergyFee=210 3=1000 --from alice",
	];
	static override strict = false;
	static override usage = "proposal create <name or id>=<value>...";
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { argv, flags } = await this.parse(ProposalCreate);
		const words = argv as string[];
		if (words.length === 0)
			throw new Failure("usage", "no parameter: name <name or id>=<value>", { hint: "see --help" });
		const parameters = await parseParameters(words);
		const nameOf = await parameterNames();
		const notes = await parameterNotes();
		const context = await this.context(flags);
		const { client, owner } = context;
		await this.act(context, flags, {
			...contractOf(ProposalCreateContract, { owner_address: owner, parameters }),
			details: [...parameters].flatMap(([id, value]) => {
				const name = nameOf(id);
				const note = name && notes[name];
				return [`  proposed    ${name ?? id} = ${value}`, ...(note ? [`              ${note}`] : [])];
			}),
			found: async () => ({ proposalId: await newestProposalId(client, owner, parameters) }),
		});
	}
}
