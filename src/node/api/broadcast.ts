/**
 * Accepting a client's transaction (protocol/blocks §3.2): the node's checks, then the chain's, and the
 * response code for each failure. All servers use this.
 */

import type { Dialect } from "../../protocol/dialect.js";
import { isWireError } from "../../protocol/json/exceptions.js";
import { Return, ReturnResponse_code } from "../../protocol/messages.js";
import { type QuotingMessage, spellMessage } from "../../protocol/quoting-message.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { missingSignature, signatureFormRefusal } from "../chain/authorization.js";
import { checkProtobufConsistency } from "../chain/protobuf-consistency.js";
import { nextSlotTimeMs } from "../consensus/slots.js";
import { admissionOf } from "../rules/admission.js";
import {
	type ChainError,
	ContractExecuteError,
	ContractValidateError,
	DuplicateTransactionError,
	ResourceInsufficientError,
	TaposError,
	TooBigTransactionError,
	TransactionExpirationError,
	ValidateSignatureError,
} from "../rules/errors.js";
import { postQuantumOf, signatureCount } from "../rules/post-quantum.js";
import { VerificationBusyError } from "../signatures/post-quantum-queue.js";
import { answersOf } from "./answers.js";
import type { ApiContext, ApiNode } from "./context.js";

const Code = ReturnResponse_code;

interface BroadcastResult {
	/** `Return.response_code`. */
	readonly code: number;
	/** Neutral spelling; empty on success. */
	readonly message: string | QuotingMessage;
}

const POST_QUANTUM_BUSY: BroadcastResult = { code: Code.SERVER_BUSY, message: "PQ pending pool is full." };
const ACCEPTED: BroadcastResult = { code: Code.SUCCESS, message: "" };

/** Ids remembered while `node.rpc.coinCacheEnable` is on. */
const REMEMBERED_IDS = 100_000;
const REMEMBERED_MS = 3_600_000;

export class Broadcaster {
	/** Transaction id to arrival time, oldest first. */
	private readonly seen = new Map<string, number>();

	constructor(private readonly node: ApiNode) {}

	/**
	 * Adds a transaction to the pool and announces it to peers. Never throws.
	 * @param sender `signedOnly`: a transaction without a signature is refused, whichever account acts
	 */
	async broadcast(
		received: SignedTransaction,
		sender: Pick<ApiContext, "signedOnly" | "client"> = {},
	): Promise<BroadcastResult> {
		const result = await this.accept(received, sender);
		this.node.observer?.broadcast?.(result.code);
		return result;
	}

	private async accept(
		received: SignedTransaction,
		{ signedOnly = false, client }: Pick<ApiContext, "signedOnly" | "client">,
	): Promise<BroadcastResult> {
		const { node: settings } = this.node.config;
		const { network } = this.node.rules;
		const answers = answersOf(settings);
		let transaction = received;
		try {
			transaction = admissionOf(settings).received(received, network);
			const state = this.node.view("full");
			const form = signatureFormRefusal(transaction, state, this.node.rules);
			if (form) throw new ValidateSignatureError(form.message);
			const refused = this.checkNode(transaction);
			if (refused) return refused;
			if (signedOnly && signatureCount(transaction, this.node.rules) === 0) throw missingSignature();
			const { properties } = state;
			// Results sent by clients are dropped.
			if (properties.on("ALLOW_CREATION_OF_CONTRACTS")) transaction = transaction.withResults([]);
			if (!transaction.contract) throw new ContractValidateError("No contract!");
			const filtered = properties.on("ALLOW_PROTO_FILTER_NUM") ? transaction : undefined;
			const checkForm = () => filtered && checkProtobufConsistency(filtered, network);
			answers.beforePool(checkForm);
			if (
				(transaction.raw?.expiration ?? 0n) <
				nextSlotTimeMs(this.node.view("full"), this.node.rules.development)
			) {
				return { code: Code.TRANSACTION_EXPIRATION_ERROR, message: "Transaction expired" };
			}
			await this.node.submit(transaction, client);
			answers.afterPool(checkForm);
		} catch (error) {
			return this.failure(error);
		}
		const announced = this.node.network.announce(transaction);
		if (announced === 0 && this.node.config.node.rpc.minEffectiveConnection !== 0) {
			return { code: Code.NOT_ENOUGH_EFFECTIVE_CONNECTION, message: "P2P broadcast failed." };
		}
		return ACCEPTED;
	}

