/**
 * The single table of contract types. Ids are both the bits of the operations mask and the wire numbers;
 * `type_url` is `type.googleapis.com/protocol.<name>` (protocol/schema §3.1).
 */

import type { Message, MessageType } from "./codec/descriptor.js";
import * as m from "./messages.js";
import { OPERATIONS_LENGTH } from "./permission.js";

interface Row {
	readonly id: number;
	/** Parameter message, named like the type; types without one can't be executed. */
	readonly message?: unknown;
	/** Class that handles the type in the network's node, as configurations name it. */
	readonly handler?: string;
	/**
	 * When active permissions may include the type and new ones do: from genesis, or once the chain parameter
	 * of this number is set; `permissions`: allowed from genesis, but not in new ones. Absent: never.
	 */
	readonly granted?: "genesis" | "permissions" | number;
	/** Moves coins or tokens out of the account, or lets others do so. */
	readonly movesFunds?: true;
	/** Chain parameter holding the fee for the type. */
	readonly fee?: string;
	/** HTTP endpoint that builds this type, for endpoints of the common shape. */
	readonly http?: string;
	/** The wallet builds with that endpoint; other types use the generic one. */
	readonly walletBuilder?: "own";
	/** gRPC method that returns the bare transaction. */
	readonly grpcBare?: string;
	/** gRPC method that returns the transaction with its id, or an error. */
	readonly grpc?: string;
	/** Fields in sun; a dot leads into an inner message. */
	readonly sunFields?: readonly string[];
	/** Amounts of a token that may be the coin itself, each with the field naming the token. */
	readonly tokenFields?: readonly (readonly [amount: string, token: string])[];
	/** Description of what the type does. */
	readonly about?: string;
	/** Field naming the paying and signing account; default `owner_address`. */
	readonly owner?: "transparent_from_address";
}

