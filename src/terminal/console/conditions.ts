/**
 * The statements of the console as JavaScript that decides as it reads. JavaScript takes a promise and a function for true, so
 * `if (vault.paused()) send(…)` would pay whatever the contract answers, and an amount of coins, an object, for more than nothing: what a
 * statement decides by is checked when it is evaluated.
 */

import { types } from "node:util";
import { type AnyNode, type Options, Parser, type Program, parse, type TokenType, tokTypes } from "acorn";
import { Failure } from "../../wallet/failure.js";
import { Coins, TokenAmount } from "./contract-object.js";
import { isOperation, unawaited } from "./operations.js";

/** Names of {@link decided}, {@link compared} and `TokenAmount` in statements. */
export const DECIDED = "$decided";
export const COMPARED = "$compared";
export const TOKEN_AMOUNT = "$tokens";

/** What the console's user typed, with its amounts written as JavaScript has them. */
export interface ReadText {
	readonly source: string;
	readonly text: string;
	/** Where each character of the text, and its end, was typed. */
	readonly typedAt: Uint32Array;
	/** Where the text has an amount of coins. */
	readonly coinsAt: ReadonlySet<number>;
}

/**
 * How a value decides: by being true; by being there; by being equal to another one (in a `switch`: to others, among them plain numbers,
 * which it is compared with as a number or as coins, or amounts); or by what it returns as a function; a list by what is found in it. What
 * is only taken doesn't decide.
 */
type Kind = "truth" | "presence" | "value" | "number" | "coins" | "amount" | "callback" | "list" | "taken";

/** The member of each kind of node that is taken for true or false. */
const CONDITIONS: Readonly<Record<string, string>> = {
	IfStatement: "test",
	WhileStatement: "test",
	DoWhileStatement: "test",
	ForStatement: "test",
	ConditionalExpression: "test",
};

const COMPARISONS: Readonly<Record<string, (left: bigint, right: bigint) => boolean>> = {
	"===": (left, right) => left === right,
	"!==": (left, right) => left !== right,
	// biome-ignore lint/suspicious/noDoubleEquals: as typed
	"==": (left, right) => left == right,
	// biome-ignore lint/suspicious/noDoubleEquals: as typed
	"!=": (left, right) => left != right,
	"<": (left, right) => left < right,
	"<=": (left, right) => left <= right,
	">": (left, right) => left > right,
	">=": (left, right) => left >= right,
};

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

/** Methods of lists that compare their elements, objects by identity. */
const SEARCHING = ["includes", "indexOf", "lastIndexOf"] as const;

const MAX_QUOTED = 80;

const SYNTAX: Options = { ecmaVersion: "latest", allowAwaitOutsideFunction: true };

/**
 * A statement with {@link decided} around everything that it decides by, {@link compared} in place of comparisons, and `await` before
 * a call that a variable is set to.
 * @param amounts variables of earlier statements that hold amounts of coins; those of this one are added
 * @returns the text as it is if it isn't complete, or no JavaScript
 * @throws {Failure} `bad_value` if it is nested too deeply
 */
export function withConditions(read: ReadText, amounts = new Set<string>()): string {
	// A statement that begins with a brace is read as an object first.
	for (const [before, after] of [
		["", ""],
		["(", ")"],
	] as const) {
		const whole = `${before}${read.text}${after}`;
		const program = parsed(() => parse(whole, SYNTAX));
		if (program instanceof SyntaxError) continue;
		const changed = changedText(whole, new Changes(read, whole, before.length, amounts).of(program));
		// Node.js's prompt takes what begins with a brace for an object, unless it ends with a semicolon.
		const [first] = program.body;
		const isBlock =
			first?.type === "BlockStatement" && parsed(() => parse(`(${whole})`, SYNTAX)) instanceof SyntaxError;
		if (isBlock) return `${changed.replace(/\s*$/, "")};`;
		return changed.slice(before.length, changed.length - after.length);
	}
	return read.text;
}

function parsed(run: () => Program): Program | SyntaxError {
	try {
		return run();
	} catch (error) {
		// Unread it would decide unchecked.
		if (error instanceof RangeError || /stack space/.test((error as Error).message))
			throw new Failure("bad_value", "the statement is nested too deeply");
		if (error instanceof SyntaxError) return error;
		throw error;
	}
}

