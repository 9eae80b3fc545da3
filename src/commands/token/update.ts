import { Flags } from "@oclif/core";
import { utf8 } from "../../protocol/bytes.js";
import { UpdateAssetContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { Failure } from "../../wallet/failure.js";
import { issuedToken } from "../../wallet/token/token.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { parseNatural } from "../../wallet/values/integer-text.js";

const text = (description: string, helpValue: string) =>
	Flags.string({ description, helpValue, helpGroup: "TOKEN" });

export default class TokenUpdate extends ActingCommand {
	static override summary = "Change the description of one's own token, and the bandwidth that it gives";
	static override description = "What isn't named stays as it is.";
	static override flags = {
		...actingFlags,
		description: text("free text", "<text>"),
		url: text("page about the token", "<url>"),
		"free-bandwidth": text("bytes a day that the issuer pays for each holder", "<bytes>"),
		"public-free-bandwidth": text("bytes a day for all holders together", "<bytes>"),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(TokenUpdate);
		const { description, url, "free-bandwidth": limit, "public-free-bandwidth": publicLimit } = flags;
		const given = [description, url, limit, publicLimit];
		if (given.every((value) => value === undefined))
			throw new Failure("usage", "no change: name one", { hint: "see --help" });
		// The network replaces all four values, whichever are meant.
		const complete = given.every((value) => value !== undefined);
		if (flags.offline && !complete) {
			throw new Failure("usage", "--offline needs all four values: the present ones can't be asked for");
		}
		const [newLimit, newPublicLimit] = [limit, publicLimit].map((value) =>
			value === undefined ? undefined : parseNatural(value),
		);
		const context = await this.context(flags);
		const token = complete ? undefined : await issuedToken(context.client, context.owner);
		if (!complete && !token) throw new Failure("not_found", "the account has issued no token");
		await this.act(
			context,
			flags,
			contractOf(UpdateAssetContract, {
				owner_address: context.owner,
				description: description === undefined ? (token?.description ?? utf8("")) : utf8(description),
				url: url === undefined ? (token?.url ?? utf8("")) : utf8(url),
				new_limit: newLimit ?? token?.free_asset_net_limit ?? 0n,
				new_public_limit: newPublicLimit ?? token?.public_free_asset_net_limit ?? 0n,
			}),
		);
	}
}
