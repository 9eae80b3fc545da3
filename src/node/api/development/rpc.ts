/** JSON-RPC with the methods of development chains (protocol/development-chain §4.4) on top of the regular ones. */

import { isWireError } from "../../../protocol/json/exceptions.js";
import { TimeError } from "../../development/control.js";
import { UnknownSnapshotError } from "../../development/snapshots.js";
import { EditError } from "../../development/state-edits.js";
import { StateFileError } from "../../development/state-file.js";
import { SLICE_MS, TimeSlice } from "../../scheduling/time-slice.js";
import { TraceError } from "../../tracing/limits.js";
import type { Caller, Dispatcher } from "../jsonrpc/dispatcher.js";
import {
	isRawArray,
	isRawObject,
	JsonTextError,
	type RawArray,
	type RawObject,
	type RawValue,
	RPC_BUDGET,
	readRawJson,
} from "../jsonrpc/json-reader.js";
import {
	EXECUTION_REVERTED,
	INTERNAL,
	INVALID_PARAMS,
	INVALID_REQUEST,
	METHOD_NOT_FOUND,
	PARSE_ERROR,
	ResponseTooLong,
	RpcError,
} from "../jsonrpc/rpc-error.js";
import { membersText } from "../jsonrpc/simulation/members.js";
import {
	type DevelopmentContext,
	type DevelopmentMethod,
	type DevelopmentMethods,
	writeValue,
} from "./method.js";
import { accountMethods, rawMethods } from "./methods/accounts.js";
import { blockMethods } from "./methods/blocks.js";
import { nodeMethods } from "./methods/node.js";
import { poolMethods } from "./methods/pool.js";
import { sendingMethods } from "./methods/sending.js";
import { stateMethods } from "./methods/state.js";
import { type DevelopmentAccess, READING_METHODS } from "./web-origin.js";

const rows: DevelopmentMethods = [
	...nodeMethods,
	...blockMethods,
	...stateMethods,
	...accountMethods,
	...sendingMethods,
	...poolMethods,
	...rawMethods,
];

/** Every development method by each of its names. */
const developmentMethods: ReadonlyMap<string, DevelopmentMethod> = new Map(
	rows.flatMap(([names, method]) => names.map((name) => [name, method] as const)),
);

const OWN_NAMES = new RegExp(`"(?:${[...developmentMethods.keys()].join("|")})"|\\\\`);

/** Whether a text may call a development method: it contains one's name, or an escape sequence that could hide it. */
function mayNameOwn(text: string): boolean {
	return OWN_NAMES.test(text);
}

/** Its plugins need to see a test chain they recognize (protocol/development-chain §4.9). */
const isHardhat = ({ agent = "" }: Caller): boolean => /^hardhat\b/i.test(agent);
const VERSION = "web3_clientVersion";
const SEND = "eth_sendTransaction";
/** The members of a sent transaction that define its effect. */
const WORDS = ["from", "to", "value", "data", "input"];

const MAX_BATCH = 100;
const HOW_TO_ALLOW = "coin node start --allow-origin";

interface DevelopmentRpcOptions {
	readonly context: () => DevelopmentContext;
	/** Answers the regular methods. */
	readonly ordinary: Dispatcher;
}

export class DevelopmentRpc {
	constructor(private readonly options: DevelopmentRpcOptions) {}

	/** Like {@link answer}, but with a newline after a non-empty answer. */
	answerLine(
		...[text, mixed, access, caller]: Parameters<DevelopmentRpc["answer"]>
	): string | Promise<string> {
		const answered =
			mixed && !isHardhat(caller ?? {}) && !mayNameOwn(text)
				? this.options.ordinary.answer(text, caller)
				: this.answer(text, mixed, access, caller);
		return answered instanceof Promise ? answered.then(asLine) : asLine(answered);
	}

	/**
	 * Answers a request or a batch; never throws.
	 * @param mixed methods of every node are answered too
	 * @param access which development methods this caller may use
	 */
	async answer(
		text: string,
		mixed: boolean,
		access: DevelopmentAccess,
		caller: Caller = {},
	): Promise<string> {
		let request: RawValue;
		try {
			// A trusted caller may restore the whole state.
			request = access === "everything" ? readRawJson(text) : readRawJson(text, RPC_BUDGET);
		} catch (error) {
			if (!(error instanceof JsonTextError)) throw error;
			return mixed
				? this.options.ordinary.answer(text, caller)
				: errorReply("null", PARSE_ERROR, "JSON parse error");
		}
		const calls = isRawArray(request) ? request : [request];
		if (mixed && !isHardhat(caller) && !calls.some((call) => developmentMethods.has(methodOf(call)))) {
			return this.options.ordinary.answer(text, caller);
		}
		if (!isRawArray(request)) return this.single(request, mixed, access, caller);
		if (request.length > MAX_BATCH) {
			return errorReply("null", INVALID_REQUEST, `a batch has at most ${MAX_BATCH} calls`);
		}
		return this.batch(request, mixed, access, caller);
	}

