/** Endpoints a lite node without history refuses (protocol/http §1.2). */

import { toNeutral } from "../../protocol/dialect.js";

export const LITE_NODE_TEXT = "this API is closed because this node is a lite fullnode";

const FOLDERS = ["/wallet", "/walletsolidity", "/walletpbft"];

const IN_ALL_FOLDERS = [
	"getblockbyid",
	"getblockbylatestnum",
	"getblockbylimitnext",
	"getblockbynum",
	"getmerkletreevoucherinfo",
	"gettransactionbyid",
	"gettransactioncountbyblocknum",
	"gettransactioninfobyid",
	"isspend",
	"scanandmarknotebyivk",
	"scannotebyivk",
	"scannotebyovk",
	"getmarketorderbyaccount",
	"getmarketorderbyid",
	"getmarketpricebypair",
	"getmarketorderlistbypair",
	"getmarketpairlist",
	"scanshieldedorc20notesbyivk",
	"scanshieldedorc20notesbyovk",
	"isshieldedorc20contractnotespent",
];

const closed = new Set([
	...FOLDERS.flatMap((folder) => IN_ALL_FOLDERS.map((name) => `${folder}/${name}`)),
	"/wallet/gettransactioninfobyblocknum",
	"/walletsolidity/gettransactioninfobyblocknum",
	"/wallet/gettransactionreceiptbyid",
	"/wallet/totaltransaction",
]);

export function isClosedOnLiteNode(path: string): boolean {
	return closed.has(path) || closed.has(toNeutral(path));
}
