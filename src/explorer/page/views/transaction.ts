/** One transaction: what it asked for, what came of it, what it cost, who signed it. */

import { type Decoded, decodeCall, decodeEvent, type Entry, entriesOf, signatureOf } from "../../abi.js";
import { addressText } from "../../address-text.js";
import { isJson, type Json, objectOf, objectsOf, textOf, textsOf, whole, wholeOf } from "../../answer.js";
import { amountOf, type TransactionFacts, transactionFacts } from "../../block-facts.js";
import { age, grouped, textOfHex, typeName } from "../../format.js";
import { type NodeClient, NodeError } from "../../node-client.js";
import {
	addressLink,
	amount,
	badge,
	blockLink,
	button,
	type Child,
	facts,
	make,
	note,
	section,
	table,
	time,
} from "../elements.js";
import type { ViewMaker } from "../view.js";

/** The interfaces of contracts, each asked for once. */
export class Interfaces {
	private readonly known = new Map<string, Promise<readonly Entry[]>>();

	constructor(private readonly client: NodeClient) {}

	of(contract: string): Promise<readonly Entry[]> {
		const value = addressText(contract) ?? contract;
		let found = this.known.get(value);
		if (!found) {
			found = this.client.call("getcontract", { value }).then(entriesOf, () => []);
			this.known.set(value, found);
		}
		return found;
	}
}

/** Contracts of one page whose interface is asked for. */
const MAX_INTERFACES = 20;
const MAX_LOGS = 200;
const MAX_FRAMES = 300;

export function valuesTable(caption: string, values: readonly Decoded[]): HTMLElement {
	const rows = values.map(({ name, type, text }, index) => [
		name === "" ? `#${index}` : name,
		make("span", { class: "mono" }, type),
		type === "address" ? addressLink(text) : make("span", { class: "mono" }, text),
	]);
	return table(caption, ["Name", "Type", "Value"], rows, "Without values.");
}

function memberValue(name: string, value: unknown): Child {
	if (typeof value === "string" && addressText(value) !== undefined) return addressLink(value);
	if (typeof value === "object") return make("pre", {}, JSON.stringify(value, null, 2));
	return make(
		"span",
		{ class: "mono" },
		name === "data" || value === undefined ? String(value) : String(value),
	);
}

async function request(of: TransactionFacts, interfaces: Interfaces): Promise<HTMLElement> {
	const { type, value } = of;
	const shown: Child[] = [];
	const sun = amountOf(of);
	const members = Object.entries(value).filter(([name]) => name !== "owner_address");
	if (type === "TriggerSmartContract") {
		const data = textOf(value, "data");
		const call = decodeCall(await interfaces.of(textOf(value, "contract_address")), data);
		if (call) shown.push(make("h3", {}, signatureOf(call.entry)), valuesTable("Arguments", call.values));
		else if (data !== "")
			shown.push(
				note("The contract has no stored interface that fits this call: the data is shown as it is."),
			);
	}
	const rows = members.map(([name, member]) => [name, memberValue(name, member)] as const);
	if (sun !== undefined) rows.unshift(["amount in coins", amount(sun)]);
	return section("What was asked for", ...shown, facts(...rows));
}

async function events(info: Json, interfaces: Interfaces): Promise<HTMLElement> {
	const logs = objectsOf(info, "log");
	const contracts = new Set(logs.map((log) => textOf(log, "address")).slice(0, MAX_LOGS));
	const asked = new Set([...contracts].slice(0, MAX_INTERFACES));
	const parts: Child[] = [];
	for (const [index, log] of logs.slice(0, MAX_LOGS).entries()) {
		const contract = textOf(log, "address");
		const topics = textsOf(log, "topics");
		const data = textOf(log, "data");
		const entries = asked.has(contract) ? await interfaces.of(contract) : [];
		const event = decodeEvent(entries, topics, data);
		parts.push(make("h3", {}, `${index}: ${event ? signatureOf(event.entry) : "unknown event"}`));
		parts.push(make("p", {}, "of ", addressLink(contract)));
		if (event) parts.push(valuesTable(`Values of event ${index}`, event.values));
		else
			parts.push(
				make("pre", {}, [...topics.map((topic, at) => `topic ${at}: ${topic}`), `data: ${data}`].join("\n")),
			);
	}
	if (logs.length === 0) parts.push(note("No contract logged anything."));
	if (logs.length > MAX_LOGS) parts.push(note(`and ${grouped(logs.length - MAX_LOGS)} more`));
	return section("Events", ...parts);
}

