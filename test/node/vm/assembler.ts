/** Contract code from text: names of operations, `0x…` for the shortest push of a value, `@a` for a target, `a:` there. */

import { opcodes } from "../../../src/node/vm/opcodes.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";

const byName = new Map(opcodes.map((row) => [row.name, row.byte]));
const PUSH1 = 0x60;

/** @throws if a word is none of these */
export function assemble(text: string): Uint8Array {
	const code: number[] = [];
	const targets = new Map<string, number>();
	const uses: { readonly at: number; readonly name: string }[] = [];
	for (const word of text.split(/\s+/).filter((each) => each !== "")) {
		const byte = byName.get(word);
		if (byte !== undefined) code.push(byte);
		else if (word.startsWith("0x")) code.push(...push(word.slice(2)));
		else if (word.startsWith("@")) {
			uses.push({ at: code.length + 1, name: word.slice(1) });
			code.push(PUSH1 + 1, 0, 0);
		} else if (word.endsWith(":")) {
			targets.set(word.slice(0, -1), code.length);
			code.push(byName.get("JUMPDEST") as number);
		} else throw new Error(`"${word}" is not an operation`);
	}
	for (const { at, name } of uses) {
		const target = targets.get(name);
		if (target === undefined) throw new Error(`there is no target ${name}`);
		code[at] = target >> 8;
		code[at + 1] = target & 0xff;
	}
	return Uint8Array.from(code);
}

/** A push of these digits, leading zeros included. */
export function push(digits: string): readonly number[] {
	const bytes = fromHex(digits.length % 2 === 0 ? digits : `0${digits}`);
	return [PUSH1 + bytes.length - 1, ...bytes];
}

/** Code that stores these bytes in memory at 0, and leaves nothing on the stack. */
export function storeBytes(bytes: Uint8Array): string {
	const words: string[] = [];
	for (let at = 0; at < bytes.length; at += 32) {
		words.push(`0x${toHex(bytes.subarray(at, at + 32)).padEnd(64, "0")} 0x${at.toString(16)} MSTORE`);
	}
	return words.join(" ");
}

/** Creation code of a contract with this code. */
export function creationOf(code: Uint8Array): Uint8Array {
	const size = `0x${code.length.toString(16).padStart(4, "0")}`;
	const head = `${size} 0x000d PUSH0 CODECOPY ${size} PUSH0 RETURN`;
	return Uint8Array.from([...assemble(head), ...code]);
}
