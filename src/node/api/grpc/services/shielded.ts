/**
 * Shielded transactions: the checks in front of every method (protocol/grpc §2.2, protocol/shielded §5.2),
 * and the implementation (shielded/methods.ts), loaded on the first call. Requests carry secret keys: nothing
 * in them is logged or stored.
 */

import { status } from "@grpc/grpc-js";
import { hasWireName, isWireError } from "../../../../protocol/json/exceptions.js";
import { type Return, TransactionExtention } from "../../../../protocol/messages.js";
import type { SignedTransaction } from "../../../../protocol/transaction.js";
import { ContractValidateError } from "../../../rules/errors.js";
import { answersOf, EVENTS_REFUSED } from "../../answers.js";
import { transactionExtention } from "../../builder.js";
import type { ApiContext } from "../../context.js";
import type { shieldedMethods } from "../../shielded/methods.js";
import { refusal } from "../building.js";
import { CallError, type Handler, type Handlers, UNREADABLE, withoutReason, withReason } from "../method.js";

type Methods = typeof shieldedMethods;

const load = () => import("../../shielded/methods.js");

/** @throws {ContractValidateError} while the node doesn't serve them */
function checkNode({ node }: ApiContext): void {
	const { node: settings } = node.config;
	if (!settings.shielded.enabled) throw new ContractValidateError(answersOf(settings).shieldedOff);
}

/** @throws {ContractValidateError} while the chain or the node has no shielded transactions */
function checkChain(context: ApiContext): void {
	answersOf(context.node.config.node).checkPool(context.state);
	checkNode(context);
}

/** @throws {ContractValidateError} while the node or the chain has no shielded ORC-20 transactions */
function checkToken(context: ApiContext): void {
	checkNode(context);
	answersOf(context.node.config.node).checkTokens(context.state);
}

type Check = (context: ApiContext) => void;
type Call = (context: ApiContext, request: never) => unknown;

/** The method with a name, guarded by a check. */
function behind<M extends keyof Methods>(check: Check, name: M): Handler<unknown, never> {
	return async (context, request) => {
		check(context);
		const method = (await load()).shieldedMethods[name] as Call;
		return (await method(context, request as never)) as never;
	};
}

const native = (name: keyof Methods): Handler<unknown, never> => withReason(behind(checkChain, name));
const token = (name: keyof Methods): Handler<unknown, never> => withReason(behind(checkToken, name));

/** An `events` filter is rejected whether the method is served or not. */
function scan(name: keyof Methods): Handler<{ readonly events: readonly string[] }, never> {
	const handle = token(name);
	return (context, request) => {
		if (answersOf(context.node.config.node).refusesEvents(request.events)) {
			throw new CallError(status.INVALID_ARGUMENT, EVENTS_REFUSED);
		}
		return handle(context, request);
	};
}

/** Runtime errors that the network's method doesn't catch end the call without their text. */
function uncaught(handle: Handler<unknown, never>): Handler<unknown, never> {
	return async (context, request) => {
		try {
			return await handle(context, request);
		} catch (error) {
			if (hasWireName(error, "IllegalArgumentException")) {
				throw new CallError(status.UNKNOWN, UNREADABLE);
			}
			throw error;
		}
	};
}

/** Anything that can't be built counts as invalid, whatever the reason. */
function refusalOf(context: ApiContext, error: Error): Return {
	return refusal(
		context,
		hasWireName(error, "ZksnarkException") ? new ContractValidateError(error.message) : error,
	);
}

type Create<Q> = (
	context: ApiContext,
	request: Readonly<Q>,
	builders: Awaited<ReturnType<typeof load>>,
) => Promise<SignedTransaction>;

function create<Q>(build: Create<Q>): Handler<Q, TransactionExtention> {
	return async (context, request) => {
		try {
			checkChain(context);
			return transactionExtention(await build(context, request, await load()));
		} catch (error) {
			if (!isWireError(error)) throw error;
			return TransactionExtention.create({ result: refusalOf(context, error) });
		}
	};
}

export const shielded = {
	CreateShieldedTransaction: create((context, request, builders) =>
		builders.createShieldedTransaction(context, request),
	),
	CreateShieldedTransactionWithoutSpendAuthSig: create((context, request, builders) =>
		builders.createShieldedTransactionWithoutSpendAuthSig(context, request),
	),
	GetMerkleTreeVoucherInfo: native("GetMerkleTreeVoucherInfo"),
	ScanNoteByIvk: native("ScanNoteByIvk"),
	ScanAndMarkNoteByIvk: native("ScanAndMarkNoteByIvk"),
	ScanNoteByOvk: native("ScanNoteByOvk"),
	IsSpend: native("IsSpend"),
	GetShieldTransactionHash: native("GetShieldTransactionHash"),
	CreateShieldNullifier: withReason(uncaught(behind(checkChain, "CreateShieldNullifier"))),
	GetSpendingKey: token("GetSpendingKey"),
	GetExpandedSpendingKey: token("GetExpandedSpendingKey"),
	GetAkFromAsk: token("GetAkFromAsk"),
	GetNkFromNsk: token("GetNkFromNsk"),
	GetIncomingViewingKey: token("GetIncomingViewingKey"),
	GetDiversifier: token("GetDiversifier"),
	GetNewShieldedAddress: token("GetNewShieldedAddress"),
	GetZenPaymentAddress: token("GetZenPaymentAddress"),
	GetRcm: token("GetRcm"),
	CreateSpendAuthSig: token("CreateSpendAuthSig"),
	CreateShieldedContractParameters: token("CreateShieldedContractParameters"),
	CreateShieldedContractParametersWithoutAsk: token("CreateShieldedContractParametersWithoutAsk"),
	ScanShieldedORC20NotesByIvk: scan("ScanShieldedORC20NotesByIvk"),
	ScanShieldedORC20NotesByOvk: scan("ScanShieldedORC20NotesByOvk"),
	IsShieldedORC20ContractNoteSpent: token("IsShieldedORC20ContractNoteSpent"),
	GetTriggerInputForShieldedORC20Contract: withoutReason(
		behind(checkToken, "GetTriggerInputForShieldedORC20Contract"),
	),
} satisfies Partial<Handlers<"Wallet">>;
