/** A sequence told for people: what was sent, by whom, and what became of it. */

import type { Message } from "../../../src/protocol/codec/descriptor.js";
import { nameOf, type SendOutcome } from "./small-chain.js";

/** One line about a transaction. */
export function describe(type: string, owner: Uint8Array, contract: Message, outcome: SendOutcome): string {
	const fields = Object.entries(contract)
		.filter(([name]) => name !== "owner_address")
		.map(([name, value]) => `${name}: ${show(value)}`)
		.join(", ");
	const end = outcome.kind === "accepted" ? "accepted" : `refused: ${outcome.error.message}`;
	return `${type} of ${nameOf(owner)} {${fields}} ${end}`;
}

function show(value: unknown): string {
	if (value instanceof Uint8Array) {
		if (value.length === 21) return nameOf(value);
		const text = Buffer.from(value).toString("latin1");
		return /^[ -~]*$/.test(text) ? `"${text}"` : Buffer.from(value).toString("hex");
	}
	if (value instanceof Map) return `{${[...value].map(([key, each]) => `${key}: ${show(each)}`).join(", ")}}`;
	if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
	if (typeof value === "object" && value !== null) {
		return `{${Object.entries(value)
			.map(([name, each]) => `${name}: ${show(each)}`)
			.join(", ")}}`;
	}
	return String(value);
}
