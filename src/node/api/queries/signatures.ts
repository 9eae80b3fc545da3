/** Who has signed a transaction, and whether that is enough (protocol/http-endpoints §2.3, §2.4). */

import { exceptionText, NamedError } from "../../../protocol/json/exceptions.js";
import {
	type Permission,
	PermissionPermissionType,
	Transaction,
	TransactionApprovedList,
	TransactionApprovedListResult,
	TransactionApprovedListResultResponse_code,
	type TransactionContract,
	TransactionSignWeight,
	TransactionSignWeightResult,
	TransactionSignWeightResultResponse_code,
} from "../../../protocol/messages.js";
import { maskAllows, OPERATIONS_LENGTH, OWNER_PERMISSION } from "../../../protocol/permission.js";
import { SIGNATURE_LENGTH, SignatureError } from "../../../protocol/signature.js";
import { SignatureSizeError, SignedTransaction } from "../../../protocol/transaction.js";
import { signingPermission, sumWeights } from "../../chain/authorization.js";
import { ValidateSignatureError } from "../../rules/errors.js";
import { signatureCount } from "../../rules/post-quantum.js";
import { byRelease } from "../../rules/release.js";
import type { ApiContext } from "../context.js";
import { olderReading } from "./older/approvals.js";

const Weight = TransactionSignWeightResultResponse_code;
const Approved = TransactionApprovedListResultResponse_code;

const NO_CONTRACT = "Invalid transaction: no valid contract";
const TOO_MANY = "too many signatures";

/** An answer about a transaction's signatures. */
export interface SignatureAnswer<T> {
	/** Without the transaction itself. */
	readonly answer: T;
	/** The transaction included in the answer, if any. */
	readonly shown: SignedTransaction | undefined;
}

/** A transaction's signatures weighed against its permission. */
export interface Weighed {
	/** Undefined if there is no permission to sign with. */
	readonly permission?: Readonly<Permission>;
	readonly signers: readonly Uint8Array[];
	readonly weight: bigint;
	/** Why they don't count. */
	readonly refusal?: { readonly code: number; readonly message: string };
}

/** How signatures are evaluated in a release. */
export interface SignatureReading {
	/** The transaction with the signatures to evaluate; undefined if there are more than any transaction may have. */
	readable(context: ApiContext, transaction: SignedTransaction): SignedTransaction | undefined;
	/** The signers who approved a transaction. */
	approved(
		context: ApiContext,
		transaction: SignedTransaction,
		contract: Readonly<TransactionContract>,
	): Weighed;
}

const readings = byRelease<SignatureReading>(
	{ readable: cutSignatures, approved: weigh },
	olderReading(unread),
);

const readingOf = ({ node }: ApiContext): SignatureReading => readings[node.config.node.release];

/**
 * The transaction with the signatures to evaluate, after expensive ones have been verified off-thread, in the client's turn.
 */
async function readable(
	context: ApiContext,
	transaction: SignedTransaction,
): Promise<SignedTransaction | undefined> {
	const shown = readingOf(context).readable(context, transaction);
	if (shown) await context.node.verifySignatures?.(shown, context.client);
	return shown;
}

/** The weight of a transaction's signatures under its permission. */
export async function signWeight(
	context: ApiContext,
	transaction: SignedTransaction,
): Promise<SignatureAnswer<TransactionSignWeight>> {
	const answer = new TransactionSignWeight();
	const shown = await readable(context, transaction);
	const tell = (code: number, message: string): SignatureAnswer<TransactionSignWeight> => {
		answer.result = TransactionSignWeightResult.create({ code, message });
		return { answer, shown };
	};
	if (!shown) return tell(Weight.OTHER_ERROR, TOO_MANY);
	if (!shown.contract) return tell(Weight.OTHER_ERROR, NO_CONTRACT);
	const { permission, signers, weight, refusal } = weigh(context, shown, shown.contract);
	if (permission) answer.permission = permission;
	if (refusal) return tell(refusal.code, refusal.message);
	answer.approved_list = signers;
	answer.current_weight = weight;
	const enough = weight >= (permission?.threshold ?? 0n);
	return tell(enough ? Weight.ENOUGH_PERMISSION : Weight.NOT_ENOUGH_PERMISSION, "");
}

