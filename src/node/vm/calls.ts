/** The CALL family of operations (protocol/machine §§11.3 and 11.4). */

import { MAX_INT64 } from "../../protocol/int64.js";
import { toAddress } from "./addresses.js";
import { add, lt, sub } from "./arithmetic.js";
import { penaltyOf } from "./dynamic-energy.js";
import {
	type CallRefusal,
	closeAtOnce,
	PRECOMPILE_FAILED,
	PRECOMPILE_TOO_DEAR,
	TOO_DEEP,
	TOO_POOR,
} from "./execution-observer.js";
import { Frame } from "./frame.js";
import type { InternalRecord } from "./internal-transactions.js";
import { checkCeiling, chunkMissing, MEMORY_CHUNK, operandEnd } from "./memory.js";
import type { Precompile } from "./precompiles/precompile.js";
import { findPrecompile } from "./precompiles/precompiles.js";
import {
	coinTransferError,
	createIfMissing,
	moveCoins,
	moveTokens,
	tokenTransferError,
} from "./transfers.js";
import {
	executionFailed,
	longOutOfRange,
	runtimeFailed,
	stackOverflow,
	staticViolation,
	tooFewEnergy,
	transferFailed,
	type VmError,
} from "./vm-error.js";
import { fitsInt64, low32, low64, narrow, sat32, type Word } from "./word.js";

/** Maximum depth of nested frames; the outermost has depth 0. */
const MAX_DEPTH = 64;

/** Maximum depth for CREATE2, which may go beyond the limit: far more than the network's runtime could handle. */
const MAX_RUNTIME_DEPTH = 4096;

/** Token ids up to this one are reserved. */
export const LAST_RESERVED_TOKEN_ID = 1_000_000n;

const CALL_COST = 40;
const VALUE_COST = 9_000;
export const NEW_ACCOUNT_COST = 25_000;
/** Extra energy for a callee that is sent value. */
const STIPEND = 2_300;

/** Traits of one operation of the family. */
interface CallKind {
	readonly name: string;
	/** Takes a value operand. */
	readonly hasValue: boolean;
	/** Takes a token id operand. */
	readonly hasToken: boolean;
	/** The code runs in the caller's context. */
	readonly ownContext: boolean;
	/** The code sees the caller's own caller and value. */
	readonly delegates: boolean;
	readonly isStatic: boolean;
}

const kind = (name: string, traits: Partial<CallKind>): CallKind => ({
	name,
	hasValue: false,
	hasToken: false,
	ownContext: false,
	delegates: false,
	isStatic: false,
	...traits,
});

export const CALL = kind("CALL", { hasValue: true });
export const CALLCODE = kind("CALLCODE", { hasValue: true, ownContext: true });
export const DELEGATECALL = kind("DELEGATECALL", { ownContext: true, delegates: true });
export const STATICCALL = kind("STATICCALL", { isStatic: true });
export const CALLTOKEN = kind("CALLTOKEN", { hasValue: true, hasToken: true });

/** A call with its operands. */
interface Call {
	readonly kind: CallKind;
	readonly target: Word;
	readonly value: Word;
	readonly tokenId: Word;
	readonly inOffset: Word;
	readonly inSize: Word;
	readonly outOffset: Word;
	readonly outSize: Word;
	/** Energy the callee may spend, including the stipend. */
	energy: Word;
}

/** Makes the effect of a call operation, which charges its own energy. */
export function call(callKind: CallKind): (frame: Frame) => void {
	return (frame) => perform(frame, readCall(frame, callKind));
}

function readCall(frame: Frame, kind: CallKind): Call {
	const requested = frame.pop();
	const target = frame.pop();
	const value = kind.hasValue ? frame.pop() : 0;
	const tokenId = kind.hasToken ? frame.pop() : 0;
	const read: Call = {
		kind,
		target,
		value,
		tokenId,
		inOffset: frame.pop(),
		inSize: frame.pop(),
		outOffset: frame.pop(),
		outSize: frame.pop(),
		energy: 0,
	};
	read.energy = charge(frame, requested, read);
	return read;
}

