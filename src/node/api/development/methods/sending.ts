/**
 * Accounts whose keys the chain knows, and what they send unsigned: Ethereum tools deploy and call through
 * these two methods on nodes that hold keys. The network's own nodes hold none.
 */

import { toBase58Check } from "../../../../protocol/address.js";
import { EMPTY, equalBytes, toHex } from "../../../../protocol/bytes.js";
import type { Message } from "../../../../protocol/codec/descriptor.js";
import { type ContractType, contractType } from "../../../../protocol/contract-types.js";
import { nonceMark } from "../../../../protocol/deployment.js";
import { messageText } from "../../../../protocol/json/exceptions.js";
import {
	CreateSmartContract,
	SmartContract,
	Transaction,
	TransferContract,
	TriggerSmartContract,
} from "../../../../protocol/messages.js";
import { spellMessage } from "../../../../protocol/quoting-message.js";
import { sign } from "../../../../protocol/signature.js";
import { SignedTransaction } from "../../../../protocol/transaction.js";
import type { DevelopmentControl } from "../../../development/control.js";
import { ChainError } from "../../../rules/errors.js";
import { buildValid } from "../../builder.js";
import type { ApiContext } from "../../context.js";
import type { RawObject } from "../../jsonrpc/json-reader.js";
import { INTERNAL, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError } from "../../jsonrpc/rpc-error.js";
import { data, quantity } from "../../jsonrpc/values.js";
import { nextNonce } from "../../queries/deployment-nonce.js";
import {
	checkCount,
	invalidArguments,
	optionalQuantity,
	readAccount,
	readBytes,
	readObject,
} from "../arguments.js";
import { type DevelopmentContext, type DevelopmentMethods, ordinaryContext } from "../method.js";
import { waitingTransaction } from "./pool.js";

/** Fee limit of a call without a gas limit, in sun: the default of the network's tools. */
const FEE_LIMIT_SUN = 1_000_000_000n;
/** Energy limit a deployer must set for other callers' calls; unused here, since callers pay 100%. */
const ORIGIN_ENERGY_LIMIT = 10_000_000n;

/** The key of an account created by the chain. */
function keyOf({ book }: DevelopmentControl, address: Uint8Array): Uint8Array | undefined {
	const accounts = [book.primary, ...book.more].flatMap((batch) => batch.accounts);
	return accounts.find((account) => equalBytes(account.address, address))?.privateKey;
}

const present = (value: unknown): boolean => value !== undefined && value !== null && value !== "0x";

/** Call data or init code. */
function inputOf(call: RawObject): Uint8Array {
	const input = call.get("data") ?? call.get("input");
	return present(input) ? readBytes(input) : EMPTY;
}

/** What an account sends: a transfer, a call, or a deployment. */
function contractOf(
	{ state }: ApiContext,
	owner_address: Uint8Array,
	call: RawObject,
): readonly [ContractType, Readonly<Message>] {
	const input = inputOf(call);
	const amount = optionalQuantity(call.get("value")) ?? 0n;
	const to = call.get("to");
	if (to === undefined || to === null || to === "" || to === "0x") {
		if (input.length === 0) throw invalidArguments("there is neither a receiver nor code to deploy");
		const new_contract = SmartContract.create({
			origin_address: owner_address,
			bytecode: input,
			call_value: amount,
			consume_user_resource_percent: 100n,
			origin_energy_limit: ORIGIN_ENERGY_LIMIT,
		});
		return [contractType("CreateSmartContract"), CreateSmartContract.create({ owner_address, new_contract })];
	}
	const receiver = readAccount(to);
	if (!state.contract.has(receiver)) {
		if (input.length > 0 && amount === 0n)
			throw invalidArguments(`there is no contract at 0x${toHex(receiver.subarray(1))}`);
		const transfer = TransferContract.create({ owner_address, to_address: receiver, amount });
		return [contractType("TransferContract"), transfer];
	}
	const trigger = { owner_address, contract_address: receiver, call_value: amount, data: input };
	return [contractType("TriggerSmartContract"), TriggerSmartContract.create(trigger)];
}

/** The transaction, signed if the chain has the key. @throws {RpcError} */
function build({ control }: DevelopmentContext, context: ApiContext, call: RawObject): SignedTransaction {
	const owner = readAccount(call.get("from"));
	const key = keyOf(control, owner);
	if (!key && !control.conditions.actsUnsigned(owner)) {
		throw invalidArguments(
			`the chain has no key of ${toBase58Check(owner)}, and the account is not unlocked`,
		);
	}
	const built = buildUnsigned(context, owner, call);
	return key ? signed(built, key) : built;
}

