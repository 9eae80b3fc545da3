/**
 * Shielded transactions: the gates that stand before every method (protocol/grpc §2.2, protocol/shielded §5.2). This node makes no
 * proofs; where the gates are open, it says so.
 */

import { status } from "@grpc/grpc-js";
import type { TransactionExtention } from "../../../../protocol/messages.js";
import { ContractValidateError } from "../../../rules/errors.js";
import type { ApiContext } from "../../context.js";
import { shieldedApiOff } from "../../shielded-api.js";
import { extentionOrReason } from "../building.js";
import { CallError, explained, type Handler, type Handlers, unexplained } from "../method.js";

const NO_PROOFS = "this node makes no shielded proofs";

/** @throws {ContractValidateError} while the chain has no shielded transactions */
function checkChain({ state }: ApiContext): void {
	if (!state.properties.on("ALLOW_SHIELDED_TRANSACTION")) {
		throw new ContractValidateError("Not support Shielded Transaction, need to be opened by the committee");
	}
}

/** @throws {ContractValidateError} while the node or the chain has no shielded ORC-20 transactions */
function checkToken({ node, state }: ApiContext): void {
	if (!node.config.node.shielded.enabled) {
		throw new ContractValidateError(shieldedApiOff(node.config.node.release));
	}
	if (!state.properties.on("ALLOW_SHIELDED_ORC20_TRANSACTION")) {
		throw new ContractValidateError(
			"Not support Shielded ORC20 Transaction, need to be opened by the committee",
		);
	}
}

function behind(check: (context: ApiContext) => void): (context: ApiContext) => never {
	return (context) => {
		check(context);
		throw new CallError(status.UNIMPLEMENTED, NO_PROOFS);
	};
}

const native: Handler<unknown, never> = explained(behind(checkChain));
const token: Handler<unknown, never> = explained(behind(checkToken));
const create = (context: ApiContext): TransactionExtention =>
	extentionOrReason(context, () => behind(checkChain)(context));

export const shielded = {
	CreateShieldedTransaction: create,
	CreateShieldedTransactionWithoutSpendAuthSig: create,
	GetMerkleTreeVoucherInfo: native,
	ScanNoteByIvk: native,
	ScanAndMarkNoteByIvk: native,
	ScanNoteByOvk: native,
	IsSpend: native,
	GetShieldTransactionHash: native,
	CreateShieldNullifier: native,
	GetSpendingKey: token,
	GetExpandedSpendingKey: token,
	GetAkFromAsk: token,
	GetNkFromNsk: token,
	GetIncomingViewingKey: token,
	GetDiversifier: token,
	GetNewShieldedAddress: token,
	GetZenPaymentAddress: token,
	GetRcm: token,
	CreateSpendAuthSig: token,
	CreateShieldedContractParameters: token,
	CreateShieldedContractParametersWithoutAsk: token,
	ScanShieldedORC20NotesByIvk: token,
	ScanShieldedORC20NotesByOvk: token,
	IsShieldedORC20ContractNoteSpent: token,
	GetTriggerInputForShieldedORC20Contract: unexplained(behind(checkToken)),
} satisfies Partial<Handlers<"Wallet">>;
