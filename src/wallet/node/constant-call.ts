/** Constant calls: the node runs them without a transaction, and returns the result at once (protocol/http-endpoints §1.7). */

import { fromHex, fromUtf8, toHex } from "../../protocol/bytes.js";
import { revertReason } from "../abi/revert.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, member } from "../json.js";
import { withAdvice } from "../transaction/refusal-advice.js";
import { simulatedOutcome } from "./json-rpc.js";
import type { NodeClient, NodeView } from "./node-client.js";
import { isBareRevert, isRevertMessage, toNeutralMessage, withoutClass } from "./node-messages.js";

/** A call as the virtual machine sees it. */
export interface ContractCall {
	/** The caller's address, 21 bytes. */
	readonly owner: Uint8Array;
	/** The contract's address, 21 bytes; empty if `data` is creation code with its arguments. */
	readonly contract: Uint8Array;
	readonly data: Uint8Array;
	readonly valueSun?: bigint;
	/** ORC-10 token, and the amount of it, that is sent with the call. */
	readonly tokenId?: bigint;
	readonly tokenValue?: bigint;
}

interface CallAnswer {
	readonly data: Uint8Array;
	readonly energy: bigint;
}

/**
 * Runs a call on the state of the head block, or of the irreversible one.
 * @param isTrial whether a transaction may follow; sends a fee limit, by which a development chain knows to log it, and others ignore
 * @throws {Failure} `contract_revert` with the contract's reason; `contract_validate` if there is no such contract
 */
export async function callConstant(
	client: NodeClient,
	call: ContractCall,
	view: NodeView = "full",
	isTrial = false,
): Promise<CallAnswer> {
	const request = { ...callRequest(call), ...(isTrial ? { fee_limit: client.settings.maxFeeLimitSun } : {}) };
	const answer = await client.call("triggerconstantcontract", request, view);
	checkCallResult(answer, call);
	const { constant_result: results, energy_used: energy, transaction } = answer;
	const data = bytesOf(Array.isArray(results) ? results[0] : undefined);
	if (hasFailed(transaction)) throw await revert(answer, data);
	return { data, energy: typeof energy === "bigint" ? energy : 0n };
}

/** Energy of a call: what a simulation used, and a sufficient limit; inner calls may require more than they use. */
export interface TriedEnergy {
	readonly used: bigint;
	readonly enough: bigint;
}

/** Energy with which a call succeeds: from the node's estimator if it has one, else what a simulation used. @throws {Failure} as a call */
export async function estimateEnergy(client: NodeClient, call: ContractCall): Promise<bigint> {
	return (await triedEnergy(client, call)).enough;
}

/** The energy that a call used when simulated, and that of {@link estimateEnergy}. @throws {Failure} as a call */
export async function triedEnergy(client: NodeClient, call: ContractCall): Promise<TriedEnergy> {
	// The estimator says that a call reverts, but not why.
	const { energy: used } = await callConstant(client, call, "full", true);
	return { used, enough: (await estimatorEnergy(client, call)) ?? used };
}

/** An energy limit with which a call succeeds, at most 1coin's worth above the minimum; undefined if the node has no estimator. */
export async function estimatorEnergy(client: NodeClient, call: ContractCall): Promise<bigint | undefined> {
	try {
		const answer = await client.call("estimateenergy", callRequest(call));
		checkCallResult(answer, call);
		const { energy_required: energy } = answer;
		if (typeof energy === "bigint") return energy;
	} catch (error) {
		if (!(error instanceof Failure) || error.code === "contract_revert" || error.code === "network")
			throw error;
	}
	return undefined;
}

/**
 * Whether a call that is known to succeed with enough energy would fail under a fee limit.
 * @returns undefined if the node offers no simulation, or refuses the call for another reason
 */
export async function failsUnder(
	client: NodeClient,
	call: ContractCall,
	feeLimitSun: bigint,
): Promise<boolean | undefined> {
	const transaction = { ...simulatedCall(call), fee_limit: feeLimitSun };
	const outcome = await simulatedOutcome(client, transaction, { changes: false });
	const status = outcome && member(outcome, "status");
	return status === "success" ? false : status === "failed" ? true : undefined;
}