/** @throws {RpcError} */
function buildUnsigned(context: ApiContext, owner: Uint8Array, call: RawObject): SignedTransaction {
	const gas = optionalQuantity(call.get("gas"));
	const { properties } = context.state;
	const asked = gas === undefined || gas === 0n ? FEE_LIMIT_SUN : gas * properties.get("ENERGY_FEE");
	const most = properties.get("MAX_FEE_LIMIT");
	const feeLimitSun = asked < most ? asked : most;
	const [type, contract] = contractOf(context, owner, call);
	const isTransfer = type.name === "TransferContract";
	const mark =
		type.name === "CreateSmartContract" ? { scripts: nonceMark(nonceOf(context, owner, call)) } : {};
	try {
		return buildValid(context, type, contract, () => (isTransfer ? {} : { feeLimitSun, ...mark }));
	} catch (error) {
		if (!(error instanceof ChainError)) throw error;
		throw new RpcError(INVALID_PARAMS, messageText(error, context.style.dialect));
	}
}

/**
 * The nonce from which the sending tool derives the address of its deployment.
 * @throws {RpcError} if it counts on another
 */
function nonceOf({ node, state }: ApiContext, owner: Uint8Array, call: RawObject): number {
	const nonce = nextNonce(state, owner, node.pool);
	const asked = optionalQuantity(call.get("nonce"));
	if (asked === undefined || asked === BigInt(nonce)) return nonce;
	throw invalidArguments(
		`the next deployment of ${toBase58Check(owner)} has the nonce ${nonce}, not ${asked}`,
	);
}

function signed(transaction: SignedTransaction, key: Uint8Array): SignedTransaction {
	const message = Transaction.copy(transaction.message);
	message.signature = [sign(transaction.id, key)];
	return new SignedTransaction(message);
}

/** A transaction that isn't broadcast: its bytes, and the form Ethereum libraries read, with defaults filled in. */
function unsent(transaction: SignedTransaction, context: ApiContext, call: RawObject): object {
	const price = context.state.properties.get("ENERGY_FEE");
	const gas = quantity(price > 0n ? (transaction.raw?.fee_limit ?? 0n) / price : 0n);
	const tx = { ...waitingTransaction(transaction, context), gas, input: data(inputOf(call)) };
	return { raw: data(transaction.bytes), tx };
}

const NO_FOREIGN_TRANSACTIONS =
	"transactions of Ethereum's form are not of this network: let an account of the chain send (eth_sendTransaction; with ethers provider.getSigner(address)), or sign with the network's own libraries";

export const sendingMethods: DevelopmentMethods = [
	[
		["eth_fillTransaction"],
		(development, params) => {
			checkCount(params, 1);
			const context = ordinaryContext(development);
			const call = readObject(params[0]);
			return unsent(buildUnsigned(context, readAccount(call.get("from")), call), context, call);
		},
	],
	[
		["eth_signTransaction"],
		(development, params) => {
			checkCount(params, 1);
			const context = ordinaryContext(development);
			const call = readObject(params[0]);
			const owner = readAccount(call.get("from"));
			const key = keyOf(development.control, owner);
			if (!key) throw invalidArguments(`the chain has no key of ${toBase58Check(owner)}`);
			return unsent(signed(buildUnsigned(context, owner, call), key), context, call);
		},
	],
	[
		["eth_sendRawTransaction"],
		() => {
			throw new RpcError(METHOD_NOT_FOUND, NO_FOREIGN_TRANSACTIONS);
		},
	],
	[
		["eth_accounts", "eth_requestAccounts"],
		({ control }) => {
			const made = [control.book.primary, ...control.book.more].flatMap(({ accounts }) => accounts);
			const addresses = [...made.map(({ address }) => address), ...control.conditions.unlockedAccounts];
			return [...new Set(addresses.map((address) => `0x${toHex(address.subarray(1))}`))];
		},
	],
	[
		["eth_sendTransaction"],
		async (development, params) => {
			checkCount(params, 1);
			const context = ordinaryContext(development);
			const transaction = build(development, context, readObject(params[0]));
			const { code, message } = await context.broadcaster.broadcast(transaction);
			if (code !== 0) throw new RpcError(INTERNAL, spellMessage(message, context.style.dialect));
			return `0x${transaction.idHex}`;
		},
	],
];
