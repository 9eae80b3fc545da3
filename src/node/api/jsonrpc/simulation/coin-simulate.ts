/** coin_simulate: blocks of transactions of any type (protocol/json-rpc §17.4). */

import { spell } from "../../../../protocol/dialect.js";
import { messageText } from "../../../../protocol/json/exceptions.js";
import { type JsonStyle, printMessage, shownAs } from "../../../../protocol/json/message-writer.js";
import { TransactionInfo, TransactionResultContractResultEnum } from "../../../../protocol/messages.js";
import type { AccountEdit } from "../../../simulation/account-edits.js";
import { movementsOf } from "../../../simulation/movements.js";
import type { SimulatedBlock, SimulatedTransaction } from "../../../simulation/simulation.js";
import type { SimulationRun } from "../../../simulation/simulator.js";
import { accountChanges } from "../../../simulation/state-changes.js";
import { CallTrace } from "../../../tracing/call-trace.js";
import type { TraceBudget } from "../../../tracing/limits.js";
import { TouchedState } from "../../../tracing/touched-state.js";
import type { ApiContext } from "../../context.js";
import { shownInfo } from "../../queries/shown-receipt.js";
import type { RawArray, RawValue } from "../json-reader.js";
import { JsonText } from "../method.js";
import { revertMessage } from "../revert-reason.js";
import { invalidParams, RpcError } from "../rpc-error.js";
import { accountChangeText, movementText } from "./change-text.js";
import { readTransaction, type TransactionMaker } from "./coin-transactions.js";
import { withPlaceholder } from "./ethereum-calls.js";
import { objectText } from "./json-text.js";
import { Members } from "./members.js";
import { readStateOverrides } from "./overrides.js";
import { beginSimulation, CLIENT_LIMIT_EXCEEDED, refusingSimulation, simulationBudget } from "./requests.js";

/** Transactions of one request. */
const MAX_TRANSACTIONS = 1_000;

/** Bytes that a block takes in the answer. */
const BLOCK_BYTES = 300;

interface PlannedBlock {
	readonly number: bigint | undefined;
	readonly timestampMs: bigint | undefined;
	readonly witness: Uint8Array | undefined;
	readonly energyPriceSun: bigint | undefined;
	readonly edits: readonly AccountEdit[];
	readonly transactions: readonly TransactionMaker[];
}

interface Request {
	readonly context: ApiContext;
	readonly blocks: readonly PlannedBlock[];
	readonly isChecked: boolean;
	/** Whether the state's changes and what was moved are told. */
	readonly reports: boolean;
	readonly style: JsonStyle;
}

/** @throws {RpcError} */
export function coinSimulate(context: ApiContext, [payload, block]: RawArray): Promise<JsonText> {
	const request = readRequest(context, payload);
	const run = beginSimulation(context, "coin_simulate", block);
	return refusingSimulation(() => simulate(request, run, simulationBudget(context)));
}

function readRequest(context: ApiContext, payload: RawValue | undefined): Request {
	const members = Members.of(payload, "the simulation").only("blocks", "validation", "visible", "changes");
	const visible = members.flag("visible");
	const given = members.list("blocks");
	if (given.length === 0) throw invalidParams("blocks is empty");
	const blocks = given.map((value, i) => readBlock(context, value, `blocks[${i}]`, visible));
	if (blocks.reduce((sum, { transactions }) => sum + transactions.length, 0) > MAX_TRANSACTIONS) {
		throw new RpcError(CLIENT_LIMIT_EXCEEDED, `a simulation has at most ${MAX_TRANSACTIONS} transactions`);
	}
	return {
		context,
		blocks,
		isChecked: members.flag("validation"),
		reports: members.flag("changes", true),
		style: shownAs(context.style, visible),
	};
}

function readBlock(context: ApiContext, value: RawValue, path: string, visible: boolean): PlannedBlock {
	const members = Members.of(value, path).only(
		"number",
		"timestamp",
		"witness",
		"energyPrice",
		"accounts",
		"transactions",
	);
	return {
		number: members.amount("number"),
		timestampMs: members.amount("timestamp", 1n << 60n),
		witness: members.address("witness"),
		energyPriceSun: members.amount("energyPrice"),
		edits: readStateOverrides(context, members.get("accounts"), `${path}.accounts`),
		transactions: members
			.list("transactions")
			.map((transaction, j) => readTransaction(context, transaction, `${path}.transactions[${j}]`, visible)),
	};
}

