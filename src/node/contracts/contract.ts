/** What a transaction type is to the chain: its checks and its effect, over a view of the state. */

import { isAddress } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import type { Message } from "../../protocol/codec/descriptor.js";
import type { ContractName } from "../../protocol/contract-types.js";
import type { Account, TransactionResult } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { ChainRules } from "../rules/chain-rules.js";
import { ContractValidateError } from "../rules/errors.js";
import type { ForkGates } from "../rules/fork-gates.js";
import type { StateView } from "../state/view.js";

export interface ContractContext<T extends Message = Message> {
	/** The head state; "now" is the head block's time, never the block being applied. */
	readonly state: StateView;
	readonly rules: ChainRules;
	readonly forks: ForkGates;
	readonly contract: Readonly<T>;
	/** 32 bytes; of the transaction that carries the contract. */
	readonly transactionId: Uint8Array;
	/** The transaction that carries the contract; absent while one is only being built. */
	readonly transaction?: SignedTransaction;
	/** The contract is checked for a transaction that is only being built. */
	readonly building: boolean;
}

/** One transaction type. */
export interface ContractModule<T extends Message = Message> {
	readonly type: ContractName;
	/** What is said of a parameter that isn't the message of the type; absent: the text without blanks. */
	readonly parameterRefusal?: ParameterRefusal;
	/**
	 * The checks that come even before that of the parameter's type, where the type has such; {@link validate} begins with
	 * them. @throws {ContractValidateError}
	 */
	gate?(context: Pick<ContractContext, "state" | "forks">): void;
	/** The checks between that of the parameter's type and its reading, likewise. @throws {ContractValidateError} */
	opening?(state: StateView): void;
	/** Applies the checks in the network's order. @throws {ContractValidateError} with the network's message */
	validate(context: ContractContext<T>): void;
	/**
	 * Applies the effect to the state and fills in the result (`fee` and the members of the type).
	 * @throws {ContractExecuteError} if the effect can't be carried out; the caller undoes what was written
	 */
	execute(context: ContractContext<T>, result: TransactionResult): void;
}

/** Checks a typed module once and hands it to code that knows it only by its row. */
export function defineContract<T extends Message>(module: ContractModule<T>): ContractModule {
	const { gate, opening, validate } = module;
	if (!gate && !opening) return module as ContractModule;
	const gated: ContractModule<T> = {
		...module,
		validate(context) {
			gate?.(context);
			opening?.(context.state);
			validate(context);
		},
	};
	return gated as ContractModule;
}

/**
 * The account of an address, as most types look for that of their owner.
 * @param absent how the type's text ends where there is none
 * @throws {ContractValidateError}
 */
export function requireAccount(
	state: StateView,
	address: Uint8Array,
	absent: "not exists" | "does not exist",
): Readonly<Account> {
	if (!isAddress(address)) throw new ContractValidateError("Invalid address");
	const account = state.account.get(address);
	if (!account) throw new ContractValidateError(`Account[${toHex(address)}] ${absent}`);
	return account;
}

const REAL = "class com.google.protobuf.Any";

/** @param message name of the message that belongs there */
type ParameterRefusal = (message: string) => string;

/**
 * What is said of a parameter that isn't the message of its type (protocol/blocks §3.9, protocol/schema §3.4). The blanks of the
 * network's texts differ by type.
 */
export const plain: ParameterRefusal = (message) =>
	`contract type error,expected type [${message}],real type[${REAL}]`;
export const spaced: ParameterRefusal = (message) =>
	`contract type error, expected type [${message}], real type[${REAL}]`;
export const halfSpaced: ParameterRefusal = (message) =>
	`contract type error, expected type [${message}],real type[${REAL}]`;
export const spacedTwice: ParameterRefusal = (message) =>
	`contract type error, expected type [${message}], real type [${REAL}]`;
