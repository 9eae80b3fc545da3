/** Programs that ask for as much time, memory or depth as they can. Each is creation code, so a query can run it. */

import { toHex } from "../../../src/protocol/bytes.js";
import { assemble, creationOf, storeBytes } from "./assembler.js";

const WIDE = `0x${"f1".repeat(32)}`;
/** The generators of both groups of alt_bn128, as the pairing reads them. */
const PAIR = [
	1n,
	2n,
	11559732032986387107991004021392285783925812861821192530917403151452391805634n,
	10857046999023057135944570762232829481370756359578518086990519993285655852781n,
	4082367875863433681332203403145435568316851327593401208105741076214120093531n,
	8495653923123431417604973247489272438418190587263600148770280649306958101930n,
];
const pairBytes = Buffer.from(PAIR.map((part) => part.toString(16).padStart(64, "0")).join(""), "hex");

/** Calls a precompile with `size` bytes of memory from 0 on. */
const precompile = (word: string, size: string, out = "0x00 0x00"): string =>
	`${out} ${size} 0x00 ${word} GAS STATICCALL POP`;

const endless = (body: string, before = ""): string => `${before} again: ${body} @again JUMP`;

/** Doubles what stands in memory at 0, `times` times. */
const doubled = (from: number, times: number): string =>
	Array.from(
		{ length: times },
		(_, i) => `0x${(from << i).toString(16)} PUSH0 0x${(from << i).toString(16)} MCOPY`,
	).join(" ");

const modexpInput = (base: number, exponent: number, modulus: number): string =>
	`0x${base.toString(16)} 0x00 MSTORE 0x${exponent.toString(16)} 0x20 MSTORE 0x${modulus.toString(16)} 0x40 MSTORE`;

/** Fills memory behind the header: 32 bytes, doubled so often. */
const ones = (times: number): string => `${WIDE} 0x60 MSTORE ${copiesFrom(0x60, 32, times)}`;

function copiesFrom(start: number, size: number, times: number): string {
	return Array.from({ length: times }, (_, i) => {
		const length = (size << i).toString(16);
		return `0x${length} 0x${start.toString(16)} 0x${(start + (size << i)).toString(16)} MCOPY`;
	}).join(" ");
}

/** Creates a contract of this code and calls it. */
function created(runtime: string): string {
	const creation = creationOf(assemble(runtime));
	const size = `0x${creation.length.toString(16)}`;
	return `${storeBytes(creation)} ${size} PUSH0 PUSH0 CREATE PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 DUP6 GAS CALL POP STOP`;
}

const SELF_CREATION = "CODESIZE PUSH0 PUSH0 CODECOPY CODESIZE PUSH0 PUSH0 CREATE POP";
const SELF_CREATION_2 = "CODESIZE PUSH0 PUSH0 CODECOPY GAS CODESIZE PUSH0 PUSH0 CREATE2 POP";
const CALL_SELF = "PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 ADDRESS GAS CALL POP";

