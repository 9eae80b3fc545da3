/** Who may sign a transaction: permission, operations mask, weights (protocol/permissions §3.3). */

import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, toKey } from "../../protocol/bytes.js";
import { checkedAdd, OverflowError } from "../../protocol/int64.js";
import { type Permission, PermissionPermissionType, type PQAuthSig } from "../../protocol/messages.js";
import {
	keyWeight,
	maskAllows,
	OPERATIONS_LENGTH,
	OWNER_PERMISSION,
	permissionById,
} from "../../protocol/permission.js";
import {
	addressOfPostQuantumKey,
	hasLengthsOf,
	postQuantumScheme,
	postQuantumSchemeName,
} from "../../protocol/post-quantum/schemes.js";
import { quoting } from "../../protocol/quoting-message.js";
import { SignatureError } from "../../protocol/signature.js";
import { SignatureSizeError, type SignedTransaction } from "../../protocol/transaction.js";
import { admissionOf } from "../rules/admission.js";
import type { ChainRules, DevelopmentSchedule } from "../rules/chain-rules.js";
import { RuntimeRuleError, ValidateSignatureError } from "../rules/errors.js";
import type { ForkGates } from "../rules/fork-gates.js";
import {
	isAnySchemeAllowed,
	isSchemeAllowed,
	isWellFormed,
	NO_SCHEME,
	postQuantumOf,
	signatureCount,
} from "../rules/post-quantum.js";
import type { StateView } from "../state/view.js";

/** From this block version on, an address counts once no matter how often it signs. */
const ONE_SIGNATURE_PER_ADDRESS = 27;

/** Why a transaction from outside is refused because its signatures are malformed. */
interface FormRefusal {
	/** Wording for clients. */
	readonly message: string;
	/** Wording for peers, appended to `tx <id> `. */
	readonly peerMessage: string;
}

/**
 * The first problem with the form of a transaction's signatures, or undefined; nothing is verified
 * (protocol/permissions §3.3, protocol/post-quantum §5.2).
 */
export function signatureFormRefusal(
	transaction: SignedTransaction,
	state: StateView,
	rules: Pick<ChainRules, "release" | "network">,
): FormRefusal | undefined {
	const most = state.properties.get("TOTAL_SIGN_NUM");
	const count = signatureCount(transaction, rules);
	if (rules.network === "nile" && count > most) {
		const words = (verb: string) => `total signature count ${verb}${count} exceeds ${most}`;
		return { message: words(""), peerMessage: words("is ") };
	}
	const { isStrangeSignature } = admissionOf(rules);
	const strange = transaction.message.signature.find(({ length }) => isStrangeSignature(length));
	if (strange) {
		const peerMessage = `signature size is ${strange.length}`;
		return { message: `S${peerMessage.slice(1)}`, peerMessage };
	}
	const entries = postQuantumOf(transaction, rules);
	if (entries.length === 0) return undefined;
	const same = (message: string): FormRefusal => ({ message, peerMessage: message });
	if (!isAnySchemeAllowed(state.properties)) return same(NO_SCHEME);
	return entries.every(isWellFormed) ? undefined : same("pq_auth_sig size is out of bounds");
}

/** What signatures are checked against: state, chain rules and fork gates. */
interface Authority {
	readonly state: StateView;
	readonly rules: Pick<ChainRules, "release" | "network">;
	readonly forks: ForkGates;
}

/** The error for a transaction without a signature. */
export const missingSignature = (): ValidateSignatureError =>
	new ValidateSignatureError("miss sig or contract");

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
	const { state, rules } = authority;
	const { length: slow } = postQuantumOf(transaction, rules);
	const count = transaction.message.signature.length + slow;
	if (isShieldedSpend(transaction)) {
		if (count > 0) {
			throw new ValidateSignatureError(
				"there should be no signatures signed by transparent address when transfer from shielded address",
			);
		}
		return;
	}
	if (slow > 0 && !isAnySchemeAllowed(state.properties)) {
		throw new ValidateSignatureError(NO_SCHEME);
	}
	const contract = transaction.contract;
	const isUnsigned = count === 0 && contract && development?.actsUnsigned?.(transaction.owner) === true;
	if ((count === 0 && !isUnsigned) || !contract) throw missingSignature();
	if (count > state.properties.get("TOTAL_SIGN_NUM")) {
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
		checkInMask(contract.type);
		if (!maskAllows(permission.operations, contract.type))
			throw new ValidateSignatureError("Permission denied");
	}
	if (isUnsigned) return;
	const { weight } = sumWeights(authority, permission, transaction);
	if (weight < permission.threshold) throw new ValidateSignatureError("sig error");
}

/** Whether no account pays. Also true if the parameter can't be decoded: the contract's own checks refuse that. */
function isShieldedSpend(transaction: SignedTransaction): boolean {
	return transaction.type?.name === "ShieldedTransferContract" && transaction.owner.length === 0;
}

/** The reference's runtime throws when it indexes past the mask. @throws {RuntimeRuleError} */
function checkInMask(type: number): void {
	const at = Math.trunc(type / 8);
	if (at >= 0 && at < OPERATIONS_LENGTH) return;
	const text = `Index ${at} out of bounds for length ${OPERATIONS_LENGTH}`;
	throw new RuntimeRuleError("ArrayIndexOutOfBoundsException", text);
}