/** The addresses that have signed a transaction, if the permission counts all of them. */
export async function approvedList(
	context: ApiContext,
	transaction: SignedTransaction,
): Promise<SignatureAnswer<TransactionApprovedList>> {
	const shown = await readable(context, transaction);
	const tell = (code: number, message: string): SignatureAnswer<TransactionApprovedList> => ({
		answer: TransactionApprovedList.create({
			result: TransactionApprovedListResult.create({ code, message }),
		}),
		shown,
	});
	if (!shown) return tell(Approved.OTHER_ERROR, TOO_MANY);
	if (!shown.contract) return tell(Approved.OTHER_ERROR, NO_CONTRACT);
	const { signers, refusal } = readingOf(context).approved(context, shown, shown.contract);
	if (!refusal) {
		const result = new TransactionApprovedListResult();
		return { answer: TransactionApprovedList.create({ approved_list: signers, result }), shown };
	}
	switch (refusal.code) {
		case Weight.SIGNATURE_FORMAT_ERROR:
			return tell(Approved.SIGNATURE_FORMAT_ERROR, refusal.message);
		case Weight.COMPUTE_ADDRESS_ERROR:
			return tell(Approved.COMPUTE_ADDRESS_ERROR, refusal.message);
		default: {
			const error = new NamedError("PermissionException", refusal.message);
			return tell(Approved.OTHER_ERROR, exceptionText(error, context.style.dialect));
		}
	}
}

/** The transaction with each signature truncated to 65 bytes. */
function cutSignatures(
	{ state, node }: ApiContext,
	transaction: SignedTransaction,
): SignedTransaction | undefined {
	const { signature } = transaction.message;
	if (signatureCount(transaction, node.rules) > state.properties.get("TOTAL_SIGN_NUM")) return undefined;
	if (signature.every(({ length }) => length <= SIGNATURE_LENGTH)) return transaction;
	const message = Transaction.copy(transaction.message);
	message.signature = signature.map((bytes) => bytes.subarray(0, SIGNATURE_LENGTH));
	return new SignedTransaction(message);
}

function weigh(
	{ state, node }: ApiContext,
	transaction: SignedTransaction,
	{ Permission_id: id, type }: Readonly<TransactionContract>,
): Weighed {
	const refuse = (message: string): Weighed => unread({ message });
	if (!state.account.has(transaction.owner)) return unread();
	const permission = signingPermission(state, transaction);
	if (!permission) return refuse("Permission for this, does not exist!");
	if (id !== OWNER_PERMISSION) {
		if (permission.type !== PermissionPermissionType.Active) return refuse("Permission type is wrong!");
		if (permission.operations.length !== OPERATIONS_LENGTH) return refuse("operations size must be 32");
		if (!maskAllows(permission.operations, type)) return refuse("Permission denied!");
	}
	if (signatureCount(transaction, node.rules) === 0) return { permission, signers: [], weight: 0n };
	try {
		const { rules } = node;
		return { permission, ...sumWeights({ state, rules, forks: node.forks(state) }, permission, transaction) };
	} catch (error) {
		if (!(error instanceof ValidateSignatureError)) throw error;
		const refusal = { code: codeOf(error.cause), message: error.message };
		return { permission, signers: [], weight: 0n, refusal };
	}
}

/** Signatures that can't be weighed. @param cause absent: there is no account */
function unread(cause?: { readonly message: string }): Weighed {
	const refusal = { code: codeOf(cause), message: cause?.message ?? "Account does not exist!" };
	return { signers: [], weight: 0n, refusal };
}

function codeOf(cause: unknown): number {
	if (cause instanceof SignatureSizeError) return Weight.SIGNATURE_FORMAT_ERROR;
	if (cause instanceof SignatureError) return Weight.COMPUTE_ADDRESS_ERROR;
	return Weight.PERMISSION_ERROR;
}
