/** Reads transaction traces (protocol/json-rpc §§14.4 and 14.6): call tree and state changes. */

import { isJson, type Json, objectOf, objectsOf, textOf, textsOf, whole } from "./answer.js";

/** One call. Addresses and data in hexadecimal, data without `0x`. */
export interface Frame {
	readonly type: string;
	readonly from: string;
	readonly to: string;
	/** Energy of the call including nested ones, and its own part. */
	readonly energy: bigint;
	readonly own: bigint;
	readonly penalty: bigint;
	readonly sun: bigint;
	readonly tokenId: string;
	readonly tokenValue: bigint;
	readonly input: string;
	readonly output: string;
	readonly error: string;
	readonly calls: readonly Frame[];
	readonly logs: readonly FrameLog[];
	readonly operations: readonly Json[];
}

interface FrameLog {
	readonly address: string;
	readonly topics: readonly string[];
	readonly data: string;
}

/** The most calls shown of one transaction. */
const MAX_FRAMES = 500;

/** The tree of a `callTracer` result; undefined for anything else. */
export function framesOf(trace: unknown): { readonly root: Frame; readonly isWhole: boolean } | undefined {
	if (!isJson(trace)) return undefined;
	const budget = { left: MAX_FRAMES - 1 };
	const root = frameOf(trace, budget);
	return { root, isWhole: budget.left >= 0 };
}

function frameOf(call: Json, budget: { left: number }): Frame {
	const all = objectsOf(call, "calls");
	const inside = all.slice(0, Math.max(0, budget.left));
	budget.left -= all.length;
	const calls = inside.map((each) => frameOf(each, budget));
	const energy = number(call["gasUsed"]);
	return {
		type: textOf(call, "type"),
		from: textOf(call, "from"),
		to: textOf(call, "to"),
		energy,
		own: all.reduce((rest, each) => rest - number(each["gasUsed"]), energy),
		penalty: number(call["penalty"]),
		sun: number(call["value"]),
		tokenId: number(call["tokenId"]).toString(),
		tokenValue: number(call["tokenValue"]),
		input: digits(textOf(call, "input")),
		output: digits(textOf(call, "output")),
		error: textOf(call, "error"),
		calls,
		logs: objectsOf(call, "logs").map((log) => ({
			address: textOf(log, "address"),
			topics: textsOf(log, "topics").map(digits),
			data: digits(textOf(log, "data")),
		})),
		operations: objectsOf(call, "operations"),
	};
}

/** A number of a trace: JSON number, decimal text, or `0x`. */
export function number(value: unknown): bigint {
	if (typeof value === "string" && /^0x[\da-f]{1,64}$/i.test(value)) return BigInt(value);
	return whole(value);
}

const digits = (text: string): string => text.replace(/^0x/, "").toLowerCase();

/** The innermost call whose failure caused the transaction's: callers pass on its revert data unchanged. */
export function failedFrame(root: Frame): Frame | undefined {
	if (root.error === "") return undefined;
	const inner = root.calls.findLast(({ error }) => error !== "");
	// If the caller continued after a failed call and failed for its own reason, that call isn't the cause.
	const isPassedOn = root.error === "execution reverted" && inner?.output === root.output;
	return (isPassedOn && inner ? failedFrame(inner) : undefined) ?? root;
}

/** A change to an account's state. */
export interface StateChange {
	readonly address: string;
	readonly kind: "balance" | "token" | "stake" | "votes" | "storage" | "code" | "other";
	/** Number of a token, kind of a stake, or slot. */
	readonly name: string;
	/** Undefined if it didn't exist, or no longer exists. */
	readonly before: string | undefined;
	readonly after: string | undefined;
}

const MAX_CHANGES = 500;

/** Reads the result of a `prestateTracer` with `diffMode`. */
export function stateChanges(diff: unknown): readonly StateChange[] {
	if (!isJson(diff)) return [];
	const pre = objectOf(diff, "pre");
	const post = objectOf(diff, "post");
	const changes: StateChange[] = [];
	for (const address of new Set([...Object.keys(pre), ...Object.keys(post)])) {
		changes.push(...changesOf(address, objectOf(pre, address), objectOf(post, address), address in post));
		if (changes.length > MAX_CHANGES) break;
	}
	return changes.slice(0, MAX_CHANGES);
}

/** @param isThere whether `post` has the account; if not, it was deleted */
function changesOf(address: string, pre: Json, post: Json, isThere: boolean): StateChange[] {
	const changes: StateChange[] = [];
	const add = (kind: StateChange["kind"], name: string, before: unknown, after: unknown): void => {
		const texts = [before, after].map(plainText);
		if (texts[0] !== texts[1]) changes.push({ address, kind, name, before: texts[0], after: texts[1] });
	};
	// Unchanged members are only in `pre`.
	const changed = (name: string): boolean => name in post || !isThere;
	if (changed("balance")) add("balance", "", pre["balance"], post["balance"]);
	if (changed("code")) add("code", "", pre["code"], post["code"]);
	for (const [member, kind] of [
		["tokens", "token"],
		["stakes", "stake"],
		["storage", "storage"],
		["votes", "votes"],
	] as const) {
		const before = pre[member];
		const after = post[member];
		// Slots are only listed if they differ; a slot that became zero is only in `pre`.
		if (member !== "storage" && !changed(member)) continue;
		const names = [before, after].flatMap((part) => (isJson(part) ? Object.keys(part) : []));
		if (Array.isArray(before) || Array.isArray(after)) add(kind, "", before, after);
		for (const name of new Set(names)) {
			add(kind, name, isJson(before) ? before[name] : undefined, isJson(after) ? after[name] : undefined);
		}
	}
	return changes;
}

function plainText(value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined;
	return typeof value === "object" ? JSON.stringify(value) : String(value);
}
