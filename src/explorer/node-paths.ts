/** What the explorer asks of a node: nothing that changes its chain but the methods of development chains. */

/** Endpoints below `/wallet/`. */
export const READ_ENDPOINTS = [
	"getaccount",
	"getaccountresource",
	"getapprovedlist",
	"getassetissuebyid",
	"getassetissuelistbyname",
	"getbandwidthprices",
	"getblock",
	"getblockbyid",
	"getblockbylatestnum",
	"getblockbylimitnext",
	"getBrokerage",
	"getchainparameters",
	"getcontract",
	"getcontractinfo",
	"getenergyprices",
	"getnextmaintenancetime",
	"getnodeinfo",
	"getnowblock",
	"getpaginatedassetissuelist",
	"getReward",
	"getsignweight",
	"gettransactionbyid",
	"gettransactionfrompending",
	"gettransactioninfobyblocknum",
	"gettransactioninfobyid",
	"gettransactionlistfrompending",
	"listnodes",
	"listproposals",
	"listwitnesses",
	"triggerconstantcontract",
] as const;

export type ReadEndpoint = (typeof READ_ENDPOINTS)[number];

/** Endpoints by which what a wallet extension signs is built and sent: at the node itself alone. */
export type ChangeEndpoint = "triggersmartcontract" | "broadcasttransaction";
