/** eth_simulateV1: simulated blocks of calls, as in Ethereum's specification (protocol/json-rpc §17.3). */

import { concatBytes, fromHex } from "../../../../protocol/bytes.js";
import {
	type TransactionInfo,
	TransactionInfoLog,
	TransactionResultContractResult,
	type TransferContract,
} from "../../../../protocol/messages.js";
import type { SignedTransaction } from "../../../../protocol/transaction.js";
import { ResourceInsufficientError } from "../../../rules/errors.js";
import { TRANSFER_EVENT } from "../../../simulation/movements.js";
import type { SimulatedBlock, SimulatedTransaction, Simulation } from "../../../simulation/simulation.js";
import type { SimulationRun } from "../../../simulation/simulator.js";
import { CallTrace, type TracedCall } from "../../../tracing/call-trace.js";
import type { TraceBudget } from "../../../tracing/limits.js";
import type { ApiContext } from "../../context.js";
import type { RawArray, RawValue } from "../json-reader.js";
import { blockAnswer } from "../lenient/answers.js";
import type { RpcValue } from "../method.js";
import { blockObject } from "../objects/block.js";
import { logObject } from "../objects/log.js";
import { type ObjectStyle, objectStyleOf } from "../objects/style.js";
import { asWord } from "../readings.js";
import { revertMessage } from "../revert-reason.js";
import { EXECUTION_REVERTED, invalidParams, quotedText, RpcError } from "../rpc-error.js";
import { addressData, data, quantity } from "../values.js";
import { Members } from "./members.js";
import { type BlockOverride, readBlockOverrides, readStateOverrides } from "./overrides.js";
import {
	beginSimulation,
	CLIENT_LIMIT_EXCEEDED,
	type EthereumCall,
	readEthereumCall,
	refusingSimulation,
	simulationBudget,
	transactionOf,
} from "./requests.js";

/** Coin transfers as logs, as Ethereum tools request them: those of a token at address 0xeeee…. */
const COIN = Buffer.alloc(20, 0xee);

/** Call kinds that transfer their value. */
const SENDING: ReadonlySet<string> = new Set(["CALL", "CREATE", "CREATE2", "SELFDESTRUCT"]);

function transferLog(from: Uint8Array, to: Uint8Array, amount: bigint): TransactionInfoLog {
	const topics = [TRANSFER_EVENT, ...[from, to].map((address) => asWord(address.subarray(-20)))];
	const data = asWord(fromHex(amount.toString(16).padStart(64, "0")));
	return TransactionInfoLog.create({ address: concatBytes(COIN), topics, data });
}

/**
 * A transaction's logs, interleaved with its transfers in order of occurrence.
 * @param root undefined: no contract ran
 */
function logsWithTransfers(
	transaction: SignedTransaction,
	info: Readonly<TransactionInfo>,
	root: TracedCall | undefined,
): Readonly<TransactionInfoLog>[] {
	if (root) return callLogs(root);
	if (transaction.type?.name !== "TransferContract") return [...info.log];
	const { owner_address, to_address, amount } = transaction.parameter as TransferContract;
	return amount > 0n ? [transferLog(owner_address, to_address, amount)] : [];
}

function callLogs(call: TracedCall): Readonly<TransactionInfoLog>[] {
	if (call.failure || call.reverted) return [];
	const sends = SENDING.has(call.kind) && call.value > 0n;
	const logs = sends ? [transferLog(call.caller, call.address, call.value)] : [];
	for (let position = 0; position <= call.calls.length; position++) {
		for (const placed of call.logs)
			if (placed.position === position) logs.push(placed.log as TransactionInfoLog);
		const inner = call.calls[position];
		if (inner) logs.push(...(callLogs(inner) as TransactionInfoLog[]));
	}
	return logs;
}

const INSUFFICIENT_FUNDS = -38014;
const BLOCK_GAS_LIMIT_REACHED = -38015;
const VM_ERROR = -32015;

/** Maximum calls per request. */
const MAX_CALLS = 1_000;

/** Size of a block, call or log in the answer besides its data, in bytes. */
const FIXED_BYTES = 600;

interface Request {
	readonly context: ApiContext;
	readonly blocks: readonly PlannedBlock[];
	readonly isCharged: boolean;
	readonly listsTransfers: boolean;
	readonly isFull: boolean;
}

