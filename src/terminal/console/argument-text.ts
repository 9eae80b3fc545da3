/** Values of JavaScript as the words of the command line, so that both have one reader of arguments. */

import { Failure } from "../../wallet/failure.js";

/** Deeper values are refused: nothing that a contract takes is. */
const MAX_DEPTH = 32;

/** What has an address stands for it: accounts and contracts of the console. */
interface Addressed {
	readonly address: string;
}

export function isAddressed(value: unknown): value is Addressed {
	return typeof value === "object" && value !== null && typeof (value as Addressed).address === "string";
}

/**
 * A whole argument.
 * @throws {Failure} `bad_value` for what no contract takes
 */
export function argumentText(value: unknown): string {
	return typeof value === "string" ? value : nestedText(value, 0);
}

function nestedText(value: unknown, depth: number): string {
	if (depth > MAX_DEPTH) throw new Failure("bad_value", `an argument is nested deeper than ${MAX_DEPTH}`);
	if (typeof value === "string") return JSON.stringify(value);
	if (typeof value === "bigint" || typeof value === "boolean") return String(value);
	if (typeof value === "number") return numberText(value);
	if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString("hex")}`;
	if (Array.isArray(value)) return `[${value.map((item) => nestedText(item, depth + 1)).join(",")}]`;
	if (isAddressed(value)) return value.address;
	if (typeof value === "object" && value !== null) {
		const members = Object.entries(value).map(([name, item]) => `${name}:${nestedText(item, depth + 1)}`);
		return `{${members.join(",")}}`;
	}
	throw new Failure(
		"bad_value",
		`${value === null ? "null" : typeof value} can't be an argument of a contract`,
	);
}

/** A number that JavaScript has rounded already would be sent as another one than was typed. */
function numberText(value: number): string {
	if (Number.isSafeInteger(value)) return String(value);
	throw new Failure(
		"bad_value",
		`${value} is not exact: write a whole number with an n behind it, such as 5n`,
	);
}