const sources: Readonly<Record<string, string>> = {
	"an endless loop": endless(""),
	"full-width products without a jump": endless(`${`${WIDE} DUP1 DUP1 MULMOD POP `.repeat(600)}`),
	"full-width powers": endless(`${WIDE} ${WIDE} EXP POP`),
	"creations inside creations": endless(SELF_CREATION),
	"a chain of creations": `${SELF_CREATION} STOP`,
	"salted creations inside creations": endless(SELF_CREATION_2),
	"a chain of salted creations": `${SELF_CREATION_2} STOP`,
	"calls of itself": created(endless(CALL_SELF)),
	"a chain of calls of itself": created(`${CALL_SELF} STOP`),
	"creation code without end": "0x300000 PUSH0 PUSH0 CREATE POP 0x300000 PUSH0 PUSH0 CREATE POP STOP",
	"memory to its limit": endless("0x01 0x2fffe0 MSTORE PUSH0 0x2fffe0 MSTORE8"),
	"memory beyond its limit": "0x01 0x2fffe1 MSTORE",
	"memory of many frames": `0x01 0x080000 MSTORE ${SELF_CREATION} STOP`,
	"copies of all memory": endless("0x2fffff PUSH0 0x01 MCOPY", "0x01 0x2fffe0 MSTORE"),
	"copies of code that isn't there": endless("0x300000 0xffffffff PUSH0 CODECOPY"),
	"copies of returned data": endless(
		"RETURNDATASIZE PUSH0 PUSH0 RETURNDATACOPY",
		precompile("0x04", "0x100000"),
	),
	"hashes of all memory": endless("0x300000 PUSH0 SHA3 POP"),
	"inputs of all memory": endless("PUSH0 PUSH0 0x300000 PUSH0 PUSH0 0x1234567890 GAS CALL POP"),
	"output of all memory": "0x300000 PUSH0 RETURN",
	"logs of all memory": endless("0x180000 PUSH0 LOG0"),
	"transient slots": endless("DUP1 GAS TSTORE", "0x01"),
	"storage slots": endless("0x01 GAS SSTORE"),
	"reads of storage slots": endless("GAS SLOAD POP"),
	"reads of accounts": endless("GAS DUP1 MUL DUP1 BALANCE POP EXTCODEHASH POP"),
	"large modular powers": `${modexpInput(1024, 600, 1024)} ${ones(7)} ${endless(precompile("0x05", "0x0c60"))}`,
	"a modulus of 32 KiB": `${modexpInput(32_768, 1, 32_768)} ${ones(12)} ${endless(precompile("0x05", "0x010061"))}`,
	"an exponent of 1 MiB": `${modexpInput(1, 1_048_576, 1)} ${ones(15)} ${endless(precompile("0x05", "0x100062"))}`,
	"lengths beyond everything": `${modexpInput(0x7fffffff, 0x7fffffff, 0x7fffffff)} ${endless(precompile("0x05", "0x0c60"))}`,
	"an exponent of 1 GiB": `${modexpInput(0, 0x3fffffff, 0)} ${ones(1)} ${endless(precompile("0x05", "0x80"))}`,
	"an exponent of 128 MiB": `${modexpInput(1, 0x08000000, 1)} ${ones(1)} ${endless(precompile("0x05", "0x80"))}`,
	"output far beyond memory": endless(
		`0x1000 ADD PUSH0 DUP2 0x20 PUSH0 0x04 GAS STATICCALL POP`,
		"0x20000000",
	),
	"votes far beyond memory": endless(
		`0x3ffff000 0x08${"00".repeat(31)} 0x3ffff000 0x08${"00".repeat(31)} VOTEWITNESS POP`,
	),
	"pairings of 2048 pairs": `${storeBytes(pairBytes)} ${doubled(192, 11)} ${endless(precompile("0x08", "0x060000"))}`,
	"products of points": `${storeBytes(pairBytes.subarray(0, 64))} ${WIDE} 0x40 MSTORE ${endless(precompile("0x07", "0x60"))}`,
	"recovered signers": `${storeBytes(Buffer.from(`${"11".repeat(32)}${"1b".padStart(64, "0")}${"22".repeat(64)}`, "hex"))} ${endless(precompile("0x01", "0x80"))}`,
	"SHA-256 of all memory": endless(precompile("0x02", "0x300000")),
	"twice hashed memory": endless(precompile("0x03", "0x300000")),
	"RIPEMD-160 of all memory": endless(precompile("0x020003", "0x300000")),
	destructions: endless(
		"PUSH0 PUSH0 0x02 PUSH0 PUSH0 MSTORE8 POP POP 0x02 PUSH0 PUSH0 CREATE POP",
		"0x30ff PUSH0 MSTORE",
	),
};

export const heavyPrograms: ReadonlyMap<string, string> = new Map(
	Object.entries(sources).map(([name, source]) => [name, toHex(assemble(source))]),
);