interface PlannedBlock {
	readonly block: BlockOverride | undefined;
	readonly edits: ReturnType<typeof readStateOverrides>;
	readonly calls: readonly EthereumCall[];
}

/** @throws {RpcError} */
export function simulateV1(context: ApiContext, [payload, block]: RawArray): Promise<RpcValue> {
	const request = readRequest(context, payload);
	const run = beginSimulation(context, "eth_simulateV1", block);
	return refusingSimulation(() => simulate(request, run, simulationBudget(context)));
}

function readRequest(context: ApiContext, payload: RawValue | undefined): Request {
	const members = Members.of(payload, "the simulation").only(
		"blockStateCalls",
		"traceTransfers",
		"validation",
		"returnFullTransactions",
	);
	const given = members.list("blockStateCalls");
	if (given.length === 0) throw invalidParams("blockStateCalls is empty");
	const blocks = given.map((value, i) => {
		const path = `blockStateCalls[${i}]`;
		const block = Members.of(value, path).only("blockOverrides", "stateOverrides", "calls");
		return {
			block: readBlockOverrides(block.get("blockOverrides"), `${path}.blockOverrides`),
			edits: readStateOverrides(context, block.get("stateOverrides"), `${path}.stateOverrides`),
			calls: block.list("calls").map((call, j) => readEthereumCall(call, `${path}.calls[${j}]`)),
		};
	});
	if (blocks.reduce((sum, { calls }) => sum + calls.length, 0) > MAX_CALLS) {
		throw new RpcError(CLIENT_LIMIT_EXCEEDED, `a simulation has at most ${MAX_CALLS} calls`);
	}
	return {
		context,
		blocks,
		isCharged: members.flag("validation"),
		listsTransfers: members.flag("traceTransfers"),
		isFull: members.flag("returnFullTransactions"),
	};
}

async function simulate(request: Request, run: SimulationRun, budget: TraceBudget): Promise<RpcValue> {
	const answers: RpcValue[] = [];
	const style = objectStyleOf(request.context);
	for (const planned of request.blocks) {
		const { block, edits, calls } = planned;
		budget.take(FIXED_BYTES);
		await run.step((simulation) => {
			for (const gap of simulation.begin({ ...block, edits })) {
				budget.take(2 * FIXED_BYTES);
				answers.push(shownBlock(gap, [], request, style));
			}
		});
		const results: CallResult[] = [];
		const energy = new BlockEnergy(block?.energyLimit, request.context);
		for (const call of calls) {
			results.push(
				await run.step((simulation, deadlineMs) =>
					execute(request, simulation, call, results.length, energy, budget, deadlineMs),
				),
			);
		}
		await run.step((simulation) => {
			answers.push(shownBlock(simulation.end(), results, request, style));
		});
	}
	return answers;
}

/** The energy shared by the calls of a block. */
class BlockEnergy {
	private left: bigint;
	private readonly most: bigint;

	constructor(limit: bigint | undefined, { node }: ApiContext) {
		this.most = node.config.vm.maxEnergyLimitForConstant;
		this.left = limit ?? -1n;
	}

	/** The energy limit of a call. @throws {RpcError} if it asks for more than is left */
	of({ gas }: EthereumCall): bigint {
		if (this.left >= 0n && gas !== undefined && gas > this.left) {
			throw new RpcError(
				BLOCK_GAS_LIMIT_REACHED,
				`block gas limit reached: ${this.left} left, ${gas} wanted`,
			);
		}
		const wanted = gas !== undefined && gas < this.most ? gas : this.most;
		return this.left >= 0n && wanted > this.left ? this.left : wanted;
	}

	use(energy: bigint): void {
		if (this.left >= 0n) this.left = energy > this.left ? 0n : this.left - energy;
	}
}

interface CallResult {
	readonly transactionId: Uint8Array;
	/** False if no block would accept it. */
	readonly isIncluded: boolean;
	readonly logs: readonly Readonly<TransactionInfoLog>[];
	/** All but the logs, which include their block. */
	readonly members: Readonly<Record<string, RpcValue>>;
}