/** What acorn offers to those who extend it, without types. */
type OpenParser = new (
	options: Options,
	input: string,
	start?: number,
) => {
	readonly options: Options;
	readonly input: string;
	readonly type: TokenType;
	readonly start: number;
	readonly lastTokEnd: number;
	pos: number;
	parse(): Program;
	finishToken(type: TokenType, value: unknown): void;
	readNumber(startsWithDot: boolean): void;
	next(ignoreEscape?: boolean): void;
	nextToken(): void;
	startNode(): AnyNode;
	parseStatement(context: string | null, isOutermost?: boolean, exported?: object): AnyNode;
	parseExpression(): AnyNode;
	parseExpressionStatement(node: AnyNode, expression: AnyNode): AnyNode;
	parseSubscript(base: AnyNode, ...others: unknown[]): AnyNode;
};

const { braceL, bracketL, parenL, backQuote, dollarBraceL, braceR, bracketR, parenR } = tokTypes;
const OPENING: readonly TokenType[] = [braceL, bracketL, parenL, dollarBraceL];
const CLOSING: readonly TokenType[] = [braceR, bracketR, parenR];
const STARTING: readonly TokenType[] = [bracketL, parenL, backQuote];

/**
 * Reads a script as the prompt would read it line by line: an outermost statement that begins with a brace and isn't a block is an
 * object, and what begins with `(`, `[` or a backquote on a line of its own isn't the arguments of the line before it.
 */
class ScriptParser extends (Parser as unknown as OpenParser) {
	/** Number of brackets that are open; acorn's constructor reads no token. */
	private depth = 0;

	override next(ignoreEscape?: boolean): void {
		this.depth += Number(OPENING.includes(this.type)) - Number(CLOSING.includes(this.type));
		super.next(ignoreEscape);
	}

	override parseStatement(context: string | null, isOutermost?: boolean, exported?: object): AnyNode {
		const whole = () => super.parseStatement(context, isOutermost, exported);
		if (!isOutermost || this.type !== braceL) return whole();
		try {
			const trial = new (this.constructor as typeof ScriptParser)(this.options, this.input, this.start);
			trial.nextToken();
			trial.parseStatement(null);
		} catch (noBlock) {
			try {
				return this.parseExpressionStatement(this.startNode(), this.parseExpression());
			} catch (noObject) {
				throw positionOf(noBlock) > positionOf(noObject) ? noBlock : noObject;
			}
		}
		return whole();
	}

	override parseSubscript(base: AnyNode, ...others: unknown[]): AnyNode {
		const isNew =
			this.depth === 0 &&
			STARTING.includes(this.type) &&
			this.input.slice(this.lastTokEnd, this.start).includes("\n");
		return isNew ? base : super.parseSubscript(base, ...others);
	}
}

/** An amount as commands have them: 5coin, 5@gold, 5e18. JavaScript's numbers aren't followed by such letters but for exponents. */
export const AMOUNT = String.raw`\d[\d_]*(?:\.\d+)?(?:(?:coin|sun)\b|(?:raw)?@[\w$]+(?:[-.][A-Za-z]\w*)*|e\+?\d{1,2}\b(?!\.))`;

/** Reads amounts as numbers, so that texts, templates and regular expressions are what they are to JavaScript. */
class AmountParser extends ScriptParser {
	/** By their places. */
	readonly amounts = new Map<number, string>();

	override readNumber(startsWithDot: boolean): void {
		const form = new RegExp(AMOUNT, "iy");
		form.lastIndex = this.pos;
		const [text] = (!startsWithDot && form.exec(this.input)) || [];
		if (text === undefined) super.readNumber(startsWithDot);
		else {
			this.amounts.set(this.pos, text);
			this.pos += text.length;
			this.finishToken(tokTypes.num, 0);
		}
	}
}

/** The amounts of a text by their places; undefined if it isn't JavaScript but for them. */
export function amountsIn(source: string): readonly (readonly [number, string])[] | undefined {
	const parser = new AmountParser(SYNTAX, source);
	if (parsed(() => parser.parse()) instanceof SyntaxError) return undefined;
	return [...parser.amounts].sort(([a], [b]) => a - b);
}

