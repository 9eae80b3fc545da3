/** Who may sign a transaction: permission, operations mask, weights (protocol/permissions §3.3). */

import { toBase58Check } from "../../protocol/address.js";
import { toKey } from "../../protocol/bytes.js";
import {
	type Permission,
	PermissionPermissionType,
	type ShieldedTransferContract,
} from "../../protocol/messages.js";
import {
	keyWeight,
	maskAllows,
	OPERATIONS_LENGTH,
	OWNER_PERMISSION,
	permissionById,
} from "../../protocol/permission.js";
import { hasPostQuantum } from "../../protocol/post-quantum.js";
import { quoting } from "../../protocol/quoting-message.js";
import { SignatureError } from "../../protocol/signature.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { admissionOf } from "../rules/admission.js";
import type { ChainRules, DevelopmentSchedule } from "../rules/chain-rules.js";
import { ValidateSignatureError } from "../rules/errors.js";
import type { ForkGates } from "../rules/fork-gates.js";
import type { StateView } from "../state/view.js";

/** From this block version on, an address counts once however often it signs. */
const ONE_SIGNATURE_PER_ADDRESS = 27;

/** The length of the first signature that the node's release doesn't take from outside; undefined: all are good. */
export function strangeSignatureSize(
	{ message }: SignedTransaction,
	rules: Pick<ChainRules, "release">,
): number | undefined {
	const { isStrangeSignature } = admissionOf(rules);
	return message.signature.find(({ length }) => isStrangeSignature(length))?.length;
}

/** What signatures are checked against. */
interface Authority {
	readonly state: StateView;
	readonly rules: Pick<ChainRules, "release" | "network">;
	readonly forks: ForkGates;
}

/** The rules by which Nile counts such signatures are not published: who carries them has to be authorised without. */
const UNVERIFIABLE =
	"the signatures in pq_auth_sig can't be verified: this program doesn't have the rules of post-quantum signatures";

const isUnverifiable = ({ message }: SignedTransaction, network: ChainRules["network"]): boolean =>
	network === "nile" && message.$unknown !== undefined && hasPostQuantum(message);

/** Why a transaction without a signature is refused. */
export function missingSignature(
	transaction: SignedTransaction,
	network: ChainRules["network"],
): ValidateSignatureError {
	const isCarrier = transaction.contract !== undefined && isUnverifiable(transaction, network);
	return new ValidateSignatureError(isCarrier ? UNVERIFIABLE : "miss sig or contract");
}

/**
 * Checks all signatures of a transaction against the head state.
 * @param development of a development chain: whose transactions count without a signature
 * @throws {ValidateSignatureError}
 */
export function authorize(
	authority: Authority,
	transaction: SignedTransaction,
	development?: DevelopmentSchedule,
): void {
	const { state } = authority;
	const { signature } = transaction.message;
	if (isShieldedSpend(transaction)) {
		if (signature.length > 0) {
			throw new ValidateSignatureError(
				"there should be no signatures signed by transparent address when transfer from shielded address",
			);
		}
		return;
	}
	const contract = transaction.contract;
	const isUnsigned =
		signature.length === 0 && contract && development?.actsUnsigned?.(transaction.owner) === true;
	if ((signature.length === 0 && !isUnsigned) || !contract)
		throw missingSignature(transaction, authority.rules.network);
	if (signature.length > state.properties.get("TOTAL_SIGN_NUM")) {
		throw new ValidateSignatureError("too many signatures");
	}
	const permission = signingPermission(state, transaction);
	if (!permission) throw new ValidateSignatureError("permission isn't exit");
	if (contract.Permission_id !== OWNER_PERMISSION) {
		if (permission.type !== PermissionPermissionType.Active) {
			throw new ValidateSignatureError("Permission type is error");
		}
		if (permission.operations.length !== OPERATIONS_LENGTH) {
			throw new ValidateSignatureError(`operations size must 32, actual: ${permission.operations.length}`);
		}
		if (!maskAllows(permission.operations, contract.type))
			throw new ValidateSignatureError("Permission denied");
	}
	if (isUnsigned) return;
	const { weight } = sumWeights(authority, permission, transaction);
	if (weight < permission.threshold) {
		const isCarrier = isUnverifiable(transaction, authority.rules.network);
		throw new ValidateSignatureError(isCarrier ? UNVERIFIABLE : "sig error");
	}
}

function isShieldedSpend(transaction: SignedTransaction): boolean {
	if (transaction.type?.name !== "ShieldedTransferContract") return false;
	return (transaction.parameter as ShieldedTransferContract).transparent_from_address.length === 0;
}

/** The permission that a transaction names, undefined if its account has no such permission. */
export function signingPermission(
	state: StateView,
	transaction: SignedTransaction,
): Readonly<Permission> | undefined {
	const owner = transaction.owner;
	return permissionById(
		state.account.get(owner),
		owner,
		transaction.contract?.Permission_id ?? OWNER_PERMISSION,
		state.properties.get("ACTIVE_DEFAULT_OPERATIONS"),
	);
}

interface SignedWeight {
	/** Signers in the order of the signatures. */
	readonly signers: readonly Uint8Array[];
	readonly weight: bigint;
}

/**
 * Recovers the signers and adds up their weights.
 * @throws {ValidateSignatureError} if a signer is foreign, signs twice, or there are too many signatures
 * @throws {ValidateSignatureError} with the recovery's text if a signature is malformed
 */
export function sumWeights(
	{ rules, forks }: Pick<Authority, "rules" | "forks">,
	permission: Readonly<Permission>,
	transaction: SignedTransaction,
): SignedWeight {
	const signatures = transaction.message.signature;
	if (signatures.length > permission.keys.length) {
		throw new ValidateSignatureError(
			`Signature count is ${signatures.length} more than key counts of permission : ${permission.keys.length}`,
		);
	}
	const byAddress = signatures.length > 1 && forks.passed(ONE_SIGNATURE_PER_ADDRESS);
	// PERF: most transactions have one signature, which nothing can repeat.
	const seen = signatures.length > 1 ? new Set<string>() : undefined;
	const signers: Uint8Array[] = [];
	let weight = 0n;
	for (const [index, signature] of signatures.entries()) {
		const signer = recoverSigner(transaction, index);
		const own = keyWeight(permission, signer);
		if (own === 0n) {
			throw new ValidateSignatureError(
				quoting`${admissionOf(rules).foreignSignature(transaction, signature)} is signed by ${toBase58Check(signer)} but it is not contained of permission.`,
			);
		}
		if (seen) {
			const mark = byAddress ? toKey(signer) : normalSignature(signature);
			if (seen.has(mark))
				throw new ValidateSignatureError(quoting`${toBase58Check(signer)} has signed twice!`);
			seen.add(mark);
		}
		signers.push(signer);
		weight += own;
	}
	return { signers, weight: BigInt.asIntN(64, weight) };
}

function recoverSigner(transaction: SignedTransaction, index: number): Uint8Array {
	try {
		return transaction.signer(index);
	} catch (error) {
		if (error instanceof SignatureError) throw new ValidateSignatureError(error.message, { cause: error });
		throw error;
	}
}

/** Identity of a signature before version 27: r, s and the normal form of v. */
function normalSignature(signature: Uint8Array): string {
	let v = ((signature[64] as number) << 24) >> 24;
	if (v < 27) v += 27;
	return `${toKey(signature.subarray(0, 64))}${v}`;
}