	/** Stops making calls once the answers exceed the size limit: foreign pages may read, but not exhaust memory. */
	private async batch(
		calls: RawArray,
		...[mixed, access, caller]: [boolean, DevelopmentAccess, Caller]
	): Promise<string> {
		const { maxResponseSize } = this.options.context().node.config.node.jsonrpc;
		const tooLong = new ResponseTooLong(maxResponseSize);
		const most = maxResponseSize > 0 ? maxResponseSize : Number.POSITIVE_INFINITY;
		const turns = new TimeSlice(SLICE_MS);
		const answers: string[] = [];
		let size = 0;
		for (const call of calls) {
			if (caller.isAbandoned?.()) break;
			if (turns.over) await turns.yield();
			let answer = size > most ? "" : await this.single(call, mixed, access, caller);
			size += Buffer.byteLength(answer);
			if (size > most) {
				answer = errorReply(isRawObject(call) ? idOf(call) : "null", tooLong.code, tooLong.message);
			}
			if (answer !== "") answers.push(answer);
		}
		return `[${answers.join(",")}]`;
	}

	/**
	 * Special answers for hardhat: its helpers only accept chain names they know, and on a network called localhost its
	 * signers give each call the block gas limit and rely on the node to reject calls that would fail.
	 * @returns undefined for everything answered as usual
	 */
	private async forHardhat(name: string, call: RawObject, caller: Caller): Promise<string | undefined> {
		if (name === VERSION) {
			const { release } = this.options.context().control.open.rules;
			return `{"jsonrpc":"2.0","id":${idOf(call)},"result":${JSON.stringify(`anvil/coin/v${release}`)}}`;
		}
		const tried = name === SEND ? tryOf(call) : undefined;
		if (tried === undefined) return undefined;
		const answer = await this.options.ordinary.answer(tried, caller);
		const { error } = JSON.parse(answer) as { readonly error?: { readonly code?: number } };
		return error?.code === EXECUTION_REVERTED ? answer : undefined;
	}

	private async single(
		call: RawValue,
		mixed: boolean,
		access: DevelopmentAccess,
		caller: Caller,
	): Promise<string> {
		const name = methodOf(call);
		const method = developmentMethods.get(name);
		if (mixed && isHardhat(caller) && isRawObject(call)) {
			const told = await this.forHardhat(name, call, caller);
			if (told !== undefined) return told;
		}
		if (!method && mixed) return this.options.ordinary.answer(membersText(call), caller);
		if (!isRawObject(call)) return errorReply("null", INVALID_REQUEST, "invalid request");
		const id = idOf(call);
		if (!method || access === "nothing") {
			return errorReply(id, METHOD_NOT_FOUND, `the method ${name} does not exist/is not available`);
		}
		if (access === "reading" && !READING_METHODS.has(name)) {
			return errorReply(id, INVALID_REQUEST, `pages of other origins may not call ${name}: ${HOW_TO_ALLOW}`);
		}
		const params = call.get("params") ?? [];
		if (!isRawArray(params)) return errorReply(id, INVALID_PARAMS, "method parameters invalid");
		const context = this.options.context();
		try {
			const result = await method(context, params);
			return `{"jsonrpc":"2.0","id":${id},"result":${writeValue(result)}}`;
		} catch (error) {
			return failure(context, id, name, error);
		}
	}
}

/** The call as a request to estimate its cost, without gas, which may have been set as if energy were free. */
function tryOf(call: RawObject): string | undefined {
	const params = call.get("params");
	const [sent] = isRawArray(params) ? params : [];
	if (!isRawObject(sent)) return undefined;
	const words: RawValue = new Map(
		WORDS.flatMap((name) => (sent.has(name) ? [[name, sent.get(name) as RawValue]] : [])),
	);
	const id = idOf(call);
	return `{"jsonrpc":"2.0","id":${id},"method":"eth_estimateGas","params":[${membersText(words)}]}`;
}

function asLine(text: string): string {
	return text === "" ? "" : `${text}\n`;
}

/** Rejections the client can act on. */
const REFUSALS = [UnknownSnapshotError, EditError, StateFileError, TimeError, TraceError];

function failure({ node }: DevelopmentContext, id: string, name: string, error: unknown): string {
	if (error instanceof RpcError) return errorReply(id, error.code, error.message);
	const message = error instanceof Error ? error.message : String(error);
	if (REFUSALS.some((type) => error instanceof type)) return errorReply(id, INVALID_PARAMS, message);
	if (!isWireError(error)) node.report(error, `JSON-RPC ${name}`);
	return errorReply(id, INTERNAL, message);
}

function errorReply(id: string, code: number, message: string): string {
	return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}}}`;
}

function methodOf(call: RawValue): string {
	const name = isRawObject(call) ? call.get("method") : undefined;
	return typeof name === "string" ? name : "";
}

function idOf(call: RawObject): string {
	const id = call.get("id");
	return id === undefined || isRawObject(id) || isRawArray(id) ? "null" : membersText(id);
}