function execute(
	{ context, isCharged, listsTransfers }: Request,
	simulation: Simulation,
	call: EthereumCall,
	sequence: number,
	block: BlockEnergy,
	budget: TraceBudget,
	deadlineMs: number,
): CallResult {
	const { state } = simulation;
	checkFunds(state.account.get(call.from)?.balance, call, isCharged);
	const energyLimit = block.of(call);
	const price = state.properties.get("ENERGY_FEE");
	const feeLimit = price * energyLimit;
	const most = state.properties.get("MAX_FEE_LIMIT");
	const limitSun = isCharged ? (feeLimit < most ? feeLimit : most) : 0n;
	const transaction = transactionOf(simulation, call, sequence, limitSun);
	const trace = new CallTrace({ onlyTop: false, withLog: true }, budget);
	const mode = isCharged ? "charged" : "free";
	const observer = listsTransfers ? trace.observer : {};
	const done = simulation.execute(transaction, { mode, energyLimit, observer, deadlineMs });
	if (done.refusal && isCharged) {
		const isPoor = done.refusal instanceof ResourceInsufficientError;
		const message = quotedText(done.refusal, context.style.dialect);
		throw isPoor ? new RpcError(INSUFFICIENT_FUNDS, message) : invalidParams(message);
	}
	const { info } = done;
	block.use(info?.receipt?.energy_usage_total ?? 0n);
	const logs = !info ? [] : listsTransfers ? logsWithTransfers(transaction, info, trace.root) : info.log;
	for (const log of logs) budget.take(FIXED_BYTES + 2 * (log.data.length + 32 * log.topics.length));
	const members = resultOf(done, context);
	budget.take(FIXED_BYTES + (members["returnData"] as string).length);
	return { transactionId: transaction.id, isIncluded: info !== undefined, logs, members };
}

/** @throws {RpcError} */
function checkFunds(balance: bigint | undefined, { from, value }: EthereumCall, isCharged: boolean): void {
	if (value <= (balance ?? 0n) && (balance !== undefined || !isCharged)) return;
	throw new RpcError(
		INSUFFICIENT_FUNDS,
		`insufficient funds: address ${addressData(from)} has ${balance ?? "no account"}, wants to send ${value}`,
	);
}

/** The result members of a call. */
function resultOf({ info, refusal }: SimulatedTransaction, { style }: ApiContext): CallResult["members"] {
	const output = info?.contractResult[0] ?? new Uint8Array(0);
	const gasUsed = quantity(info?.receipt?.energy_usage_total ?? 0n);
	if (info && info.result === 0)
		return { returnData: data(output), gasUsed, maxUsedGas: gasUsed, status: "0x1" };
	if (info && info.receipt?.result === TransactionResultContractResult.REVERT) {
		const reason = revertMessage(output);
		const message = reason === undefined ? "execution reverted" : `execution reverted: ${reason}`;
		const error = { code: EXECUTION_REVERTED, message, data: data(output) };
		return { returnData: data(output), gasUsed, maxUsedGas: gasUsed, status: "0x0", error };
	}
	const message = refusal
		? quotedText(refusal, style.dialect)
		: Buffer.from(info?.resMessage ?? "").toString("utf8");
	const error = { code: VM_ERROR, message };
	return { returnData: "0x", gasUsed, maxUsedGas: gasUsed, status: "0x0", error };
}

function shownBlock(
	{ block, state }: SimulatedBlock,
	results: readonly CallResult[],
	{ isFull }: Request,
	style: ObjectStyle,
): RpcValue {
	let logIndex = 0;
	let transactionIndex = 0;
	const calls = results.map(({ transactionId, isIncluded, logs, members }) => {
		const shown = logs.map((log) => {
			const placed = { log, logIndex: logIndex++, transactionIndex, transactionId };
			return logObject(placed, block, false, style);
		});
		if (isIncluded) transactionIndex++;
		return { ...members, logs: shown };
	});
	const seen = blockObject(state, block, isFull, style);
	const price = state.properties.get("ENERGY_FEE");
	const most = price > 0n ? state.properties.get("MAX_FEE_LIMIT") / price : 0n;
	const answer = blockAnswer(seen, quantity(price), most) as Readonly<Record<string, RpcValue>>;
	return { ...answer, calls };
}