/** How far acorn has read. */
function positionOf(error: unknown): number {
	return (error as { readonly pos?: number }).pos ?? 0;
}

/**
 * The statements of a script as typed; those that share a line are one.
 * @throws {Failure} `bad_value` with line and column if it isn't JavaScript
 */
export function statementsOf({ source, text, typedAt }: ReadText): readonly string[] {
	const program = parsed(() => (ScriptParser as unknown as typeof Parser).parse(text, SYNTAX));
	if (program instanceof SyntaxError) throw syntaxFailure(source, typedAt[positionOf(program)] ?? 0, program);
	const parts: { readonly start: number; end: number }[] = [];
	for (const { start, end } of program.body) {
		const last = parts.at(-1);
		if (last && !text.slice(last.end, start).includes("\n")) last.end = end;
		else parts.push({ start, end });
	}
	return parts.map(({ start, end }) => source.slice(typedAt[start], typedAt[end]));
}

/** @param at position in the source */
function syntaxFailure(source: string, at: number, { message }: SyntaxError): Failure {
	const before = source.slice(0, at).split("\n");
	const column = (before.at(-1) ?? "").length;
	const [line = ""] = source.slice(at - column).split("\n", 1);
	const why = `"${line.trim().slice(0, MAX_QUOTED)}": ${message.replace(/ \(\d+:\d+\)$/, "")}`;
	return new Failure(
		"bad_value",
		`${why} (line ${before.length}, column ${column + 1}); nothing of the script has run`,
	);
}

/** Text to be inserted, in place of `skip` characters. */
interface Part {
	readonly at: number;
	/** Whether it belongs to what ends there. */
	readonly isEnd: boolean;
	/** Length of what it stands around. */
	readonly length: number;
	readonly text: string;
	readonly skip?: number;
}

class Changes {
	/** @param whole the text, behind `shift` other characters */
	constructor(
		private readonly read: ReadText,
		private readonly whole: string,
		private readonly shift: number,
		private readonly amounts: Set<string>,
	) {}

	/** Of nodes at the same place the outer one comes first. */
	of(program: Program): readonly Part[] {
		const nodes: AnyNode[] = [program];
		for (const node of nodes) {
			for (const member of Object.values(node)) {
				for (const inner of Array.isArray(member) ? member : [member]) if (isNode(inner)) nodes.push(inner);
			}
		}
		const forgotten = this.keepAmounts(program, nodes);
		const found = nodes.flatMap((node) => this.ofNode(node));
		for (const name of forgotten) this.amounts.delete(name);
		return [...found, ...callsSetTo(program).flatMap((call) => around(call, "(await ", ")"))];
	}

	/**
	 * A variable holds an amount if the statement sets it to one anywhere. What is inside of it may never run, or mean another variable.
	 * @returns those that it sets to something else alone, outermost
	 */
	private keepAmounts(program: Program, nodes: readonly AnyNode[]): readonly string[] {
		const outermost = new Set<AnyNode>(
			program.body.flatMap((statement): readonly AnyNode[] =>
				statement.type === "VariableDeclaration"
					? statement.declarations
					: statement.type === "ExpressionStatement"
						? [statement.expression]
						: [],
			),
		);
		const others = new Set<string>();
		const held = new Set<string>();
		for (const node of [...nodes].sort((a, b) => a.start - b.start)) {
			const [variable, value] = this.settingOf(node);
			if (variable?.type !== "Identifier") continue;
			if (this.isAmount(value)) {
				held.add(variable.name);
				this.amounts.add(variable.name);
			} else if (value && outermost.has(node) && !("operator" in node && node.operator !== "="))
				others.add(variable.name);
		}
		return [...others].filter((name) => !held.has(name));
	}

	/** What a node sets, and to what; a loop its variable to an amount of a list, if that has one. */
	private settingOf(node: AnyNode): readonly (AnyNode | null | undefined)[] {
		if (node.type === "VariableDeclarator") return [node.id, node.init];
		if (node.type === "AssignmentExpression" || node.type === "AssignmentPattern")
			return [node.left, node.right];
		if (node.type !== "ForOfStatement" || node.right.type !== "ArrayExpression") return [];
		const [declared] = node.left.type === "VariableDeclaration" ? node.left.declarations : [];
		return [declared?.id ?? node.left, node.right.elements.find((one) => this.isAmount(one))];
	}