	/** Checks against the node's own limits. */
	private checkNode(transaction: SignedTransaction): BroadcastResult | undefined {
		const { config, network, pool } = this.node;
		const { properties } = this.node.view("full");
		const unsolidified = properties.headNumber - properties.get("LATEST_SOLIDIFIED_BLOCK_NUM");
		if (config.node.unsolidifiedBlockCheck && unsolidified >= BigInt(config.node.maxUnsolidifiedBlocks)) {
			return { code: Code.BLOCK_UNSOLIDIFIED, message: "Block unsolidified." };
		}
		const least = config.node.rpc.minEffectiveConnection;
		if (least !== 0) {
			const peers = network.peers();
			if (peers.length === 0) return { code: Code.NO_CONNECTION, message: "No connection." };
			const synced = peers.filter((peer) => !peer.needSyncFromPeer && !peer.needSyncFromUs).length;
			if (synced < least) {
				return {
					code: Code.NOT_ENOUGH_EFFECTIVE_CONNECTION,
					message: `Effective connection:${synced} lt minEffectiveConnection:${least}`,
				};
			}
		}
		if (pool.queued > config.node.pending.maxSize || pool.isFull)
			return { code: Code.SERVER_BUSY, message: "Server busy." };
		const isPostQuantum = (each: SignedTransaction) => postQuantumOf(each, this.node.rules).length > 0;
		if (isPostQuantum(transaction)) {
			const waiting = pool.list().filter((entry) => isPostQuantum(entry.transaction)).length;
			if (waiting >= config.node.pending.maxPostQuantum) return POST_QUANTUM_BUSY;
		}
		if (config.node.rpc.transactionCache && this.isRepeated(transaction.idHex)) {
			return { code: Code.DUP_TRANSACTION_ERROR, message: "Transaction already exists." };
		}
		return undefined;
	}

	/** Remembers an id, even if its transaction is rejected afterwards. */
	private isRepeated(id: string): boolean {
		const now = this.node.upMs;
		for (const [old, time] of this.seen) {
			if (now - time < REMEMBERED_MS && this.seen.size < REMEMBERED_IDS) break;
			this.seen.delete(old);
		}
		if (this.seen.has(id)) return true;
		this.seen.set(id, now);
		return false;
	}

	private failure(error: unknown): BroadcastResult {
		const message = error instanceof Error ? error.message : String(error);
		if (error instanceof ValidateSignatureError) {
			return { code: Code.SIGERROR, message: behind("Validate signature error: ", error) };
		}
		if (error instanceof ContractValidateError) {
			return { code: Code.CONTRACT_VALIDATE_ERROR, message: behind("Contract validate error : ", error) };
		}
		if (error instanceof ContractExecuteError) {
			return { code: Code.CONTRACT_EXE_ERROR, message: behind("Contract execute error : ", error) };
		}
		if (error instanceof ResourceInsufficientError) {
			return { code: Code.BANDWITH_ERROR, message: "Account resource insufficient error." };
		}
		if (error instanceof DuplicateTransactionError) {
			return { code: Code.DUP_TRANSACTION_ERROR, message: "Dup transaction." };
		}
		if (error instanceof VerificationBusyError) return POST_QUANTUM_BUSY;
		if (error instanceof TaposError) return { code: Code.TAPOS_ERROR, message: "Tapos check error." };
		if (error instanceof TooBigTransactionError) return { code: Code.TOO_BIG_TRANSACTION_ERROR, message };
		if (error instanceof TransactionExpirationError) {
			return { code: Code.TRANSACTION_EXPIRATION_ERROR, message: "Transaction expired" };
		}
		if (!isWireError(error)) this.node.report(error, "broadcast");
		return { code: Code.OTHER_ERROR, message: `Error: ${message}` };
	}
}

function behind(words: string, { rawMessage }: ChainError): string | QuotingMessage {
	return typeof rawMessage === "string" ? words + rawMessage : rawMessage.after(words);
}

/** The result as a response message. */
export function broadcastReturn({ code, message }: BroadcastResult, dialect: Dialect): Return {
	const bytes = Buffer.from(spellMessage(message, dialect), "utf8");
	return Return.create({ result: code === Code.SUCCESS, code, message: bytes });
}
