/** The endpoints that the explorer uses. Only those of development chains change the chain directly. */

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

/** Endpoints that build and broadcast what a wallet extension signs; only served by the node itself. */
export type ChangeEndpoint = "triggersmartcontract" | "broadcasttransaction";
