/** The base of the commands that act on an existing exchange pair. */

import { Args } from "@oclif/core";
import { fromUtf8 } from "../../protocol/bytes.js";
import {
	type Currency,
	type CurrencyAmount,
	currencyById,
	parseCurrencyAmount,
} from "../../wallet/token/token-amount.js";
import { parseNatural } from "../../wallet/values/integer-text.js";
import { type ExchangeSide, exchangeSide, existingExchange } from "../../wallet/view/exchanges.js";
import { type ActingFlags, actingFlags } from "../flags/acting-flags.js";
import { ActingCommand, type ActingContext } from "./acting-command.js";

export const exchangeArguments = {
	id: Args.string({ description: "number of the exchange", required: true, ignoreStdin: true }),
	amount: Args.string({
		description: "token and amount, such as 1000001:12.5 or coin:5coin",
		required: true,
		ignoreStdin: true,
	}),
};

/** One side of a pair, and what is known of the other; the latter only with a node. */
export interface PairAmount extends CurrencyAmount {
	readonly context: ActingContext;
	readonly exchangeId: bigint;
	readonly side?: ExchangeSide | undefined;
	readonly other?: Currency | undefined;
}

export abstract class ExchangeCommand extends ActingCommand {
	/** Reads the arguments, and asks the node about the pair. @throws {Failure} `not_found`, `bad_value` */
	protected async pairAmount(
		args: { readonly id: string; readonly amount: string },
		flags: ActingFlags,
	): Promise<PairAmount> {
		const exchangeId = parseNatural(args.id);
		const context = await this.context(flags);
		const { client } = context;
		const amount = await parseCurrencyAmount({ client, offline: flags.offline }, args.amount);
		if (flags.offline) return { ...amount, context, exchangeId };
		const side = exchangeSide(await existingExchange(client, exchangeId), amount.token);
		const other = await currencyById(client, fromUtf8(side.otherToken));
		return { ...amount, context, exchangeId, side, other };
	}
}

export const exchangeFlags = actingFlags;
