/** How a transaction's signatures stand against the permission that it names. */

import {
	type Permission,
	TransactionSignWeightResultResponse_code as Weight,
} from "../../../protocol/messages.js";
import { SignatureError } from "../../../protocol/signature.js";
import { SignatureSizeError } from "../../../protocol/transaction.js";

export interface Weighed {
	/** Undefined: there is none that may sign. */
	readonly permission?: Readonly<Permission>;
	readonly signers: readonly Uint8Array[];
	readonly weight: bigint;
	/** Why they don't count. */
	readonly refusal?: { readonly code: number; readonly message: string };
}

export const refused = (message: string): Weighed => ({
	signers: [],
	weight: 0n,
	refusal: { code: Weight.PERMISSION_ERROR, message },
});

export const noAccount = refused("Account does not exist!");

export function codeOf(cause: unknown): number {
	if (cause instanceof SignatureSizeError) return Weight.SIGNATURE_FORMAT_ERROR;
	if (cause instanceof SignatureError) return Weight.COMPUTE_ADDRESS_ERROR;
	return Weight.PERMISSION_ERROR;
}
