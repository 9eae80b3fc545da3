/** Endpoints that build an unsigned transaction: one row a contract type (protocol/http-endpoints §1.3, §1.4). */

import type { Message, MessageType } from "../../../protocol/codec/descriptor.js";
import { type ContractType, contractTypeByName, contractTypes } from "../../../protocol/contract-types.js";
import { spell } from "../../../protocol/dialect.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import { readText } from "../../../protocol/json/member-readers.js";
import { transactionJson } from "../../../protocol/json/transaction-json.js";
import { TransactionContractContractType } from "../../../protocol/messages.js";
import type { SignedTransaction } from "../../../protocol/transaction.js";
import { buildValid, memoOf, permissionIdOf } from "../builder.js";
import {
	defineEndpoint,
	type Endpoint,
	messageRequest,
	type ReplyWriter,
	type RequestForm,
} from "../endpoint.js";
import type { RequestInput } from "../request.js";

/** A built transaction, with the member `visible`. */
export const builtTransaction: ReplyWriter<SignedTransaction> = ({ style }, transaction) =>
	transactionJson(transaction, style, true);

interface BuilderRow {
	readonly name: string;
	readonly about: string;
	/** Contract type. */
	readonly type: string;
	readonly get: "empty" | "refused";
	readonly post: "body" | "raw";
	/** The member `extra_data` becomes the transaction's memo. */
	readonly memo?: true;
}

const body = { get: "empty", post: "body" } as const;
const raw = { get: "empty", post: "raw" } as const;
const postOnly = { get: "refused", post: "body" } as const;

const rows: readonly BuilderRow[] = [
	{ name: "createtransaction", about: "Transfers coins.", type: "TransferContract", ...raw, memo: true },
	{ name: "createaccount", about: "Creates an account.", type: "AccountCreateContract", ...postOnly },
	{ name: "updateaccount", about: "Names an account.", type: "AccountUpdateContract", ...body },
	{ name: "setaccountid", about: "Gives an account its id.", type: "SetAccountIdContract", ...raw },
	{
		name: "accountpermissionupdate",
		about: "Sets who may sign for an account.",
		type: "AccountPermissionUpdateContract",
		...body,
	},
	{ name: "transferasset", about: "Transfers tokens.", type: "TransferAssetContract", ...raw, memo: true },
	{
		name: "participateassetissue",
		about: "Buys tokens from their issuer.",
		type: "ParticipateAssetIssueContract",
		...raw,
	},
	{ name: "createassetissue", about: "Issues a token.", type: "AssetIssueContract", ...body },
	{
		name: "updateasset",
		about: "Changes a token's description and limits.",
		type: "UpdateAssetContract",
		...body,
	},
	{ name: "unfreezeasset", about: "Frees staked token supply.", type: "UnfreezeAssetContract", ...body },
	{
		name: "createwitness",
		about: "Applies to become a super representative.",
		type: "WitnessCreateContract",
		...body,
	},
	{
		name: "updatewitness",
		about: "Changes a super representative's page.",
		type: "WitnessUpdateContract",
		...body,
	},
	{
		name: "votewitnessaccount",
		about: "Votes for super representatives.",
		type: "VoteWitnessContract",
		...raw,
	},
	{
		name: "updateBrokerage",
		about: "Sets a super representative's share of its rewards.",
		type: "UpdateBrokerageContract",
		...postOnly,
	},
	{ name: "withdrawbalance", about: "Withdraws rewards.", type: "WithdrawBalanceContract", ...raw },
	{ name: "proposalcreate", about: "Proposes new chain parameters.", type: "ProposalCreateContract", ...raw },
	{
		name: "proposalapprove",
		about: "Approves a proposal, or takes the approval back.",
		type: "ProposalApproveContract",
		...raw,
	},
	{ name: "proposaldelete", about: "Cancels a proposal.", type: "ProposalDeleteContract", ...raw },
	{
		name: "freezebalance",
		about: "Stakes coins, first generation.",
		type: "FreezeBalanceContract",
		...postOnly,
	},
	{
		name: "unfreezebalance",
		about: "Unstakes coins of the first generation.",
		type: "UnfreezeBalanceContract",
		...body,
	},
	{ name: "freezebalancev2", about: "Stakes coins.", type: "FreezeBalanceV2Contract", ...postOnly },
	{
		name: "unfreezebalancev2",
		about: "Begins to unstake coins.",
		type: "UnfreezeBalanceV2Contract",
		...body,
	},
	{
		name: "withdrawexpireunfreeze",
		about: "Withdraws coins whose unstaking is over.",
		type: "WithdrawExpireUnfreezeContract",
		...raw,
	},
	{ name: "delegateresource", about: "Delegates a resource.", type: "DelegateResourceContract", ...postOnly },
	{
		name: "undelegateresource",
		about: "Takes a delegated resource back.",
		type: "UnDelegateResourceContract",
		...body,
	},
	{
		name: "cancelallunfreezev2",
		about: "Cancels all unstaking.",
		type: "CancelAllUnfreezeV2Contract",
		...postOnly,
	},
	{
		name: "updatesetting",
		about: "Sets the caller's share of a contract's energy.",
		type: "UpdateSettingContract",
		...body,
	},
	{
		name: "updateenergylimit",
		about: "Limits the energy that a contract's deployer gives.",
		type: "UpdateEnergyLimitContract",
		...body,
	},
	{ name: "clearabi", about: "Removes a contract's interface.", type: "ClearABIContract", ...body },
	{ name: "exchangecreate", about: "Opens an exchange.", type: "ExchangeCreateContract", ...postOnly },
	{ name: "exchangeinject", about: "Adds to an exchange.", type: "ExchangeInjectContract", ...postOnly },
	{
		name: "exchangewithdraw",
		about: "Takes from an exchange.",
		type: "ExchangeWithdrawContract",
		...postOnly,
	},
	{
		name: "exchangetransaction",
		about: "Trades on an exchange.",
		type: "ExchangeTransactionContract",
		...postOnly,
	},
	{
		name: "marketsellasset",
		about: "Places an order on the market.",
		type: "MarketSellAssetContract",
		...raw,
		memo: true,
	},
	{
		name: "marketcancelorder",
		about: "Cancels an order.",
		type: "MarketCancelOrderContract",
		...body,
		memo: true,
	},
];

