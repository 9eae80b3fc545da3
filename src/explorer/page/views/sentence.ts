/** A transaction in a sentence. */

import { decodeCall } from "../../abi.js";
import { type Json, textOf, wholeOf } from "../../answer.js";
import { amountOf, receiverOf, type TransactionFacts } from "../../block-facts.js";
import type { Contracts } from "../../contracts.js";
import { grouped, typeName } from "../../format.js";
import { readingLine } from "../abi-elements.js";
import { addressLink, amount, badge, type Child, make } from "../elements.js";

/** What a call asks of a contract, on one line; undefined where no interface fits it. */
export async function callSentence(of: TransactionFacts, contracts: Contracts): Promise<Child> {
	if (of.type !== "TriggerSmartContract") return undefined;
	const contract = textOf(of.value, "contract_address");
	const { items, name } = await contracts.factsOf(contract);
	const call = decodeCall(items, textOf(of.value, "data"));
	if (!call) return undefined;
	const sun = amountOf(of) ?? 0n;
	return [
		addressLink(textOf(of.value, "owner_address"), false),
		" calls ",
		readingLine(call),
		" of ",
		name === "" ? "" : [make("strong", {}, name), " "],
		addressLink(contract, false),
		sun === 0n ? "" : [" with ", amount(sun)],
	];
}

/** What it is in a sentence: who, what, whom, and whether it holds. @param called of a call by its interface */
export function summary(
	of: TransactionFacts,
	info: Json,
	isPending: boolean,
	solid: bigint | undefined,
	called: Child,
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
			" from ",
			addressLink(textOf(of.value, "owner_address"), false),
			receiver === "" ? "" : [" to ", addressLink(receiver, false)],
		],
		depth,
	);
}
