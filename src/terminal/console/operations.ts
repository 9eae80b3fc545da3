/**
 * Runs the console's operations one after another: a user who forgets to await a payment must not pay from another account, read
 * the state before it, or be informed that nothing was sent.
 */

import { inspect } from "node:util";
import { Failure } from "../../wallet/failure.js";
import { nearest } from "../../wallet/values/suggestion.js";

/** What JavaScript itself asks of any object, and Node.js of those that it prints. */
const ASKED_OF_ALL = new Set(["then", "toJSON"]);
const ASKED_OF_PRINTED = new Set(["constructor", "href", "protocol", "toLocaleString", "valueOf"]);

/**
 * Makes an object refuse members that it hasn't, where JavaScript goes on with undefined.
 * @param base what it inherits
 */
function refusing<T extends object>(
	object: T,
	base: object,
	refusal: (member: string, object: T) => Failure | undefined,
): T {
	const get = (target: object, key: string | symbol, receiver: T): unknown => {
		const isUnknown = typeof key === "string" && !(key in target) && !ASKED_OF_ALL.has(key);
		const failure = isUnknown ? refusal(key, receiver) : undefined;
		if (failure) throw failure;
		return Reflect.get(target, key, receiver);
	};
	return Object.setPrototypeOf(object, new Proxy(base, { get })) as T;
}

/**
 * An object of the console, which tells what a mistyped member was meant to be.
 * @param shown how it is printed
 * @param text what stands for it in texts
 */
export function consoleObject<T extends object>(
	label: string,
	object: T,
	shown: () => string,
	text: () => string = shown,
): T {
	Object.defineProperties(object, {
		[inspect.custom]: { value: shown },
		[Symbol.toPrimitive]: { value: text },
	});
	// Without Object's prototype, completion offers what the object has and little else.
	const base = Object.create(null, { toString: { value: text } }) as object;
	return refusing(object, base, (member) => {
		if (ASKED_OF_PRINTED.has(member)) return undefined;
		const [near] = nearest(member, Object.keys(object));
		const hint = near === undefined ? `it has ${Object.keys(object).join(", ")}` : `did you mean ${near}?`;
		return new Failure("bad_value", `${label} has no ${member}`, { hint });
	});
}

/** What was asked for isn't there yet: a condition would take it for true, its members for undefined. */
export function unawaited(call: string, member?: string): Failure {
	const hint = `write ${member === undefined ? `await ${call}` : `(await ${call}).${member}`}; a function around it must be async`;
	return new Failure("bad_value", `${call} is not waited for`, { hint });
}

/** All that {@link Operations.inOrder} has made. */
const OPERATIONS = new WeakSet<object>();

/** Whether a value is a function that {@link Operations.inOrder} has made. */
export function isOperation(value: unknown): boolean {
	return typeof value === "function" && OPERATIONS.has(value);
}

/** A promise that knows whether somebody waits for it, and so for its failure. */
class WatchedPromise<T> extends Promise<T> {
	static override get [Symbol.species](): PromiseConstructor {
		return Promise;
	}

	isAwaited = false;
	/** As it is typed. */
	call = "";

	// biome-ignore lint/suspicious/noThenProperty: whoever waits for a promise calls this
	override then<A = T, B = never>(
		fulfilled?: ((value: T) => A | PromiseLike<A>) | null,
		rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
	): Promise<A | B> {
		this.isAwaited = true;
		return super.then(fulfilled, rejected);
	}

	[Symbol.toPrimitive](): never {
		throw unawaited(this.call);
	}

	[Symbol.iterator](): never {
		throw unawaited(this.call);
	}
}
refusing(WatchedPromise.prototype, Promise.prototype, (member, { call }) => unawaited(call, member));

/** The outcome of a statement. */
interface Settled {
	/** Whether something was sent. */
	readonly hasActed: boolean;
	/** The failure of an operation that wasn't awaited. */
	readonly failure: { readonly error: unknown } | undefined;
}

/** What isn't known to be either is both. */
export type OperationKind = "question" | "action" | "either";

function refuseUnawaited(questions: readonly WatchedPromise<unknown>[]): void {
	const question = questions.find(({ isAwaited }) => !isAwaited);
	if (question) throw unawaited(question.call);
}

const nothing = (): void => undefined;

/** Whole numbers of sun that were typed as coins, and how: `5coin` isn't 5000000 smallest units of a token. */
export type TypedCoins = ReadonlyMap<bigint, string>;

export class Operations {
	readonly coins = new Map<bigint, string>();
	/** Variables that hold amounts of coins. */
	readonly amounts = new Set<string>();
	/** Rejects with the failure that nobody waited for, until {@link settle}. */
	private last: Promise<void> = Promise.resolve();
	private acted = false;
	/** What the statement asked. */
	private questions: readonly WatchedPromise<unknown>[] = [];

	/** Called for each transaction that was sent. */
	act(): void {
		this.acted = true;
	}

	/**
	 * Begins once what was asked for before has ended; not at all where that failed and nobody waited for it, and no action where a
	 * question before it wasn't waited for: it may stand in a condition.
	 */
	private run<T>(call: string, kind: OperationKind, work: () => Promise<T>): Promise<T> {
		const before = kind === "question" ? [] : this.questions;
		const made = this.last.then(() => {
			refuseUnawaited(before);
			return work();
		});
		const watched = new WatchedPromise<T>((resolve, reject) => made.then(resolve, reject));
		watched.call = call;
		if (kind !== "action") this.questions = [...this.questions, watched];
		this.last = made.then(nothing, (error) => {
			if (!watched.isAwaited) throw error;
		});
		this.last.catch(nothing);
		// Its failure is reported where it is awaited, or at the end of the statement.
		Promise.prototype.then.call(watched, undefined, nothing);
		return watched;
	}

	/** A question or an action that runs behind those before it. @param name as it is typed */
	inOrder<A extends unknown[], T>(
		name: string,
		kind: OperationKind,
		work: (...values: A) => Promise<T>,
	): (...values: A) => Promise<T> {
		const run = (...values: A): Promise<T> =>
			this.run(`${name}(${values.length > 0 ? "…" : ""})`, kind, async () => work(...values));
		const refuse = (): never => {
			throw unawaited(`${name}()`);
		};
		const base = Object.assign(Object.create(Function.prototype) as object, {
			[Symbol.toPrimitive]: refuse,
			[Symbol.iterator]: refuse,
		});
		Object.defineProperty(run, "name", { value: name });
		OPERATIONS.add(run);
		return refusing(run, base, (member) => unawaited(`${name}()`, member));
	}

	/** Waits for all operations of a statement. */
	async settle(): Promise<Settled> {
		let failure: Settled["failure"];
		try {
			for (let seen: Promise<void> | undefined; seen !== this.last; ) {
				seen = this.last;
				await seen;
			}
			refuseUnawaited(this.questions);
		} catch (error) {
			failure = { error };
		}
		const settled = { hasActed: this.acted, failure };
		this.last = Promise.resolve();
		this.acted = false;
		this.questions = [];
		return settled;
	}
}
