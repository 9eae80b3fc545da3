import { Args, Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { AccountQuery, accountQueryFlags } from "../../terminal/base/account-query.js";
import { orNull } from "../../terminal/schema/result-shape.js";
import { witnessShape } from "../../terminal/schema/view-shapes.js";
import { Failure } from "../../wallet/failure.js";
import { rankedWitnesses, viewWitnesses } from "../../wallet/view/witnesses.js";

export default class WitnessShow extends AccountQuery {
	static override summary = "Show a witness: its votes, rank, blocks and brokerage";
	static override args = {
		account: Args.string({ description: "address or label", required: true, ignoreStdin: true }),
	};
	static override result = orNull(witnessShape);
	static override flags = {
		...accountQueryFlags,
		"or-null": Flags.boolean({ description: "print null if it is not a witness" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(WitnessShow);
		const { client, view, address } = await this.subject(flags, args.account);
		const ranked = await rankedWitnesses(client, view);
		const found = ranked.filter(({ witness }) => equalBytes(witness.address, address));
		const [shown] = await viewWitnesses(client, found, view);
		if (shown) return this.printRecord(shown);
		if (flags["or-null"]) return this.printScalar(null);
		throw new Failure("not_found", `${toBase58Check(address)} is not a witness`);
	}
}
