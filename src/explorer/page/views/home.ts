/** The last blocks as they arrive, and what waits for a block. */

import type { Json } from "../../answer.js";
import { objectsOf, textsOf } from "../../answer.js";
import {
	amountOf,
	blockFacts,
	receiverOf,
	type TransactionFacts,
	transactionFacts,
} from "../../block-facts.js";
import { grouped, typeName } from "../../format.js";
import { oneAtATime } from "../../one-at-a-time.js";
import { tokenUnits } from "../../token-moves.js";
import {
	addressLink,
	amount,
	badge,
	blockLink,
	type Child,
	link,
	make,
	note,
	section,
	table,
	time,
	transactionLink,
} from "../elements.js";
import type { ViewContext, ViewMaker } from "../view.js";

const BLOCKS = 15;
const TRANSACTIONS = 25;
const PENDING = 100;

/** One line of a list of transactions; the amount, by which people look for payments, where a phone shows it. */
export function transactionRow(transaction: Json, more: readonly Child[] = []): readonly Child[] {
	const facts = transactionFacts(transaction);
	const sun = amountOf(facts);
	const receiver = receiverOf(facts);
	const units = tokenUnits(facts);
	return [
		transactionLink(facts.id),
		units ? tokenCell(units[0], units[1]) : sun === undefined ? "" : amount(sun),
		typeName(facts.type),
		senderOf(facts),
		receiver === "" ? "" : addressLink(receiver, false),
		facts.result === "" || facts.result === "SUCCESS" ? "" : badge(facts.result, "bad"),
		...more,
	];
}

/** Units of a token, whose decimals its own page tells. */
function tokenCell(token: string, units: bigint): Child {
	return [`${grouped(units)} units of `, link(`token/${encodeURIComponent(token)}`, token)];
}

/** The text `0x000…` in the place of an address: transfers of the genesis block have it. */
const GENESIS_OWNER = /^(3078(30)+|0x0+)$/;

function senderOf({ value }: TransactionFacts): Child {
	const owner = String(value["owner_address"] ?? "");
	return GENESIS_OWNER.test(owner) ? "genesis" : addressLink(owner, false);
}

export const TRANSACTION_HEADS = ["Transaction", "Amount", "Type", "From", "To", "Result"] as const;

function recent(blocks: readonly Json[]): HTMLElement[] {
	const facts = blocks.map(blockFacts).sort((a, b) => Number(b.number - a.number));
	const rows = facts.map(({ number, timeMs, transactions, witness }) => [
		blockLink(number),
		time(timeMs),
		grouped(transactions.length),
		addressLink(witness, false),
	]);
	const transactions = facts
		.flatMap(({ transactions }) => [...transactions].reverse())
		.slice(0, TRANSACTIONS);
	return [
		section("Last blocks", table("Last blocks", ["Block", "Time", "Transactions", "Witness"], rows)),
		section(
			"Last transactions",
			table(
				"Last transactions",
				TRANSACTION_HEADS,
				transactions.map((each) => transactionRow(each)),
				"None in these blocks.",
			),
		),
	];
}

async function lastBlocks({ client }: ViewContext): Promise<HTMLElement[]> {
	const answer = await client.call("getblockbylatestnum", { num: BLOCKS });
	return recent(objectsOf(answer, "block"));
}

export const homeView: ViewMaker = async (context) => {
	const body = make("div", {}, await lastBlocks(context));
	renewed(context, () => lastBlocks(context), body);
	return { title: "Blocks", body };
};

async function pending(context: ViewContext): Promise<HTMLElement[]> {
	const ids = textsOf(await context.client.call("gettransactionlistfrompending"), "txId");
	const rows = ids.slice(0, PENDING).map((id) => [transactionLink(id, true)]);
	const rest = ids.length - rows.length;
	return [
		table("Pending transactions", ["Transaction"], rows, "Nothing waits for a block."),
		...(rest > 0 ? [note(`and ${grouped(rest)} more`)] : []),
	];
}

/** Shows parts as they are with each head, but not under somebody who is in the middle of them. */
function renewed(context: ViewContext, parts: () => Promise<HTMLElement[]>, body: HTMLElement): void {
	const renew = oneAtATime(async () => {
		const now = await parts().catch(() => undefined);
		if (now && !context.signal.aborted && !body.contains(document.activeElement))
			body.replaceChildren(...now);
	});
	context.onHead(renew);
}

export const pendingView: ViewMaker = async (context) => {
	const body = make("div", {}, await pending(context));
	renewed(context, () => pending(context), body);
	return { title: "Pending transactions", body };
};