	private ofNode(node: AnyNode): readonly Part[] {
		const member = CONDITIONS[node.type];
		if (member !== undefined)
			return this.decided((node as unknown as Readonly<Record<string, unknown>>)[member], "truth");
		switch (node.type) {
			case "LogicalExpression":
				return this.decided(node.left, node.operator === "??" ? "presence" : "truth");
			case "UnaryExpression":
				return node.operator === "!" ? this.decided(node.argument, "truth") : [];
			case "SwitchStatement": {
				const cases = node.cases.map(({ test }) => test);
				const isNumber = cases.some((test) => test?.type === "Literal" && typeof test.value === "number");
				const number = this.isAmount(node.discriminant) ? "coins" : "number";
				const kind = isNumber ? number : cases.some((test) => this.isAmount(test)) ? "amount" : "value";
				return this.decided(node.discriminant, kind);
			}
			case "SwitchCase":
				return this.decided(node.test, "value");
			case "AssignmentExpression":
				return LOGICAL_ASSIGNMENTS.has(node.operator) ? this.assigned(node, node.operator) : [];
			case "BinaryExpression":
				return node.operator in COMPARISONS ? this.compared(node, node.operator) : [];
			case "CallExpression": {
				const [callback] = node.arguments;
				if (callback?.type === "SpreadElement") return [];
				if (node.callee.type === "Identifier" && node.callee.name === "Boolean")
					return this.decided(callback, "truth");
				const property = node.callee.type === "MemberExpression" ? node.callee.property : undefined;
				const name =
					property?.type === "Identifier"
						? property.name
						: property?.type === "Literal"
							? property.value
							: "";
				if (property && SEARCHING.some((method) => method === name)) return this.searched(node.callee);
				return DECIDING.has(String(name)) ? this.decided(callback, "callback") : [];
			}
			default:
				return [];
		}
	}

	/** A list that is searched, unless a chain may leave it out. */
	private searched(callee: AnyNode): readonly Part[] {
		const { object } = callee as AnyNode & { readonly object: AnyNode };
		const isLeft = object.type === "Super" || this.whole.slice(object.start, object.end).includes("?.");
		return isLeft ? [] : this.decided(object, "list");
	}

	private decided(node: unknown, kind: Kind): readonly Part[] {
		return isNode(node) ? around(node, `${DECIDED}((`, `),${this.quoted(node)},"${kind}")`) : [];
	}

	/**
	 * `a &&= b` as `a && (a = b)`: no call can stand for the target. It begins with a name, since a bracket would join it to a line
	 * before it that has no semicolon.
	 * @throws {Failure} `bad_value` for a target that would be computed twice
	 */
	private assigned(node: Sides, operator: string): readonly Part[] {
		const { left } = node;
		if (!isPlace(left)) {
			const why = `${this.whole.slice(left.start, left.end).slice(0, MAX_QUOTED)} is computed, which ${operator} is not read with here`;
			throw new Failure("bad_value", why, { hint: "keep its key in a variable of its own, or write an if" });
		}
		const kind: Kind = operator === "??=" ? "presence" : "truth";
		const check = `${DECIDED}((${this.whole.slice(left.start, left.end)}),${this.quoted(left)},"${kind}")`;
		return [
			...around(node, `${DECIDED}((${check} ${operator.slice(0, 2)} (`, `)),"","taken")`),
			this.inPlace(node, operator, operator.slice(2)),
		];
	}

	private compared(node: Sides, operator: string): readonly Part[] {
		const sides = [node.left, node.right];
		const said = `"${operator}",[${sides.map((side) => this.quoted(side))}],[${sides.map((side) => this.isAmount(side))}]`;
		return [...around(node, `${COMPARED}(`, `,${said})`), this.inPlace(node, operator, ",")];
	}

