/** Who has signed a transaction, and whether it is enough (protocol/http-endpoints §2.3, §2.4). */

import { exceptionText, NamedError } from "../../../protocol/json/exceptions.js";
import {
	PermissionPermissionType,
	TransactionApprovedList,
	TransactionApprovedListResult,
	TransactionApprovedListResultResponse_code,
	TransactionSignWeight,
	TransactionSignWeightResult,
	TransactionSignWeightResultResponse_code,
} from "../../../protocol/messages.js";
import { maskAllows, OPERATIONS_LENGTH, OWNER_PERMISSION } from "../../../protocol/permission.js";
import { SignatureError } from "../../../protocol/signature.js";
import { SignatureSizeError, type SignedTransaction } from "../../../protocol/transaction.js";
import { signingPermission, sumWeights } from "../../chain/authorization.js";
import { ValidateSignatureError } from "../../rules/errors.js";
import type { ApiContext } from "../context.js";

const Weight = TransactionSignWeightResultResponse_code;
const Approved = TransactionApprovedListResultResponse_code;

const NO_CONTRACT = "Invalid transaction: no valid contract";
const NO_ACCOUNT = "Account does not exist!";

/** The weight of a transaction's signatures under the permission that it names; without the transaction itself. */
export function signWeight(context: ApiContext, transaction: SignedTransaction): TransactionSignWeight {
	const { state, node } = context;
	const answer = new TransactionSignWeight();
	const refuse = (code: number, message: string): TransactionSignWeight => {
		answer.result = TransactionSignWeightResult.create({ code, message });
		return answer;
	};
	const contract = transaction.contract;
	if (!contract) return refuse(Weight.OTHER_ERROR, NO_CONTRACT);
	if (!state.account.has(transaction.owner)) return refuse(Weight.PERMISSION_ERROR, NO_ACCOUNT);
	const permission = signingPermission(state, transaction);
	if (!permission) return refuse(Weight.PERMISSION_ERROR, "Permission for this, does not exist!");
	if (contract.Permission_id !== OWNER_PERMISSION) {
		if (permission.type !== PermissionPermissionType.Active) {
			return refuse(Weight.PERMISSION_ERROR, "Permission type is wrong!");
		}
		if (permission.operations.length !== OPERATIONS_LENGTH) {
			return refuse(Weight.PERMISSION_ERROR, "operations size must be 32");
		}
		if (!maskAllows(permission.operations, contract.type)) {
			return refuse(Weight.PERMISSION_ERROR, "Permission denied!");
		}
	}
	answer.permission = permission;
	if (transaction.message.signature.length > 0) {
		try {
			const { signers, weight } = sumWeights(
				{ rules: node.rules, forks: node.forks(state) },
				permission,
				transaction,
			);
			answer.approved_list = signers;
			answer.current_weight = weight;
		} catch (error) {
			if (!(error instanceof ValidateSignatureError)) throw error;
			return refuse(weightCode(error), error.message);
		}
	}
	const enough = answer.current_weight >= permission.threshold;
	return refuse(enough ? Weight.ENOUGH_PERMISSION : Weight.NOT_ENOUGH_PERMISSION, "");
}

function weightCode(error: ValidateSignatureError): number {
	if (error.cause instanceof SignatureSizeError) return Weight.SIGNATURE_FORMAT_ERROR;
	if (error.cause instanceof SignatureError) return Weight.COMPUTE_ADDRESS_ERROR;
	return Weight.PERMISSION_ERROR;
}

/** The addresses that have signed a transaction; without the transaction itself. */
export function approvedList(context: ApiContext, transaction: SignedTransaction): TransactionApprovedList {
	const refuse = (code: number, message: string): TransactionApprovedList =>
		TransactionApprovedList.create({ result: TransactionApprovedListResult.create({ code, message }) });
	if (!transaction.contract) return refuse(Approved.OTHER_ERROR, NO_CONTRACT);
	if (!context.state.account.has(transaction.owner)) {
		const missing = new NamedError("PermissionException", NO_ACCOUNT);
		return refuse(Approved.OTHER_ERROR, exceptionText(missing, context.style.dialect));
	}
	try {
		const signers = transaction.message.signature.map((_signature, index) => transaction.signer(index));
		return TransactionApprovedList.create({
			approved_list: signers,
			result: new TransactionApprovedListResult(),
		});
	} catch (error) {
		if (error instanceof SignatureSizeError) return refuse(Approved.SIGNATURE_FORMAT_ERROR, error.message);
		if (error instanceof SignatureError) return refuse(Approved.COMPUTE_ADDRESS_ERROR, error.message);
		throw error;
	}
}
