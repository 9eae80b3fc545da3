/** Network facts from the page's server: parameters, and transaction types by permission bit. */

import { bytesOf } from "./address-text.js";
import { isJson, type Json, objectsOf, textOf, whole, wholeOf } from "./answer.js";
import { coins, grouped } from "./format.js";

export interface ParameterName {
	/** Number in proposals; empty if it can't be proposed. */
	readonly id: string;
	readonly name: string;
	/** Name in the node's list of parameters. */
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

/** Types allowed by an operations mask (protocol/permissions §2.3). @param mask 32 bytes, hexadecimal */
export function allowedTypes({ types }: NetworkFacts, mask: string): readonly string[] {
	const bytes = bytesOf(mask);
	if (!bytes) return [];
	return types.filter(({ id }) => ((bytes[id >> 3] ?? 0) >> (id & 7)) & 1).map(({ name }) => name);
}

/** A change that a proposal made, or would make. */
interface ParameterChange {
	readonly proposal: string;
	readonly parameter: string;
	readonly value: bigint;
	readonly state: string;
	/** When it took effect, or would; ms since 1970. */
	readonly atMs: number;
}

/** Parameters whose values are sun, switches about fees excluded. */
const AMOUNTS = /FEE|COST|PAY_PER_BLOCK|STANDBY_ALLOWANCE/;

/** A parameter's value, also in coins if it is an amount. @param name as in proposals */
export function valueText(name: string, value: bigint): string {
	const isAmount = AMOUNTS.test(name) && !name.startsWith("ALLOW_");
	return isAmount ? `${grouped(value)} (${coins(value)})` : grouped(value);
}

/** The changes of one proposal. */
export function changesOf(proposal: Json): readonly ParameterChange[] {
	return objectsOf(proposal, "parameters").map((each) => ({
		proposal: textOf(proposal, "proposal_id"),
		parameter: textOf(each, "key") || "0",
		value: whole(each["value"]),
		state: textOf(proposal, "state") || "PENDING",
		atMs: Number(wholeOf(proposal, "expiration_time")),
	}));
}

/**
 * Changes that took effect, by the parameter's number, newest first.
 * @param proposals from `listproposals`
 */
export function parameterHistory(
	proposals: readonly Json[],
): ReadonlyMap<string, readonly ParameterChange[]> {
	const history = new Map<string, ParameterChange[]>();
	const approved = proposals.flatMap(changesOf).filter(({ state }) => state === "APPROVED");
	for (const change of approved.sort((a, b) => b.atMs - a.atMs)) {
		const list = history.get(change.parameter) ?? [];
		list.push(change);
		history.set(change.parameter, list);
	}
	return history;
}

/** Prices as `getenergyprices` lists them: `0:100,1575871200000:10`. */
export function pricesOf(text: string): readonly { readonly sinceMs: number; readonly sun: number }[] {
	return text.split(",").flatMap((part) => {
		const [, since, sun] = /^(\d{1,15}):(\d{1,15})$/.exec(part.trim()) ?? [];
		return since === undefined ? [] : [{ sinceMs: Number(since), sun: Number(sun) }];
	});
}
