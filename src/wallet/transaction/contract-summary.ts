/** Describes contracts in one sentence for people, with one row per contract type (protocol/wallet-formats §4.1, member `summary`). */

import { toBase58Check as base58 } from "../../protocol/address.js";
import { fromUtf8, toHex } from "../../protocol/bytes.js";
import type { Message, MessageType } from "../../protocol/codec/descriptor.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { contractTypeById } from "../../protocol/contract-types.js";
import type { AccountPermissionUpdateContract, Permission } from "../../protocol/messages.js";
import * as m from "../../protocol/messages.js";
import { ParameterError, type SignedTransaction } from "../../protocol/transaction.js";
import { operationName, operationsText } from "../permission/operations.js";
import { shieldedCallText } from "../shielded/shielded-call.js";
import { COIN_CURRENCY_ID } from "../token/token-amount.js";
import { tokenCallText } from "../token/token-call.js";
import { formatCoin } from "../values/amount.js";
import { counted } from "../values/integer-text.js";
import { resourceName } from "../values/resource.js";
import type { Contract } from "./contract.js";

/** @param owner the acting account in Base58 */
type Summary = (parameter: Readonly<Message>, owner: string, call: string | undefined) => string;

const row = <T extends Message>(
	message: MessageType<T>,
	summary: (contract: Readonly<T>, owner: string, call: string | undefined) => string,
): readonly [string, Summary] => [message.typeName, summary as Summary];