/** The permission a transaction names; undefined if its account has no such permission. */
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
	/** Signers, in signature order. */
	readonly signers: readonly Uint8Array[];
	readonly weight: bigint;
}

/**
 * Finds the signers, post-quantum ones last, and adds up their weights.
 * @throws {ValidateSignatureError} if a signer is foreign, signs twice, or there are too many signatures
 * @throws {ValidateSignatureError} with the recovery's text if a signature is malformed
 */
export function sumWeights(
	authority: Authority,
	permission: Readonly<Permission>,
	transaction: SignedTransaction,
): SignedWeight {
	const recovered = sumRecovered(authority, permission, transaction);
	const entries = postQuantumOf(transaction, authority.rules);
	if (entries.length === 0) return recovered;
	return addPostQuantum(authority.state, permission, { transaction, entries }, recovered);
}

function tooManyKeys({ network }: Pick<ChainRules, "network">, count: number, most: number): string {
	return network === "nile"
		? `Signature count ${count} exceeds permission key count ${most}`
		: `Signature count is ${count} more than key counts of permission : ${most}`;
}

/** The signers recovered from secp256k1 signatures. */
function sumRecovered(
	{ rules, forks }: Pick<Authority, "rules" | "forks">,
	permission: Readonly<Permission>,
	transaction: SignedTransaction,
): SignedWeight {
	const signatures = transaction.message.signature;
	if (signatures.length > permission.keys.length) {
		throw new ValidateSignatureError(tooManyKeys(rules, signatures.length, permission.keys.length));
	}
	const byAddress = signatures.length > 1 && forks.passed(ONE_SIGNATURE_PER_ADDRESS);
	// PERF: most transactions have a single signature, so there is nothing to deduplicate.
	const seen = signatures.length > 1 ? new Set<string>() : undefined;
	const signers: Uint8Array[] = [];
	let weight = 0n;
	for (let index = 0; index < signatures.length; index++) {
		const signature = signatures[index] as Uint8Array;
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

interface WithEntries {
	readonly transaction: SignedTransaction;
	/** The transaction's post-quantum signatures. */
	readonly entries: readonly Readonly<PQAuthSig>[];
}

/** Adds the signers of post-quantum signatures, in the network's order of checks (protocol/post-quantum §5.1). */
function addPostQuantum(
	state: StateView,
	permission: Readonly<Permission>,
	{ transaction, entries }: WithEntries,
	recovered: SignedWeight,
): SignedWeight {
	if (entries.length > permission.keys.length) {
		throw new ValidateSignatureError(
			`pq_auth_sig count ${entries.length} exceeds permission key count ${permission.keys.length}`,
		);
	}
	const signers = [...recovered.signers];
	let weight = 0n;
	for (const [index, entry] of entries.entries()) {
		checkEntryForm(state, entry);
		const signer = addressOfPostQuantumKey(entry.public_key);
		if (signers.some((other) => equalBytes(other, signer)))
			throw new ValidateSignatureError(quoting`${toBase58Check(signer)} has signed twice!`);
		const own = keyWeight(permission, signer);
		if (own === 0n) {
			throw new ValidateSignatureError(
				quoting`pq_auth_sig public key derives to ${toBase58Check(signer)} but it is not contained of permission.`,
			);
		}
		if (!transaction.isPostQuantumValid(index)) {
			const cause = new SignatureError("pq sig invalid");
			throw new ValidateSignatureError(cause.message, { cause });
		}
		signers.push(signer);
		weight = added(weight, own);
	}
	return { signers, weight: added(recovered.weight, weight) };
}

/** @throws {ValidateSignatureError} if an entry can't be a signature of an allowed scheme */
function checkEntryForm({ properties }: StateView, entry: Readonly<PQAuthSig>): void {
	const malformed = (text: string) =>
		new ValidateSignatureError(text, { cause: new SignatureSizeError(text) });
	if (entry.$unknown) throw malformed("pq_auth_sig contains unknown fields");
	const scheme = postQuantumScheme(entry.scheme);
	if (!scheme || !isSchemeAllowed(properties, scheme)) {
		throw new ValidateSignatureError(`${postQuantumSchemeName(entry.scheme)} is not allowed`);
	}
	if (!hasLengthsOf(scheme, entry)) throw malformed("public key or signature length mismatch");
}

function added(a: bigint, b: bigint): bigint {
	try {
		return checkedAdd(a, b);
	} catch (error) {
		if (error instanceof OverflowError) throw new ValidateSignatureError("weight overflow", { cause: error });
		throw error;
	}
}

function recoverSigner(transaction: SignedTransaction, index: number): Uint8Array {
	try {
		return transaction.signer(index);
	} catch (error) {
		if (error instanceof SignatureError) throw new ValidateSignatureError(error.message, { cause: error });
		throw error;
	}
}

/** Identity of a signature before version 27: r, s and the normalized v. */
function normalSignature(signature: Uint8Array): string {
	let v = ((signature[64] as number) << 24) >> 24;
	if (v < 27) v += 27;
	return `${toKey(signature.subarray(0, 64))}${v}`;
}