	/** Something else in place of an operator. */
	private inPlace({ left, right }: Sides, operator: string, text: string): Part {
		const between = this.whole
			.slice(left.end, right.start)
			.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, (comment) => " ".repeat(comment.length));
		const at = left.end + between.indexOf(operator);
		return { at, isEnd: true, length: Number.POSITIVE_INFINITY, text, skip: operator.length };
	}

	/** Whether an expression is an amount of coins with its unit, a variable that holds one, or one more or less than something. */
	private isAmount(node: AnyNode | null | undefined): boolean {
		if (node?.type === "AssignmentExpression") return node.operator === "=" && this.isAmount(node.right);
		if (node?.type === "BinaryExpression" || node?.type === "LogicalExpression")
			return (
				/^(?:[-+*]|&&|\|\||\?\?)$/.test(node.operator) &&
				(this.isAmount(node.left) || this.isAmount(node.right))
			);
		if (node?.type === "UnaryExpression") return node.operator === "-" && this.isAmount(node.argument);
		if (node?.type === "ConditionalExpression")
			return this.isAmount(node.consequent) || this.isAmount(node.alternate);
		if (node?.type === "Identifier") return this.amounts.has(node.name);
		return node?.type === "Literal" && this.read.coinsAt.has(node.start - this.shift);
	}

	/** As it was typed. */
	private quoted({ start, end }: AnyNode): string {
		const { source, typedAt } = this.read;
		return JSON.stringify(
			source.slice(typedAt[start - this.shift], typedAt[end - this.shift]).slice(0, MAX_QUOTED),
		);
	}
}

type Sides = AnyNode & { readonly left: AnyNode; readonly right: AnyNode };

