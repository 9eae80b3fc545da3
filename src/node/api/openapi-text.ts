/**
 * The API's document as text. Making it takes many milliseconds, and clients choose how often they ask and by which name: it is made
 * once, with words in the places of addresses.
 */

import type { Dialect } from "../../protocol/dialect.js";
import type { ServerKind } from "./context.js";
import type { ServerAddresses } from "./openapi.js";

const KINDS: readonly ServerKind[] = ["full", "solidity", "pbft"];

/** Documents by spelling, and by which addresses are the same. */
const made = new Map<string, Promise<string>>();

const placeOf = (kind: ServerKind): string => `http://address-of-${kind}.invalid`;

async function makeText(dialect: Dialect, places: ServerAddresses): Promise<string> {
	const { openApiDocument } = await import("./openapi.js");
	return `${JSON.stringify(openApiDocument(dialect, places))}\n`;
}

/** The document with addresses in it. */
export async function openApiText(dialect: Dialect, addresses: ServerAddresses): Promise<string> {
	const firstWith = (kind: ServerKind): ServerKind =>
		KINDS.find((other) => addresses[other] === addresses[kind]) ?? kind;
	const places = {
		full: placeOf("full"),
		solidity: placeOf(firstWith("solidity")),
		pbft: placeOf(firstWith("pbft")),
	};
	const key = [dialect, ...Object.values(places)].join(" ");
	let text = made.get(key);
	if (!text) {
		text = makeText(dialect, places);
		made.set(key, text);
	}
	return KINDS.reduce((filled, kind) => filled.replaceAll(placeOf(kind), addresses[kind]), await text);
}
