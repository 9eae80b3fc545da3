/**
 * The prompt of `coin console`: Node.js's own, with completion, a history file and statements over several lines. What is printed
 * comes from strangers in part, so it passes the same edge as everything that commands print.
 */

import type { EventEmitter } from "node:events";
import { type REPLServer, Recoverable, type ReplOptions, start } from "node:repl";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { inspect, types } from "node:util";
import { KeystoreError } from "../../keystore/keystore-error.js";
import { plainDigits } from "../../wallet/abi/argument.js";
import { Failure } from "../../wallet/failure.js";
import { parseCoinAmount } from "../../wallet/values/amount.js";
import { asFailure, reportFailure } from "../output/failure-report.js";
import { harmlessText } from "../output/harmless-text.js";
import { RUNS_ALONE } from "./names.js";
import type { Operations } from "./operations.js";

/** Of one value; longer ones are cut where they are printed, and whole in variables. */
const PRINTED = { depth: 8, maxArrayLength: 100, maxStringLength: 10_000, breakLength: 100 } as const;
/** Of a script from standard input. */
const MAX_SCRIPT_BYTES = 1 << 20;

export interface ConsoleTerminal {
	readonly input: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
	readonly output: Writable;
	/** File of the lines that were typed before; undefined: none is kept. */
	readonly history: string | undefined;
	/** Prints text of several lines as the result of a command, without what would steer a terminal. */
	print(text: string): void;
	note(line: string): void;
}

/** A value as it is printed, without what would steer a terminal. */
export function shownValue(value: unknown): string {
	return harmlessText(inspect(value, PRINTED));
}

/** The console's own refusals, which aren't printed as JavaScript's errors. */
function isRefusal(error: unknown): boolean {
	return error instanceof Failure || error instanceof KeystoreError;
}

/** An error of what was typed: where in this program it arose is nobody's concern. */
function messageOf(error: unknown): string {
	// Those of the prompt's own context are instances of another class of the same name.
	return types.isNativeError(error) ? `${error.name}: ${error.message}` : shownValue(error);
}

/**
 * Texts and comments, which are passed over, and amounts: 5coin, 5@gold, 5e18. A number of JavaScript has no such letters behind it; one
 * with an exponent is a plain number as long as that is exact.
 */
const TOKENS =
	/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<![\w$.])\d[\d_]*(?:\.\d+)?(?:(?:coin|sun)\b|(?:raw)?@[\w$]+(?:[-.][A-Za-z]\w*)*|e\+?\d{1,2}\b(?!\.))/gi;

