/** One transaction: its contents, result, cost and signatures. */

import { hashedSignature } from "../../../abi/parameter.js";
import { decodeCall, decodeEvent, type Reading, refusalOf } from "../../abi.js";
import { addressText } from "../../address-text.js";
import { isJson, type Json, objectOf, objectsOf, textOf, textsOf, wholeOf } from "../../answer.js";
import {
	amountOf,
	receiverOf,
	signatureCount,
	type TransactionFacts,
	transactionFacts,
} from "../../block-facts.js";
import type { Contracts } from "../../contracts.js";
import { age, failureText, grouped, plain, shortened, textOfHex, typeName } from "../../format.js";
import { type NodeClient, NodeError } from "../../node-client.js";
import { requestOf, UNITS, wordsOf } from "../../request-words.js";
import { idIn } from "../../search-terms.js";
import { type TokenMove, tokenMoves, tokenUnits } from "../../token-moves.js";
import { type TokenUnits, unitText } from "../../tokens.js";
import { readingLine, refusalChild, valuesTable } from "../abi-elements.js";
import {
	addressLink,
	amount,
	badge,
	bar,
	blockLink,
	type Child,
	copyable,
	data,
	facts,
	folded,
	link,
	make,
	note,
	party,
	section,
	table,
	time,
} from "../elements.js";
import type { ViewContext, ViewMaker } from "../view.js";
import { execution } from "./execution.js";
import { permissionParts } from "./permissions.js";

const MAX_LOGS = 200;

function memberValue(name: string, value: unknown): Child {
	if ((name === "asset_name" || name === "token_id") && /^\d{7}$/.test(String(value)))
		return link(`token/${value}`, `token ${value}`);
	if (typeof value === "string" && addressText(value) !== undefined) return addressLink(value);
	if (name === "proposal_id") return link(`proposal/${value}`, String(value));
	if (name === "votes" && Array.isArray(value))
		return value
			.filter(isJson)
			.map((vote) =>
				make("div", {}, addressLink(textOf(vote, "vote_address")), `: ${textOf(vote, "vote_count")}`),
			);
	if (typeof value === "boolean") return value ? "yes" : "no";
	return /^-?\d+$/.test(String(value)) ? grouped(BigInt(String(value))) : data(String(value));
}

/** A member's raw value. */
const rawMember = (value: unknown): Child =>
	typeof value === "object" ? data(JSON.stringify(value, null, 2)) : data(String(value));

/** The raw members, for comparison with other tools. */
function kept(
	transaction: Json,
	members: readonly (readonly [name: string, value: unknown])[],
): HTMLDetailsElement {
	const rows = members.map(([name, member]) => [name, rawMember(member)] as const);
	return folded(
		"As the chain keeps it",
		facts(...rows, ["raw_data_hex", data(textOf(transaction, "raw_data_hex"))]),
	);
}

async function request(
	transaction: Json,
	of: TransactionFacts,
	contracts: Contracts,
	known: ViewContext["facts"],
): Promise<HTMLElement> {
	const { type, value } = of;
	const { words, members } = requestOf(of);
	const raw = kept(transaction, members);
	if (type === "AccountPermissionUpdateContract") {
		const owner = addressText(textOf(value, "owner_address")) ?? "";
		return section("What was asked for", ...permissionParts(value, "actives", owner, await known()), raw);
	}
	const shown: Child[] = [];
	const sun = amountOf(of);
	if (type === "TriggerSmartContract") {
		const sent = textOf(value, "data");
		const call = await calledBy(of, contracts);
		if (call) shown.push(make("h3", {}, hashedSignature(call.item)), valuesTable("Arguments", call.values));
		else if (sent !== "")
			shown.push(
				note("The contract has no stored interface that fits this call: the data is shown as it is."),
				data(sent),
			);
	}
	const units = await unitsSent(of, contracts.units);
	const rows: (readonly [string, Child])[] = words.map(([word, name, member]) =>
		units && word === UNITS ? ["Amount of the token", units] : [word, memberValue(name, member)],
	);
	if (sun !== undefined) rows.unshift(["Amount", amount(sun)]);
	raw.open = rows.length === 0 && shown.length === 0;
	return section("What was asked for", ...shown, facts(...rows), raw);
}