const table = {
	AccountCreateContract: {
		id: 0,
		message: m.AccountCreateContract,
		handler: "CreateAccountActuator",
		granted: "genesis",
		http: "createaccount",
		walletBuilder: "own",
		grpcBare: "CreateAccount",
		grpc: "CreateAccount2",
		about: "Creates an account.",
	},
	TransferContract: {
		id: 1,
		sunFields: ["amount"],
		message: m.TransferContract,
		handler: "TransferActuator",
		granted: "genesis",
		movesFunds: true,
		http: "createtransaction",
		walletBuilder: "own",
		grpcBare: "CreateTransaction",
		grpc: "CreateTransaction2",
		about: "Transfers coins.",
	},
	TransferAssetContract: {
		id: 2,
		message: m.TransferAssetContract,
		handler: "TransferAssetActuator",
		granted: "genesis",
		movesFunds: true,
		http: "transferasset",
		walletBuilder: "own",
		grpcBare: "TransferAsset",
		grpc: "TransferAsset2",
		about: "Transfers tokens.",
	},
	VoteAssetContract: { id: 3, granted: "genesis" },
	VoteWitnessContract: {
		id: 4,
		message: m.VoteWitnessContract,
		handler: "VoteWitnessActuator",
		granted: "genesis",
		http: "votewitnessaccount",
		grpcBare: "VoteWitnessAccount",
		grpc: "VoteWitnessAccount2",
		about: "Votes for super representatives.",
	},
	WitnessCreateContract: {
		id: 5,
		message: m.WitnessCreateContract,
		fee: "getAccountUpgradeCost",
		handler: "WitnessCreateActuator",
		granted: "genesis",
		http: "createwitness",
		grpcBare: "CreateWitness",
		grpc: "CreateWitness2",
		about: "Applies to become a super representative.",
	},
	AssetIssueContract: {
		id: 6,
		message: m.AssetIssueContract,
		fee: "getAssetIssueFee",
		handler: "AssetIssueActuator",
		granted: "genesis",
		http: "createassetissue",
		grpcBare: "CreateAssetIssue",
		grpc: "CreateAssetIssue2",
		about: "Issues a token.",
	},
	WitnessUpdateContract: {
		id: 8,
		message: m.WitnessUpdateContract,
		handler: "WitnessUpdateActuator",
		granted: "genesis",
		http: "updatewitness",
		grpcBare: "UpdateWitness",
		grpc: "UpdateWitness2",
		about: "Changes a super representative's page.",
	},
	ParticipateAssetIssueContract: {
		id: 9,
		sunFields: ["amount"],
		message: m.ParticipateAssetIssueContract,
		handler: "ParticipateAssetIssueActuator",
		granted: "genesis",
		movesFunds: true,
		http: "participateassetissue",
		grpcBare: "ParticipateAssetIssue",
		grpc: "ParticipateAssetIssue2",
		about: "Buys tokens from their issuer.",
	},
	AccountUpdateContract: {
		id: 10,
		message: m.AccountUpdateContract,
		handler: "UpdateAccountActuator",
		granted: "genesis",
		http: "updateaccount",
		walletBuilder: "own",
		grpcBare: "UpdateAccount",
		grpc: "UpdateAccount2",
		about: "Names an account.",
	},
	FreezeBalanceContract: {
		id: 11,
		sunFields: ["frozen_balance"],
		message: m.FreezeBalanceContract,
		handler: "FreezeBalanceActuator",
		granted: "genesis",
		http: "freezebalance",
		grpcBare: "FreezeBalance",
		grpc: "FreezeBalance2",
		about: "Stakes coins, first generation.",
	},
	UnfreezeBalanceContract: {
		id: 12,
		message: m.UnfreezeBalanceContract,
		handler: "UnfreezeBalanceActuator",
		granted: "genesis",
		http: "unfreezebalance",
		grpcBare: "UnfreezeBalance",
		grpc: "UnfreezeBalance2",
		about: "Unstakes coins of the first generation.",
	},
	WithdrawBalanceContract: {
		id: 13,
		message: m.WithdrawBalanceContract,
		handler: "WithdrawBalanceActuator",
		granted: "genesis",
		http: "withdrawbalance",
		grpcBare: "WithdrawBalance",
		grpc: "WithdrawBalance2",
		about: "Withdraws rewards.",
	},
	UnfreezeAssetContract: {
		id: 14,
		message: m.UnfreezeAssetContract,
		handler: "UnfreezeAssetActuator",
		granted: "genesis",
		http: "unfreezeasset",
		grpcBare: "UnfreezeAsset",
		grpc: "UnfreezeAsset2",
		about: "Frees staked token supply.",
	},
	UpdateAssetContract: {
		id: 15,
		message: m.UpdateAssetContract,
		handler: "UpdateAssetActuator",
		granted: "genesis",
		http: "updateasset",
		grpcBare: "UpdateAsset",
		grpc: "UpdateAsset2",
		about: "Changes a token's description and limits.",
	},
	ProposalCreateContract: {
		id: 16,
		message: m.ProposalCreateContract,
		handler: "ProposalCreateActuator",
		granted: "genesis",
		http: "proposalcreate",
		grpc: "ProposalCreate",
		about: "Proposes new chain parameters.",
	},
	ProposalApproveContract: {
		id: 17,
		message: m.ProposalApproveContract,
		handler: "ProposalApproveActuator",
		granted: "genesis",
		http: "proposalapprove",
		grpc: "ProposalApprove",
		about: "Approves a proposal, or takes the approval back.",
	},
	ProposalDeleteContract: {
		id: 18,
		message: m.ProposalDeleteContract,
		handler: "ProposalDeleteActuator",
		granted: "genesis",
		http: "proposaldelete",
		grpc: "ProposalDelete",
		about: "Cancels a proposal.",
	},
	SetAccountIdContract: {
		id: 19,
		message: m.SetAccountIdContract,
		handler: "SetAccountIdActuator",
		granted: "genesis",
		http: "setaccountid",
		walletBuilder: "own",
		grpcBare: "SetAccountId",
		about: "Gives an account its id.",
	},
	CustomContract: { id: 20, granted: "genesis" },
	CreateSmartContract: {
		id: 30,
		sunFields: ["new_contract.call_value"],
		message: m.CreateSmartContract,
		handler: "VMActuator",
		granted: "genesis",
		movesFunds: true,
		grpc: "DeployContract",
		about: "Deploys a contract.",
	},
	TriggerSmartContract: {
		id: 31,
		sunFields: ["call_value"],
		message: m.TriggerSmartContract,
		handler: "VMActuator",
		granted: "genesis",
		movesFunds: true,
		about: "Calls a contract.",
	},
	GetContract: { id: 32, granted: "genesis" },
	UpdateSettingContract: {
		id: 33,
		message: m.UpdateSettingContract,
		handler: "UpdateSettingContractActuator",
		granted: "genesis",
		http: "updatesetting",
		grpc: "UpdateSetting",
		about: "Sets the caller's share of a contract's energy.",
	},
	ExchangeCreateContract: {
		id: 41,
		tokenFields: [
			["first_token_balance", "first_token_id"],
			["second_token_balance", "second_token_id"],
		],
		message: m.ExchangeCreateContract,
		fee: "getExchangeCreateFee",
		handler: "ExchangeCreateActuator",
		granted: "genesis",
		movesFunds: true,
		http: "exchangecreate",
		grpc: "ExchangeCreate",
		about: "Opens an exchange.",
	},
	ExchangeInjectContract: {
		id: 42,
		tokenFields: [["quant", "token_id"]],
		message: m.ExchangeInjectContract,
		handler: "ExchangeInjectActuator",
		granted: "genesis",
		movesFunds: true,
		http: "exchangeinject",
		grpc: "ExchangeInject",
		about: "Adds to an exchange.",
	},
	ExchangeWithdrawContract: {
		id: 43,
		tokenFields: [["quant", "token_id"]],
		message: m.ExchangeWithdrawContract,
		handler: "ExchangeWithdrawActuator",
		granted: "genesis",
		http: "exchangewithdraw",
		grpc: "ExchangeWithdraw",
		about: "Takes from an exchange.",
	},
	ExchangeTransactionContract: {
		id: 44,
		tokenFields: [["quant", "token_id"]],
		message: m.ExchangeTransactionContract,
		handler: "ExchangeTransactionActuator",
		granted: "genesis",
		movesFunds: true,
		http: "exchangetransaction",
		grpc: "ExchangeTransaction",
		about: "Trades on an exchange.",
	},
	UpdateEnergyLimitContract: {
		id: 45,
		message: m.UpdateEnergyLimitContract,
		handler: "UpdateEnergyLimitContractActuator",
		granted: "genesis",
		http: "updateenergylimit",
		grpc: "UpdateEnergyLimit",
		about: "Limits the energy that a contract's deployer gives.",
	},
	AccountPermissionUpdateContract: {
		id: 46,
		message: m.AccountPermissionUpdateContract,
		fee: "getUpdateAccountPermissionFee",
		handler: "AccountPermissionUpdateActuator",
		granted: "permissions",
		movesFunds: true,
		http: "accountpermissionupdate",
		walletBuilder: "own",
		grpc: "AccountPermissionUpdate",
		about: "Sets who may sign for an account.",
	},
	ClearABIContract: {
		id: 48,
		message: m.ClearABIContract,
		handler: "ClearABIContractActuator",
		granted: 26,
		http: "clearabi",
		grpc: "ClearContractABI",
		about: "Removes a contract's interface.",
	},
	UpdateBrokerageContract: {
		id: 49,
		message: m.UpdateBrokerageContract,
		handler: "UpdateBrokerageActuator",
		granted: 30,
		http: "updateBrokerage",
		grpc: "UpdateBrokerage",
		about: "Sets a super representative's share of its rewards.",
	},
	ShieldedTransferContract: {
		id: 51,
		message: m.ShieldedTransferContract,
		handler: "ShieldedTransferActuator",
		movesFunds: true,
		owner: "transparent_from_address",
	},
	MarketSellAssetContract: {
		id: 52,
		tokenFields: [
			["sell_token_quantity", "sell_token_id"],
			["buy_token_quantity", "buy_token_id"],
		],
		message: m.MarketSellAssetContract,
		fee: "getMarketSellFee",
		handler: "MarketSellAssetActuator",
		granted: 44,
		movesFunds: true,
		http: "marketsellasset",
		grpc: "MarketSellAsset",
		about: "Places an order on the market.",
	},
	MarketCancelOrderContract: {
		id: 53,
		message: m.MarketCancelOrderContract,
		fee: "getMarketCancelFee",
		handler: "MarketCancelOrderActuator",
		granted: 44,
		http: "marketcancelorder",
		grpc: "MarketCancelOrder",
		about: "Cancels an order.",
	},
	FreezeBalanceV2Contract: {
		id: 54,
		sunFields: ["frozen_balance"],
		message: m.FreezeBalanceV2Contract,
		handler: "FreezeBalanceV2Actuator",
		granted: 70,
		http: "freezebalancev2",
		grpc: "FreezeBalanceV2",
		about: "Stakes coins.",
	},
	UnfreezeBalanceV2Contract: {
		id: 55,
		sunFields: ["unfreeze_balance"],
		message: m.UnfreezeBalanceV2Contract,
		handler: "UnfreezeBalanceV2Actuator",
		granted: 70,
		http: "unfreezebalancev2",
		grpc: "UnfreezeBalanceV2",
		about: "Begins to unstake coins.",
	},
	WithdrawExpireUnfreezeContract: {
		id: 56,
		message: m.WithdrawExpireUnfreezeContract,
		handler: "WithdrawExpireUnfreezeActuator",
		granted: 70,
		http: "withdrawexpireunfreeze",
		grpc: "WithdrawExpireUnfreeze",
		about: "Withdraws coins whose unstaking is over.",
	},
	DelegateResourceContract: {
		id: 57,
		sunFields: ["balance"],
		message: m.DelegateResourceContract,
		handler: "DelegateResourceActuator",
		granted: 70,
		http: "delegateresource",
		grpc: "DelegateResource",
		about: "Delegates a resource.",
	},
	UnDelegateResourceContract: {
		id: 58,
		sunFields: ["balance"],
		message: m.UnDelegateResourceContract,
		handler: "UnDelegateResourceActuator",
		granted: 70,
		http: "undelegateresource",
		grpc: "UnDelegateResource",
		about: "Takes a delegated resource back.",
	},
	CancelAllUnfreezeV2Contract: {
		id: 59,
		message: m.CancelAllUnfreezeV2Contract,
		handler: "CancelAllUnfreezeV2Actuator",
		granted: 77,
		http: "cancelallunfreezev2",
		grpc: "CancelAllUnfreezeV2",
		about: "Cancels all unstaking.",
	},
} as const satisfies Record<string, Row>;