/** A number that alone is what an option of coins, or the amount of a payment, is given as. */
const COINS =
	/(?<=(?:[{,]\s*["']?(?:value|feeLimit)["']?\s*:|\bsend\s*\((?:"[^"\n]*"|'[^'\n]*'|\([^()]*\)|[^,()"'])+,)\s*)\d[\d_.]*e\+?\d+(?=\s*[,)}])/iy;

/**
 * Amounts in the console's JavaScript, as all commands have them: `5coin` and `20sun` stand for whole numbers of sun, `5@gold` for the text,
 * `5e18` for the whole number that JavaScript would round; where coins are asked for it stays a text, which is refused as `coin send` does.
 * @throws {Failure} `bad_value`, `amount_unit` for an amount that isn't a whole number of sun
 */
export function withAmounts(source: string): string {
	return source.replace(TOKENS, (token, offset: number) => {
		if (!/^\d/.test(token)) return token;
		if (token.includes("@")) return JSON.stringify(token);
		if (/[ns]$/i.test(token)) return `${parseCoinAmount(token)}n`;
		const digits = plainDigits(token.replaceAll("_", ""));
		if (digits === undefined || Number.isSafeInteger(Number(digits))) return token;
		COINS.lastIndex = offset;
		return COINS.test(source) ? JSON.stringify(token) : `${BigInt(digits)}n`;
	});
}

/** JavaScript refuses to reckon with an amount and a plain number: a statement with amounts that has such an error is told what to write. */
function withUnits(error: unknown, source: string): unknown {
	if (types.isNativeError(error) && error.name === "TypeError" && withAmounts(source) !== source)
		error.message += "; amounts are whole numbers of sun: 5coin * 2n, not 5coin * 2";
	return error;
}

/** Evaluates JavaScript with amounts; promises are waited for, and questions that stand alone are asked. */
type Evaluate = (source: string) => Promise<unknown>;

/** A prompt of Node.js, and what evaluates beside it. @param options of the prompt */
function opened(
	options: ReplOptions,
	operations: Operations,
): { readonly server: REPLServer; readonly evaluate: Evaluate } {
	let refuse: (error: unknown) => void = () => undefined;
	// What a statement throws is the prompt's own affair, and never answered here, unless it is taken over: by an option from
	// Node.js 24 on, in the prompt's domain before.
	const handleError = (error: unknown): "ignore" => {
		refuse(error);
		return "ignore";
	};
	const server = start({ ...options, ...{ handleError } });
	const { _domain: domain } = server as { readonly _domain?: EventEmitter };
	domain?.removeAllListeners("error");
	domain?.on("error", handleError);
	const own = server.eval.bind(server);
	const evaluate: Evaluate = async (source) => {
		const result = await new Promise<unknown>((resolve, reject) => {
			refuse = reject;
			const done = (error: Error | null, value: unknown): void => (error ? reject(error) : resolve(value));
			own(withAmounts(source), server.context, "console", done);
		});
		return typeof result === "function" && RUNS_ALONE in result ? result.call(undefined) : result;
	};
	return { server, evaluate: settling(evaluate, operations) };
}

/** Waits for all that a statement began; an error of it says whether something was sent. */
const settling =
	(evaluate: Evaluate, operations: Operations): Evaluate =>
	async (source) => {
		const [outcome] = await Promise.allSettled([evaluate(source)]);
		const { hasActed, failure } = await operations.settle();
		if (outcome.status === "fulfilled" && !failure) return outcome.value;
		const error: unknown = withUnits(outcome.status === "rejected" ? outcome.reason : failure?.error, source);
		if (!hasActed || error instanceof Recoverable) throw error;
		if (error instanceof Failure) throw error.with({ sent: true });
		throw new Failure("bad_value", `${messageOf(error)}; what the statement sent before it was sent`, {
			sent: true,
		});
	};

/** Runs a prompt until it is left. */
export function runPrompt(
	terminal: ConsoleTerminal,
	names: Readonly<Record<string, unknown>>,
	operations: Operations,
): Promise<void> {
	const { input, output, history } = terminal;
	const options: ReplOptions = {
		prompt: "coin> ",
		input,
		output,
		terminal: true,
		useColors: false,
		ignoreUndefined: true,
		writer: (value: unknown) =>
			typeof value === "string" && value.includes("\n") ? harmlessText(value) : shownValue(value),
	};
	const { server, evaluate } = opened(options, operations);
	Object.assign(server.context, names);
	(server as { eval: REPLServer["eval"] }).eval = (source, _context, _file, done) => {
		evaluate(source).then(
			(value) => done(null, value),
			(error: unknown) => {
				if (error instanceof Recoverable) return done(error, undefined);
				if (isRefusal(error)) reportFailure(asFailure(error), false);
				else terminal.print(messageOf(error));
				done(null, undefined);
			},
		);
	};
	if (history !== undefined)
		server.setupHistory(history, (error) => {
			if (error) terminal.note(`lines are not kept: ${error.message}`);
		});
	return new Promise((resolve) => server.once("exit", resolve));
}

/** Lets go of the terminal while a question is asked on it, which must not go to the prompt. */
export async function besidePrompt<T>({ input }: ConsoleTerminal, ask: () => Promise<T>): Promise<T> {
	if (input.isTTY !== true) return ask();
	input.pause();
	input.setRawMode?.(false);
	try {
		return await ask();
	} finally {
		input.setRawMode?.(true);
		input.resume();
	}
}

/**
 * Runs the statements of a script one after the other, and prints what each comes to; it ends at the first that fails.
 * @throws {Failure}
 */
export async function runScript(
	terminal: ConsoleTerminal,
	names: Readonly<Record<string, unknown>>,
	operations: Operations,
): Promise<void> {
	const silent = new PassThrough();
	const options = { prompt: "", input: new PassThrough(), output: silent.resume(), terminal: false };
	const { server, evaluate } = opened(options, operations);
	Object.assign(server.context, names);
	let pending = "";
	const run = async (isLast: boolean): Promise<void> => {
		try {
			const value = await evaluate(pending);
			pending = "";
			if (value !== undefined) terminal.print(typeof value === "string" ? value : shownValue(value));
		} catch (error) {
			if (error instanceof Recoverable && !isLast) return;
			const { message } = error instanceof Recoverable ? error.err : (error as Error);
			throw isRefusal(error)
				? error
				: new Failure("bad_value", `"${pending.trim().slice(0, 80)}": ${message}`);
		}
	};
	try {
		for await (const line of linesOf(terminal.input)) {
			pending += `${line}\n`;
			await run(false);
		}
		if (pending.trim() !== "") await run(true);
	} finally {
		server.close();
	}
}

async function* linesOf(input: Readable): AsyncGenerator<string> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of input) {
		const bytes = Buffer.from(chunk as Uint8Array);
		length += bytes.length;
		if (length > MAX_SCRIPT_BYTES)
			throw new Failure("bad_value", `the script has more than ${MAX_SCRIPT_BYTES} bytes`);
		chunks.push(bytes);
	}
	yield* Buffer.concat(chunks).toString("utf8").split("\n");
}
