/** Calls as Ethereum's tools write them, as transactions of this network (protocol/json-rpc §17.3). */

import { refBlockOf } from "../../../../protocol/block.js";
import { equalBytes } from "../../../../protocol/bytes.js";
import { contractType } from "../../../../protocol/contract-types.js";
import {
	CreateSmartContract,
	SmartContract,
	Transaction,
	TransferContract,
	TriggerSmartContract,
} from "../../../../protocol/messages.js";
import { SIGNATURE_LENGTH } from "../../../../protocol/signature.js";
import {
	buildTransaction,
	SignedTransaction,
	type TransactionHeader,
} from "../../../../protocol/transaction.js";
import type { Simulation } from "../../../simulation/simulation.js";
import type { RawValue } from "../json-reader.js";
import { fullAddress } from "../readings.js";
import { invalidParams } from "../rpc-error.js";
import { MAX_WORD, Members } from "./members.js";

const TRANSFER = contractType("TransferContract");
const TRIGGER = contractType("TriggerSmartContract");
const CREATE = contractType("CreateSmartContract");

/** Until when a simulated transaction may wait for its block, which nothing asks but the rules of checked ones. */
const LIFE_MS = 3_600_000n;

export interface EthereumCall {
	readonly from: Uint8Array;
	/** Undefined: a creation. */
	readonly to: Uint8Array | undefined;
	readonly value: bigint;
	readonly token: { readonly id: bigint; readonly amount: bigint };
	readonly data: Uint8Array;
	/** Energy. */
	readonly gas: bigint | undefined;
}

const NOBODY = fullAddress(new Uint8Array(20)) as Uint8Array;

/** Members without a meaning here (prices, nonce, lists of accesses and so on) aren't looked at, as in eth_call. @throws {RpcError} */
export function readEthereumCall(value: RawValue, path: string): EthereumCall {
	const members = Members.of(value, path);
	const [data, input] = [members.bytes("data"), members.bytes("input")];
	if (data && input && !equalBytes(data, input)) throw invalidParams(`${path} has data and another input`);
	return {
		from: members.address("from") ?? NOBODY,
		to: members.get("to") === "0x" || members.get("to") === "" ? undefined : members.address("to"),
		value: members.amount("value") ?? 0n,
		token: { id: members.amount("tokenId") ?? 0n, amount: members.amount("tokenValue") ?? 0n },
		data: input ?? data ?? new Uint8Array(0),
		gas: members.amount("gas", MAX_WORD),
	};
}

/**
 * The transaction of a call in the open block: a transfer where the receiver is no contract.
 * @param sequence tells equal calls apart
 */
export function transactionOf(
	simulation: Simulation,
	call: EthereumCall,
	sequence: number,
	feeLimitSun: bigint,
): SignedTransaction {
	const { from, to, value, token, data } = call;
	const { state } = simulation;
	const header = headerIn(simulation, sequence);
	const contract = { ...header, feeLimitSun };
	const built = (): SignedTransaction => {
		if (!to) {
			const new_contract = SmartContract.create({
				origin_address: from,
				bytecode: data,
				call_value: value,
				consume_user_resource_percent: 100n,
				origin_energy_limit: 1n,
			});
			const message = CreateSmartContract.create({
				owner_address: from,
				new_contract,
				call_token_value: token.amount,
				token_id: token.id,
			});
			return buildTransaction(CREATE, message, contract);
		}
		if (state.contract.has(to)) {
			const message = TriggerSmartContract.create({
				owner_address: from,
				contract_address: to,
				call_value: value,
				data,
				call_token_value: token.amount,
				token_id: token.id,
			});
			return buildTransaction(TRIGGER, message, contract);
		}
		if (token.amount > 0n)
			throw invalidParams("tokens are sent to contracts only: coin_simulate sends them to anyone");
		const message = TransferContract.create({ owner_address: from, to_address: to, amount: value });
		return buildTransaction(TRANSFER, message, header);
	};
	return withPlaceholder(built());
}

/** The header of a transaction that is made for the open block. @param sequence tells equal ones apart */
export function headerIn({ state: { properties }, scope }: Simulation, sequence: number): TransactionHeader {
	return {
		...refBlockOf(properties.headId),
		expirationMs: properties.headTimestampMs + LIFE_MS,
		timestampMs: scope.timestampMs + BigInt(sequence),
	};
}

/** Signed by nobody, but as long as if it were: bytes cost. */
export function withPlaceholder({ message }: SignedTransaction): SignedTransaction {
	return new SignedTransaction(
		Transaction.create({ ...message, signature: [new Uint8Array(SIGNATURE_LENGTH)] }),
	);
}