function isNode(value: unknown): value is AnyNode {
	return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** Whether an expression names a place without computing anything: reading it twice is reading it once. */
function isPlace(node: AnyNode): boolean {
	if (node.type !== "MemberExpression") return node.type === "Identifier" || node.type === "ThisExpression";
	return isPlace(node.object) && (!node.computed || /^(?:Literal|Identifier)$/.test(node.property.type));
}

/**
 * The calls that outermost variables are set to, or to something that begins with one: the variable gets what that comes to.
 */
function callsSetTo(program: Program): readonly AnyNode[] {
	const values = program.body.flatMap((statement): readonly (AnyNode | null | undefined)[] => {
		if (statement.type === "VariableDeclaration") return statement.declarations.map(({ init }) => init);
		if (statement.type !== "ExpressionStatement") return [];
		const { expression } = statement;
		const isSetting =
			expression.type === "AssignmentExpression" &&
			(expression.operator === "=" || LOGICAL_ASSIGNMENTS.has(expression.operator));
		return isSetting ? [expression.right] : [];
	});
	return values.map(firstCall).filter(isNode);
}

function firstCall(value: AnyNode | null | undefined): AnyNode | undefined {
	for (let node = value; node; ) {
		switch (node.type) {
			case "CallExpression":
			case "ImportExpression":
				return node;
			case "BinaryExpression":
			case "LogicalExpression":
				node = node.left;
				break;
			case "ConditionalExpression":
				node = node.test;
				break;
			case "AssignmentExpression":
				node = node.right;
				break;
			default:
				return undefined;
		}
	}
	return undefined;
}

function around({ start, end }: AnyNode, before: string, after: string): readonly Part[] {
	const length = end - start;
	return [
		{ at: start, isEnd: false, length, text: before },
		{ at: end, isEnd: true, length, text: after },
	];
}

function changedText(source: string, parts: readonly Part[]): string {
	// At one place, what ends there comes first, inner before outer; then outer starts before inner.
	const ordered = parts
		.map((part, order) => ({ ...part, order }))
		.sort(
			(a, b) =>
				a.at - b.at ||
				Number(b.isEnd) - Number(a.isEnd) ||
				(a.isEnd ? a.length - b.length || b.order - a.order : b.length - a.length || a.order - b.order),
		);
	let text = "";
	let from = 0;
	for (const part of ordered) {
		text += source.slice(from, part.at) + part.text;
		from = part.at + (part.skip ?? 0);
	}
	return text + source.slice(from);
}

/**
 * A value by which a statement decides, an amount of coins as JavaScript takes numbers.
 * @param text as typed
 * @throws {Failure} `bad_value` for a promise, an operation, or a number that is compared with an amount
 */
export function decided(value: unknown, text: string, kind: Kind): unknown {
	if (kind === "taken") return value;
	if (kind === "callback")
		return typeof value === "function" ? decidingCallback(value as Callback, text) : value;
	if (kind === "list") return Array.isArray(value) ? searchedList(value, text) : value;
	if (types.isPromise(value)) throw unawaited(text);
	if (value instanceof TokenAmount && kind !== "presence") value.valueOf();
	if (isOperation(value)) {
		const why = `${text} is a function, which a condition takes for true`;
		throw new Failure("bad_value", why, { hint: `write await ${text}()` });
	}
	if (kind === "amount" && typeof value === "number") throw withoutUnit(text, value);
	if (kind === "coins" && typeof value === "bigint") throw withoutUnit("a case", 5);
	if (!(value instanceof Coins)) return value;
	if (kind === "number" || kind === "coins") throw withoutUnit("a case", 5);
	const sun = value.valueOf();
	return kind === "presence" || (kind === "truth" && sun !== 0n) ? value : sun;
}

/** A list in which amounts of coins are found as numbers of sun. */
function searchedList(list: readonly unknown[], text: string): readonly unknown[] {
	const plain = list.map((value) =>
		value instanceof Coins || value instanceof TokenAmount ? value.valueOf() : value,
	);
	for (const method of SEARCHING) {
		const search = (sought: unknown, ...from: number[]): unknown => {
			const value = decided(sought, `what ${text} is searched for`, "value");
			const mixed =
				sought instanceof Coins ? list.find(isUnitless) : list.some((one) => one instanceof Coins) && sought;
			if (isUnitless(mixed)) throw withoutUnit(JSON.stringify(mixed), mixed);
			return Reflect.apply(Array.prototype[method], plain, [value, ...from]);
		};
		Object.defineProperty(plain, method, { value: search });
	}
	return plain;
}

type Callback = (...values: readonly unknown[]) => unknown;

function decidingCallback(decide: Callback, text: string): Callback {
	return function (this: unknown, ...values: unknown[]): unknown {
		// Boolean would only say that there is something.
		const result: unknown = decide.name === "Boolean" ? values[0] : decide.apply(this, values);
		if (!types.isPromise(result) && !isOperation(result)) return decided(result, text, "truth");
		// Its own failure would be nobody's.
		if (types.isPromise(result)) result.catch(() => undefined);
		throw new Failure("bad_value", `what ${text} returns is not waited for`, {
			hint: "write a loop: for (const each of list) if (await …) …",
		});
	};
}

/**
 * A comparison, in which amounts of coins are numbers of sun.
 * @param texts both sides as typed
 * @param areAmounts whether a side is an amount that was typed with its unit, or a variable that was set to one
 * @throws {Failure} `bad_value` as {@link decided} does, and for an amount that is compared with what has no unit
 */
export function compared(
	left: unknown,
	right: unknown,
	operator: string,
	texts: readonly [string, string],
	areAmounts: readonly [boolean, boolean],
): boolean {
	const kind = (other: unknown): Kind => (other == null ? "presence" : "value");
	const values = [decided(left, texts[0], kind(right)), decided(right, texts[1], kind(left))] as const;
	for (const [side, value] of [left, right].entries()) {
		const other = values[1 - side];
		// A variable may hold something else by now.
		if (isUnitless(other) && ((areAmounts[side] && typeof value === "bigint") || value instanceof Coins))
			throw withoutUnit(texts[1 - side] as string, other);
	}
	return COMPARISONS[operator]?.(...(values as readonly [bigint, bigint])) === true;
}

function isUnitless(value: unknown): value is number | string {
	return typeof value === "number" || typeof value === "string";
}

/** JavaScript would take `5` for 5sun, and a text for nothing that can be compared. */
function withoutUnit(text: string, value: number | string): Failure {
	const [what, hint] =
		typeof value === "number"
			? ["has no unit", `write ${value}coin or ${value}sun`]
			: ["is a text", "write an amount without quotes, such as 5coin"];
	return new Failure("bad_value", `${text} ${what}, and is compared with an amount of coins`, { hint });
}
