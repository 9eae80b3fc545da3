/**
 * Refusals of transactions and blocks: one class per outcome that callers distinguish. The message is the
 * network's exact text; `className` is the name in HTTP error bodies and push answers.
 */

import type { QuotingMessage } from "../../protocol/quoting-message.js";

/** Base of all refusals by a rule of the chain. */
export abstract class ChainError extends Error {
	/** The message; quoted parts are not respelled by dialects. */
	readonly rawMessage: string | QuotingMessage;

	constructor(message: string | QuotingMessage, options?: ErrorOptions) {
		super(String(message), options);
		this.rawMessage = message;
	}

	/** Exception class name on the wire, without package. */
	abstract readonly className: string;
}

/** Contract validation, or what counts as such, refused the transaction. */
export class ContractValidateError extends ChainError {
	override readonly name = "ContractValidateError";
	readonly className: string = "ContractValidateException";
}

/** Proofs or signatures of a shielded transfer are invalid; counts as a validation failure. */
export class ZkProofValidateError extends ContractValidateError {
	override readonly className: string = "ZkProofValidateException";
}

/** A transaction without exactly one contract; counts as a validation failure. */
export class ContractCountError extends ContractValidateError {
	override readonly className: string = "ContractSizeNotEqualToOneException";
}

/** The contract failed during execution. */
export class ContractExecuteError extends ChainError {
	override readonly name = "ContractExecuteError";
	readonly className = "ContractExeException";
}

/** Bandwidth, multi-signature or memo fee can't be paid. */
export class ResourceInsufficientError extends ChainError {
	override readonly name = "ResourceInsufficientError";
	readonly className = "AccountResourceInsufficientException";
}

/** Signatures are missing, malformed or don't reach the threshold. */
export class ValidateSignatureError extends ChainError {
	override readonly name = "ValidateSignatureError";
	readonly className = "ValidateSignatureException";
}

export class TaposError extends ChainError {
	override readonly name = "TaposError";
	readonly className = "TaposException";
}

export class DuplicateTransactionError extends ChainError {
	override readonly name = "DuplicateTransactionError";
	readonly className = "DupTransactionException";
}

export class TransactionExpirationError extends ChainError {
	override readonly name = "TransactionExpirationError";
	readonly className = "TransactionExpirationException";
}

export class TooBigTransactionError extends ChainError {
	override readonly name = "TooBigTransactionError";
	readonly className = "TooBigTransactionException";
}

export class TooBigTransactionResultError extends ChainError {
	override readonly name = "TooBigTransactionResultError";
	readonly className = "TooBigTransactionResultException";
}

/** A block transaction's recorded result differs from ours. */
export class ReceiptCheckError extends ChainError {
	override readonly name = "ReceiptCheckError";
	readonly className = "ReceiptCheckErrException";
}

/** The block's witness, time or signature doesn't match the schedule. */
export class ValidateScheduleError extends ChainError {
	override readonly name = "ValidateScheduleError";
	readonly className = "ValidateScheduleException";
}

/** The header isn't signed by its witness's key. */
export class BlockSignatureError extends ChainError {
	override readonly name = "BlockSignatureError";
	readonly className = "ValidateSignatureException";
}

/** The block itself is malformed. */
export class BadBlockError extends ChainError {
	override readonly name = "BadBlockError";
	readonly className = "BadBlockException";
}

/** The transactions don't match the header's root: the relaying peer altered them. */
export class MerkleRootError extends BadBlockError {}

export class UnlinkedBlockError extends ChainError {
	override readonly name = "UnlinkedBlockError";
	readonly className = "UnLinkedBlockException";
}

export class BadNumberBlockError extends ChainError {
	override readonly name = "BadNumberBlockError";
	readonly className = "BadNumberBlockException";
}

export class NonCommonBlockError extends ChainError {
	override readonly name = "NonCommonBlockError";
	readonly className = "NonCommonBlockException";
}

/** A block of this node joined a side branch: another one of its height came first. */
export class LostSlotError extends Error {
	override readonly name = "LostSlotError";
	constructor(number: bigint) {
		super(`another block came before block ${number} of this node`);
	}
}

/**
 * The block needs a shielded proof check and no verifier is available. It may be valid, so no peer is to
 * blame and the node must stop before it.
 */
export class UnverifiableBlockError extends Error {
	override readonly name = "UnverifiableBlockError";

	constructor(number: bigint) {
		super(
			`block ${number} asks for a shielded proof, and node.shielded.params is not set; fetch sapling-spend.params and sapling-output.params of the network and set it to their folder, or set node.shielded.allowUnverified = true to go on without checking`,
		);
	}
}

/** A failure that the network reports as a runtime exception class. */
export class RuntimeRuleError extends ChainError {
	override readonly name = "RuntimeRuleError";
	constructor(
		readonly className: string,
		message: string,
	) {
		super(message);
	}
}

/** A shielded proof check is needed and no verifier is available. */
export class MissingProofsError extends RuntimeRuleError {
	constructor() {
		super(
			"UnsupportedOperationException",
			"shielded proofs can't be checked: node.shielded.params is not set; set it to a folder with sapling-spend.params and sapling-output.params of the network",
		);
	}
}
