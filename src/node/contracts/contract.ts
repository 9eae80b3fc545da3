/** Interface of a transaction type to the chain: validation and execution against a view of the state. */

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
	/** Id of the transaction that carries the contract, 32 bytes. */
	readonly transactionId: Uint8Array;
	/** The transaction that carries the contract; absent while it is only being built. */
	readonly transaction?: SignedTransaction;
	/** Whether the contract is validated for a transaction that is only being built. */
	readonly building: boolean;
}

/** One transaction type. */
export interface ContractModule<T extends Message = Message> {
	readonly type: ContractName;
	/** Error message for a parameter of the wrong message type; absent: the one without spaces. */
	readonly parameterRefusal?: ParameterRefusal;
	/**
	 * Checks that come even before the check of the parameter's type, for types that have such;
	 * {@link validate} runs them first. @throws {ContractValidateError}
	 */
	gate?(context: Pick<ContractContext, "state" | "forks">): void;
	/**
	 * Checks between the check of the parameter's type and its decoding; also run first.
	 * @throws {ContractValidateError}
	 */
	opening?(state: StateView): void;
	/** Runs the checks in the network's order. @throws {ContractValidateError} with the network's message */
	validate(context: ContractContext<T>): void;
	/**
	 * Applies the effect to the state and fills in the result (`fee` and the type's own members).
	 * @throws {ContractExecuteError} if the effect can't be carried out; the caller undoes what was written
	 */
	execute(context: ContractContext<T>, result: TransactionResult): void;
}

/** Type-checks a module, and erases its message type for use in tables. */
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
 * The account at an address, with the checks most types apply to their owner.
 * @param absent how the type's message ends if there is no account
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

/** @param message name of the expected message */
type ParameterRefusal = (message: string) => string;

/**
 * Error message for a parameter of the wrong message type (protocol/blocks §3.9, protocol/schema §3.4). The
 * network's spacing differs by type.
 */
export const plain: ParameterRefusal = (message) =>
	`contract type error,expected type [${message}],real type[${REAL}]`;
export const spaced: ParameterRefusal = (message) =>
	`contract type error, expected type [${message}], real type[${REAL}]`;
export const halfSpaced: ParameterRefusal = (message) =>
	`contract type error, expected type [${message}],real type[${REAL}]`;
export const spacedTwice: ParameterRefusal = (message) =>
	`contract type error, expected type [${message}], real type [${REAL}]`;