type Table = typeof table;

export type ContractName = keyof Table;

/** Types that have a message and so can be built. */
export type BuildableName = {
	[N in ContractName]: Table[N] extends { readonly message: unknown } ? N : never;
}[ContractName];

/** The message of a type. */
export type ContractMessage<N extends BuildableName> =
	Table[N]["message"] extends MessageType<infer T> ? T : never;

/** Values of a column. */
export type ValueIn<C extends keyof Row> = {
	[N in ContractName]: Table[N] extends Readonly<Record<C, infer V>> ? V : never;
}[ContractName];

/** Type whose column has the given value. */
export type NameWith<C extends keyof Row, V> = {
	[N in ContractName]: Table[N] extends Readonly<Record<C, V>> ? N : never;
}[ContractName];

export interface ContractType extends Omit<Row, "message" | "owner"> {
	/** Name of the type and of its message. */
	readonly name: ContractName;
	/** Parameter message; types without one can't be executed. */
	readonly message?: MessageType<Message>;
	/** Field naming the paying and signing account. */
	readonly owner: "owner_address" | "transparent_from_address";
}

/** A type that has a message. */
export interface BuildableType extends ContractType {
	readonly name: BuildableName;
	readonly message: MessageType<Message>;
}

/** Ascending by id. */
export const contractTypes: readonly ContractType[] = Object.entries(table).map(
	([name, row]) => ({ owner: "owner_address", ...row, name }) as ContractType,
);