async function simulate(request: Request, run: SimulationRun, budget: TraceBudget): Promise<JsonText> {
	const answers: string[] = [];
	for (const { transactions, ...plan } of request.blocks) {
		await run.step((simulation) => {
			for (const gap of simulation.begin(plan)) {
				budget.take(BLOCK_BYTES);
				answers.push(blockText(gap, []));
			}
		});
		const results: string[] = [];
		for (const make of transactions) {
			results.push(
				await run.step((simulation, deadlineMs) => {
					const text = execute(request, run, make(simulation, results.length), budget, deadlineMs);
					budget.take(text.length);
					return text;
				}),
			);
		}
		budget.take(BLOCK_BYTES);
		await run.step((simulation) => answers.push(blockText(simulation.end(), results)));
	}
	return new JsonText(`[${answers.join(",")}]`);
}

function blockText({ block }: SimulatedBlock, transactions: readonly string[]): string {
	return objectText([
		["blockID", `"${block.idHex}"`],
		["number", block.number.toString()],
		["timestamp", block.timestampMs.toString()],
		["transactions", `[${transactions.join(",")}]`],
	]);
}

function execute(
	{ isChecked, reports, style, context }: Request,
	{ simulation, rules }: SimulationRun,
	given: ReturnType<TransactionMaker>,
	budget: TraceBudget,
	deadlineMs: number,
): string {
	const isSigned = given.message.signature.length > 0;
	const transaction = isChecked || isSigned ? given : withPlaceholder(given);
	const trace = new CallTrace({ onlyTop: false, withLog: true }, budget);
	const touched = new TouchedState(budget);
	const observer = reports ? { ...touched.observer, ...trace.observer } : {};
	const mode = isChecked ? "checked" : "charged";
	const done = simulation.execute(transaction, { mode, observer, deadlineMs });
	return objectText([
		["txID", `"${transaction.idHex}"`],
		...outcome(done, style, context),
		...(reports && done.info
			? reported({ ...done, info: done.info }, trace, touched, rules.blackHole, style)
			: []),
	]);
}

type TextMember = readonly [name: string, text: string];

/** How it ended: `success`, `failed` (in a block, its fees paid) or `refused` (by every block). */
function outcome(
	{ info, refusal }: SimulatedTransaction,
	style: JsonStyle,
	context: ApiContext,
): TextMember[] {
	if (!info) {
		const message = refusal ? messageText(refusal, style.dialect) : "";
		return [
			["status", '"refused"'],
			["error", JSON.stringify({ code: refusal?.className ?? "", message })],
		];
	}
	const receipt: TextMember = ["receipt", printMessage(TransactionInfo, shownInfo(style, info), style)];
	if (info.result === 0) return [["status", '"success"'], receipt];
	const code = TransactionResultContractResultEnum.names.get(info.receipt?.result ?? 0) ?? "UNKNOWN";
	const reason = revertMessage(info.contractResult[0] ?? new Uint8Array(0));
	const error = {
		code: spell(code, context.style.dialect),
		message: Buffer.from(info.resMessage).toString("utf8"),
		...(reason === undefined ? {} : { reason }),
	};
	return [["status", '"failed"'], ["error", JSON.stringify(error)], receipt];
}

/** What it changed, and what it moved. */
function reported(
	{ transaction, info, changes }: SimulatedTransaction & { readonly info: TransactionInfo },
	trace: CallTrace,
	touched: TouchedState,
	blackHole: Uint8Array,
	style: JsonStyle,
): TextMember[] {
	const moved = movementsOf({ transaction, info, changes, root: trace.root, blackHole });
	return [
		[
			"changes",
			`[${accountChanges(changes, touched)
				.map((each) => accountChangeText(each, style))
				.join(",")}]`,
		],
		["movements", `[${moved.map((each) => movementText(each, style)).join(",")}]`],
	];
}