/** Charges the call and the energy it forwards. @returns what the callee may spend */
function charge(frame: Frame, requested: Word, call: Readonly<Call>): Word {
	const { machine, context } = frame;
	const { kind, value } = call;
	let own = CALL_COST;
	if (value !== 0) {
		own += VALUE_COST;
		if (!kind.ownContext && !machine.state.account.has(toAddress(call.target))) own += NEW_ACCOUNT_COST;
	}
	const end = Math.max(operandEnd(call.inOffset, call.inSize), operandEnd(call.outOffset, call.outSize));
	own += frame.memoryCost(end, kind.name);
	const penalty = penaltyOf(own, frame.factor);
	const charged = own + penalty;
	const left = frame.remaining;
	if (lt(left, charged) === 1) throw tooFewEnergy(kind.name, charged, left);
	let available = sub(left, charged);
	if (machine.gates.compatible && context.version === 1) available = withoutReserve(available);
	const forwarded = lt(requested, available) === 1 ? requested : available;
	frame.spend(charged);
	frame.spend(forwarded);
	frame.penalty += penalty;
	if (machine.gates.dynamicEnergy) frame.spentOutside += BigInt(forwarded);
	return value !== 0 ? add(forwarded, STIPEND) : forwarded;
}

/** Energy that a contract of version 1 may forward: all but one 64th. */
export function withoutReserve(energy: Word): Word {
	const reserved = typeof energy === "number" ? Math.floor(energy / 64) : energy / 64n;
	return sub(energy, reserved);
}

/** Returns forwarded energy to the frame. */
export function giveBack(frame: Frame, energy: Word): void {
	frame.refund(energy);
	if (frame.machine.gates.dynamicEnergy) frame.spentOutside -= BigInt(energy);
}

/**
 * Whether the frame has reached the depth limit. The network compares for equality only, so frames that
 * CREATE2 opened beyond it (without #60) may nest deeper.
 * @throws {VmError} where the network's runtime gave up long ago
 */
export function isTooDeep({ context: { depth } }: Frame): boolean {
	if (depth >= MAX_RUNTIME_DEPTH) throw stackOverflow();
	return depth === MAX_DEPTH;
}

function perform(frame: Frame, call: Call): void {
	const { kind, value } = call;
	if (frame.context.isStatic && value !== 0 && !kind.ownContext) throw staticViolation();
	const outSize = low32(call.outSize);
	if (outSize > 0) frame.memory.expand(low32(call.outOffset) + outSize);
	const precompile = findPrecompile(frame.machine.gates, call.target);
	frame.forgetReturnData();
	if (isTooDeep(frame)) {
		if (frame.machine.options.observer) tellRefused(frame, call, TOO_DEEP);
		giveBack(frame, call.energy);
		frame.push(0);
		return;
	}
	if (precompile) callPrecompile(frame, call, precompile);
	else callContract(frame, call);
}

/** Whether the call moves tokens. Before multi-signature, any id other than 0 meant tokens, whatever the operation. */
function movesTokens(frame: Frame, { kind, tokenId }: Call): boolean {
	return frame.machine.gates.multiSign ? kind.hasToken : tokenId !== 0;
}

/** @throws {VmError} if the token id of a call isn't one */
function checkTokenId(frame: Frame, call: Call): void {
	const { gates } = frame.machine;
	if (!gates.multiSign) return;
	const fits = fitsInt64(call.tokenId);
	const id = low64(call.tokenId);
	if (fits && (id === 0n ? !call.kind.hasToken : id > LAST_RESERVED_TOKEN_ID)) return;
	const message = "validateForSmartContract failure:not valid token id";
	if (!gates.constantinople) throw fits ? executionFailed(message) : longOutOfRange();
	giveBack(frame, call.energy);
	throw transferFailed(message);
}

/** The frame's balance of the coin or token that the call sends. */
function held(frame: Frame, call: Call): bigint {
	const account = frame.machine.state.account.get(frame.context.address);
	if (!movesTokens(frame, call)) return account?.balance ?? 0n;
	return account?.assetV2.get(String(low64(call.tokenId))) ?? 0n;
}

