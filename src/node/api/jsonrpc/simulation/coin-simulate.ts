/** coin_simulate: blocks of transactions of any type (protocol/json-rpc §17.4). */

import { toBase58Check } from "../../../../protocol/address.js";
import { toHex } from "../../../../protocol/bytes.js";
import { DecodeError } from "../../../../protocol/codec/reader.js";
import { contractTypeByName } from "../../../../protocol/contract-types.js";
import { spell } from "../../../../protocol/dialect.js";
import { keccak256 } from "../../../../protocol/hash.js";
import { messageText, NamedError } from "../../../../protocol/json/exceptions.js";
import { decodeFields } from "../../../../protocol/json/field-decoder.js";
import { parseJsonObject } from "../../../../protocol/json/json-library.js";
import {
	type JsonStyle,
	mapOrderedMessage,
	printMessage,
	shownAs,
} from "../../../../protocol/json/message-writer.js";
import { packPostQuantum, packTransaction } from "../../../../protocol/json/transaction-packing.js";
import {
	Permission,
	Transaction,
	TransactionInfo,
	TransactionRaw,
	TransactionResultContractResultEnum,
} from "../../../../protocol/messages.js";
import { buildTransaction, SignedTransaction } from "../../../../protocol/transaction.js";
import type { AccountEdit } from "../../../simulation/account-edits.js";
import { type Movement, movementsOf } from "../../../simulation/movements.js";
import type { SimulatedBlock, SimulatedTransaction, Simulation } from "../../../simulation/simulation.js";
import type { SimulationRun } from "../../../simulation/simulator.js";
import { type AccountChange, accountChanges } from "../../../simulation/state-changes.js";
import { CallTrace } from "../../../tracing/call-trace.js";
import type { TraceBudget } from "../../../tracing/limits.js";
import { TouchedState } from "../../../tracing/touched-state.js";
import { answersOf } from "../../answers.js";
import type { ApiContext } from "../../context.js";
import { shownInfo } from "../../queries/transactions.js";
import { REQUEST_BUDGET } from "../../request.js";
import { isRawObject, type RawArray, type RawValue } from "../json-reader.js";
import { JsonText } from "../method.js";
import { revertMessage } from "../revert-reason.js";
import { invalidParams, RpcError } from "../rpc-error.js";
import { bytesMember, Members, membersText, objectText } from "./members.js";
import { readStateOverrides } from "./overrides.js";
import {
	beginSimulation,
	CLIENT_LIMIT_EXCEEDED,
	headerIn,
	refusingSimulation,
	simulationBudget,
	withPlaceholder,
} from "./requests.js";

/** State changes and transfers of a simulated transaction, as JSON (protocol/json-rpc §17.4). Amounts are decimal text. */
const addressText = (address: Uint8Array, { visible }: JsonStyle): string =>
	visible ? toBase58Check(address) : toHex(address);

type Change<T> = { readonly before: T; readonly after: T };

/** A value before and after, both rendered. */
function changeText<T>({ before, after }: Change<T>, shown: (value: T) => string): string {
	return objectText([
		["before", shown(before)],
		["after", shown(after)],
	]);
}

function amountsText(changes: ReadonlyMap<string, Change<bigint>>): (readonly [string, string])[] {
	return [...changes].map(([name, change]) => [name, changeText(change, (amount) => `"${amount}"`)]);
}

const hexOrNull = (bytes: Uint8Array | undefined): string => (bytes ? `"${toHex(bytes)}"` : "null");

function accountChangeText(change: AccountChange, style: JsonStyle): string {
	const { exists, amounts, votes, permissions, code, storage } = change;
	const { tokens, stakes, delegated, acquired } = change;
	const named = { tokens, stakes, delegated, acquired };
	return objectText([
		["address", JSON.stringify(addressText(change.address, style))],
		...(exists ? [["exists", changeText(exists, String)] as const] : []),
		...amountsText(amounts),
		...Object.entries(named).flatMap(([name, changes]) =>
			changes.size > 0 ? [[name, objectText(amountsText(changes))] as const] : [],
		),
		...(votes ? [["votes", changeText(votes, (list) => votesText(list, style))] as const] : []),
		...(permissions
			? [["permissions", changeText(permissions, (all) => permissionsText(all, style))] as const]
			: []),
		// Code may be long, and its hash is enough to identify it.
		...(code
			? [["codeHash", changeText(code, (bytes) => hexOrNull(bytes && keccak256(bytes)))] as const]
			: []),
		...(storage.length > 0
			? [
					[
						"storage",
						objectText(storage.map((slot) => [toHex(slot.slot), changeText(slot, hexOrNull)])),
					] as const,
				]
			: []),
	]);
}

type Votes = NonNullable<AccountChange["votes"]>["before"];
type Permissions = NonNullable<AccountChange["permissions"]>["before"];

const votesText = (votes: Votes, style: JsonStyle): string =>
	JSON.stringify(
		Object.fromEntries(
			votes.map(({ vote_address, vote_count }) => [addressText(vote_address, style), vote_count.toString()]),
		),
	);

function permissionsText({ owner, witness, actives }: Permissions, style: JsonStyle): string {
	const text = (permission: Readonly<Permission>): string => mapOrderedMessage(Permission, permission, style);
	return objectText([
		["owner", owner ? text(owner) : "null"],
		...(witness ? [["witness", text(witness)] as const] : []),
		["actives", `[${actives.map(text).join(",")}]`],
	]);
}

function movementText({ asset, id, contract, from, to, amount }: Movement, style: JsonStyle): string {
	const shown = (address: Uint8Array | undefined): string | null =>
		address ? addressText(address, style) : null;
	return JSON.stringify({
		asset,
		...(id === undefined ? {} : { id }),
		...(contract ? { contract: shown(contract) } : {}),
		from: shown(from),
		to: shown(to),
		amount: amount.toString(),
	});
}

/** Maximum transactions per request. */
const MAX_TRANSACTIONS = 1_000;

/** Size of a block in the answer, in bytes. */
const BLOCK_BYTES = 300;

/** Builds the transaction for the block then open. @param sequence tells equal ones apart */
type TransactionMaker = (simulation: Simulation, sequence: number) => SignedTransaction;

/**
 * A transaction of any type in the forms used on this network (protocol/json-rpc §17.4): hex of its raw data; JSON with
 * `raw_data` or `raw_data_hex`, and `signature` (on Nile `pq_auth_sig`); or a type with its parameter, which is built here.
 * @throws {RpcError}
 */
function readTransaction(
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
	// As in a transaction, where the parameter value comes with its type name.
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
	/** Whether the answer includes state changes and transfers. */
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
	const isSigned =
		given.message.signature.length > 0 || (rules.network === "nile" && given.postQuantum.length > 0);
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

/** Its state changes and transfers. */
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