const SUMMARIES: ReadonlyMap<string, Summary> = new Map([
	row(
		m.TransferContract,
		({ amount, to_address }, owner) => `${formatCoin(amount)} from ${owner} to ${base58(to_address)}`,
	),
	row(
		m.TransferAssetContract,
		({ amount, asset_name, to_address }, owner) =>
			`${units(amount, asset_name)} from ${owner} to ${base58(to_address)}`,
	),
	row(m.AccountPermissionUpdateContract, permissionUpdateSummary),
	row(
		m.AccountCreateContract,
		({ account_address }, owner) => `${owner} creates the account ${base58(account_address)}`,
	),
	row(
		m.AccountUpdateContract,
		({ account_name }, owner) => `${owner} takes the name ${quoted(account_name)}`,
	),
	row(m.SetAccountIdContract, ({ account_id }, owner) => `${owner} takes the id ${quoted(account_id)}`),

	row(
		m.FreezeBalanceV2Contract,
		({ frozen_balance, resource }, owner) =>
			`${owner} stakes ${formatCoin(frozen_balance)} for ${resourceName(resource)}`,
	),
	row(
		m.UnfreezeBalanceV2Contract,
		({ unfreeze_balance, resource }, owner) =>
			`${owner} unstakes ${formatCoin(unfreeze_balance)} from ${resourceName(resource)}`,
	),
	row(m.WithdrawExpireUnfreezeContract, (_, owner) => `${owner} withdraws what is unstaked`),
	row(m.CancelAllUnfreezeV2Contract, (_, owner) => `${owner} cancels all unstaking`),
	row(
		m.DelegateResourceContract,
		({ balance, resource, receiver_address, lock, lock_period }, owner) =>
			`${owner} delegates the ${resourceName(resource)} of ${formatCoin(balance)} to ${base58(receiver_address)}` +
			(lock ? `, locked for ${lock_period || DEFAULT_LOCK_BLOCKS} blocks` : ""),
	),
	row(
		m.UnDelegateResourceContract,
		({ balance, resource, receiver_address }, owner) =>
			`${owner} takes back the ${resourceName(resource)} of ${formatCoin(balance)} from ${base58(receiver_address)}`,
	),
	row(
		m.FreezeBalanceContract,
		({ frozen_balance, resource, frozen_duration, receiver_address }, owner) =>
			`${owner} stakes ${formatCoin(frozen_balance)} for ${resourceName(resource)} (version 1, ${frozen_duration} days)` +
			(receiver_address.length > 0 ? `, delegated to ${base58(receiver_address)}` : ""),
	),
	row(
		m.UnfreezeBalanceContract,
		({ resource, receiver_address }, owner) =>
			`${owner} ends the stake of version 1 for ${resourceName(resource)}` +
			(receiver_address.length > 0 ? `, delegated to ${base58(receiver_address)}` : ""),
	),

	row(m.VoteWitnessContract, ({ votes }, owner) => {
		const list = votes.map(({ vote_address, vote_count }) => `${vote_count} for ${base58(vote_address)}`);
		return `${owner} votes ${list.join(", ")}`;
	}),
	row(m.WithdrawBalanceContract, (_, owner) => `${owner} withdraws rewards`),
	row(m.WitnessCreateContract, ({ url }, owner) => `${owner} applies as a witness, page ${quoted(url)}`),
	row(
		m.WitnessUpdateContract,
		({ update_url }, owner) => `${owner} changes its page to ${quoted(update_url)}`,
	),
	row(
		m.UpdateBrokerageContract,
		({ brokerage }, owner) => `${owner} keeps ${brokerage} % of its rewards as a witness`,
	),
	row(m.ProposalCreateContract, ({ parameters }, owner) => {
		const list = [...parameters].map(([id, value]) => `parameter ${id} = ${value}`);
		return `${owner} proposes ${list.join(", ")}`;
	}),
	row(
		m.ProposalApproveContract,
		({ proposal_id, is_add_approval }, owner) =>
			`${owner} ${is_add_approval ? "approves" : "withdraws its approval of"} proposal ${proposal_id}`,
	),
	row(m.ProposalDeleteContract, ({ proposal_id }, owner) => `${owner} cancels proposal ${proposal_id}`),

	row(
		m.AssetIssueContract,
		({ name, total_supply }, owner) =>
			`${owner} issues ${total_supply} units of the new token ${quoted(name)}`,
	),
	row(
		m.UpdateAssetContract,
		({ description, url, new_limit, new_public_limit }, owner) =>
			`${owner} describes its token anew: ${quoted(description)}, page ${quoted(url)}, free bandwidth ${new_limit} a holder, ${new_public_limit} for all`,
	),
	row(
		m.ParticipateAssetIssueContract,
		({ amount, asset_name, to_address }, owner) =>
			`${owner} buys token ${idText(asset_name)} for ${formatCoin(amount)} from ${base58(to_address)}`,
	),
	row(m.UnfreezeAssetContract, (_, owner) => `${owner} releases the locked supply of its token`),

	row(
		m.ExchangeCreateContract,
		(contract, owner) =>
			`${owner} opens an exchange of ${units(contract.first_token_balance, contract.first_token_id)} and ${units(contract.second_token_balance, contract.second_token_id)}`,
	),
	row(
		m.ExchangeInjectContract,
		({ exchange_id, quant, token_id }, owner) =>
			`${owner} puts ${units(quant, token_id)} into exchange ${exchange_id}`,
	),
	row(
		m.ExchangeWithdrawContract,
		({ exchange_id, quant, token_id }, owner) =>
			`${owner} takes ${units(quant, token_id)} out of exchange ${exchange_id}`,
	),
	row(
		m.ExchangeTransactionContract,
		({ exchange_id, quant, token_id, expected }, owner) =>
			`${owner} sells ${units(quant, token_id)} on exchange ${exchange_id} for at least ${expected} units`,
	),
	row(
		m.MarketSellAssetContract,
		(contract, owner) =>
			`${owner} offers ${units(contract.sell_token_quantity, contract.sell_token_id)} for ${units(contract.buy_token_quantity, contract.buy_token_id)}`,
	),
	row(m.MarketCancelOrderContract, ({ order_id }, owner) => `${owner} cancels the order ${toHex(order_id)}`),

	row(m.ShieldedTransferContract, (contract, owner) => {
		const { spend_description, receive_description, from_amount, transparent_to_address, to_amount } =
			contract;
		const given =
			owner === "" ? counted(spend_description.length, "spent note") : `${from_amount} units from ${owner}`;
		const made = counted(receive_description.length, "new note");
		const paid =
			transparent_to_address.length > 0 ? [`${to_amount} units to ${base58(transparent_to_address)}`] : [];
		return `shielded transfer: ${given} into ${[made, ...paid].join(" and ")}`;
	}),

	row(m.CreateSmartContract, ({ new_contract: made, call_token_value, token_id }, owner) => {
		const name = made?.name ? ` ${JSON.stringify(made.name)}` : "";
		const paid = payment(made?.call_value ?? 0n, call_token_value, token_id);
		return `${owner} deploys the contract${name} of ${made?.bytecode.length ?? 0} bytes${paid}`;
	}),
	row(
		m.TriggerSmartContract,
		({ contract_address, data, call_value, call_token_value, token_id }, owner, call) =>
			`${owner} calls ${call === undefined ? calledText(data) : `${call} of `}the contract ${base58(contract_address)}${payment(call_value, call_token_value, token_id)}`,
	),
	row(
		m.UpdateSettingContract,
		({ contract_address, consume_user_resource_percent: percent }, owner) =>
			`${owner} lets callers of the contract ${base58(contract_address)} pay ${percent} % of the energy`,
	),
	row(
		m.UpdateEnergyLimitContract,
		({ contract_address, origin_energy_limit: limit }, owner) =>
			`${owner} pays at most ${limit} energy for a call of the contract ${base58(contract_address)}`,
	),
	row(
		m.ClearABIContract,
		({ contract_address }, owner) =>
			`${owner} removes the interface of the contract ${base58(contract_address)}`,
	),
]);