function callContract(frame: Frame, call: Call): void {
	const { machine, context } = frame;
	const { kind } = call;
	const { gates, state } = machine;
	const target = toAddress(call.target);
	const receiver = kind.ownContext ? context.address : target;
	// No copy needed: the frame's memory doesn't change until the callee has ended.
	const input = frame.memory.peek(low32(call.inOffset), low32(call.inSize));
	const value = BigInt(call.value);
	if (value > MAX_INT64) {
		if (!gates.constantinople) throw longOutOfRange();
		giveBack(frame, call.energy);
		throw transferFailed("endowment out of long range");
	}
	checkTokenId(frame, call);
	if (held(frame, call) < value) {
		if (machine.options.observer) tellRefused(frame, call, TOO_POOR);
		giveBack(frame, call.energy);
		frame.push(0);
		return;
	}
	const mark = machine.mark(context.depth + 1);
	const code = state.account.has(target) ? state.code.get(target) : undefined;
	const tokens = movesTokens(frame, call);
	if (value > 0n && !kind.ownContext) {
		if (gates.solidity059) createIfMissing(state, target);
		send(frame, call, target, value);
	}
	const record = machine.internal.add(
		context.openedBy,
		context.address,
		receiver,
		"call",
		tokens ? { value: 0n, tokens: new Map([[String(low64(call.tokenId)), value]]) } : { value },
		input,
	);
	const { observer } = machine.options;
	if (observer) tellOpened(frame, call, input, record);
	if (!code || code.length === 0) {
		machine.options.onCodelessCall?.(record.id, target, Uint8Array.from(input));
		if (observer) closeAtOnce(observer, context.depth + 1);
		giveBack(frame, call.energy);
		frame.push(1);
		return;
	}
	const child = new Frame(machine, {
		program: machine.options.programs.get(code),
		address: receiver,
		caller: kind.delegates ? context.caller : context.address,
		callValue: kind.delegates ? context.callValue : tokens ? 0 : call.value,
		tokenValue: tokens ? call.value : 0,
		tokenId: tokens ? call.tokenId : 0,
		input,
		isStatic: kind.isStatic || context.isStatic,
		version: state.contract.get(target)?.version ?? 0,
		depth: context.depth + 1,
		energy: call.energy,
		openedBy: record,
	});
	child.mark = mark;
	frame.open(child, (opener, ended) => finishCall(opener, ended, call));
}

/** Reports to the observer that a call begins. */
function tellOpened(frame: Frame, call: Call, input: Uint8Array, record: InternalRecord | undefined): void {
	const { machine, context } = frame;
	const { kind } = call;
	const target = toAddress(call.target);
	const tokens = movesTokens(frame, call);
	const amount = BigInt(kind.delegates ? context.callValue : call.value);
	machine.options.observer?.opened?.({
		kind: kind.name,
		depth: context.depth + 1,
		caller: context.address,
		address: kind.ownContext ? context.address : target,
		code: target,
		value: tokens ? 0n : amount,
		token: tokens && amount > 0n ? { id: low64(call.tokenId), amount } : undefined,
		input,
		energy: call.energy,
		record,
	});
}

/** Reports to the observer a call that is refused before it begins. */
function tellRefused(frame: Frame, call: Call, failure: CallRefusal): void {
	const { observer } = frame.machine.options;
	if (!observer) return;
	tellOpened(frame, call, frame.memory.look(low32(call.inOffset), low32(call.inSize)), undefined);
	closeAtOnce(observer, frame.context.depth + 1, { failure });
}

/** Transfers the value of a call. @throws {VmError} */
function send(frame: Frame, call: Call, target: Uint8Array, value: bigint): void {
	const { state, gates } = frame.machine;
	const from = frame.context.address;
	const tokens = movesTokens(frame, call);
	const id = low64(call.tokenId);
	const error = tokens
		? tokenTransferError(state, from, target, id, value)
		: coinTransferError(state, from, target, value);
	if (error === undefined) {
		if (tokens) moveTokens(state, from, target, id, value);
		else moveCoins(state, from, target, value);
		return;
	}
	if (!gates.constantinople) throw executionFailed(`validateForSmartContract failure:${error}`);
	giveBack(frame, call.energy);
	throw transferFailed(`transfer ${tokens ? "orc10" : "coin"} failed: ${error}`);
}