function simulatedCall({ owner, contract, data, valueSun = 0n, tokenId, tokenValue }: ContractCall): object {
	const owner_address = toHex(owner);
	const tokens = tokenValue ? { call_token_value: tokenValue, token_id: tokenId ?? 0n } : {};
	if (contract.length > 0) {
		const parameter = { owner_address, contract_address: toHex(contract), data: toHex(data) };
		return { type: "TriggerSmartContract", parameter: { ...parameter, call_value: valueSun, ...tokens } };
	}
	const terms = { consume_user_resource_percent: 100, origin_energy_limit: 1 };
	const code = { origin_address: owner_address, bytecode: toHex(data), call_value: valueSun, ...terms };
	return { type: "CreateSmartContract", parameter: { owner_address, new_contract: code, ...tokens } };
}

function callRequest(call: ContractCall): object {
	const { owner, contract, data, valueSun, tokenId, tokenValue } = call;
	return {
		owner_address: toHex(owner),
		...(contract.length > 0 ? { contract_address: toHex(contract) } : {}),
		data: toHex(data),
		...(valueSun ? { call_value: valueSun } : {}),
		...(tokenValue ? { call_token_value: tokenValue, token_id: tokenId ?? 0n } : {}),
	};
}

/** A call that the node didn't begin, or that ended outside of the contract. */
function checkCallResult(answer: JsonRecord, { owner }: ContractCall): void {
	const { result } = answer;
	const code = isRecord(result) ? member(result, "code") : undefined;
	if (code === undefined || code === "SUCCESS") return;
	const message = withoutClass(resultMessage(result));
	const isRevert = isRevertMessage(message);
	const failure = new Failure(
		isRevert ? "contract_revert" : code === "CONTRACT_VALIDATE_ERROR" ? "contract_validate" : "rpc_error",
		message || String(code),
		{ node: { code: String(code), message } },
	);
	const isNobodys = owner.subarray(1).every((byte) => byte === 0) && LACKING.test(message);
	throw withAdvice(isNobodys ? failure.with({ hint: NOBODY }) : failure, undefined);
}

/** The caller has not what goes with the call. */
const LACKING = /no Owner ?Account|balance (is not sufficient|must greater)/i;

/** What to do where a call without a caller is refused. */
export const NOBODY = "the zero address asked: --from names an account that may be allowed to";

function resultMessage(result: Json | undefined): string {
	const message = isRecord(result) ? member(result, "message") : undefined;
	return toNeutralMessage(fromUtf8(bytesOf(message)));
}

function bytesOf(value: Json | undefined): Uint8Array {
	const text = typeof value === "string" ? value : "";
	return /^([0-9a-fA-F]{2})*$/.test(text) ? fromHex(text) : Buffer.from(text);
}

function hasFailed(transaction: Json | undefined): boolean {
	const ret = isRecord(transaction) ? member(transaction, "ret") : undefined;
	const first = Array.isArray(ret) ? (ret[0] as Json | undefined) : undefined;
	return isRecord(first) && member(first, "ret") === "FAILED";
}

/** Reverts without a reason that compilers generate. */
export const NO_REASON =
	"such are arguments that can't be decoded (a number that is no member of an enum), coins for a function that takes none, a function that doesn't exist, and require without a text";

async function revert({ result }: JsonRecord, data: Uint8Array): Promise<Failure> {
	const message = resultMessage(result);
	const reason = (await revertReason(data)).reason || (isBareRevert(message) ? "" : message);
	return refusalByContract(reason, { details: { reason: reason || undefined, data: `0x${toHex(data)}` } });
}

/** The failure for a call that the contract itself reverted. @param reason empty if it gave none */
export function refusalByContract(reason: string, facts: Failure["facts"]): Failure {
	const message = `the contract refused the call${reason ? `: ${reason}` : " without a reason"}`;
	const { hint, ...others } = facts;
	// The interface may have decoded a reason that Solidity's built-in errors didn't give.
	const advice = reason && hint === NO_REASON ? undefined : (hint ?? (reason ? undefined : NO_REASON));
	return new Failure("contract_revert", message, {
		...others,
		...(advice === undefined ? {} : { hint: advice }),
	});
}
