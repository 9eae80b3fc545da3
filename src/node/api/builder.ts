/** Building unsigned transactions (protocol/http-endpoints §1.1, protocol/http §3.4). */

import { refBlockOf } from "../../protocol/block.js";
import { utf8 } from "../../protocol/bytes.js";
import type { Message } from "../../protocol/codec/descriptor.js";
import type { ContractType } from "../../protocol/contract-types.js";
import { nullPointer } from "../../protocol/json/exceptions.js";
import { decodeHexText } from "../../protocol/json/hex-text.js";
import { jsonLibrary } from "../../protocol/json/json-library.js";
import { readInt, valueText } from "../../protocol/json/member-readers.js";
import type { JsonStyle } from "../../protocol/json/message-writer.js";
import type { JsonObject } from "../../protocol/json/value.js";
import { type Any, type CreateSmartContract, Return, TransactionExtention } from "../../protocol/messages.js";
import { buildTransaction, type SignedTransaction } from "../../protocol/transaction.js";
import { blockIdAt } from "../chain/block-store.js";
import { contractModule } from "../contracts/modules.js";
import { ContractValidateError } from "../rules/errors.js";
import type { ApiContext, ApiNode } from "./context.js";

/** What a request sets on the transaction around the contract. */
export interface BuildOptions {
	readonly feeLimitSun?: bigint;
	readonly permissionId?: number;
	readonly data?: Uint8Array;
	readonly scripts?: Uint8Array;
}

/**
 * Runs a validation check. Checks use the head's timestamp; if that is stale because a development chain had
 * nothing to seal, a failed check is retried on a fresh head.
 * @throws {ContractValidateError}
 */
export function retriedWhenBehind<T>(node: Pick<ApiNode, "catchUp">, check: () => T): T {
	try {
		return check();
	} catch (error) {
		if (!(error instanceof ContractValidateError) || !node.catchUp()) throw error;
		return check();
	}
}

/**
 * Builds a transaction around a contract that validates at the head.
 * @param options read after the contract was found valid: their errors come second
 * @param packed the contract as it came, which stays as it is; absent: it is encoded
 * @throws {ContractValidateError} with the network's message
 */
export function buildValid(
	context: ApiContext,
	type: ContractType,
	contract: Readonly<Message>,
	options: () => BuildOptions = () => ({}),
	packed?: Readonly<Any>,
): SignedTransaction {
	const header = retriedWhenBehind(context.node, () => {
		const present = { ...transactionHeader(context), ...(packed ? { packed } : {}) };
		validate(context, buildTransaction(type, contract, present), type, contract);
		return present;
	});
	return buildTransaction(type, contract, { ...header, ...options() });
}

/** Builds a transaction without validating its contract. */
export function buildUnchecked(
	context: ApiContext,
	type: ContractType,
	contract: Readonly<Message>,
	options: BuildOptions = {},
): SignedTransaction {
	return buildTransaction(type, contract, Object.assign(transactionHeader(context), options));
}

/** Maximum head age on a development chain when building a transaction: half of the maximum lifetime of a day. */
const OLDEST_HEAD_MS = 43_200_000n;

/**
 * Start of a new transaction's lifetime, in milliseconds: the head's timestamp, as on the network. A development chain's head
 * is as old as its last transaction, but its next block gets the clock's time, so the clock counts there.
 */
export function lifeBeginsMs({ node, state }: ApiContext): bigint {
	const headMs = state.properties.headTimestampMs;
	const nowMs = node.rules.development?.now() ?? headMs;
	return nowMs > headMs ? nowMs : headMs;
}

/** Reference block and timestamps of a new transaction. */
export function transactionHeader(context: ApiContext) {
	const { node, state } = context;
	node.catchUp(OLDEST_HEAD_MS);
	const { properties } = state;
	const { referenceBlock, expirationMs } = node.config.transaction;
	const id =
		referenceBlock === "solid"
			? (blockIdAt(state, properties.get("LATEST_SOLIDIFIED_BLOCK_NUM")) ?? properties.headId)
			: properties.headId;
	const { refBlockBytes, refBlockHash } = refBlockOf(id);
	return {
		refBlockBytes,
		refBlockHash,
		expirationMs: lifeBeginsMs(context) + expirationMs,
		timestampMs: BigInt(node.nowMs()),
	};
}

function validate(
	{ node, state }: ApiContext,
	transaction: SignedTransaction,
	type: ContractType,
	contract: Readonly<Message>,
): void {
	if (type.name === "TriggerSmartContract") return;
	if (type.name === "CreateSmartContract") {
		checkDeployment(contract as CreateSmartContract);
		return;
	}
	const module = contractModule(type.name);
	if (!module) throw new ContractValidateError(`this node does not execute ${type.name}`);
	module.validate({
		state,
		rules: node.rules,
		forks: node.forks(state),
		contract,
		transaction,
		transactionId: transaction.id,
		building: true,
	});
}

/** The only check of a deployment before it is executed. */
function checkDeployment({ new_contract }: Readonly<CreateSmartContract>): void {
	const percent = new_contract?.consume_user_resource_percent ?? 0n;
	if (percent < 0n || percent > 100n) throw new ContractValidateError("percent must be >= 0 and <= 100");
}

/**
 * `Permission_id` of a request; ignored unless positive. The neutral spelling also accepts `permission_id`,
 * which deployed nodes ignore.
 * @throws {NamedError}
 */
export function permissionIdOf(
	members: JsonObject,
	{ dialect, library = jsonLibrary }: Pick<JsonStyle, "dialect" | "library">,
): BuildOptions {
	const isLowerCase = dialect === "neutral" && !members.has("Permission_id");
	const value = members.get(isLowerCase ? "permission_id" : "Permission_id");
	if (value === undefined) return {};
	const permissionId = readInt(value, library);
	return permissionId > 0 ? { permissionId } : {};
}

/** `extra_data` of a request: text if visible, otherwise hex. @throws {NamedError} */
export function memoOf(members: JsonObject, visible: boolean): BuildOptions {
	if (!members.has("extra_data")) return {};
	const text = valueText(members.get("extra_data"));
	if (text === null) throw nullPointer();
	if (text === "") return {};
	return { data: visible ? utf8(text) : decodeHexText(text) };
}

/** A transaction with its id and a success result. */
export function transactionExtention(transaction: SignedTransaction): TransactionExtention {
	return TransactionExtention.create({
		transaction: transaction.message,
		txid: transaction.id,
		result: Return.create({ result: true }),
	});
}
