import { Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { utf8 } from "../../protocol/bytes.js";
import type { ContractType } from "../../protocol/contract-types.js";
import { contractTypeByName } from "../../protocol/contract-types.js";
import { TransferAssetContract, TransferContract } from "../../protocol/messages.js";
import { ActingCommand, type ActingContext, type ActingPlan } from "../../terminal/acting-command.js";
import { actingFlags } from "../../terminal/acting-flags.js";
import { formatCoin, parseCoinAmount, parseTokenAmount } from "../../wallet/amount.js";
import { accountOf } from "../../wallet/chain-query.js";
import { Failure } from "../../wallet/failure.js";
import { accountNamed } from "../../wallet/signing.js";
import { tokenDecimals } from "../../wallet/token.js";

export default class WalletSend extends ActingCommand {
	static override summary = "Send coins or tokens";
	static override description =
		"Builds the transfer at the node, checks the bytes, signs with a key of the keystore and broadcasts. " +
		"An amount carries its unit: 12.5coin or 12500000sun.";
	static override examples = [
		"<%= config.bin %> wallet send --to alice --amount 25coin --wait",
		"<%= config.bin %> wallet send --to TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC --amount 1_000sun --build | <%= config.bin %> wallet sign | <%= config.bin %> wallet broadcast",
	];
	static override flags = {
		...actingFlags,
		to: Flags.string({ description: "recipient", helpValue: "<account>", required: true }),
		amount: Flags.string({ description: "how much, with its unit", helpValue: "<amount>", required: true }),
		token: Flags.string({ description: "ORC-10 token by id (default: the coin)", helpValue: "<id>" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(WalletSend);
		const context = await this.context(flags);
		const to = await accountNamed(context.settings, flags.to);
		const plan =
			flags.token === undefined
				? coinTransfer(context, to, flags.amount)
				: await tokenTransfer(context, to, flags.amount, flags.token, flags.offline);
		await this.act(
			context,
			flags,
			flags.offline ? plan : { ...plan, details: await this.recipientNote(context, to) },
		);
	}

	/** Who pays for a recipient that doesn't exist yet. */
	private async recipientNote({ client }: ActingContext, to: Uint8Array): Promise<string[]> {
		if (await accountOf(client, to)) return [];
		return [`  note        ${toBase58Check(to)} does not exist yet: creating it costs an extra fee`];
	}
}

function coinTransfer({ owner }: ActingContext, to: Uint8Array, text: string): ActingPlan {
	const amount = parseCoinAmount(text);
	if (amount === 0n) throw new Failure("bad_value", "the amount is zero");
	return {
		type: typeNamed("TransferContract"),
		parameter: TransferContract.create({ owner_address: owner, to_address: to, amount }),
		amountSun: amount,
		details: [`  amount      ${formatCoin(amount)}`],
	};
}

async function tokenTransfer(
	{ owner, client, settings }: ActingContext,
	to: Uint8Array,
	text: string,
	token: string,
	offline: boolean,
): Promise<ActingPlan> {
	const id = settings.tokens[token] ?? token;
	if (!/^\d{1,18}$/.test(id)) throw new Failure("bad_value", `"${token}" is no token id`);
	const raw = /raw$/i.test(text.trim());
	const amount = parseTokenAmount(text, raw || offline ? undefined : await tokenDecimals(client, id));
	if (amount === 0n) throw new Failure("bad_value", "the amount is zero");
	return {
		type: typeNamed("TransferAssetContract"),
		parameter: TransferAssetContract.create({
			owner_address: owner,
			to_address: to,
			asset_name: utf8(id),
			amount,
		}),
	};
}

function typeNamed(name: string): ContractType {
	return contractTypeByName(name) as ContractType;
}
