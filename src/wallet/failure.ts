/**
 * Failures of commands: the codes of the machine interface, with their exit code and retry advice (protocol/command-line §2.2).
 * Every failure that reaches a person or a script is one of these.
 */

/**
 * Whether and when the same call may succeed: `same` (network error), `later`, `changed` (with other input), `never`; `wait`: the
 * transaction may be on its way, and repeating the call could have its effect twice.
 */
type Retry = "never" | "same" | "later" | "changed" | "wait";

interface FailureKind {
	readonly exit: 1 | 2 | 3 | 130;
	readonly retry: Retry;
}

const usage: FailureKind = { exit: 2, retry: "changed" };
const refused: FailureKind = { exit: 1, retry: "changed" };
const later: FailureKind = { exit: 1, retry: "later" };
const same: FailureKind = { exit: 1, retry: "same" };
const never: FailureKind = { exit: 1, retry: "never" };

export const FAILURE_KINDS = {
	usage,
	bad_value: usage,
	bad_address: usage,
	amount_unit: usage,
	stdin_empty: usage,
	conflicting_flags: usage,
	password_required: usage,
	confirmation_needed: usage,
	transaction_invalid: { exit: 2, retry: "never" },
	transaction_mismatch: { exit: 2, retry: "never" },
	bad_password: refused,
	keystore_format: refused,
	keystore_exists: refused,
	wallet_not_found: refused,
	watch_only: refused,
	agent_refused: refused,
	signer_unavailable: later,
	signer_refused: refused,
	/** Not yet a failure, unlike all others: somebody else has to approve. */
	approval_pending: { exit: 3, retry: "later" },
	wrong_network: refused,
	not_authorized: refused,
	already_signed: refused,
	too_many_signatures: refused,
	permission_changed: refused,
	threshold_not_reached: refused,
	tx_expired: refused,
	tapos: refused,
	insufficient_funds: refused,
	insufficient_resource: refused,
	contract_validate: refused,
	contract_revert: refused,
	fee_limit_too_low: refused,
	duplicate: never,
	node_busy: later,
	node_syncing: later,
	no_connection: later,
	not_final: later,
	network: same,
	timeout: same,
	rate_limited: same,
	rpc_error: refused,
	owner_lockout: refused,
	confirmation_refused: refused,
	permission_postcheck_mismatch: refused,
	code_mismatch: refused,
	wait_timeout: same,
	proof_invalid: never,
	not_found: refused,
	ambiguous: refused,
	not_served: refused,
	state_differs: refused,
	fault_found: never,
	start_failed: refused,
	interrupted: { exit: 130, retry: "same" },
	internal: never,
} as const satisfies Record<string, FailureKind>;

export type FailureCode = keyof typeof FAILURE_KINDS;

/** What is known besides the message. */
interface FailureFacts {
	readonly retry?: Retry;
	/** For commands that send transactions: whether the transaction may have reached the network. */
	readonly sent?: boolean | "unknown";
	readonly txID?: string;
	/** The node's own code and message. */
	readonly node?: { readonly code: string; readonly message: string };
	/** Position in a stream of inputs, from 0. */
	readonly index?: number;
	readonly details?: Readonly<Record<string, unknown>>;
	/** One sentence on what to do next. */
	readonly hint?: string;
	readonly cause?: unknown;
}

/** Converts bigints at any depth to decimal text, which JSON can represent. */
function plain<T>(value: T): T {
	if (typeof value === "bigint") return value.toString() as T;
	if (Array.isArray(value)) return value.map(plain) as T;
	if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
		return value;
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)])) as T;
}

/** An error with a code of the machine interface. The message is for people and never contains a secret. */
export class Failure extends Error {
	override readonly name = "Failure";

	constructor(
		readonly code: FailureCode,
		message: string,
		facts: FailureFacts = {},
	) {
		super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
		this.facts = facts.details === undefined ? facts : { ...facts, details: plain(facts.details) };
	}

	/** All of it can be written as JSON, except `cause`. */
	readonly facts: FailureFacts;

	/** Whether the call may be retried: never as it is if a node has the transaction, or may have it. */
	get retry(): Retry {
		const { retry, sent } = this.facts;
		const usual = retry ?? FAILURE_KINDS[this.code].retry;
		if (sent === "unknown") return "wait";
		return sent === true && (usual === "same" || usual === "later") ? "wait" : usual;
	}

	/** The same failure with another message. */
	saying(message: string): Failure {
		return new Failure(this.code, message, this.facts);
	}

	/** The same failure with additional facts. */
	with(facts: FailureFacts): Failure {
		return new Failure(this.code, this.message, { ...this.facts, ...facts });
	}
}

/**
 * For `catch`: replaces a {@link Failure} by a value; any other error is rethrown.
 * @param codes the failures to replace; none given: all
 */
export function onRefusal<T>(instead: T, ...codes: readonly FailureCode[]): (error: unknown) => T {
	return (error) => {
		if (error instanceof Failure && (codes.length === 0 || codes.includes(error.code))) return instead;
		throw error;
	};
}

/** A line of a list that can't be accepted. */
export interface RefusedLine {
	/** From 1. */
	readonly line: number;
	/** Position among the values of the list, from 0. */
	readonly index: number;
	readonly failure: Failure;
}

/** The same failure, with the line of the list that caused it. */
export function atLine(failure: Failure, line: number): Failure {
	return failure
		.saying(`line ${line}: ${failure.message}`)
		.with({ details: { ...failure.facts.details, line } });
}

/** The most lines whose reasons are given besides the first one's. */
const MAX_REASONS = 4;

/** The failure of a whole list: that of its first bad line, with the other lines in its message and details. */
export function refusalOfList(
	[first, ...others]: readonly [RefusedLine, ...RefusedLine[]],
	so: string,
): Failure {
	const failure = atLine(first.failure, first.line).with({ index: first.index });
	if (others.length === 0) return failure;
	const further = others.slice(MAX_REASONS).map(({ line }) => line);
	const reasons = [
		failure.message,
		...others.slice(0, MAX_REASONS).map(({ line, failure: { message } }) => `line ${line}: ${message}`),
		...(further.length > 0 ? [`${linesText(further)} ${so} either`] : []),
	];
	return failure.saying(reasons.join("; ")).with({
		details: {
			...failure.facts.details,
			refused: [first, ...others].map(({ line, failure: { code, message } }) => ({ line, code, message })),
		},
	});
}

/** Formats line numbers: `line 2`, `lines 2-4 and 7`. */
export function linesText(lines: readonly number[]): string {
	const runs: [number, number][] = [];
	for (const line of lines) {
		const last = runs.at(-1);
		if (last && last[1] === line - 1) last[1] = line;
		else runs.push([line, line]);
	}
	const texts = runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
	const [last, ...others] = texts.reverse();
	const text = others.length === 0 ? last : `${others.reverse().join(", ")} and ${last}`;
	return `${lines.length === 1 ? "line" : "lines"} ${text}`;
}
