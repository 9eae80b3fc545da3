/** Reads lists of payments: one line of JSON each, or CSV with a header row (protocol/wallet-formats §7). */

import { Failure } from "../failure.js";
import { givenJson, isRecord, type Json } from "../json.js";
import { paymentInParts } from "../token/named-amount.js";
import { unknownMember } from "../values/suggestion.js";

export interface Payment {
	readonly to: string;
	/** With its unit. */
	readonly amount: string;
	readonly token?: string | undefined;
	readonly memo?: string | undefined;
}

/** A payment of a list, or why its line can't be read. */
export interface PaymentLine {
	/** Line of the file, from 1. */
	readonly line: number;
	readonly payment: Payment | Failure;
}

/** More than a busy chain could include from one account in a day. */
export const MAX_PAYMENTS = 100_000;

const COLUMNS = ["to", "amount", "token", "memo"] as const;

/**
 * Reads a list; lines that are not payments are included in the result, so that all errors can be reported at once.
 * @throws {Failure} `stdin_empty`, `bad_value` for a list without payments, or with more than {@link MAX_PAYMENTS}
 */
export function readPayments(text: string): PaymentLine[] {
	const lines = text
		.replace(/^\uFEFF/, "")
		.split(/\r?\n/)
		.map((content, index) => ({ content, line: index + 1 }))
		.filter(({ content }) => content.trim() !== "" && !content.startsWith("#"));
	const [heading, ...rows] = lines;
	if (heading === undefined) throw new Failure("stdin_empty", "the list of payments is empty");
	if (lines.length > MAX_PAYMENTS)
		throw new Failure("bad_value", `the list has ${lines.length} payments, at most ${MAX_PAYMENTS} are paid`);
	if (heading.content.trim().startsWith("{"))
		return lines.map(({ content, line }) => ({ line, payment: orFailure(() => payment(jsonLine(content))) }));
	const names = csvCells(heading.content).map((name) => name.trim().toLowerCase());
	const unknown = names.find((name) => !(COLUMNS as readonly string[]).includes(name));
	const repeated = names.find((name, column) => names.indexOf(name) < column);
	if (unknown !== undefined || repeated !== undefined || !names.includes("to") || !names.includes("amount")) {
		const needed = "the heading of the CSV names its columns: to,amount, and if wanted token,memo";
		const why = /[;\t]/.test(heading.content)
			? "commas separate the cells, in all lines, not semicolons or tabs"
			: !names.some((name) => (COLUMNS as readonly string[]).includes(name))
				? `line ${heading.line} has none of these names: a list without a heading needs one above it`
				: unknown !== undefined
					? `"${unknown}" is none of them`
					: repeated !== undefined
						? `"${repeated}" is there twice`
						: `"${names.includes("to") ? "amount" : "to"}" is missing`;
		throw new Failure("bad_value", `${needed}; ${why}`);
	}
	if (rows.length === 0)
		throw new Failure("stdin_empty", "the list of payments has a heading and no payment");
	return rows.map(({ content, line }) => ({
		line,
		payment: orFailure(() => csvPayment(names, csvCells(content))),
	}));
}

function orFailure(read: () => Payment): Payment | Failure {
	try {
		return read();
	} catch (error) {
		if (error instanceof Failure) return error;
		throw error;
	}
}

function csvPayment(names: readonly string[], cells: readonly string[]): Payment {
	if (cells.length > names.length) {
		throw new Failure("bad_value", `the line has ${cells.length} cells, the heading names ${names.length}`, {
			hint: 'a cell with a comma in it stands in quotes: "a, b"',
		});
	}
	return payment(Object.fromEntries(names.map((name, column) => [name, cells[column] ?? ""])));
}

function jsonLine(line: string): Readonly<Record<string, Json>> {
	const json = givenJson(line, "the payment is not valid JSON");
	if (!isRecord(json)) throw new Failure("bad_value", "the payment is not a JSON object");
	const unknown = Object.keys(json).find((name) => !(COLUMNS as readonly string[]).includes(name));
	if (unknown !== undefined) throw unknownMember("the payment", unknown, COLUMNS);
	return json;
}

function payment(row: Readonly<Record<string, Json>>): Payment {
	const { to, amount, token, memo } = row;
	if (typeof to !== "string" || to.trim() === "")
		throw new Failure("bad_value", "the payment has no recipient");
	if (typeof amount !== "string" || amount.trim() === "") {
		const what =
			amount === undefined || amount === "" ? "no amount" : `the amount ${JSON.stringify(String(amount))}`;
		throw new Failure("amount_unit", `the payment has ${what}: it is a text with a unit, such as "25coin"`);
	}
	return paymentInParts({
		to: to.trim(),
		amount: amount.trim(),
		token: token === undefined || token === "" ? undefined : String(token).trim(),
		memo: memo === undefined || memo === "" ? undefined : String(memo),
	});
}

/** Cells of a CSV line; quoted cells may contain commas, and two quotes stand for one. */
function csvCells(line: string): string[] {
	const cells: string[] = [];
	let cell = "";
	let quoted = false;
	for (let i = 0; i < line.length; i++) {
		const char = line.charAt(i);
		if (quoted && char === '"' && line.charAt(i + 1) === '"') {
			cell += '"';
			i++;
		} else if (char === '"') quoted = !quoted;
		else if (char === "," && !quoted) {
			cells.push(cell);
			cell = "";
		} else cell += char;
	}
	if (quoted) throw new Failure("bad_value", "a quote is not closed");
	return [...cells, cell];
}