function finishCall(frame: Frame, child: Frame, call: Call): void {
	if (child.failure) {
		frame.push(0);
		return;
	}
	frame.push(child.reverted ? 0 : 1);
	const size = Math.min(low32(call.outSize), child.output.length);
	if (size > 0) frame.memory.storeWithin(low32(call.outOffset), child.output.subarray(0, size), child.memory);
	frame.keepOutput(child);
	giveBack(frame, child.remaining);
}

function callPrecompile(frame: Frame, call: Call, precompile: Precompile): void {
	const { machine, context } = frame;
	const value = BigInt(call.value);
	if (value > MAX_INT64) throw longOutOfRange();
	checkTokenId(frame, call);
	const { observer } = machine.options;
	if (held(frame, call) < value) {
		if (observer) tellRefused(frame, call, TOO_POOR);
		giveBack(frame, call.energy);
		frame.push(0);
		return;
	}
	const input = frame.memory.peek(low32(call.inOffset), low32(call.inSize));
	if (observer) tellOpened(frame, call, input, undefined);
	const mark = machine.mark();
	if (value > 0n && !call.kind.ownContext) sendToPrecompile(frame, call, value);
	const required = precompile.energy(input, machine.gates);
	if (required > BigInt(call.energy)) {
		const end = { energyUsed: BigInt(call.energy), failure: PRECOMPILE_TOO_DEAR };
		if (observer) closeAtOnce(observer, context.depth + 1, end);
		machine.revert(mark);
		frame.push(0);
		return;
	}
	const result = precompile.run(input, {
		machine,
		caller: call.kind.delegates ? context.caller : context.address,
	});
	if (observer) {
		const end = result.success
			? { energyUsed: required, output: result.output }
			: { energyUsed: BigInt(call.energy), failure: PRECOMPILE_FAILED };
		closeAtOnce(observer, context.depth + 1, end);
	}
	if (result.success) {
		giveBack(frame, sub(call.energy, narrow(required)));
		frame.push(1);
		frame.returnData = result.output;
	} else {
		machine.revert(mark);
		frame.push(0);
	}
	if (machine.gates.restrictedSelfDestruct) storeExpected(frame, call, result.output);
	else storeWhole(frame, low32(call.outOffset), result.output);
}

/** Since #94: writes only as much of a precompile's output as the caller asked for. */
function storeExpected(frame: Frame, { outOffset, outSize }: Call, output: Uint8Array): void {
	const size = Math.min(sat32(outSize), output.length);
	if (size > 0) frame.memory.store(sat32(outOffset), output.subarray(0, size));
}

function sendToPrecompile(frame: Frame, call: Call, value: bigint): void {
	const { state } = frame.machine;
	const from = frame.context.address;
	const target = toAddress(call.target);
	if (movesTokens(frame, call)) {
		const id = low64(call.tokenId);
		const error = tokenTransferError(state, from, target, id, value);
		if (error !== undefined) throw executionFailed(`validateForSmartContract failure:${error}`);
		moveTokens(state, from, target, id, value);
		return;
	}
	if (coinTransferError(state, from, target, value) !== undefined) throw executionFailed("transfer failure");
	moveCoins(state, from, target, value);
}

/** Before #94: writes all of a precompile's output, whatever size the caller gave; the memory growth isn't charged. */
function storeWhole(frame: Frame, offset: number, output: Uint8Array): void {
	if (output.length === 0) return;
	if (offset < 0) throw beforeMemory(frame, offset);
	checkCeiling(frame.memory, offset, output.length);
	frame.memory.store(offset, output);
}

/** Error for a negative offset. The network's memory is a list of chunks: the offset misses the list, or its first chunk. */
function beforeMemory(frame: Frame, offset: number): VmError {
	if (offset <= -MEMORY_CHUNK) return chunkMissing(frame.memory, offset);
	return runtimeFailed(
		"java.lang.ArrayIndexOutOfBoundsException",
		`arraycopy: destination index ${offset} out of bounds for byte[${MEMORY_CHUNK}]`,
	);
}
