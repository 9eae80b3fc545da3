/**
 * Why a transaction or block is refused: one class an outcome that a caller must tell apart. The message is the exact
 * text of the network; `className` is the name that HTTP error bodies and push answers carry.
 */

import type { QuotingMessage } from "../../protocol/quoting-message.js";

/** Base of every refusal by a rule of the chain. */
export abstract class ChainError extends Error {
	/** The message, which may quote what no dialect respells. */
	readonly rawMessage: string | QuotingMessage;

	constructor(message: string | QuotingMessage, options?: ErrorOptions) {
		super(String(message), options);
		this.rawMessage = message;
	}

	/** Exception class of the wire, without its package. */
	abstract readonly className: string;
}

/** The contract's checks, or those that count as such, refuse the transaction. */
export class ContractValidateError extends ChainError {
	override readonly name = "ContractValidateError";
	readonly className: string = "ContractValidateException";
}

/** The proofs or signatures of a shielded transfer don't hold; counts as a validation failure. */
export class ZkProofValidateError extends ContractValidateError {
	override readonly className: string = "ZkProofValidateException";
}

/** A transaction without exactly one contract; counts as a validation failure. */
export class ContractCountError extends ContractValidateError {
	override readonly className: string = "ContractSizeNotEqualToOneException";
}

/** The contract failed while it took effect. */
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

/** The block's witness, time or signature is not what the schedule asks for. */
export class ValidateScheduleError extends ChainError {
	override readonly name = "ValidateScheduleError";
	readonly className = "ValidateScheduleException";
}

/** The header is not signed by the key of its witness. */
export class BlockSignatureError extends ChainError {
	override readonly name = "BlockSignatureError";
	readonly className = "ValidateSignatureException";
}

/** The block itself is malformed. */
export class BadBlockError extends ChainError {
	override readonly name = "BadBlockError";
	readonly className = "BadBlockException";
}

/** The transactions are not those that the header names: the peer that relayed the block changed them. */
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

/** A block of this node joined a side branch: another one of its height was there first. */
export class LostSlotError extends Error {
	override readonly name = "LostSlotError";
	constructor(number: bigint) {
		super(`another block came before block ${number} of this node`);
	}
}

/**
 * A block can't be judged: it asks for a shielded proof, and there is nothing that checks proofs. The block may be good, so nobody
 * is to blame, and the node must stop before it.
 */
export class UnverifiableBlockError extends Error {
	override readonly name = "UnverifiableBlockError";

	constructor(number: bigint) {
		super(
			`block ${number} asks for a shielded proof, and node.shielded.params is not set; fetch sapling-spend.params and sapling-output.params of the network and set it to their folder, or set node.shielded.allowUnverified = true to go on without checking`,
		);
	}
}

/** A failure that the network's rules report as a runtime error of its own class. */
export class RuntimeRuleError extends ChainError {
	override readonly name = "RuntimeRuleError";
	constructor(
		readonly className: string,
		message: string,
	) {
		super(message);
	}
}

/** A shielded proof is asked for, and there is nothing that checks proofs. */
export class MissingProofsError extends RuntimeRuleError {
	constructor() {
		super(
			"UnsupportedOperationException",
			"shielded proofs can't be checked: node.shielded.params is not set; set it to a folder with sapling-spend.params and sapling-output.params of the network",
		);
	}
}
