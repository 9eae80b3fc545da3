/** Methods that a node without history doesn't answer (protocol/grpc §1.1), in neutral spelling. */

const IN_BOTH_WALLETS = [
	"GetBlockById",
	"GetBlockByLatestNum",
	"GetBlockByLatestNum2",
	"GetBlockByLimitNext",
	"GetBlockByLimitNext2",
	"GetBlockByNum",
	"GetBlockByNum2",
	"GetMerkleTreeVoucherInfo",
	"GetTransactionById",
	"GetTransactionCountByBlockNum",
	"GetTransactionInfoById",
	"IsSpend",
	"ScanAndMarkNoteByIvk",
	"ScanNoteByIvk",
	"ScanNoteByOvk",
	"TotalTransaction",
	"GetMarketOrderByAccount",
	"GetMarketOrderById",
	"GetMarketPriceByPair",
	"GetMarketOrderListByPair",
	"GetMarketPairList",
	"ScanShieldedORC20NotesByIvk",
	"ScanShieldedORC20NotesByOvk",
	"IsShieldedORC20ContractNoteSpent",
];

const closed = new Set([
	...IN_BOTH_WALLETS.flatMap((name) => [`protocol.Wallet/${name}`, `protocol.WalletSolidity/${name}`]),
	"protocol.Database/GetBlockByNum",
]);

/** @param name `protocol.Wallet/GetAccount` */
export function isClosedMethod(name: string): boolean {
	return closed.has(name);
}