/** The selector, and its meaning if it is one of a token's functions. */
function calledText(data: Uint8Array): string {
	if (data.length < 4) return "";
	const meaning = tokenCallText(data) ?? shieldedCallText(data);
	return `0x${toHex(data.subarray(0, 4))}${meaning === undefined ? "" : ` (${meaning})`} of `;
}

/** The coins and tokens sent with a call, as the end of a sentence. */
function payment(sun: bigint, tokens: bigint, tokenId: bigint): string {
	const parts = [
		...(sun > 0n ? [formatCoin(sun)] : []),
		...(tokens > 0n ? [`${tokens} units of token ${tokenId}`] : []),
	];
	return parts.length === 0 ? "" : ` with ${parts.join(" and ")}`;
}

/** The network's default lock period: three days (protocol/staking §5.4). */
const DEFAULT_LOCK_BLOCKS = 86_400n;

/**
 * Describes what a contract does in one sentence.
 * @param call the called function with its arguments, if known
 */
export function contractSummary({ type, parameter }: Contract, owner: Uint8Array, call?: string): string {
	const account = owner.length === 0 ? "" : base58(owner);
	const summary = SUMMARIES.get(type.message?.typeName ?? "");
	return summary ? summary(parameter, account, call) : `${operationName(type.id)} by ${account}`;
}

function quoted(text: Uint8Array): string {
	return JSON.stringify(fromUtf8(text));
}

function units(amount: bigint, token: Uint8Array): string {
	const id = fromUtf8(token);
	return id === COIN_CURRENCY_ID ? formatCoin(amount) : `${amount} units of token ${idText(token)}`;
}

/** A token id as text: ids are numbers, but a transaction may contain any bytes there. */
function idText(token: Uint8Array): string {
	const id = fromUtf8(token);
	return /^\d{1,19}$/.test(id) ? id : quoted(token);
}

/** `new permissions for <owner>: owner (threshold 2: <address> weight 1, …); active "x" (threshold 1: …; may …)`. */
function permissionUpdateSummary(
	{ owner, witness, actives }: Readonly<AccountPermissionUpdateContract>,
	account: string,
): string {
	const parts = [
		owner ? permissionText("owner", owner) : "no owner permission",
		...(witness ? [permissionText("witness", witness)] : []),
		...actives.map((active) => permissionText("active", active)),
	];
	return `new permissions for ${account}: ${parts.join("; ")}`;
}

function permissionText(kind: string, permission: Readonly<Permission>): string {
	const { permission_name: name, threshold, keys, operations } = permission;
	const holders = keys.map(({ address, weight }) => `${base58(address)} weight ${weight}`);
	const title = name === "" || name === kind ? kind : `${kind} ${JSON.stringify(name)}`;
	const may = kind === "active" ? `; may ${operationsText(operations)}` : "";
	return `${title} (threshold ${threshold}: ${holders.join(", ") || "no keys"}${may})`;
}

/** Describes a transaction. @param called description of its call, if known @returns undefined if the transaction can't be decoded */
export function transactionSummary(transaction: SignedTransaction, called?: string): string | undefined {
	const type = contractTypeById(transaction.contract?.type ?? -1);
	if (!type || transaction.owner.length === 0) return undefined;
	try {
		return contractSummary({ type, parameter: transaction.parameter }, transaction.owner, called);
	} catch (error) {
		if (error instanceof ParameterError || error instanceof DecodeError) return undefined;
		throw error;
	}
}