interface BuildRequest {
	readonly contract: Message;
	readonly input: RequestInput;
}

function builderRequest(type: MessageType<Message>): RequestForm<BuildRequest> {
	const form = messageRequest(type);
	return {
		fields: [...form.fields, { name: "Permission_id", type: "int32" }],
		read: (input) => ({ contract: form.read(input), input }),
	};
}

function builder(row: BuilderRow): Endpoint {
	const type = contractTypeByName(row.type) as ContractType & { readonly message: MessageType<Message> };
	return defineEndpoint({
		name: row.name,
		about: row.about,
		get: row.get,
		post: row.post,
		servers: ["full"],
		request: builderRequest(type.message),
		reply: builtTransaction,
		answers: "Transaction",
		handle: (context, { contract, input }) =>
			buildValid(context, type, contract, () => ({
				...permissionIdOf(input.object, context.style.dialect),
				...(row.memo ? memoOf(input.object, input.visible) : {}),
			})),
	});
}

/** The contract type that a text names, which has a message. @throws {NamedError} */
function namedType(
	name: string | null,
	enumName: string,
): ContractType & { readonly message: MessageType<Message> } {
	if (name === null) throw new NamedError("NullPointerException", "Name is null");
	const isConstant = name === "UNRECOGNIZED" || name in TransactionContractContractType;
	if (!isConstant) throw new NamedError("IllegalArgumentException", `No enum constant ${enumName}.${name}`);
	const type = contractTypes.find((row) => row.name === name);
	const message = type?.message;
	if (!type || !message) {
		throw new NamedError("ContractValidateException", `don't have this type: ${name}`);
	}
	return { ...type, message };
}

const commonTransaction = defineEndpoint({
	name: "createCommonTransaction",
	about: "Builds a transaction of the type that contractType names.",
	get: "refused",
	post: "body",
	servers: ["full"],
	request: {
		fields: [{ name: "contractType", type: "string" }],
		read: (input: RequestInput) => ({ input, name: readText(input.object, "contractType") }),
	},
	reply: builtTransaction,
	answers: "Transaction",
	handle: (context, { input, name }) => {
		const enumName = "org.coin.protos.Protocol.Transaction.Contract.ContractType";
		const type = namedType(name, spell(enumName, context.style.dialect));
		return buildValid(context, type, input.fields(type.message), () =>
			permissionIdOf(input.object, context.style.dialect),
		);
	},
});

export const builderEndpoints: readonly Endpoint[] = [...rows.map(builder), commonTransaction];
