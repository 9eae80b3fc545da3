/**
 * Comparing answers of two nodes, which may be of different releases and dialects: what they say member by member, whatever the
 * order, and without what releases word differently.
 */

import { toNeutral } from "../../protocol/dialect.js";
import { isObject, MAX_ANSWER_DEPTH, type NodeAnswer, UnansweredError } from "./http-node.js";

/** Members of an answer by their path; what is absent counts as its default, which no release writes. */
interface Facts {
	readonly values: ReadonlyMap<string, string>;
	/** Optional members by the paths below them. */
	readonly optional: ReadonlyMap<string, string>;
}

/** What an answer may hold: more than any of the network's does. */
const MAX_FACTS = 300_000;
/** All paths together, and one name, in characters: keys of the network's maps are ids, names and addresses. */
const MAX_PATH_CHARACTERS = 32 << 20;
const MAX_NAME = 200;
/** Of a value as it is listed, in characters. */
const MAX_SHOWN = 300;

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
	const values = new Map<string, string>();
	const optional = new Map<string, string>();
	let characters = 0;
	const walk = (value: NodeAnswer, path: string, depth: number, within?: string): void => {
		characters += path.length;
		if (values.size > MAX_FACTS || characters > MAX_PATH_CHARACTERS || depth > MAX_ANSWER_DEPTH)
			throw tooMuch();
		if (Array.isArray(value)) {
			for (const [at, item] of value.entries()) walk(item as NodeAnswer, `${path}[${at}]`, depth + 1, within);
			return;
		}
		if (!isObject(value)) {
			const text = typeof value === "string" ? plain(value) : String(value);
			// A map's zero says what its absence does.
			if (isDefault(text)) return;
			values.set(path, text);
			if (within !== undefined) optional.set(path, within);
			return;
		}
		for (const [raw, item] of Object.entries(value)) {
			const name = toNeutral(bounded(raw));
			if (rules.ignored.has(name)) continue;
			const inner = path === "" ? name : `${path}.${name}`;
			const part = within ?? (rules.optional.has(name) ? name : undefined);
			if (rules.sets.has(name) && Array.isArray(item))
				walkSet(item as readonly NodeAnswer[], inner, depth, part);
			else walk(item, inner, depth + 1, part);
		}
	};
	const walkSet = (items: readonly NodeAnswer[], path: string, depth: number, within?: string): void => {
		for (const item of items) {
			if (!isObject(item)) continue;
			walk(item["value"] ?? null, `${path}[${keyText(item["key"])}]`, depth + 1, within);
		}
	};
	walk(answer, "", 0);
	return { values, optional };
}

const keyText = (key: NodeAnswer | undefined): string =>
	typeof key === "object" ? "?" : bounded(String(key));

const tooMuch = (): UnansweredError => new UnansweredError("an answer holds too much to be compared");

/** A name, or a key of a map. */
function bounded(name: string): string {
	if (name.length > MAX_NAME) throw tooMuch();
	return name;
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
export function compareFacts(ours: Facts, theirs: Facts, most: number): readonly FactDifference[] {
	const [ownParts, theirParts] = [ours, theirs].map(({ optional }) => new Set(optional.values()));
	const differences: FactDifference[] = [];
	for (const path of new Set([...ours.values.keys(), ...theirs.values.keys()])) {
		const [one, other] = [ours.values.get(path), theirs.values.get(path)];
		if (one === other) continue;
		const part = ours.optional.get(path) ?? theirs.optional.get(path);
		if (part !== undefined && !(ownParts?.has(part) && theirParts?.has(part))) continue;
		differences.push({ what: path, ours: shownValue(one), theirs: shownValue(other) });
		if (differences.length >= most) break;
	}
	return differences;
}

const shownValue = (text = "none"): string =>
	text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)`;
