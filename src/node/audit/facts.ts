/**
 * Comparing answers of two nodes, which may be of different releases and dialects: what they say member by member, whatever the
 * order, and without what releases word differently.
 */

import { toNeutral } from "../../protocol/dialect.js";
import { isObject, MAX_ANSWER_DEPTH, type NodeAnswer, UnansweredError } from "./http-node.js";

/** Members of an answer by their path; what is absent counts as its default, which no release writes. */
export type Facts = ReadonlyMap<string, string>;

/** What an answer may hold: more than any of the network's does. */
const MAX_FACTS = 300_000;

/** What of an answer isn't compared, and what only where both nodes have it. */
export interface FactRules {
	readonly ignored: ReadonlySet<string>;
	/** A node's configuration decides whether it keeps them. */
	readonly optional: ReadonlySet<string>;
	/** Lists that are sets. */
	readonly sets: ReadonlySet<string>;
}

/** Receipts: texts of errors differ by release; internal transactions and what stakes cancelled are kept where that is switched on. */
export const RECEIPT_RULES: FactRules = {
	ignored: new Set(["resMessage"]),
	optional: new Set(["internal_transactions", "cancel_unfreezeV2_amount", "unfreezeV2_amount"]),
	sets: new Set(["cancel_unfreezeV2_amount"]),
};

/** State: where an account's tokens lie, and what no rule reads of it, depends on when a node wrote its record. */
export const STATE_RULES: FactRules = {
	ignored: new Set(["asset_optimized", "asset"]),
	optional: new Set(),
	sets: new Set([
		"assetV2",
		"free_asset_net_usageV2",
		"latest_asset_operation_timeV2",
		"assetNetUsed",
		"assetNetLimit",
	]),
};

/** @throws {UnansweredError} if there is too much of it */
export function factsOf(answer: NodeAnswer, rules: FactRules): Facts {
	const facts = new Map<string, string>();
	const walk = (value: NodeAnswer, path: string, depth: number): void => {
		if (facts.size > MAX_FACTS || depth > MAX_ANSWER_DEPTH)
			throw new UnansweredError("an answer holds too much to be compared");
		if (Array.isArray(value)) {
			for (const [at, item] of value.entries()) walk(item as NodeAnswer, `${path}[${at}]`, depth + 1);
			return;
		}
		if (!isObject(value)) {
			const text = typeof value === "string" ? plain(value) : String(value);
			// A map's zero says what its absence does.
			if (!isDefault(text)) facts.set(path, text);
			return;
		}
		for (const [raw, item] of Object.entries(value)) {
			const name = toNeutral(raw);
			if (rules.ignored.has(name)) continue;
			const inner = path === "" ? name : `${path}.${name}`;
			if (rules.sets.has(name) && Array.isArray(item)) walkSet(item as readonly NodeAnswer[], inner, depth);
			else walk(item, inner, depth + 1);
		}
	};
	const walkSet = (items: readonly NodeAnswer[], path: string, depth: number): void => {
		for (const item of items) {
			if (!isObject(item)) continue;
			walk(item["value"] ?? null, `${path}[${String(item["key"])}]`, depth + 1);
		}
	};
	walk(answer, "", 0);
	return facts;
}

const isDefault = (text: string): boolean =>
	text === "" || text === "0" || text === "false" || text === "null";

/** Digits in one case; names of enumerations in one dialect. */
const plain = (text: string): string => (/^[0-9a-fA-F]+$/.test(text) ? text.toLowerCase() : toNeutral(text));

/** A member of which two nodes say different things; `none`: a node doesn't have it. */
interface FactDifference {
	readonly what: string;
	readonly ours: string;
	readonly theirs: string;
}

/** The first differences. */
export function compareFacts(
	ours: Facts,
	theirs: Facts,
	rules: FactRules,
	most: number,
): readonly FactDifference[] {
	const isOptional = (path: string): string | undefined =>
		[...rules.optional].find((name) => path.split(/[.[]/).includes(name));
	const has = (facts: Facts, name: string): boolean =>
		[...facts.keys()].some((path) => path.split(/[.[]/).includes(name));
	const both = new Map([...rules.optional].map((name) => [name, has(ours, name) && has(theirs, name)]));
	const differences: FactDifference[] = [];
	for (const path of new Set([...ours.keys(), ...theirs.keys()])) {
		const [one, other] = [ours.get(path), theirs.get(path)];
		if (one === other) continue;
		const optional = isOptional(path);
		if (optional !== undefined && !both.get(optional)) continue;
		differences.push({ what: path, ours: one ?? "none", theirs: other ?? "none" });
		if (differences.length >= most) break;
	}
	return differences;
}
