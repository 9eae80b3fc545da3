/** Taking a transaction from a client, and the answer to it (sheet 02 §3.2). */

import { DecodeError } from "../../protocol/codec/reader.js";
import { OverflowError } from "../../protocol/int64.js";
import { ReturnResponse_code } from "../../protocol/messages.js";
import { SignatureError } from "../../protocol/signature.js";
import { ParameterError, type SignedTransaction } from "../../protocol/transaction.js";
import { nextSlotTimeMs } from "../consensus/slots.js";
import {
	ChainError,
	ContractExecuteError,
	ContractValidateError,
	DuplicateTransactionError,
	ResourceInsufficientError,
	TaposError,
	TooBigTransactionError,
	TransactionExpirationError,
	ValidateSignatureError,
} from "../contracts/errors.js";
import type { Chain } from "./chain.js";
import { checkKnownFields } from "./unknown-fields.js";

/** The answer to a broadcast: `code` is a number of `Return.response_code`, 0 for success. */
export interface BroadcastResult {
	readonly code: number;
	readonly message: string;
}

export interface BroadcastLimits {
	/** Queued transactions above which the node is busy. */
	readonly maxPending: number;
	/** Refuse while this many blocks are not solidified; undefined: never. */
	readonly maxUnsolidified: number | undefined;
	/** Peers that must be in sync; 0: none. */
	readonly minConnections: number;
	/** Remember ids for an hour and refuse them at once (`node.rpc.coinCacheEnable`). */
	readonly cacheIds: boolean;
}

/** What the peer network tells a broadcast. */
export interface PeerStatus {
	/** Connected peers. */
	active(): number;
	/** Peers that neither need blocks from us nor have some for us. */
	inSync(): number;
	/** Announces a transaction; returns to how many peers. */
	announce(transaction: SignedTransaction): number;
}

const ID_CACHE_SIZE = 100_000;
const ID_CACHE_MS = 3_600_000n;
const success: BroadcastResult = { code: ReturnResponse_code.SUCCESS, message: "" };

export class Broadcaster {
	private readonly seen = new Map<string, bigint>();

	constructor(
		private readonly chain: Chain,
		private readonly limits: BroadcastLimits,
		private readonly peers: PeerStatus,
		private readonly clock: () => bigint,
	) {}

	/** Checks a transaction, adds it to the pool and announces it. Never throws for what a client sent. */
	broadcast(received: SignedTransaction): BroadcastResult {
		const refused = this.checkNode() ?? this.checkSeen(received);
		if (refused) return refused;
		const { state } = this.chain;
		const transaction = state.properties.on("ALLOW_CREATION_OF_CONTRACTS")
			? received.withResults([])
			: received;
		try {
			if ((transaction.raw?.contract.length ?? 0) === 0) throw new ContractValidateError("No contract!");
			if (state.properties.on("ALLOW_PROTO_FILTER_NUM")) checkKnownFields(transaction);
			if (
				(transaction.raw?.expiration ?? 0n) < nextSlotTimeMs(state, this.chain.environment.rules.development)
			) {
				throw new TransactionExpirationError("Transaction expired");
			}
			this.chain.pushTransaction(transaction);
		} catch (error) {
			return describeFailure(error);
		}
		if (this.peers.announce(transaction) === 0 && this.limits.minConnections !== 0) {
			return { code: ReturnResponse_code.NOT_ENOUGH_EFFECTIVE_CONNECTION, message: "P2P broadcast failed." };
		}
		return success;
	}

	private checkNode(): BroadcastResult | undefined {
		const { maxUnsolidified, minConnections, maxPending } = this.limits;
		const { chain, peers } = this;
		if (maxUnsolidified !== undefined) {
			const lag = chain.state.properties.headNumber - chain.solidifiedNumber;
			if (lag >= BigInt(maxUnsolidified)) {
				return { code: ReturnResponse_code.BLOCK_UNSOLIDIFIED, message: "Block unsolidified." };
			}
		}
		if (minConnections !== 0) {
			if (peers.active() === 0) return { code: ReturnResponse_code.NO_CONNECTION, message: "No connection." };
			const effective = peers.inSync();
			if (effective < minConnections) {
				return {
					code: ReturnResponse_code.NOT_ENOUGH_EFFECTIVE_CONNECTION,
					message: `Effective connection:${effective} lt minEffectiveConnection:${minConnections}`,
				};
			}
		}
		if (chain.pool.queued > maxPending)
			return { code: ReturnResponse_code.SERVER_BUSY, message: "Server busy." };
		return undefined;
	}

	private checkSeen(transaction: SignedTransaction): BroadcastResult | undefined {
		if (!this.limits.cacheIds) return undefined;
		const now = this.clock();
		const last = this.seen.get(transaction.idHex);
		if (last !== undefined && now - last < ID_CACHE_MS) {
			return { code: ReturnResponse_code.DUP_TRANSACTION_ERROR, message: "Transaction already exists." };
		}
		this.seen.delete(transaction.idHex);
		this.seen.set(transaction.idHex, now);
		if (this.seen.size > ID_CACHE_SIZE) this.seen.delete(this.seen.keys().next().value as string);
		return undefined;
	}
}

/** The code and text of a refusal. @throws the error itself if it is no refusal but a fault of ours */
export function describeFailure(error: unknown): BroadcastResult {
	const code = ReturnResponse_code;
	if (error instanceof ValidateSignatureError) {
		return { code: code.SIGERROR, message: `Validate signature error: ${error.message}` };
	}
	if (error instanceof ContractValidateError) {
		return { code: code.CONTRACT_VALIDATE_ERROR, message: `Contract validate error : ${error.message}` };
	}
	if (error instanceof ContractExecuteError) {
		return { code: code.CONTRACT_EXE_ERROR, message: `Contract execute error : ${error.message}` };
	}
	if (error instanceof ResourceInsufficientError) {
		return { code: code.BANDWITH_ERROR, message: "Account resource insufficient error." };
	}
	if (error instanceof DuplicateTransactionError) {
		return { code: code.DUP_TRANSACTION_ERROR, message: "Dup transaction." };
	}
	if (error instanceof TaposError) return { code: code.TAPOS_ERROR, message: "Tapos check error." };
	if (error instanceof TooBigTransactionError) {
		return { code: code.TOO_BIG_TRANSACTION_ERROR, message: error.message };
	}
	if (error instanceof TransactionExpirationError) {
		return { code: code.TRANSACTION_EXPIRATION_ERROR, message: "Transaction expired" };
	}
	if (
		error instanceof ChainError ||
		error instanceof OverflowError ||
		error instanceof ParameterError ||
		error instanceof DecodeError ||
		error instanceof SignatureError
	) {
		return { code: code.OTHER_ERROR, message: `Error: ${error.message}` };
	}
	throw error;
}
