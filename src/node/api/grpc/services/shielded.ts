/**
 * Shielded transactions: the gates that stand before every method (protocol/grpc §2.2, protocol/shielded §5.2). This node makes no
 * proofs; where the gates are open, it says so.
 */

import { status } from "@grpc/grpc-js";
import type { TransactionExtention } from "../../../../protocol/messages.js";
import { ContractValidateError } from "../../../rules/errors.js";
import { isFrom } from "../../../rules/release.js";
import type { ApiContext } from "../../context.js";
import { EVENTS_REFUSED, shieldedApiOff } from "../../shielded-api.js";
import { extentionOrReason } from "../building.js";
import { CallError, type Handler, type Handlers, withoutReason, withReason } from "../method.js";

const NO_PROOFS = "this node makes no shielded proofs";

/** Whether the node serves them is all that a release asks from 4.8.1 on. */
const asksNodeAlone = ({ node }: ApiContext): boolean => isFrom(node.config.node.release, "4.8.1");

/** @throws {ContractValidateError} while the node doesn't serve them */
function checkNode({ node }: ApiContext): void {
	const { shielded, release } = node.config.node;
	if (!shielded.enabled) throw new ContractValidateError(shieldedApiOff(release));
}

/** @throws {ContractValidateError} while the chain has no shielded transactions */
function checkChain(context: ApiContext): void {
	if (asksNodeAlone(context)) {
		checkNode(context);
		return;
	}
	const { state } = context;
	if (!state.properties.on("ALLOW_SHIELDED_TRANSACTION")) {
		throw new ContractValidateError("Not support Shielded Transaction, need to be opened by the committee");
	}
}

/** @throws {ContractValidateError} while the node or the chain has no shielded ORC-20 transactions */
function checkToken(context: ApiContext): void {
	checkNode(context);
	const { state } = context;
	if (!asksNodeAlone(context) && !state.properties.on("ALLOW_SHIELDED_ORC20_TRANSACTION")) {
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

const native: Handler<unknown, never> = withReason(behind(checkChain));
const token: Handler<unknown, never> = withReason(behind(checkToken));
/** From release 4.8.2 on a list of events is refused, whether the method is served or not. */
const scan: Handler<{ readonly events: readonly string[] }, never> = (context, request) => {
	if (isFrom(context.node.config.node.release, "4.8.2") && request.events.length > 0) {
		throw new CallError(status.INVALID_ARGUMENT, EVENTS_REFUSED);
	}
	return token(context, request);
};
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
	ScanShieldedORC20NotesByIvk: scan,
	ScanShieldedORC20NotesByOvk: scan,
	IsShieldedORC20ContractNoteSpent: token,
	GetTriggerInputForShieldedORC20Contract: withoutReason(behind(checkToken)),
} satisfies Partial<Handlers<"Wallet">>;
