/** Many payments from one file: a line of JSON each, or CSV with a heading (protocol/wallet-formats §7). */

import { Failure } from "../failure.js";
import { isRecord, type Json, readJson } from "../json.js";

export interface Payment {
	readonly to: string;
	/** With its unit. */
	readonly amount: string;
	readonly token?: string | undefined;
	readonly memo?: string | undefined;
}

const COLUMNS = ["to", "amount", "token", "memo"] as const;

/** Reads a list. @throws {Failure} `bad_value` with the position of the line, from 0 */
export function readPayments(text: string): Payment[] {
	const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
	const [heading, ...rows] = lines;
	if (heading === undefined) throw new Failure("stdin_empty", "the list of payments is empty");
	if (heading.trim().startsWith("{"))
		return lines.map((line, index) => payment(jsonLine(line, index), index));
	const names = csvCells(heading, -1).map((name) => name.trim().toLowerCase());
	const unknown = names.find((name) => !(COLUMNS as readonly string[]).includes(name));
	if (unknown !== undefined || !names.includes("to") || !names.includes("amount")) {
		throw new Failure(
			"bad_value",
			"the heading of the CSV names its columns: to,amount, and if wanted token,memo",
		);
	}
	return rows.map((line, index) => {
		const cells = csvCells(line, index);
		return payment(Object.fromEntries(names.map((name, column) => [name, cells[column] ?? ""])), index);
	});
}

function jsonLine(line: string, index: number): Readonly<Record<string, Json>> {
	let json: Json;
	try {
		json = readJson(line);
	} catch (error) {
		throw new Failure("bad_value", `the payment is not valid JSON: ${(error as Error).message}`, { index });
	}
	if (!isRecord(json)) throw new Failure("bad_value", "the payment is not a JSON object", { index });
	return json;
}

function payment(row: Readonly<Record<string, Json>>, index: number): Payment {
	const { to, amount, token, memo } = row;
	if (typeof to !== "string" || to.trim() === "")
		throw new Failure("bad_value", "the payment has no recipient", { index });
	if (typeof amount !== "string" || amount.trim() === "") {
		throw new Failure("amount_unit", 'the payment has no amount with its unit, such as "25coin"', { index });
	}
	return {
		to: to.trim(),
		amount: amount.trim(),
		token: token === undefined || token === "" ? undefined : String(token).trim(),
		memo: memo === undefined || memo === "" ? undefined : String(memo),
	};
}

/** Cells of a line; quotes may hold commas, and two quotes stand for one. */
function csvCells(line: string, index: number): string[] {
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
	if (quoted) throw new Failure("bad_value", "a quote is not closed", index < 0 ? {} : { index });
	return [...cells, cell];
}
