/** What a payment does: coins, an ORC-10 token, or a call of an ORC-20 contract (sheet 11 §3.3). */

import type { ContractInterface } from "../abi/parameter.js";
import { toBase58Check } from "../protocol/address.js";
import { equalBytes, utf8 } from "../protocol/bytes.js";
import { TransferAssetContract, TransferContract, TriggerSmartContract } from "../protocol/messages.js";

import { formatCoin, parseCoinAmount } from "../wallet/amount.js";
import { type BuildRequest, buildAtNode, rebuild } from "../wallet/build.js";
import { type Contract, contractOf } from "../wallet/contract.js";
import { Failure } from "../wallet/failure.js";
import { Orc20, TRANSFER, tokenContract, transferData } from "../wallet/orc20.js";
import type { Payment } from "../wallet/payment-list.js";
import { permissionId } from "../wallet/permission.js";
import { type Currency, currencyNamed, currencyText, parseAmountOf } from "../wallet/token-amount.js";
import { transactionCost } from "../wallet/transaction-cost.js";
import { type ActingContext, type ActingPlan, memoBytes } from "./acting-command.js";
import type { ActingFlags } from "./acting-flags.js";
import { callNote } from "./contract-input.js";
import { callFeeLimit, receiptView } from "./contract-outcome.js";

/** A payment whose recipient is known. */
export interface Transfer extends Payment {
	/** 21 bytes. */
	readonly recipient: Uint8Array;
	/** Whether the recipient has to be created. */
	readonly creates: boolean;
}

export interface TransferFlags extends ActingFlags {
	readonly "fee-limit"?: string | undefined;
}

/** @throws {Failure} `bad_value`, `amount_unit`, `not_found`, `insufficient_funds`, `contract_revert` */
export async function transferPlan(
	context: ActingContext,
	flags: TransferFlags,
	transfer: Transfer,
): Promise<ActingPlan> {
	const { owner, settings } = context;
	if (equalBytes(owner, transfer.recipient))
		throw new Failure("bad_value", "sender and recipient are the same account");
	if (transfer.token === undefined) return coinTransfer(context, flags, transfer);
	const contract = await tokenContract(settings, transfer.token);
	if (contract) return orc20Transfer(context, flags, transfer, contract);
	const source = { client: context.client, offline: flags.offline };
	const currency = await currencyNamed(source, transfer.token);
	return orc10Transfer(context, transfer, currency);
}

async function coinTransfer(
	context: ActingContext,
	flags: TransferFlags,
	transfer: Transfer,
): Promise<ActingPlan> {
	const amount =
		transfer.amount === "max" ? await everything(context, flags, transfer) : parseCoinAmount(transfer.amount);
	if (amount === 0n) throw new Failure("bad_value", "the amount is zero");
	return {
		...coinContract(context.owner, transfer.recipient, amount),
		amountSun: amount,
		creates: transfer.creates,
		details: [`  amount      ${formatCoin(amount)}`],
	};
}

function coinContract(owner: Uint8Array, recipient: Uint8Array, amount: bigint): Contract {
	return contractOf(TransferContract, { owner_address: owner, to_address: recipient, amount });
}

/** The balance less every fee of this transfer. @throws {Failure} `insufficient_funds` */
async function everything(
	{ client, owner, account }: ActingContext,
	flags: TransferFlags,
	{ recipient, creates }: Transfer,
): Promise<bigint> {
	if (flags.offline) throw new Failure("conflicting_flags", "max needs the balance, which only a node knows");
	const { balance } = account;
	if (balance === 0n) throw new Failure("insufficient_funds", "the balance is zero");
	const request = (amount: bigint): BuildRequest => ({
		...coinContract(owner, recipient, amount),
		permissionId: flags.permission === undefined ? 0 : permissionId(account, flags.permission),
		memo: memoBytes(flags.memo),
	});
	// A single sun passes the node's own check whatever the fees are; the size is that of the whole balance.
	const whole = rebuild(await buildAtNode(client, request(1n)), request(balance));
	const signatures = Math.max(1, flags.signer?.length ?? 1);
	const cost = await transactionCost(client, whole, { signatures, creates });
	const amount = balance - cost.totalSun;
	if (amount <= 0n) {
		throw new Failure(
			"insufficient_funds",
			`the fees of ${formatCoin(cost.totalSun)} are more than the balance of ${formatCoin(balance)}`,
		);
	}
	return amount;
}

function orc10Transfer(
	{ owner, account }: ActingContext,
	transfer: Transfer,
	currency: Currency,
): ActingPlan {
	const { recipient, creates, amount: text } = transfer;
	const amount = text === "max" ? (account.assetV2.get(currency.id) ?? 0n) : parseAmountOf(currency, text);
	if (amount === 0n) throw new Failure("insufficient_funds", `the account has no token ${currency.id}`);
	return {
		...contractOf(TransferAssetContract, {
			owner_address: owner,
			to_address: recipient,
			asset_name: utf8(currency.id),
			amount,
		}),
		creates,
		details: [`  amount      ${currencyText(currency, amount)}`],
	};
}

async function orc20Transfer(
	{ client, owner }: ActingContext,
	flags: TransferFlags,
	{ recipient, amount: text }: Transfer,
	contract: Uint8Array,
): Promise<ActingPlan> {
	const token = new Orc20(client, contract);
	const amount = await orc20Amount(text, flags.offline, token, owner);
	if (amount === 0n) throw new Failure("bad_value", "the amount is zero");
	const data = await transferData(recipient, amount);
	const texts = [toBase58Check(recipient), amount.toString()];
	const note = callNote({ contract, data, item: TRANSFER, items: [TRANSFER], texts });
	const call = flags.offline ? undefined : { owner, contract, data };
	const items = (): Promise<ContractInterface> => token.interface(TRANSFER, flags.offline);
	return {
		...contractOf(TriggerSmartContract, { owner_address: owner, contract_address: contract, data }),
		feeLimitSun: await callFeeLimit(flags["fee-limit"], client, call, items),
		...(note ? { note } : {}),
		details: [`  to          ${texts[0]}`, `  amount      ${await token.amountText(amount, flags.offline)}`],
		result: { to: texts[0], amount },
		readReceipt: async (receipt) => receiptView(receipt, TRANSFER, await items()),
	};
}

async function orc20Amount(text: string, offline: boolean, token: Orc20, owner: Uint8Array): Promise<bigint> {
	if (text !== "max") return token.readAmount(text, offline);
	if (offline) throw new Failure("conflicting_flags", "max needs the balance, which only a node knows");
	return token.balanceOf(owner);
}
