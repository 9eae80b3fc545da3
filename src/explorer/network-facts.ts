/** What the program that serves the page knows of networks: parameters, and types of transactions by the bits of permissions. */

import { bytesOf } from "./address-text.js";
import { isJson, objectsOf, textOf } from "./answer.js";

export interface ParameterName {
	/** Number in proposals; empty: it can't be proposed. */
	readonly id: string;
	readonly name: string;
	/** In the node's list of parameters. */
	readonly getter: string;
	readonly about: string;
}

export interface NetworkFacts {
	readonly parameters: readonly ParameterName[];
	readonly types: readonly { readonly id: number; readonly name: string }[];
}

/** @param answer `facts.json` of the page's server */
export function networkFacts(answer: unknown): NetworkFacts {
	const given = isJson(answer) ? answer : {};
	return {
		parameters: objectsOf(given, "parameters").map((each) => ({
			id: textOf(each, "id"),
			name: textOf(each, "name"),
			getter: textOf(each, "getter"),
			about: textOf(each, "about"),
		})),
		types: objectsOf(given, "types").map((each) => ({
			id: Number(textOf(each, "id")),
			name: textOf(each, "name"),
		})),
	};
}

/** The types that an operations mask allows (protocol/permissions §2.3). @param mask 32 bytes, hexadecimal */
export function allowedTypes({ types }: NetworkFacts, mask: string): readonly string[] {
	const bytes = bytesOf(mask);
	if (!bytes) return [];
	return types.filter(({ id }) => ((bytes[id >> 3] ?? 0) >> (id & 7)) & 1).map(({ name }) => name);
}
