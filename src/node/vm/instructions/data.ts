/** Operations on memory, code, input and logs, and those that end frames. */

import { EMPTY } from "../../../protocol/bytes.js";
import { keccak256 } from "../../../protocol/hash.js";
import { MAX_INT64 } from "../../../protocol/int64.js";
import { TransactionInfoLog } from "../../../protocol/messages.js";
import { toAddress } from "../addresses.js";
import { wordPower } from "../arithmetic.js";
import type { Frame } from "../frame.js";
import { operandEnd } from "../memory.js";
import { longOutOfRange, returnDataBounds, staticViolation, tooFewEnergy } from "../vm-error.js";
import { byteLength, sat32, sat64, type Word, wordFromBytes, wordToBytes } from "../word.js";

const words = (bytes: number): number => Math.ceil(bytes / 32);

/** Energy to expand memory for an operand whose offset and size are at these stack depths. */
function expansion(frame: Frame, offset: number, size: number, name: string): number {
	return frame.memoryCost(operandEnd(frame.peek(offset), frame.peek(size)), name);
}

export function expCost(frame: Frame): number {
	return 10 + 10 * byteLength(frame.peek(1));
}

export function exp(frame: Frame): void {
	const base = frame.pop();
	frame.push(wordPower(base, frame.pop()));
}

export function sha3Cost(frame: Frame, name: string): number {
	const memory = expansion(frame, 0, 1, name);
	return 30 + memory + 6 * words(Number(sat64(frame.peek(1))));
}

export function sha3(frame: Frame): void {
	const offset = sat32(frame.pop());
	const size = sat32(frame.pop());
	const bytes = frame.memory.peek(offset, size);
	const hash = wordFromBytes(keccak256(bytes));
	frame.machine.options.hashes?.note(hash, bytes);
	frame.push(hash);
}

/** Cost of CALLDATACOPY, CODECOPY and RETURNDATACOPY. */
export function copyCost(frame: Frame, name: string): number {
	return expansion(frame, 0, 2, name) + 3 * words(Number(frame.peek(2)));
}

export function extCodeCopyCost(frame: Frame, name: string): number {
	return 20 + expansion(frame, 1, 3, name) + 3 * words(Number(frame.peek(3)));
}

function copy(frame: Frame, source: Uint8Array): void {
	const target = sat32(frame.pop());
	const from = sat32(frame.pop());
	const size = sat32(frame.pop());
	frame.memory.storePadded(target, source, from, size);
}

export function callDataCopy(frame: Frame): void {
	copy(frame, frame.context.input);
}

export function codeCopy(frame: Frame): void {
	copy(frame, frame.context.program.code);
}

export function extCodeCopy(frame: Frame): void {
	copy(frame, frame.machine.state.code.get(toAddress(frame.pop())) ?? EMPTY);
}

export function returnDataCopy(frame: Frame): void {
	const from = frame.peek(1);
	const size = frame.peek(2);
	const { length } = frame.returnData;
	if (Number(from) + Number(size) > length) throw returnDataBounds(from, size, length);
	copy(frame, frame.returnData);
}

export function memoryByteCost(frame: Frame, name: string): number {
	return frame.memoryCost(operandEnd(frame.peek(0), 1), name) + (frame.machine.gates.higherCpuLimit ? 1 : 0);
}

export function mstore8(frame: Frame): void {
	const offset = sat32(frame.pop());
	const value = frame.pop();
	frame.memory.expand(offset + 1);
	frame.memory.storeByte(offset, typeof value === "number" ? value & 0xff : Number(value & 0xffn));
}

export function mcopyCost(frame: Frame, name: string): number {
	const target = frame.peek(0);
	const source = frame.peek(1);
	const size = frame.peek(2);
	const end = Math.max(operandEnd(target, size), operandEnd(source, size));
	return 3 + frame.memoryCost(end, name) + 3 * words(Number(size));
}

export function mcopy(frame: Frame): void {
	const target = sat32(frame.pop());
	const source = sat32(frame.pop());
	frame.memory.move(target, source, sat32(frame.pop()));
}

/** Cost of LOG with a number of topics. The data's cost is checked before that of memory expansion. */
export function logCost(topics: number) {
	return (frame: Frame, name: string): number => {
		const size = frame.peek(1);
		const data = 8n * BigInt(size);
		if (data > BigInt(frame.remaining)) {
			if (data > MAX_INT64) throw longOutOfRange();
			throw tooFewEnergy(name, data, frame.remaining);
		}
		return 375 + 375 * topics + Number(data) + expansion(frame, 0, 1, name);
	};
}

export function log(topics: number) {
	return (frame: Frame): void => {
		const offset = frame.pop();
		const size = frame.pop();
		const list: Uint8Array[] = [];
		for (let i = 0; i < topics; i++) list.push(wordToBytes(frame.pop()));
		writeLog(frame, offset, size, list);
	};
}

/** @param topics 32 bytes each */
export function writeLog(frame: Frame, offset: Word, size: Word, topics: Uint8Array[]): void {
	if (frame.context.isStatic) throw staticViolation();
	const written = TransactionInfoLog.create({
		address: frame.context.address.subarray(1),
		topics,
		data: frame.memory.copy(sat32(offset), sat32(size)),
	});
	frame.machine.logs.push(written);
	frame.machine.options.observer?.logged?.(frame, written);
}

export function stop(frame: Frame): void {
	frame.halt(EMPTY);
}

/** Cost of RETURN and REVERT. */
export function outputCost(frame: Frame, name: string): number {
	return expansion(frame, 0, 1, name);
}

function outputOf(frame: Frame): Uint8Array {
	const offset = sat32(frame.pop());
	return frame.memory.final(offset, sat32(frame.pop()));
}

export function returnOutput(frame: Frame): void {
	frame.halt(outputOf(frame));
}

export function revert(frame: Frame): void {
	frame.revert(outputOf(frame));
}

export function sstoreCost(frame: Frame): number {
	const old = frame.storage.load(frame.peek(0));
	return old === undefined && frame.peek(1) !== 0 ? 20_000 : 5_000;
}

export function sload(frame: Frame, slot: Word): Word {
	return frame.storage.load(slot) ?? 0;
}

export function sstore(frame: Frame): void {
	if (frame.context.isStatic) throw staticViolation();
	const slot = frame.pop();
	frame.storage.store(slot, frame.pop());
}

export function tload(frame: Frame, slot: Word): Word {
	return frame.machine.transient.load(frame.addressWord, slot);
}

export function tstore(frame: Frame): void {
	if (frame.context.isStatic) throw staticViolation();
	const slot = frame.pop();
	frame.machine.transient.store(frame.addressWord, slot, frame.pop());
}