async function events(info: Json, contracts: Contracts): Promise<HTMLElement> {
	const logs = objectsOf(info, "log");
	const parts: Child[] = [];
	for (const [index, log] of logs.slice(0, MAX_LOGS).entries()) {
		const contract = textOf(log, "address");
		const topics = textsOf(log, "topics");
		const found = decodeEvent(await contracts.itemsOf(contract), topics, textOf(log, "data"));
		const event = found && (await contracts.units.counted(contract, found));
		parts.push(make("h3", {}, `${index}: ${event ? hashedSignature(event.item) : "unknown event"}`));
		parts.push(make("p", {}, "of ", party(contract, contracts, true)));
		const raw = facts(...topics.map((topic, at) => [`topic ${at}`, data(topic)] as const), [
			"data",
			data(textOf(log, "data")),
		]);
		if (event)
			parts.push(valuesTable(`Values of event ${index}`, event.values), folded("Topics and data", raw));
		else parts.push(raw);
	}
	if (logs.length === 0) parts.push(note("No contract logged anything."));
	if (logs.length > MAX_LOGS) parts.push(note(`and ${grouped(logs.length - MAX_LOGS)} more`));
	return section("Events", ...parts);
}

function moved(call: Json): Child {
	const token = textOf(call, "tokenId");
	const value = wholeOf(call, "callValue");
	if (value === 0n) return undefined;
	return token === "" ? amount(value) : [grouped(value), " of ", link(`token/${token}`, `token ${token}`)];
}

function internal(info: Json): HTMLElement {
	const rows = objectsOf(info, "internal_transactions")
		.slice(0, MAX_LOGS)
		.map((call) => [
			textOfHex(textOf(call, "note")),
			addressLink(textOf(call, "caller_address"), false),
			addressLink(textOf(call, "transferTo_address"), false),
			objectsOf(call, "callValueInfo").map(moved),
			call["rejected"] === true ? badge("rejected", "bad") : "",
		]);
	const none = "None, or this node doesn't keep them (vm.saveInternalTx).";
	return section(
		"Internal transactions",
		table("Internal transactions", ["Kind", "From", "To", "Moved", ""], rows, none),
	);
}

/** Descriptions of results; others are shown as they are. */
const RESULTS: Readonly<Record<string, string>> = {
	REVERT: "the contract refused: everything it did was undone",
	OUT_OF_ENERGY:
		"the energy wasn't enough: everything was undone; a higher fee limit or a stake for energy helps",
	OUT_OF_TIME: "it took longer than a block allows",
	BAD_JUMP_DESTINATION: "the contract's code jumped to where it must not",
	ILLEGAL_OPERATION: "the contract's code has an operation that doesn't exist, or asserts did fail",
	STACK_TOO_LARGE: "the contract's stack became too large",
	TRANSFER_FAILED: "a transfer inside the contract failed",
};

type Row = readonly [name: string, value: Child] | undefined;

function used(name: string, receipt: Json, member: string, parts = ""): Row {
	const value = wholeOf(receipt, member);
	return value === 0n ? undefined : [name, `${grouped(value)}${parts === "" ? "" : ` (${parts})`}`];
}

function burnt(name: string, receipt: Json, member: string): Row {
	const sun = wholeOf(receipt, member);
	return sun === 0n ? undefined : [name, amount(sun)];
}

/** Signers with their weights, and the threshold. @param isPending whether no block includes it yet */
async function signatures(client: NodeClient, transaction: Json, isPending: boolean): Promise<HTMLElement> {
	const count = signatureCount(transaction);
	if (count === 0)
		return section(
			"Signatures",
			note(
				"It has none: the owner of a development chain may let accounts act without, and genesis needs none.",
			),
		);
	const answer = await client.call("getsignweight", transaction).catch(() => undefined);
	if (!answer) return section("Signatures", note("This node doesn't say who signed."));
	const permission = objectOf(answer, "permission");
	const threshold = wholeOf(permission, "threshold");
	const weight = wholeOf(answer, "current_weight");
	const signed = new Set(textsOf(answer, "approved_list").map((address) => addressText(address)));
	const rows = objectsOf(permission, "keys").map((key): Child[] => {
		const address = textOf(key, "address");
		const isSigner = signed.has(addressText(address));
		return [
			addressLink(address),
			grouped(wholeOf(key, "weight")),
			isSigner ? badge("signed", "good") : "didn't sign",
		];
	});
	const name = textOf(permission, "permission_name") || "owner";
	const message = textOf(objectOf(answer, "result"), "message");
	return section(
		"Signatures",
		facts(
			["Signatures", grouped(count)],
			["Permission", `${name}, as it is now`],
			[
				"Weight",
				[
					bar("weight of those who signed", Number(weight), Number(threshold)),
					make("div", {}, `${grouped(weight)} of ${grouped(threshold)} needed `),
					weight >= threshold && threshold > 0n
						? badge("enough", "good")
						: isPending
							? badge("not enough", "bad")
							: note(
									"Not enough by the permission of now: that of its time, by which the chain took it, was another.",
								),
				],
			],
			message === "" ? undefined : ["The node says", message],
		),
		table("Signatures", ["Key", "Weight", ""], rows, "The account has no such permission now."),
	);
}

