/** Methods that a node without history doesn't answer (protocol/grpc §1.1), and those that can be asked of a past block (protocol/http §5.4), in neutral spelling. */

import { toNeutral } from "../../../protocol/dialect.js";
import { endpoints } from "../endpoint-table.js";

/** The network calls these two otherwise over HTTP. */
const ALSO = ["getbrokerageinfo", "getrewardinfo"];

const names: ReadonlySet<string> = new Set([
	...endpoints.filter(({ readsState }) => readsState).map(({ name }) => name.toLowerCase()),
	...ALSO,
]);

/** @param path `/package.Service/Method` */
export const readsState = (path: string): boolean =>
	names.has(toNeutral(path.slice(path.lastIndexOf("/") + 1)).toLowerCase());

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
