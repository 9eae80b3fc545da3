/**
 * Simulation requests: Ethereum-style calls as transactions of this network (protocol/json-rpc §17.3),
 * starting a simulation, and errors for what can't be simulated (§17.1).
 */

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
import { SimulationError } from "../../../simulation/simulation-error.js";
import type { SimulationRun } from "../../../simulation/simulator.js";
import { TraceBudget, TraceError } from "../../../tracing/limits.js";
import type { ApiContext } from "../../context.js";
import type { RawValue } from "../json-reader.js";
import { fullAddress } from "../readings.js";
import { internal, invalidParams, notAvailable, RpcError } from "../rpc-error.js";
import { readBlock, runOf } from "../traces/requests.js";
import { MAX_WORD, Members } from "./members.js";

const TRANSFER = contractType("TransferContract");
const TRIGGER = contractType("TriggerSmartContract");
const CREATE = contractType("CreateSmartContract");

/** Lifetime of a simulated transaction; only matters to the rules applied when validation is on. */
const LIFE_MS = 3_600_000n;

export interface EthereumCall {
	readonly from: Uint8Array;
	/** Undefined for a deployment. */
	readonly to: Uint8Array | undefined;
	readonly value: bigint;
	readonly token: { readonly id: bigint; readonly amount: bigint };
	readonly data: Uint8Array;
	/** Energy. */
	readonly gas: bigint | undefined;
}

const NOBODY = fullAddress(new Uint8Array(20)) as Uint8Array;

/**
 * Members without a meaning here (prices, nonce, access lists and so on) are ignored, as in eth_call.
 * @throws {RpcError}
 */
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
 * The transaction for a call in the open block: a transfer if the receiver isn't a contract.
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

/** The header of a transaction for the open block. @param sequence tells equal ones apart */
export function headerIn({ state: { properties }, scope }: Simulation, sequence: number): TransactionHeader {
	return {
		...refBlockOf(properties.headId),
		expirationMs: properties.headTimestampMs + LIFE_MS,
		timestampMs: scope.timestampMs + BigInt(sequence),
	};
}

/** Unsigned, but as long as if signed, since bytes cost bandwidth. */
export function withPlaceholder({ message }: SignedTransaction): SignedTransaction {
	return new SignedTransaction(
		Transaction.create({ ...message, signature: [new Uint8Array(SIGNATURE_LENGTH)] }),
	);
}

/** Error codes of Ethereum's specification. */
const BLOCK_NUMBER_INVALID = -38020;
const BLOCK_TIME_INVALID = -38021;
export const CLIENT_LIMIT_EXCEEDED = -38026;

/** Starts on the state after a block. @throws {RpcError} */
export function beginSimulation(
	context: ApiContext,
	method: string,
	block: RawValue | undefined,
): SimulationRun {
	const { simulator } = context.node;
	if (!simulator) throw notAvailable(method, ": node.jsonrpc.simulate is off");
	return simulator.begin(readBlock(context, block), runOf(context, { timeoutMs: undefined }));
}

/** Size budget for the answers of a simulation. */
export function simulationBudget({ node }: ApiContext): TraceBudget {
	return new TraceBudget(node.config.node.jsonrpc.maxResponseSize, "simulation", "");
}

/** @throws {RpcError} */
export async function refusingSimulation<T>(simulate: () => Promise<T>): Promise<T> {
	try {
		return await simulate();
	} catch (error) {
		if (error instanceof TraceError) throw internal(error.message);
		if (!(error instanceof SimulationError)) throw error;
		switch (error.fault) {
			case "number":
				throw new RpcError(BLOCK_NUMBER_INVALID, error.message);
			case "time":
				throw new RpcError(BLOCK_TIME_INVALID, error.message);
			case "blocks":
				throw new RpcError(CLIENT_LIMIT_EXCEEDED, error.message);
			case "override":
				throw invalidParams(error.message);
		}
	}
}