/** The part of a fee that is neither for energy nor for bandwidth. */
function otherFees(info: Json, receipt: Json): Row {
	const sun = wholeOf(info, "fee") - wholeOf(receipt, "energy_fee") - wholeOf(receipt, "net_fee");
	if (sun <= 0n) return undefined;
	return [
		"Other fees",
		[amount(sun), ": for the kind of transaction, a note, a new account or several signatures"],
	];
}

async function outcome(
	of: TransactionFacts,
	info: Json,
	nowMs: number,
	contracts: Contracts,
	reason: HTMLElement,
): Promise<HTMLElement> {
	const receipt = objectOf(info, "receipt");
	const timeMs = Number(wholeOf(info, "blockTimeStamp"));
	const failed = textOf(info, "result") === "FAILED";
	const result = textOf(receipt, "result") || of.result || "SUCCESS";
	const message = failureText(textOfHex(textOf(info, "resMessage")));
	const isBad = failed || (result !== "SUCCESS" && result !== "DEFAULT");
	const [data = ""] = textsOf(info, "contractResult");
	const refusal = isBad
		? refusalOf(await contracts.itemsOf(textOf(of.value, "contract_address")), data)
		: undefined;
	if (refusal) reason.append(make("span", {}, refusalChild(refusal)));
	else if (isBad) reason.append(message === "" ? "the receipt gives none" : plain(message));
	return facts(
		["Result", [badge(result, isBad ? "bad" : "good"), " ", RESULTS[result]]],
		isBad || message === "" ? undefined : ["Message", message],
		isBad ? ["Reason", reason] : undefined,
		["Block", blockLink(wholeOf(info, "blockNumber"))],
		["Time", [time(timeMs), `, ${age(timeMs, nowMs)}`]],
		["Fee", amount(wholeOf(info, "fee"))],
		used(
			"Energy",
			receipt,
			"energy_usage_total",
			`own stake ${grouped(wholeOf(receipt, "energy_usage"))}, contract's owner ${grouped(wholeOf(receipt, "origin_energy_usage"))}`,
		),
		burnt("Burnt for energy", receipt, "energy_fee"),
		used("Bandwidth", receipt, "net_usage"),
		burnt("Burnt for bandwidth", receipt, "net_fee"),
		otherFees(info, receipt),
	);
}

/** The number of the last irreversible block; undefined if the node doesn't report it. */
async function solidNumber(client: NodeClient): Promise<bigint | undefined> {
	const info = await client.call("getnodeinfo").catch((): Json => ({}));
	const [, number] = /^Num:(\d+)/.exec(textOf(info, "solidityBlock")) ?? [];
	return number === undefined ? undefined : BigInt(number);
}

const UNKNOWN =
	"this node has no such transaction: nobody has sent it here, or it expired before a block took it, which is a minute after it was made unless it says otherwise; or the id is of another network";

const defined = (parts: readonly (HTMLElement | undefined)[]): readonly HTMLElement[] =>
	parts.filter((part) => part !== undefined);

const NOT_AN_ID =
	"this is not the id of a transaction, which has 64 hexadecimal digits: some are missing, or other characters came along";

/** The decoded call; undefined if no interface matches. */
async function calledBy({ value }: TransactionFacts, contracts: Contracts): Promise<Reading | undefined> {
	const contract = textOf(value, "contract_address");
	const call = decodeCall(await contracts.itemsOf(contract), textOf(value, "data"));
	return call && contracts.units.counted(contract, call);
}

/** The ORC-10 tokens sent, with the token's decimals; undefined if none. */
async function unitsSent(of: TransactionFacts, units: TokenUnits): Promise<string | undefined> {
	const sent = tokenUnits(of);
	return sent && unitText(await units.unitOf(sent[0]), sent[1]);
}

/** A call on one line; undefined if no interface matches. */
async function callSentence(of: TransactionFacts, contracts: Contracts): Promise<Child> {
	if (of.type !== "TriggerSmartContract") return undefined;
	const contract = textOf(of.value, "contract_address");
	const { name } = await contracts.factsOf(contract);
	const call = await calledBy(of, contracts);
	if (!call) return undefined;
	const sun = amountOf(of) ?? 0n;
	const units = await unitsSent(of, contracts.units);
	return [
		addressLink(textOf(of.value, "owner_address"), false),
		" calls ",
		readingLine(call),
		" of ",
		name === "" ? "" : [make("strong", {}, name), " "],
		addressLink(contract, false),
		sun === 0n ? "" : [" with ", amount(sun)],
		units === undefined ? "" : [sun === 0n ? " with " : " and ", units],
	];
}

