/**
 * Compares answers of two nodes, which may be of different releases and dialects: member by member, in any
 * order, ignoring what releases word differently.
 */

import { toNeutral } from "../../protocol/dialect.js";
import { isObject, MAX_ANSWER_DEPTH, type NodeAnswer, UnansweredError } from "./http-node.js";

/** Members of an answer by path; absent members equal their default, which no release writes. */
interface Facts {
	readonly values: ReadonlyMap<string, string>;
	/** Optional members by the paths below them. */
	readonly optional: ReadonlyMap<string, string>;
}

/** Bound on members of an answer: more than any of the network's. */
const MAX_FACTS = 300_000;
/** Characters of all paths, and of one name: keys of the network's maps are ids, names and addresses. */
const MAX_PATH_CHARACTERS = 32 << 20;
const MAX_NAME = 200;
/** Characters of a listed value. */
const MAX_SHOWN = 300;

/** Members that aren't compared, or only if both nodes have them. */
export interface FactRules {
	readonly ignored: ReadonlySet<string>;
	/** Stored depending on a node's configuration. */
	readonly optional: ReadonlySet<string>;
	/** Lists compared as sets. */
	readonly sets: ReadonlySet<string>;
}

/** Receipts: error texts differ by release; internal transactions and cancelled stakes are optional. */
export const RECEIPT_RULES: FactRules = {
	ignored: new Set(["resMessage"]),
	optional: new Set(["internal_transactions", "cancel_unfreezeV2_amount", "unfreezeV2_amount"]),
	sets: new Set(["cancel_unfreezeV2_amount"]),
};

/** State: the place of an account's tokens, and fields no rule reads, depend on a record's age. */
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

/** @throws {UnansweredError} if the answer is too large */
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
			// Zero in a map equals absence.
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

/** A member name or map key. */
function bounded(name: string): string {
	if (name.length > MAX_NAME) throw tooMuch();
	return name;
}

const isDefault = (text: string): boolean =>
	text === "" || text === "0" || text === "false" || text === "null";

/** Hex digits in one case; enum names in one dialect. */
const plain = (text: string): string => (/^[0-9a-fA-F]+$/.test(text) ? text.toLowerCase() : toNeutral(text));

/** A member on which two nodes differ; `none` if a node lacks it. */
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