const byId = new Map(contractTypes.map((type) => [type.id, type]));
const byName: ReadonlyMap<string, ContractType> = new Map(contractTypes.map((type) => [type.name, type]));

export function contractTypeById(id: number): ContractType | undefined {
	return byId.get(id);
}

export function contractTypeByName(name: string): ContractType | undefined {
	return byName.get(name);
}

export function contractType(name: BuildableName): BuildableType {
	return byName.get(name) as BuildableType;
}

export function isBuildable(type: ContractType | undefined): type is BuildableType {
	return type?.message !== undefined;
}

/** Display name: without the suffix `Contract`. */
export function shortName({ name }: ContractType): string {
	return name.replace(/Contract$/, "");
}

/** 32-byte mask: bit n, least significant first, stands for contract type n (protocol/permissions §2.3). */
export function operationsMask(allowed: (type: ContractType) => boolean): Uint8Array {
	const mask = new Uint8Array(OPERATIONS_LENGTH);
	for (const type of contractTypes) {
		if (allowed(type)) mask[type.id >> 3] = (mask[type.id >> 3] ?? 0) | (1 << (type.id & 7));
	}
	return mask;
}

/** Ids of the types enabled by a chain parameter. */
export function typesGrantedBy(parameter: number): readonly number[] {
	return contractTypes.filter(({ granted }) => granted === parameter).map(({ id }) => id);
}

export const TYPE_URL_PREFIX = "type.googleapis.com/protocol.";

/** Whether a `type_url` names this message; any text before the last slash is accepted. */
export function typeUrlMatches(typeUrl: string, name: string): boolean {
	const slash = typeUrl.lastIndexOf("/");
	return slash >= 0 && typeUrl.slice(slash + 1) === `protocol.${name}`;
}
