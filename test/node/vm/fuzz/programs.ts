/** Random code of four kinds: bytes, weighted operations, mutated contracts, and programs with a plan. */

import { disassemble } from "../../../../src/node/vm/disassembler.js";
import { opcodes } from "../../../../src/node/vm/opcodes.js";
import { precompiles } from "../../../../src/node/vm/precompiles/precompiles.js";
import { fromHex } from "../../../../src/protocol/bytes.js";
import { assemble } from "../assembler.js";
import type { Chance } from "./chance.js";
import { hostileStep } from "./hostile.js";
import { CONTRACTS, TARGETS, TOKEN } from "./world.js";

const MAX_STACK = 40;
const PUSHES = opcodes.filter(({ action }) => action.kind === "push");
const OTHERS = opcodes.filter(({ action }) => action.kind !== "push");
/** Operations that most others need. */
const FREQUENT = OTHERS.filter(({ name }) =>
	/^(MSTORE|MLOAD|SLOAD|SSTORE|DUP[1-4]|SWAP[1-4]|ADD|SUB|LT|AND|CALL|SHA3|RETURNDATA.*|MCOPY)$/.test(name),
);

const hex = (value: bigint | number): string => {
	const digits = value.toString(16);
	return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`;
};

function randomBytes(chance: Chance): Uint8Array {
	return chance.bytes(chance.below(300));
}

/** Operations whose operands are mostly there. */
function weighted(chance: Chance): Uint8Array {
	const code: number[] = [];
	const targets: number[] = [];
	let height = 0;
	const length = 10 + chance.below(200);
	const pushWord = (): void => {
		if (chance.happens(0.7)) {
			code.push(...assemble(operand(chance)));
		} else {
			const { byte } = chance.of(PUSHES);
			code.push(byte, ...chance.bytes(byte - 0x5f));
		}
		height++;
	};
	for (let i = 0; i < length; i++) {
		if (chance.happens(0.05)) {
			targets.push(code.length);
			code.push(0x5b);
			continue;
		}
		if (targets.length > 0 && chance.happens(0.03)) {
			const target = chance.of(targets);
			if (chance.happens(0.5)) code.push(...assemble(operand(chance)));
			else code.push(0x5a);
			code.push(0x61, target >> 8, target & 0xff, 0x57);
			continue;
		}
		if (height > MAX_STACK || (height > 0 && chance.happens(0.05))) {
			code.push(0x50);
			height--;
			continue;
		}
		const row = chance.of(chance.happens(0.4) ? FREQUENT : OTHERS);
		const ends = /^(STOP|RETURN|REVERT|SUICIDE|JUMP)$/.test(row.name);
		if (ends && chance.happens(0.9)) continue;
		if (chance.happens(0.98)) while (height < row.takes) pushWord();
		code.push(row.byte);
		height = Math.max(0, height - row.takes) + row.gives;
	}
	return Uint8Array.from(code);
}

/** An operand that means something to many operations. */
function operand(chance: Chance): string {
	return chance.one(
		() => hex(chance.below(70)),
		() => hex(32 * chance.below(40)),
		() => hex(chance.word()),
		() => address(chance),
		() => hex(chance.of(precompiles).word),
		() => hex(chance.of([TOKEN, TOKEN + 1n, 1_000_000n, 0n])),
		() => hex(chance.of([1n, 1_000_000n, 5_000_000n, 10n ** 9n, 2n ** 63n])),
		() => chance.of(["GAS", "MSIZE", "CALLVALUE", "RETURNDATASIZE", "CODESIZE", "ADDRESS"]),
	);
}

function address(chance: Chance): string {
	return `0x${Buffer.from(chance.of(TARGETS).subarray(1)).toString("hex")}`;
}

/** A contract of the network, or of another kind, with changed bytes. */
function mutated(chance: Chance, contracts: readonly Uint8Array[]): Uint8Array {
	const code = [...chance.of(contracts)];
	for (let changes = chance.below(6); changes > 0 && code.length > 0; changes--) {
		const at = chance.below(code.length);
		chance.one(
			() => code.splice(at, 1, chance.below(256)),
			() => code.splice(at, 1, chance.of(opcodes).byte),
			() => code.splice(at, 0, chance.of(opcodes).byte),
			() => code.splice(at, chance.below(4)),
			() => code.splice(at, 0, ...code.slice(at, at + chance.below(40))),
		);
	}
	return Uint8Array.from(code);
}

const GAS_OPERANDS = ["GAS", "0x2710", "0x0186a0", "0x00", `0x${"ff".repeat(32)}`];

/** A call of anything with any operands. */
function call(chance: Chance, target: string, input = range(chance)): string {
	const value = chance.happens(0.7) ? "0x00" : operand(chance);
	const gas = chance.of(GAS_OPERANDS);
	const out = range(chance);
	return chance.one(
		() => `${out} ${input} ${value} ${target} ${gas} CALL`,
		() => `${out} ${input} ${value} ${target} ${gas} CALLCODE`,
		() => `${out} ${input} ${target} ${gas} DELEGATECALL`,
		() => `${out} ${input} ${target} ${gas} STATICCALL`,
		() => `${out} ${input} ${hex(chance.of([TOKEN, 0n, TOKEN + 5n]))} ${value} ${target} ${gas} CALLTOKEN`,
	);
}

/** Size and offset, as operands take them. */
function range(chance: Chance): string {
	const size = chance.of([0, 4, 32, 64, 96, 128, 192, 256, 512, 1024, chance.below(4000)]);
	return `${hex(size)} ${hex(chance.of([0, 0, 32, 64, chance.below(5000)]))}`;
}

const CURVE_POINT = [1n, 2n];
const SIGNATURE = "28".repeat(32);

/** Inputs that precompiles understand, some of them damaged. */
function precompileCall(chance: Chance): string {
	const words = chance.one<readonly bigint[]>(
		() => [...CURVE_POINT, ...CURVE_POINT],
		() => [...CURVE_POINT, chance.word()],
		() => [32n, 32n, 32n, chance.word(), chance.word(), chance.word()],
		() => [chance.word(), BigInt(chance.below(70)), BigInt(chance.below(200)), chance.word(), chance.word()],
		() => [BigInt(`0x${SIGNATURE}`), 27n + BigInt(chance.below(3)), chance.word(), BigInt(`0x${SIGNATURE}`)],
		() => [
			1n,
			2n,
			11559732032986387107991004021392285783925812861821192530917403151452391805634n,
			10857046999023057135944570762232829481370756359578518086990519993285655852781n,
			4082367875863433681332203403145435568316851327593401208105741076214120093531n,
			8495653923123431417604973247489272438418190587263600148770280649306958101930n,
		],
		() => {
			const account = BigInt(address(chance));
			return [account, BigInt(chance.below(3)), chance.word(), 0x80n, BigInt(chance.below(3)), 0x20n, 65n];
		},
		() => {
			const account = BigInt(address(chance));
			return [account, chance.of([account, BigInt(address(chance)), 1n]), BigInt(chance.below(4))];
		},
		() => Array.from({ length: chance.below(12) }, () => chance.word()),
	);
	const stores = words.map((word, i) => {
		const damaged = chance.happens(0.05) ? chance.word() : word;
		return `${hex(damaged)} ${hex(32 * i)} MSTORE`;
	});
	const size = chance.happens(0.8) ? 32 * words.length : chance.below(400);
	const word = hex(chance.happens(0.95) ? chance.of(precompiles).word : chance.word());
	return `${stores.join(" ")} ${call(chance, word, `${hex(size)} 0x00`)}`;
}

const STAKES = [
	"FREEZE",
	"UNFREEZE",
	"FREEZEEXPIRETIME",
	"FREEZEBALANCEV2",
	"UNFREEZEBALANCEV2",
	"CANCELALLUNFREEZEV2",
	"WITHDRAWEXPIREUNFREEZE",
	"DELEGATERESOURCE",
	"UNDELEGATERESOURCE",
	"WITHDRAWREWARD",
];

/** A stake operation: receivers, amounts and resources mostly in their places. */
function stake(chance: Chance): string {
	const name = chance.of(STAKES);
	const amount = hex(chance.of([1_000_000n, 2_000_000n, 0n, 10n ** 9n, chance.word()]));
	const resource = hex(chance.of([0, 1, 2, 3]));
	const receiver = chance.happens(0.5) ? "ADDRESS" : address(chance);
	const takes = opcodes.find((row) => row.name === name)?.takes ?? 0;
	// Deepest first, as they are pushed.
	const operands =
		takes === 3
			? [receiver, amount, resource]
			: name === "FREEZEEXPIRETIME" || name === "UNFREEZE"
				? [receiver, resource]
				: [amount, resource];
	const order = chance.happens(0.8) ? operands : [...operands].reverse();
	return `${order.slice(0, takes).join(" ")} ${name}`;
}

function vote(chance: Chance): string {
	const count = chance.below(4);
	const list = (at: number, word: () => string): string =>
		`${hex(count)} ${hex(at)} MSTORE ${Array.from({ length: count }, (_, i) => `${word()} ${hex(at + 32 * (i + 1))} MSTORE`).join(" ")}`;
	const votes = list(0x200, () => hex(chance.of([1n, 2n, 0n, chance.word()])));
	const witnesses = list(0x400, () => address(chance));
	const damaged = chance.happens(0.1) ? operand(chance) : hex(count);
	return `${witnesses} ${votes} 0x0400 ${hex(count)} 0x0200 ${damaged} VOTEWITNESS`;
}

function creation(chance: Chance, depth: number): string {
	const inner = chance.happens(0.6) ? planned(chance, depth + 1) : weighted(chance);
	const code = inner.slice(0, 500);
	const stores: string[] = [];
	for (let at = 0; at < code.length; at += 32) {
		const word = Buffer.from(code.subarray(at, at + 32))
			.toString("hex")
			.padEnd(64, "0");
		stores.push(`0x${word} ${hex(at)} MSTORE`);
	}
	const value = chance.happens(0.8) ? "0x00" : operand(chance);
	const size = hex(code.length);
	return chance.one(
		() => `${stores.join(" ")} ${size} 0x00 ${value} CREATE`,
		() => `${stores.join(" ")} ${operand(chance)} ${size} 0x00 ${value} CREATE2`,
		() => `CODESIZE 0x00 0x00 CODECOPY CODESIZE 0x00 ${value} CREATE`,
		() => `CODESIZE 0x00 0x00 CODECOPY ${operand(chance)} CODESIZE 0x00 ${value} CREATE2`,
	);
}

function memoryStep(chance: Chance): string {
	return chance.one(
		() => `${operand(chance)} ${hex(chance.below(3000))} MSTORE 0x00`,
		() => `${operand(chance)} ${hex(chance.below(3000))} MSTORE8 0x00`,
		() => `${range(chance)} SHA3`,
		() =>
			`${hex(chance.below(600))} ${hex(chance.below(600))} ${hex(chance.below(600))} ${chance.of(["MCOPY", "CALLDATACOPY", "CODECOPY", "RETURNDATACOPY"])} 0x00`,
		() => `${range(chance)} ${operand(chance)} EXTCODECOPY 0x00`,
		() => `RETURNDATASIZE 0x00 0x00 RETURNDATACOPY MSIZE`,
		() => `${operand(chance)} ${operand(chance)} ${operand(chance)} ${range(chance)} LOG3 0x00`,
	);
}

/** Steps that each leave one word; now and then in a loop. */
function planned(chance: Chance, depth = 0): Uint8Array {
	const parts: string[] = [];
	const steps = 1 + chance.below(8);
	for (let i = 0; i < steps; i++) {
		const step = chance.one(
			() => call(chance, address(chance)),
			() => call(chance, chance.happens(0.3) ? "ADDRESS" : operand(chance)),
			() => precompileCall(chance),
			() => precompileCall(chance),
			() => hostileStep(chance),
			() => stake(chance),
			() => vote(chance),
			() => (depth < 2 ? creation(chance, depth) : "0x00"),
			() => memoryStep(chance),
			() =>
				`${operand(chance)} ${operand(chance)} ${chance.of(["SSTORE", "TSTORE"])} ${operand(chance)} ${chance.of(["SLOAD", "TLOAD"])}`,
			() =>
				`${operand(chance)} ${chance.of(["BALANCE", "EXTCODESIZE", "EXTCODEHASH", "ISCONTRACT", "BLOCKHASH", "CALLDATALOAD"])}`,
			() => `${operand(chance)} ${operand(chance)} TOKENBALANCE`,
		);
		// What an operation gave is dropped, or stored where the next one may read it.
		const drop = chance.happens(0.8) ? "POP" : `${hex(32 * chance.below(8))} MSTORE`;
		if (chance.happens(0.15)) {
			const name = `l${depth}x${i}`;
			parts.push(
				`${hex(1 + chance.below(12))} ${name}: ${step} ${drop} 0x01 SWAP1 SUB DUP1 @${name} JUMPI POP`,
			);
		} else parts.push(`${step} ${drop}`);
	}
	parts.push(
		chance.one(
			() => "STOP",
			() => `${range(chance)} RETURN`,
			() => `${range(chance)} REVERT`,
			() => `${operand(chance)} SUICIDE`,
			() => `${address(chance)} SUICIDE`,
			() => "",
		),
	);
	return assemble(parts.join(" "));
}

/** Calls of the other contracts, one after the other, with inputs of words and of what memory holds by then. */
function sequence(chance: Chance): Uint8Array {
	const parts: string[] = [];
	for (let calls = 3 + chance.below(10); calls > 0; calls--) {
		if (chance.happens(0.4)) parts.push(`${hostileStep(chance)} POP`);
		const target = `0x${Buffer.from(chance.of(CONTRACTS.slice(1)).subarray(1)).toString("hex")}`;
		const size = chance.of([4, 36, 68, 200, 1024, 0x1_0000]);
		parts.push(`${hex(chance.word())} ${hex(32 * chance.below(6))} MSTORE`);
		parts.push(`${call(chance, target, `${hex(size)} 0x00`)} ${hex(32 * chance.below(8))} MSTORE`);
	}
	parts.push(chance.of(["STOP", "0x0100 0x00 RETURN", "0x20 0x00 REVERT"]));
	return assemble(parts.join(" "));
}

export const KINDS = ["bytes", "weighted", "mutated", "planned", "sequence"] as const;
export type Kind = (typeof KINDS)[number];

/** A program of any kind. */
export function randomProgram(
	chance: Chance,
	contracts: readonly Uint8Array[],
): { kind: Kind; code: Uint8Array } {
	const kind = chance.of<Kind>([
		"bytes",
		"weighted",
		"weighted",
		"mutated",
		"planned",
		"planned",
		"planned",
		"sequence",
		"sequence",
	]);
	switch (kind) {
		case "bytes":
			return { kind, code: randomBytes(chance) };
		case "weighted":
			return { kind, code: weighted(chance) };
		case "mutated":
			return { kind, code: contracts.length > 0 ? mutated(chance, contracts) : planned(chance) };
		case "planned":
			return { kind, code: planned(chance) };
		case "sequence":
			return { kind, code: sequence(chance) };
	}
}

/** Input for a program: a selector that its code compares with, and words. */
export function randomInput(chance: Chance, code: Uint8Array): Uint8Array {
	if (chance.happens(0.3)) return chance.bytes(chance.below(100));
	const selectors = disassemble(code.subarray(0, 2000)).filter(({ byte }) => byte === 0x63);
	const selector = selectors.length > 0 ? (chance.of(selectors).operand ?? "") : "";
	const words = Array.from({ length: chance.below(5) }, () =>
		(chance.happens(0.5) ? chance.word() : BigInt(address(chance))).toString(16).padStart(64, "0"),
	);
	return fromHex(selector.padEnd(8, "0") + words.join(""));
}
