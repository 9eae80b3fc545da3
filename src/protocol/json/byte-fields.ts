/**
 * How byte fields are shown when `visible` is on (protocol/http §2.4): fields that hold addresses, and fields
 * that hold text. All other byte fields are hex in both modes.
 */

export type ByteClass = "address" | "text" | "hex";

/** Message name without its package -> fields. */
type Rows = Readonly<Record<string, string>>;

const ADDRESSES: Rows = {
	DelegatedResourceMessage: "fromAddress toAddress",
	TransactionSignWeight: "approved_list",
	TransactionApprovedList: "approved_list",
	PrivateParameters: "transparent_from_address transparent_to_address",
	PrivateParametersWithoutAsk: "transparent_from_address transparent_to_address",
	PrivateShieldedORC20Parameters: "transparent_to_address shielded_ORC20_contract_address",
	PrivateShieldedORC20ParametersWithoutAsk: "transparent_to_address shielded_ORC20_contract_address",
	IvkDecryptORC20Parameters: "shielded_ORC20_contract_address",
	OvkDecryptORC20Parameters: "shielded_ORC20_contract_address",
	NfORC20Parameters: "shielded_ORC20_contract_address",
	ShieldedORC20TriggerContractParameters: "transparent_to_address",
	"DecryptNotesORC20.NoteTx": "transparent_to_address",
	CanDelegatedMaxSizeRequestMessage: "owner_address",
	GetAvailableUnfreezeCountRequestMessage: "owner_address",
	CanWithdrawUnfreezeAmountRequestMessage: "owner_address",
	AccountCreateContract: "owner_address account_address",
	AccountUpdateContract: "owner_address",
	SetAccountIdContract: "owner_address",
	TransferContract: "owner_address to_address",
	TransferAssetContract: "owner_address to_address",
	VoteAssetContract: "owner_address vote_address",
	VoteWitnessContract: "owner_address",
	"VoteWitnessContract.Vote": "vote_address",
	UpdateSettingContract: "owner_address contract_address",
	UpdateEnergyLimitContract: "owner_address contract_address",
	ClearABIContract: "owner_address contract_address",
	WitnessCreateContract: "owner_address",
	WitnessUpdateContract: "owner_address",
	AssetIssueContract: "owner_address",
	ParticipateAssetIssueContract: "owner_address to_address",
	FreezeBalanceContract: "owner_address receiver_address",
	UnfreezeBalanceContract: "owner_address receiver_address",
	UnfreezeAssetContract: "owner_address",
	WithdrawBalanceContract: "owner_address",
	UpdateAssetContract: "owner_address",
	ProposalCreateContract: "owner_address",
	ProposalApproveContract: "owner_address",
	ProposalDeleteContract: "owner_address",
	CreateSmartContract: "owner_address",
	TriggerSmartContract: "owner_address contract_address",
	ExchangeCreateContract: "owner_address",
	ExchangeInjectContract: "owner_address",
	ExchangeWithdrawContract: "owner_address",
	ExchangeTransactionContract: "owner_address",
	AccountPermissionUpdateContract: "owner_address",
	UpdateBrokerageContract: "owner_address",
	FreezeBalanceV2Contract: "owner_address",
	UnfreezeBalanceV2Contract: "owner_address",
	WithdrawExpireUnfreezeContract: "owner_address",
	DelegateResourceContract: "owner_address receiver_address",
	UnDelegateResourceContract: "owner_address receiver_address",
	CancelAllUnfreezeV2Contract: "owner_address",
	MarketSellAssetContract: "owner_address",
	MarketCancelOrderContract: "owner_address",
	BuyStorageContract: "owner_address",
	BuyStorageBytesContract: "owner_address",
	SellStorageContract: "owner_address",
	ShieldedTransferContract: "transparent_from_address transparent_to_address",
	AccountId: "address",
	Vote: "vote_address",
	Proposal: "proposer_address approvals",
	Exchange: "creator_address",
	Account: "address",
	Key: "address",
	DelegatedResource: "from to",
	Witness: "address",
	Votes: "address",
	TransactionInfo: "contract_address",
	"TransactionInfo.Log": "address",
	"BlockHeader.raw": "witness_address",
	SmartContract: "origin_address contract_address",
	InternalTransaction: "caller_address transferTo_address",
	DelegatedResourceAccountIndex: "account fromAccounts toAccounts",
	AccountIdentifier: "address",
	"TransactionBalanceTrace.Operation": "address",
	MarketOrder: "owner_address",
};

const TEXTS: Rows = {
	Return: "message",
	Address: "host",
	Note: "memo",
	AccountUpdateContract: "account_name",
	SetAccountIdContract: "account_id",
	TransferAssetContract: "asset_name",
	ParticipateAssetIssueContract: "asset_name",
	WitnessCreateContract: "url",
	WitnessUpdateContract: "update_url",
	AssetIssueContract: "name abbr description url",
	UpdateAssetContract: "description url",
	ExchangeCreateContract: "first_token_id second_token_id",
	ExchangeInjectContract: "token_id",
	ExchangeWithdrawContract: "token_id",
	ExchangeTransactionContract: "token_id",
	MarketSellAssetContract: "sell_token_id buy_token_id",
	AccountId: "name",
	Exchange: "first_token_id second_token_id",
	Account: "account_name asset_issued_name asset_issued_ID account_id",
	authority: "permission_name",
	"Transaction.Contract": "ContractName",
	TransactionInfo: "resMessage",
	MarketOrder: "sell_token_id buy_token_id",
	MarketOrderPair: "sell_token_id buy_token_id",
	MarketPriceList: "sell_token_id buy_token_id",
};

const classes = new Map<string, ByteClass>();
for (const [rows, kind] of [
	[ADDRESSES, "address"],
	[TEXTS, "text"],
] as const) {
	for (const [message, fields] of Object.entries(rows)) {
		for (const field of fields.split(" ")) classes.set(`protocol.${message}.${field}`, kind);
	}
}

/** The class of a byte field; `typeName` is the full name of its message. */
export function byteClass(typeName: string, field: string): ByteClass {
	return classes.get(`${typeName}.${field}`) ?? "hex";
}