function moved(call: Json): Child {
	const token = textOf(call, "tokenId");
	const value = wholeOf(call, "callValue");
	if (value === 0n) return undefined;
	return token === "" ? amount(value) : `${grouped(value)} of token ${token}`;
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

function outcome(facts_: TransactionFacts, info: Json, nowMs: number): HTMLElement {
	const receipt = objectOf(info, "receipt");
	const number = wholeOf(info, "blockNumber");
	const timeMs = Number(wholeOf(info, "blockTimeStamp"));
	const failed = textOf(info, "result") === "FAILED";
	const result = textOf(receipt, "result") || facts_.result || "SUCCESS";
	const message = textOfHex(textOf(info, "resMessage"));
	return facts(
		["Result", badge(result, failed || result !== "SUCCESS" ? "bad" : "good")],
		message === "" ? undefined : ["Message", message],
		revertReason(info),
		["Block", blockLink(number)],
		["Time", [time(timeMs), `, ${age(timeMs, nowMs)}`]],
		["Fee", amount(wholeOf(info, "fee"))],
		[
			"Energy",
			`${grouped(wholeOf(receipt, "energy_usage_total"))} (own stake ${grouped(wholeOf(receipt, "energy_usage"))}, contract's owner ${grouped(wholeOf(receipt, "origin_energy_usage"))})`,
		],
		["Burnt for energy", amount(wholeOf(receipt, "energy_fee"))],
		["Bandwidth", grouped(wholeOf(receipt, "net_usage"))],
		["Burnt for bandwidth", amount(wholeOf(receipt, "net_fee"))],
	);
}

/** `Error(string)`, of the contract ABI specification. */
const ERROR_SELECTOR = "08c379a0";

function revertReason(info: Json): readonly [string, Child] | undefined {
	const [data = ""] = textsOf(info, "contractResult");
	if (!data.startsWith(ERROR_SELECTOR)) return undefined;
	const entry: Entry = {
		kind: "function",
		name: "Error",
		inputs: [{ name: "", type: "string", indexed: false }],
		outputs: [],
		reads: true,
	};
	const text = decodeCall([entry], data)?.values[0]?.text;
	return text === undefined ? undefined : ["Reason", text];
}

async function signers(client: NodeClient, transaction: Json): Promise<HTMLElement> {
	const answer = await client.call("getsignweight", transaction).catch(() => undefined);
	if (!answer) return section("Signatures", note("This node doesn't say who signed."));
	const permission = objectOf(answer, "permission");
	const weights = new Map(
		objectsOf(permission, "keys").map((key) => [addressText(textOf(key, "address")), wholeOf(key, "weight")]),
	);
	const rows = textsOf(answer, "approved_list").map((address) => [
		addressLink(address),
		grouped(weights.get(addressText(address)) ?? 0n),
	]);
	const name = textOf(permission, "permission_name") || "owner";
	return section(
		"Signatures",
		table("Signatures", ["Key", "Weight"], rows, "No key of the account's present permission signed it."),
		note(
			`Permission ${name} as it is now: ${grouped(wholeOf(answer, "current_weight"))} of ${grouped(wholeOf(permission, "threshold"))} needed.`,
		),
	);
}

function frame(call: Json, budget: { left: number }): HTMLElement | undefined {
	if (budget.left-- <= 0) return undefined;
	const gas = whole(hexNumber(textOf(call, "gasUsed")));
	const children = objectsOf(call, "calls");
	const own = children.reduce((rest, child) => rest - whole(hexNumber(textOf(child, "gasUsed"))), gas);
	const error = textOf(call, "error");
	return make(
		"div",
		{ class: "frame" },
		make("span", {}, `${textOf(call, "type")} `),
		addressLink(textOf(call, "to")),
		make(
			"span",
			{},
			` ${grouped(gas)} energy${children.length > 0 ? `, ${grouped(own)} of it its own` : ""} `,
		),
		error === "" ? undefined : badge(error, "bad"),
		children.map((child) => frame(child, budget)),
	);
}

function hexNumber(text: string): string {
	return /^0x[\da-f]{1,16}$/i.test(text) ? BigInt(text).toString() : "0";
}

/** Frames of a contract's execution, executed again when somebody asks. */
function frames(client: NodeClient, id: string): HTMLElement {
	const place = make("div", { "aria-live": "polite" });
	const ask = async (): Promise<void> => {
		try {
			const trace = await client.rpc("debug_traceTransaction", [`0x${id}`, { tracer: "callTracer" }]);
			place.replaceChildren(isJson(trace) ? (frame(trace, { left: MAX_FRAMES }) ?? "") : note("No trace."));
		} catch (error) {
			if (!(error instanceof NodeError)) throw error;
			const isElsewhere = error.status === 404 || error.status === 405;
			place.replaceChildren(
				note(
					isElsewhere ? "JSON-RPC isn't on this port: a development chain's gateway has it." : error.message,
				),
			);
		}
	};
	return section(
		"Energy by frame",
		button("Execute again and show", () => void ask()),
		place,
	);
}

export const transactionView: ViewMaker = async (context, id) => {
	const { client, nowMs } = context;
	const [found, info] = await Promise.all([
		client.call("gettransactionbyid", { value: id }),
		client.call("gettransactioninfobyid", { value: id }),
	]);
	const isPending = textOf(found, "txID") === "";
	const transaction = isPending ? await client.call("gettransactionfrompending", { value: id }) : found;
	const of = transactionFacts(transaction);
	if (of.id === "") throw new NodeError("this node has no such transaction", 404);
	const interfaces = new Interfaces(client);
	const note_ = textOf(of.raw, "data");
	const isContract = of.type === "TriggerSmartContract" || of.type === "CreateSmartContract";
	const created = addressText(textOf(info, "contract_address"));
	const common = facts(
		["Id", make("span", { class: "mono" }, of.id)],
		["Type", typeName(of.type)],
		["From", addressLink(textOf(of.value, "owner_address"))],
		of.type === "CreateSmartContract" && created !== undefined
			? ["Created", addressLink(created)]
			: undefined,
		note_ === "" ? undefined : ["Note", textOfHex(note_)],
		["Fee limit", amount(wholeOf(of.raw, "fee_limit"))],
		["Expires", time(Number(wholeOf(of.raw, "expiration")))],
	);
	const hasReceipt = textOf(info, "id") !== "";
	if (isPending) context.onHead(() => context.again());
	return {
		title: `${typeName(of.type)} ${isPending ? "(pending)" : ""}`.trim(),
		body: [
			...(hasReceipt
				? [outcome(of, info, nowMs())]
				: [note(isPending ? "It waits for a block." : "This node keeps no receipts.")]),
			common,
			await request(of, interfaces),
			...(hasReceipt ? [await events(info, interfaces), internal(info)] : []),
			await signers(client, transaction),
			...(isContract && !isPending ? [frames(client, of.id)] : []),
		],
	};
};
