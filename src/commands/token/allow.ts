import { Args } from "@oclif/core";
import type { ContractInterface } from "../../abi/parameter.js";
import { toBase58Check } from "../../protocol/address.js";
import { TriggerSmartContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags, feeLimitFlags, feeLimitWish } from "../../terminal/flags/acting-flags.js";
import { APPROVE, approveData, MAX_UINT256, Orc20, tokenContract } from "../../wallet/token/orc20.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { callNote } from "../../wallet/transaction/named-call.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { callFeeLimit, receiptView } from "../../wallet/view/contract-outcome.js";

export default class TokenAllow extends ActingCommand {
	static override summary = "Let another account move an amount of one's ORC-20 token";
	static override description =
		"Replaces what it was allowed before; 0 ends it. max has no limit, so it needs agreement.";
	static override args = {
		contract: Args.string({ description: "address of the token", required: true, ignoreStdin: true }),
		spender: Args.string({ description: "account that may move it", required: true, ignoreStdin: true }),
		amount: Args.string({
			description: "in the token's decimals, in smallest units as <n>raw, or max",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = { ...actingFlags, ...feeLimitFlags };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(TokenAllow);
		const context = await this.context(flags);
		const { settings, client, owner } = context;
		const contract =
			(await tokenContract(settings, args.contract)) ?? (await accountNamed(settings, args.contract));
		const spender = await accountNamed(settings, args.spender);
		const token = new Orc20(client, contract);
		const amount = args.amount === "max" ? MAX_UINT256 : await token.readAmount(args.amount, flags.offline);
		const data = await approveData(spender, amount);
		const isUnlimited = amount === MAX_UINT256;
		const texts = [toBase58Check(spender), amount.toString()];
		const note = callNote({ contract, data, item: APPROVE, items: [APPROVE], texts });
		const items = (): Promise<ContractInterface> => token.interface(APPROVE, flags.offline);
		await this.act(context, flags, {
			...contractOf(TriggerSmartContract, { owner_address: owner, contract_address: contract, data }),
			...(await callFeeLimit(
				feeLimitWish(flags),
				client,
				flags.offline ? undefined : { owner, contract, data },
				items,
			)),
			confirmation: isUnlimited ? 2 : 0,
			interface: [APPROVE],
			...(note ? { note } : {}),
			details: [`  allows      ${texts[0]} to move ${await allowedText(token, amount, flags.offline)}`],
			result: { spender: texts[0], allowed: amount },
			readReceipt: async (receipt) => receiptView(receipt, APPROVE, await items()),
		});
	}
}

function allowedText(token: Orc20, amount: bigint, offline: boolean): string | Promise<string> {
	if (amount !== MAX_UINT256) return token.amountText(amount, offline);
	return `everything of the token ${toBase58Check(token.contract)}`;
}
