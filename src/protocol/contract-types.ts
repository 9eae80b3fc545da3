/**
 * The contract types: the one list of what a transaction can do. Ids are bits of the operations mask and the numbers
 * on the wire; `type_url` is `type.googleapis.com/protocol.<name>` (protocol/schema §3.1).
 */

import type { Message, MessageType } from "./codec/descriptor.js";
import * as m from "./messages.js";

export interface ContractType {
	readonly id: number;
	/** Name of the type and of its message. */
	readonly name: string;
	/** The parameter message; types without one can't be executed. */
	readonly message?: MessageType<Message>;
	/** Field that names the paying and signing account. */
	readonly owner: "owner_address" | "transparent_from_address";
}

const row = (id: number, name: string, message?: unknown): ContractType => ({
	id,
	name,
	...(message ? { message: message as MessageType<Message> } : {}),
	owner: "owner_address",
});

export const contractTypes: readonly ContractType[] = [
	row(0, "AccountCreateContract", m.AccountCreateContract),
	row(1, "TransferContract", m.TransferContract),
	row(2, "TransferAssetContract", m.TransferAssetContract),
	row(3, "VoteAssetContract"),
	row(4, "VoteWitnessContract", m.VoteWitnessContract),
	row(5, "WitnessCreateContract", m.WitnessCreateContract),
	row(6, "AssetIssueContract", m.AssetIssueContract),
	row(8, "WitnessUpdateContract", m.WitnessUpdateContract),
	row(9, "ParticipateAssetIssueContract", m.ParticipateAssetIssueContract),
	row(10, "AccountUpdateContract", m.AccountUpdateContract),
	row(11, "FreezeBalanceContract", m.FreezeBalanceContract),
	row(12, "UnfreezeBalanceContract", m.UnfreezeBalanceContract),
	row(13, "WithdrawBalanceContract", m.WithdrawBalanceContract),
	row(14, "UnfreezeAssetContract", m.UnfreezeAssetContract),
	row(15, "UpdateAssetContract", m.UpdateAssetContract),
	row(16, "ProposalCreateContract", m.ProposalCreateContract),
	row(17, "ProposalApproveContract", m.ProposalApproveContract),
	row(18, "ProposalDeleteContract", m.ProposalDeleteContract),
	row(19, "SetAccountIdContract", m.SetAccountIdContract),
	row(20, "CustomContract"),
	row(30, "CreateSmartContract", m.CreateSmartContract),
	row(31, "TriggerSmartContract", m.TriggerSmartContract),
	row(32, "GetContract"),
	row(33, "UpdateSettingContract", m.UpdateSettingContract),
	row(41, "ExchangeCreateContract", m.ExchangeCreateContract),
	row(42, "ExchangeInjectContract", m.ExchangeInjectContract),
	row(43, "ExchangeWithdrawContract", m.ExchangeWithdrawContract),
	row(44, "ExchangeTransactionContract", m.ExchangeTransactionContract),
	row(45, "UpdateEnergyLimitContract", m.UpdateEnergyLimitContract),
	row(46, "AccountPermissionUpdateContract", m.AccountPermissionUpdateContract),
	row(48, "ClearABIContract", m.ClearABIContract),
	row(49, "UpdateBrokerageContract", m.UpdateBrokerageContract),
	{ ...row(51, "ShieldedTransferContract", m.ShieldedTransferContract), owner: "transparent_from_address" },
	row(52, "MarketSellAssetContract", m.MarketSellAssetContract),
	row(53, "MarketCancelOrderContract", m.MarketCancelOrderContract),
	row(54, "FreezeBalanceV2Contract", m.FreezeBalanceV2Contract),
	row(55, "UnfreezeBalanceV2Contract", m.UnfreezeBalanceV2Contract),
	row(56, "WithdrawExpireUnfreezeContract", m.WithdrawExpireUnfreezeContract),
	row(57, "DelegateResourceContract", m.DelegateResourceContract),
	row(58, "UnDelegateResourceContract", m.UnDelegateResourceContract),
	row(59, "CancelAllUnfreezeV2Contract", m.CancelAllUnfreezeV2Contract),
];

const byId = new Map(contractTypes.map((type) => [type.id, type]));
const byName = new Map(contractTypes.map((type) => [type.name, type]));

export function contractTypeById(id: number): ContractType | undefined {
	return byId.get(id);
}

export function contractTypeByName(name: string): ContractType | undefined {
	return byName.get(name);
}

export const TYPE_URL_PREFIX = "type.googleapis.com/protocol.";

/** Whether a `type_url` names this message: any text before the last slash is accepted. */
export function typeUrlMatches(typeUrl: string, name: string): boolean {
	const slash = typeUrl.lastIndexOf("/");
	return slash >= 0 && typeUrl.slice(slash + 1) === `protocol.${name}`;
}
