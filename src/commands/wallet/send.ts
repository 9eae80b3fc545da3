import { readFile } from "node:fs/promises";
import { Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, utf8 } from "../../protocol/bytes.js";
import { type ContractType, contractTypeByName } from "../../protocol/contract-types.js";
import { TransferAssetContract, TransferContract } from "../../protocol/messages.js";
import {
	ActingCommand,
	type ActingContext,
	type ActingPlan,
	memoBytes,
} from "../../terminal/acting-command.js";
import { type ActingFlags, actingFlags } from "../../terminal/acting-flags.js";
import { forEachInput, streamFlags } from "../../terminal/artefact-stream.js";
import { readStdin } from "../../terminal/stdin.js";
import { formatCoin, parseCoinAmount, parseTokenAmount } from "../../wallet/amount.js";
import { type BuildRequest, buildAtNode, rebuild } from "../../wallet/build.js";
import { accountOf } from "../../wallet/chain-query.js";
import { Failure } from "../../wallet/failure.js";
import { type Payment, readPayments } from "../../wallet/payment-list.js";
import { permissionId } from "../../wallet/permission.js";
import { accountNamed } from "../../wallet/signing.js";
import { tokenDecimals } from "../../wallet/token.js";
import { transferCost } from "../../wallet/transfer-cost.js";

export default class WalletSend extends ActingCommand {
	static override summary = "Send coins or tokens";
	static override description =
		"Builds the transfer at the node, checks the bytes, signs with a key of the keystore and broadcasts. " +
		"An amount carries its unit: 12.5coin or 12500000sun; max is everything but the fees.";
	static override examples = [
		"<%= config.bin %> wallet send --to alice --amount 25coin --wait",
		"<%= config.bin %> wallet send --to TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC --amount 1_000sun --build | <%= config.bin %> wallet sign | <%= config.bin %> wallet broadcast",
		"<%= config.bin %> wallet send --batch pay.csv --password-file pw",
	];
	static override flags = {
		...actingFlags,
		...streamFlags,
		to: Flags.string({ description: "recipient", helpValue: "<account>", exclusive: ["batch"] }),
		amount: Flags.string({
			description: "how much, with its unit, or max",
			helpValue: "<amount>",
			exclusive: ["batch"],
		}),
		token: Flags.string({
			description: "ORC-10 token by id (default: the coin)",
			helpValue: "<id>",
			exclusive: ["batch"],
		}),
		batch: Flags.string({
			description: "many payments: lines of JSON or a CSV with to,amount,token,memo; - for standard input",
			helpValue: "<file>",
		}),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(WalletSend);
		const payments = await paymentsOf(flags);
		const context = await this.context(flags);
		const fine = await forEachInput(payments, flags["keep-going"], this.json, (payment) =>
			this.pay(context, { ...flags, memo: payment.memo ?? flags.memo }, payment),
		);
		if (!fine) process.exitCode = 1;
	}

	private async pay(context: ActingContext, flags: ActingFlags, payment: Payment): Promise<void> {
		const to = await accountNamed(context.settings, payment.to);
		const exists = flags.offline || (await accountOf(context.client, to)) !== undefined;
		const plan =
			payment.token === undefined
				? await coinTransfer(context, flags, to, payment.amount, exists)
				: await tokenTransfer(context, to, payment.amount, payment.token, flags.offline);
		const created = `  note        ${toBase58Check(to)} does not exist yet: creating it costs an extra fee`;
		await this.act(context, flags, {
			...plan,
			details: [...(plan.details ?? []), ...(exists ? [] : [created])],
		});
	}
}

async function paymentsOf(flags: {
	readonly batch?: string | undefined;
	readonly to?: string | undefined;
	readonly amount?: string | undefined;
	readonly token?: string | undefined;
}): Promise<Payment[]> {
	const { batch, to, amount, token } = flags;
	if (batch !== undefined) {
		return readPayments(batch === "-" ? await readStdin("the payments") : await readFile(batch, "utf8"));
	}
	if (to === undefined || amount === undefined) {
		throw new Failure("usage", `Missing required flag ${to === undefined ? "to" : "amount"}`, {
			hint: "see --help",
		});
	}
	return [{ to, amount, token }];
}

async function coinTransfer(
	context: ActingContext,
	flags: ActingFlags,
	to: Uint8Array,
	text: string,
	exists: boolean,
): Promise<ActingPlan> {
	const { owner } = context;
	if (equalBytes(owner, to)) throw new Failure("bad_value", "sender and recipient are the same account");
	const amount = text === "max" ? await everything(context, flags, to, exists) : parseCoinAmount(text);
	if (amount === 0n) throw new Failure("bad_value", "the amount is zero");
	return {
		type: typeNamed("TransferContract"),
		parameter: TransferContract.create({ owner_address: owner, to_address: to, amount }),
		amountSun: amount,
		details: [`  amount      ${formatCoin(amount)}`],
	};
}

/** The balance less every fee of this transfer. @throws {Failure} `insufficient_funds` */
async function everything(
	{ client, owner, account }: ActingContext,
	flags: ActingFlags,
	to: Uint8Array,
	exists: boolean,
): Promise<bigint> {
	if (flags.offline) throw new Failure("conflicting_flags", "max needs the balance, which only a node knows");
	const { balance } = account;
	if (balance === 0n) throw new Failure("insufficient_funds", "the balance is zero");
	const request = (amount: bigint): BuildRequest => ({
		type: typeNamed("TransferContract"),
		parameter: TransferContract.create({ owner_address: owner, to_address: to, amount }),
		permissionId: flags.permission === undefined ? 0 : permissionId(account, flags.permission),
		memo: memoBytes(flags.memo),
	});
	// A single sun passes the node's own check whatever the fees are; the size is that of the whole balance.
	const whole = rebuild(await buildAtNode(client, request(1n)), request(balance));
	const cost = await transferCost(client, whole, Math.max(1, flags.signer?.length ?? 1), !exists);
	const amount = balance - cost.totalSun;
	if (amount <= 0n) {
		throw new Failure(
			"insufficient_funds",
			`the fees of ${formatCoin(cost.totalSun)} are more than the balance of ${formatCoin(balance)}`,
		);
	}
	return amount;
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
