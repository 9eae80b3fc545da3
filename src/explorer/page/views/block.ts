/** One block. */

import { type Json, objectOf, objectsOf, textOf, wholeOf } from "../../answer.js";
import { blockFacts, usageOf } from "../../block-facts.js";
import { age, grouped } from "../../format.js";
import { NodeError } from "../../node-client.js";
import {
	addressLink,
	amount,
	blockLink,
	copyable,
	data,
	facts,
	folded,
	section,
	table,
	time,
} from "../elements.js";
import type { ViewMaker } from "../view.js";
import { TRANSACTION_HEADS, transactionRow } from "./home.js";

/** The header with the chain's own names, for comparison with other tools. */
function kept(block: Json): HTMLElement {
	const header = objectOf(block, "block_header");
	const members = Object.entries(objectOf(header, "raw_data"));
	const rows = members.map(([name, member]) => [name, data(String(member))] as const);
	return folded(
		"As the chain keeps it",
		facts(...rows, ["witness_signature", data(textOf(header, "witness_signature"))]),
	);
}

export const blockView: ViewMaker = async (context, argument) => {
	const { client, contracts, nowMs } = context;
	const block = await client.call("getblock", { id_or_num: argument, detail: true });
	const { number, id, parent, timeMs, witness, version, transactions } = blockFacts(block);
	if (id === "") throw new NodeError("this node has no such block", 404);
	const [answer, after] = await Promise.all([
		client.call("gettransactioninfobyblocknum", { num: Number(number) }),
		client.call("getblock", { id_or_num: String(number + 1n), detail: false }).catch((): Json => ({})),
	]);
	const infos = objectsOf(answer, "list");
	const usage = usageOf(infos);
	const isHead = textOf(after, "blockID") === "";
	if (isHead) context.onHead(() => context.again());
	const byId = new Map(infos.map((info) => [textOf(info, "id"), info]));
	const rows = transactions.map((transaction) => {
		const info = byId.get(textOf(transaction, "txID"));
		return transactionRow(transaction, contracts, [info ? amount(wholeOf(info, "fee")) : ""]);
	});
	return {
		title: `Block ${grouped(number)}`,
		body: [
			facts(
				["Id", copyable(id)],
				["Time", [time(timeMs), timeMs > 0 ? `, ${age(timeMs, nowMs())}` : ""]],
				["Witness", number === 0n ? "genesis" : addressLink(witness)],
				["Before", number === 0n ? copyable(parent) : blockLink(number - 1n)],
				["After", isHead ? "none yet" : blockLink(number + 1n)],
				["Version", version],
				[
					"Transactions",
					`${grouped(transactions.length)}${usage.failed > 0 ? `, ${usage.failed} failed` : ""}`,
				],
				["Energy", grouped(usage.energy)],
				["Bandwidth", grouped(usage.bandwidth)],
				["Fees", amount(usage.feeSun)],
			),
			section("Header", kept(block)),
			section(
				"Transactions",
				table("Transactions", [...TRANSACTION_HEADS, "Fee"], rows, "This block has none."),
			),
		],
	};
};
