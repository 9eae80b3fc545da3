/** Transactions of any type as clients of this network write them, for a simulation (protocol/json-rpc §17.4). */

import { DecodeError } from "../../../../protocol/codec/reader.js";
import { contractTypeByName } from "../../../../protocol/contract-types.js";
import { NamedError } from "../../../../protocol/json/exceptions.js";
import { decodeFields } from "../../../../protocol/json/field-decoder.js";
import { parseJsonObject } from "../../../../protocol/json/json-library.js";
import { packPostQuantum, packTransaction } from "../../../../protocol/json/transaction-packing.js";
import { Transaction, TransactionRaw } from "../../../../protocol/messages.js";
import { buildTransaction, SignedTransaction } from "../../../../protocol/transaction.js";
import type { Simulation } from "../../../simulation/simulation.js";
import { answersOf } from "../../answers.js";
import type { ApiContext } from "../../context.js";
import { REQUEST_BUDGET } from "../../request-budget.js";
import { isRawObject, type RawValue } from "../json-reader.js";
import { invalidParams } from "../rpc-error.js";
import { headerIn } from "./ethereum-calls.js";
import { bytesMember, Members, membersText } from "./members.js";

/** Makes the transaction in the block that is open then. @param sequence tells equal ones apart */
export type TransactionMaker = (simulation: Simulation, sequence: number) => SignedTransaction;

/**
 * A transaction as hexadecimal text of its raw data; as JSON with `raw_data`, or `raw_data_hex`, and `signature`, on Nile `pq_auth_sig`; or as a type with
 * its parameter, which is built here.
 * @throws {RpcError}
 */
export function readTransaction(
	context: ApiContext,
	value: RawValue,
	path: string,
	visible: boolean,
): TransactionMaker {
	if (typeof value === "string")
		return given(fromRaw(bytesMember(value, path), { signature: [], $unknown: undefined }, path));
	const members = Members.of(value, path);
	const { library } = answersOf(context.node.config.node);
	if (members.has("raw_data")) {
		const text = membersText(members);
		const postQuantum = context.style.postQuantum === true;
		return given(refusing(path, () => packTransaction(text, visible, library, postQuantum)));
	}
	if (members.has("raw_data_hex")) {
		const signatures = members
			.list("signature")
			.map((signature, i) => bytesMember(signature, members.pathOf(`signature[${i}]`)));
		const text = context.style.postQuantum ? membersText(members) : "{}";
		const postQuantum = refusing(path, () =>
			packPostQuantum(parseJsonObject(text, library), visible, library),
		);
		const bytes = members.bytes("raw_data_hex") ?? new Uint8Array(0);
		return given(fromRaw(bytes, { signature: signatures, $unknown: postQuantum }, path));
	}
	return fromParameter(context, members, visible);
}

const given =
	(transaction: SignedTransaction): TransactionMaker =>
	() =>
		transaction;

function fromRaw(
	bytes: Uint8Array,
	signatures: Pick<Transaction, "signature" | "$unknown">,
	path: string,
): SignedTransaction {
	const raw_data = refusing(path, () => TransactionRaw.decode(bytes, REQUEST_BUDGET));
	return new SignedTransaction(Transaction.create({ raw_data, ...signatures }));
}

function fromParameter(context: ApiContext, members: Members, visible: boolean): TransactionMaker {
	members.only("type", "parameter", "Permission_id", "fee_limit", "data");
	const name = members.get("type");
	const type = typeof name === "string" ? contractTypeByName(name) : undefined;
	if (!type?.message) throw invalidParams(`${members.pathOf("type")} must be a type of transactions`);
	const { message } = type;
	const parameter = Members.of(members.get("parameter"), members.pathOf("parameter"));
	const value = parameter.get("value");
	// As in a transaction, where the parameter stands beside the name of its type.
	const text = membersText(isRawObject(value) && parameter.has("type_url") ? value : parameter);
	const { library } = answersOf(context.node.config.node);
	const contract = refusing(parameter.path, () => decodeFields(message, text, visible, library));
	const permissionId = Number(members.amount("Permission_id", 100n) ?? 0n);
	const feeLimitSun = members.amount("fee_limit");
	const data = members.bytes("data");
	const isCall = type.handler === "VMActuator";
	return (simulation, sequence) => {
		const limit = feeLimitSun ?? (isCall ? simulation.state.properties.get("MAX_FEE_LIMIT") : undefined);
		return buildTransaction(type as Parameters<typeof buildTransaction>[0], contract, {
			...headerIn(simulation, sequence),
			permissionId,
			...(limit === undefined ? {} : { feeLimitSun: limit }),
			...(data ? { data } : {}),
		});
	};
}

/** @throws {RpcError} where a text or bytes can't be read */
function refusing<T>(path: string, read: () => T): T {
	try {
		return read();
	} catch (error) {
		if (error instanceof NamedError || error instanceof DecodeError)
			throw invalidParams(`${path}: ${error.message || "not a transaction"}`);
		throw error;
	}
}
