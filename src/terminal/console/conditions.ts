/**
 * Conditions of the console's statements. JavaScript takes a promise and a function for true, so `if (vault.paused()) send(…)` would
 * pay whatever the contract answers: what a statement decides by is checked when it is evaluated.
 */

import { types } from "node:util";
import { type AnyNode, parse } from "acorn";
import { Failure } from "../../wallet/failure.js";
import { isOperation, unawaited } from "./operations.js";

/** Name of {@link decided} in statements. */
export const DECIDED = "$decided";

/** The member of each kind of node that is taken for true or false. */
const CONDITIONS: Readonly<Record<string, string>> = {
	IfStatement: "test",
	WhileStatement: "test",
	DoWhileStatement: "test",
	ForStatement: "test",
	ConditionalExpression: "test",
	LogicalExpression: "left",
	SwitchStatement: "discriminant",
	SwitchCase: "test",
};

const COMPARISONS: ReadonlySet<string> = new Set(["===", "!==", "==", "!=", "<", "<=", ">", ">="]);

const LOGICAL_ASSIGNMENTS: ReadonlySet<string> = new Set(["&&=", "||=", "??="]);

/** Methods of lists that decide by what a function returns. */
const DECIDING: ReadonlySet<string> = new Set([
	"every",
	"filter",
	"find",
	"findIndex",
	"findLast",
	"findLastIndex",
	"some",
]);

const MAX_QUOTED = 80;

/**
 * A statement with {@link decided} around everything that it decides by.
 * @returns the statement as it is if it isn't complete, or no JavaScript
 * @throws {Failure} `bad_value` if it is nested too deeply
 */
export function withConditions(source: string): string {
	// A statement that begins with a brace is read as an object first.
	for (const [before, after] of [
		["", ""],
		["(", ")"],
	] as const) {
		const whole = `${before}${source}${after}`;
		const program = parsed(whole);
		if (!program) continue;
		const changed = wrapped(whole, conditionsIn(program));
		return changed.slice(before.length, changed.length - after.length);
	}
	return source;
}

function parsed(source: string): AnyNode | undefined {
	try {
		return parse(source, { ecmaVersion: "latest", allowAwaitOutsideFunction: true });
	} catch (error) {
		// Unread it would decide unchecked.
		if (error instanceof RangeError || /stack space/.test((error as Error).message))
			throw new Failure("bad_value", "the statement is nested too deeply");
		return undefined;
	}
}

/** An expression by which something is decided: by its value, or by what it returns as a function. */
interface Decider {
	readonly node: AnyNode;
	readonly isCallback: boolean;
	/** The assignment whose target it is, which no call can stand for: it is checked before. */
	readonly assignment?: AnyNode;
}

function conditionsIn(program: AnyNode): readonly Decider[] {
	const found: Decider[] = [];
	const left: AnyNode[] = [program];
	for (let node = left.pop(); node; node = left.pop()) {
		found.push(...decidersOf(node));
		for (const member of Object.values(node)) {
			for (const inner of Array.isArray(member) ? member : [member]) if (isNode(inner)) left.push(inner);
		}
	}
	return found;
}

function decidersOf(node: AnyNode): readonly Decider[] {
	const byValue = (...values: readonly unknown[]): readonly Decider[] =>
		values.filter(isNode).map((value) => ({ node: value, isCallback: false }));
	const member = CONDITIONS[node.type];
	if (member !== undefined) return byValue((node as unknown as Readonly<Record<string, unknown>>)[member]);
	switch (node.type) {
		case "UnaryExpression":
			return node.operator === "!" ? byValue(node.argument) : [];
		case "AssignmentExpression":
			return LOGICAL_ASSIGNMENTS.has(node.operator)
				? [{ node: node.left, isCallback: false, assignment: node }]
				: [];
		case "BinaryExpression":
			return COMPARISONS.has(node.operator) ? byValue(node.left, node.right) : [];
		case "CallExpression": {
			if (node.callee.type === "Identifier" && node.callee.name === "Boolean")
				return byValue(node.arguments[0]);
			const property = node.callee.type === "MemberExpression" ? node.callee.property : undefined;
			const name =
				property?.type === "Identifier" ? property.name : property?.type === "Literal" ? property.value : "";
			const [callback] = node.arguments;
			const isDeciding = DECIDING.has(String(name));
			if (!isDeciding || !callback || callback.type === "SpreadElement") return [];
			return [{ node: callback, isCallback: true }];
		}
		default:
			return [];
	}
}

function isNode(value: unknown): value is AnyNode {
	return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** The source with a call around each of the expressions, which may be nested. */
function wrapped(source: string, deciders: readonly Decider[]): string {
	const parts = deciders.flatMap(({ node: { start, end }, isCallback, assignment }) => {
		const length = end - start;
		const quoted = JSON.stringify(source.slice(start, Math.min(end, start + MAX_QUOTED)));
		if (assignment) {
			const check = `(${DECIDED}((${source.slice(start, end)}),${quoted},false),`;
			const whole = assignment.end - assignment.start;
			return [
				{ at: assignment.start, isEnd: false, length: whole, text: check },
				{ at: assignment.end, isEnd: true, length: whole, text: ")" },
			];
		}
		return [
			{ at: start, isEnd: false, length, text: `${DECIDED}((` },
			{ at: end, isEnd: true, length, text: `),${quoted},${isCallback})` },
		];
	});
	// At one place, what ends there comes first, inner before outer; then outer starts before inner.
	parts.sort(
		(a, b) =>
			a.at - b.at ||
			Number(b.isEnd) - Number(a.isEnd) ||
			(a.isEnd ? a.length - b.length : b.length - a.length),
	);
	let text = "";
	let from = 0;
	for (const part of parts) {
		text += source.slice(from, part.at) + part.text;
		from = part.at;
	}
	return text + source.slice(from);
}

/**
 * Refuses a promise or an operation by which a statement decides.
 * @param text as typed
 * @param isCallback whether the value is a function whose results decide
 * @throws {Failure} `bad_value`
 */
export function decided(value: unknown, text: string, isCallback: boolean): unknown {
	if (!isCallback) {
		if (types.isPromise(value)) throw unawaited(text);
		if (!isOperation(value)) return value;
		const why = `${text} is a function, which a condition takes for true`;
		throw new Failure("bad_value", why, { hint: `write await ${text}()` });
	}
	if (typeof value !== "function") return value;
	return function (this: unknown, ...values: unknown[]): unknown {
		// Boolean would only say that there is something.
		const result: unknown = value.name === "Boolean" ? values[0] : value.apply(this, values);
		if (!types.isPromise(result) && !isOperation(result)) return result;
		// Its own failure would be nobody's.
		if (types.isPromise(result)) result.catch(() => undefined);
		throw new Failure("bad_value", `what ${text} returns is not waited for`, {
			hint: "write a loop: for (const each of list) if (await …) …",
		});
	};
}