/** One sentence: status, what was done, by and to whom. @param called decoded call @param units of a token */
function summary(
	of: TransactionFacts,
	info: Json,
	isPending: boolean,
	solid: bigint | undefined,
	called: Child,
	units: string | undefined,
): HTMLElement {
	const sun = amountOf(of);
	const receiver = receiverOf(of);
	const number = wholeOf(info, "blockNumber");
	const isFailed = textOf(info, "result") === "FAILED" || (of.result !== "" && of.result !== "SUCCESS");
	const isFinal = solid !== undefined && number > 0n && number <= solid;
	const state: Child = isPending
		? badge("waits for a block")
		: isFailed
			? badge("failed", "bad")
			: badge(isFinal ? "succeeded, final" : "succeeded", "good");
	const depth =
		isPending || isFinal || solid === undefined || number === 0n
			? ""
			: ` not final yet: ${grouped(number - solid)} blocks more must follow`;
	return make(
		"p",
		{ class: "lead" },
		state,
		" ",
		called ?? [
			typeName(of.type),
			sun === undefined ? "" : [" of ", amount(sun)],
			units === undefined ? "" : [sun ? " and " : " of ", units],
			" from ",
			addressLink(textOf(of.value, "owner_address"), false),
			receiver === "" ? "" : [" to ", addressLink(receiver, false)],
		],
		depth,
	);
}

/** The most token movements shown. */
const MAX_MOVES = 20;

/** The tokens that the transaction moved. */
async function tokensMoved(
	contracts: Contracts,
	moves: readonly TokenMove[],
): Promise<HTMLElement | undefined> {
	if (moves.length === 0) return undefined;
	const rows = await Promise.all(
		moves.slice(0, MAX_MOVES).map(async ({ token, isContract, from, to, value }): Promise<Child[]> => {
			const unit = await contracts.units.unitOf(token);
			const path = isContract ? `account/${token}` : `token/${encodeURIComponent(token)}`;
			return [
				unitText(unit, value),
				link(path, unit?.name || (isContract ? shortened(token) : `token ${token}`)),
				party(from, contracts),
				party(to, contracts),
			];
		}),
	);
	return section(
		"Tokens moved",
		table("Tokens moved", ["Amount", "Token", "From", "To"], rows),
		moves.length > MAX_MOVES
			? note(`and ${grouped(moves.length - MAX_MOVES)} more, among the events`)
			: undefined,
	);
}

export const transactionView: ViewMaker = async (context, typed) => {
	const { client, contracts, nowMs } = context;
	const id = idIn(typed);
	if (id === undefined) throw new NodeError(NOT_AN_ID, 404);
	const [found, info, solid] = await Promise.all([
		client.call("gettransactionbyid", { value: id }),
		client.call("gettransactioninfobyid", { value: id }),
		solidNumber(client),
	]);
	// Without a receipt, it is pending, or the node keeps no receipts.
	const waiting =
		textOf(info, "id") === "" ? await client.call("gettransactionfrompending", { value: id }) : {};
	const isPending = textOf(waiting, "txID") !== "";
	const transaction = isPending ? waiting : found;
	const of = transactionFacts(transaction);
	if (of.id === "") throw new NodeError(UNKNOWN, 404);
	const note_ = textOf(of.raw, "data");
	const isContract = of.type === "TriggerSmartContract" || of.type === "CreateSmartContract";
	const created = addressText(textOf(info, "contract_address"));
	const common = facts(
		["Id", copyable(of.id)],
		["Type", typeName(of.type)],
		["From", addressLink(textOf(of.value, "owner_address"))],
		of.type === "CreateSmartContract" && created !== undefined
			? ["Created", addressLink(created)]
			: undefined,
		note_ === "" ? undefined : ["Note", textOfHex(note_)],
		burnt("Fee limit", of.raw, "fee_limit"),
		["Expires", time(Number(wholeOf(of.raw, "expiration")))],
	);
	const [called, units] = await Promise.all([callSentence(of, contracts), unitsSent(of, contracts.units)]);
	const hasReceipt = textOf(info, "id") !== "";
	const again = isPending
		? undefined
		: execution(context, of.id, isContract, contracts, wordsOf(transaction, info));
	const reason = again?.reason ?? make("span");
	if (isPending) context.onHead(() => context.again());
	return {
		title: `${typeName(of.type)} ${shortened(of.id, 4)}${isPending ? " (pending)" : ""}`,
		body: defined([
			summary(of, info, isPending, solid, called, units),
			...(hasReceipt
				? [await outcome(of, info, nowMs(), contracts, reason)]
				: [note(isPending ? "It waits for a block." : "This node keeps no receipts.")]),
			isPending ? undefined : await tokensMoved(contracts, tokenMoves(of, info)),
			common,
			await request(transaction, of, contracts, context.facts),
			...(hasReceipt && (isContract || objectsOf(info, "log").length > 0)
				? [await events(info, contracts), internal(info)]
				: []),
			await signatures(client, transaction, isPending),
			...(again ? [...(isContract ? [again.frames] : []), again.changes] : []),
		]),
	};
};
