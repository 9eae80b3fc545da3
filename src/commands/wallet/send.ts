import { readFile } from "node:fs/promises";
import { Args, Flags, type Interfaces } from "@oclif/core";
import { ActingCommand, type ActingContext } from "../../terminal/base/acting-command.js";
import { actingFlags, feeLimitFlag } from "../../terminal/flags/acting-flags.js";
import { forEachInput, streamFlags } from "../../terminal/input/envelope-stream.js";
import { readStdin } from "../../terminal/input/stdin.js";
import { transferPlan } from "../../wallet/actions/transfer.js";
import { Failure } from "../../wallet/failure.js";
import { accountOf } from "../../wallet/node/chain-query.js";
import { type Payment, readPayments } from "../../wallet/transaction/payment-list.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { memoBytes } from "../../wallet/values/memo.js";

type SendFlags = Interfaces.InferredFlags<typeof WalletSend.flags>;

export default class WalletSend extends ActingCommand {
	static override summary = "Send coins or tokens";
	static override aliases = ["send"];
	static override description =
		"Builds the transfer at the node, checks the bytes, signs with a key of the keystore and broadcasts. " +
		"An amount carries its unit: 12.5coin or 12500000sun; max is everything but the fees.";
	static override examples = [
		"<%= config.bin %> wallet send alice 25coin --wait",
		"<%= config.bin %> wallet send --to TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC --amount 1_000sun --build | <%= config.bin %> wallet sign | <%= config.bin %> wallet broadcast",
		"<%= config.bin %> wallet send --to alice --amount 12.5 --token GOLD",
		"<%= config.bin %> wallet send --batch pay.csv --password-file pw",
	];
	static override args = {
		to: Args.string({ description: "recipient; the same as --to", ignoreStdin: true }),
		amount: Args.string({ description: "how much; the same as --amount", ignoreStdin: true }),
	};
	static override flags = {
		...actingFlags,
		...feeLimitFlag,
		...streamFlags,
		to: Flags.string({ description: "recipient", helpValue: "<account>", exclusive: ["batch"] }),
		amount: Flags.string({
			description: "how much, with its unit, or max",
			helpValue: "<amount>",
			exclusive: ["batch"],
		}),
		token: Flags.string({
			description: "ORC-10 token by id, name or symbol, ORC-20 token by its contract (default: the coin)",
			helpValue: "<token>",
			exclusive: ["batch"],
		}),
		batch: Flags.string({
			description: "many payments: lines of JSON or a CSV with to,amount,token,memo; - for standard input",
			helpValue: "<file>",
		}),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(WalletSend);
		const payments = await paymentsOf({
			...flags,
			to: givenOnce("to", args.to, flags),
			amount: givenOnce("amount", args.amount, flags),
		});
		const context = await this.context(flags);
		const fine = await forEachInput(
			payments,
			flags["keep-going"],
			this.json,
			(payment) => this.pay(context, { ...flags, memo: payment.memo ?? flags.memo }, payment),
			(failure) => this.explain(failure),
		);
		if (!fine) process.exitCode = 1;
	}

	private async pay(context: ActingContext, flags: SendFlags, payment: Payment): Promise<void> {
		const recipient = await accountNamed(context.settings, payment.to);
		const creates = !flags.offline && (await accountOf(context.client, recipient)) === undefined;
		const plan = await transferPlan(
			context,
			{ ...payment, recipient, creates },
			{
				permission: flags.permission,
				memo: memoBytes(flags.memo),
				signatures: flags.signer?.length,
				feeLimit: flags["fee-limit"],
				offline: flags.offline,
			},
		);
		await this.act(context, flags, plan);
	}
}

/** A value that may be an argument or a flag. @throws {Failure} `conflicting_flags` for both, or beside a list */
function givenOnce(
	name: "to" | "amount",
	argument: string | undefined,
	flags: SendFlags,
): string | undefined {
	if (argument !== undefined && flags[name] !== undefined) {
		throw new Failure("conflicting_flags", `"${argument}" and --${name} both give the same thing: use one`);
	}
	if (argument !== undefined && flags.batch !== undefined) {
		throw new Failure("conflicting_flags", `"${argument}" can't go with --batch, which names every payment`);
	}
	return argument ?? flags[name];
}

async function paymentsOf(flags: SendFlags): Promise<Payment[]> {
	const { batch, to, amount, token } = flags;
	if (batch !== undefined) {
		return readPayments(batch === "-" ? await readStdin("the payments") : await readFile(batch, "utf8"));
	}
	if (to === undefined || amount === undefined) {
		throw new Failure("usage", to === undefined ? "no recipient is named" : "no amount is given", {
			hint: "such as coin send alice 25coin",
		});
	}
	return [{ to, amount, token }];
}
