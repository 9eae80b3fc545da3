/**
 * The opcode table: each operation's byte, name, stack effect, energy, gate and function (protocol/machine
 * §10). It is the single source for the interpreter, the disassembler and error messages.
 */

import * as math from "./arithmetic.js";
import { CALL, CALLCODE, CALLTOKEN, call, DELEGATECALL, STATICCALL } from "./calls.js";
import { create, create2, create2Cost, createCost } from "./creation.js";
import type { Instruction } from "./instruction.js";
import * as data from "./instructions/data.js";
import * as environment from "./instructions/environment.js";
import * as stakeV1 from "./instructions/stake-v1.js";
import * as stakeV2 from "./instructions/stake-v2.js";
import * as tokens from "./instructions/tokens.js";
import * as votes from "./instructions/votes.js";
import { suicide, suicideCost } from "./self-destruct.js";

type Row = Omit<Instruction, "byte" | "action">;
type Run<K extends Instruction["action"]["kind"]> = Extract<
	Instruction["action"],
	{ kind: K; run: unknown }
>["run"];

const row = (name: string, takes: number, gives: number, cost: Row["cost"], gate?: Row["gate"]): Row =>
	gate ? { name, takes, gives, cost, gate } : { name, takes, gives, cost };

const structural = (
	byte: number,
	kind: "push" | "dup" | "swap" | "pop" | "jump" | "jumpi" | "jumpdest" | "pc" | "mload" | "mstore",
	r: Row,
): Instruction => ({ ...r, byte, action: { kind } });

const nullary = (
	byte: number,
	name: string,
	run: Run<"nullary">,
	cost = 2,
	gate?: Row["gate"],
): Instruction => ({ ...row(name, 0, 1, cost, gate), byte, action: { kind: "nullary", run } });

const unary = (
	byte: number,
	name: string,
	run: Run<"unary">,
	cost: number,
	gate?: Row["gate"],
): Instruction => ({
	...row(name, 1, 1, cost, gate),
	byte,
	action: { kind: "unary", run },
});

const binary = (
	byte: number,
	name: string,
	run: Run<"binary">,
	cost: Row["cost"],
	gate?: Row["gate"],
): Instruction => ({ ...row(name, 2, 1, cost, gate), byte, action: { kind: "binary", run } });

const ternary = (byte: number, name: string, run: Run<"ternary">, cost: number): Instruction => ({
	...row(name, 3, 1, cost),
	byte,
	action: { kind: "ternary", run },
});

const query = (
	byte: number,
	name: string,
	run: Run<"query">,
	cost: number,
	gate?: Row["gate"],
): Instruction => ({ ...row(name, 1, 1, cost, gate), byte, action: { kind: "query", run } });

const effect = (byte: number, r: Row, run: Run<"effect">): Instruction => ({
	...r,
	byte,
	action: { kind: "effect", run },
});

const calling = (byte: number, r: Row, run: Run<"effect">): Instruction => ({
	...effect(byte, r, run),
	isCall: true,
});

const range = (length: number): number[] => Array.from({ length }, (_, i) => i);

export const opcodes: readonly Instruction[] = [
	effect(0x00, row("STOP", 0, 0, 0), data.stop),
	binary(0x01, "ADD", math.add, 3),
	binary(0x02, "MUL", math.mul, 5),
	binary(0x03, "SUB", math.sub, 3),
	binary(0x04, "DIV", math.div, 5),
	binary(0x05, "SDIV", math.sdiv, 5),
	binary(0x06, "MOD", math.mod, 5),
	binary(0x07, "SMOD", math.smod, 5),
	ternary(0x08, "ADDMOD", math.addmod, 8),
	ternary(0x09, "MULMOD", math.mulmod, 8),
	effect(0x0a, row("EXP", 2, 1, data.expCost), data.exp),
	binary(0x0b, "SIGNEXTEND", math.signextend, 5),
	binary(0x10, "LT", math.lt, 3),
	binary(0x11, "GT", math.gt, 3),
	binary(0x12, "SLT", math.slt, 3),
	binary(0x13, "SGT", math.sgt, 3),
	binary(0x14, "EQ", math.eq, 3),
	unary(0x15, "ISZERO", math.iszero, 3),
	binary(0x16, "AND", math.and, 3),
	binary(0x17, "OR", math.or, 3),
	binary(0x18, "XOR", math.xor, 3),
	unary(0x19, "NOT", math.not, 3),
	binary(0x1a, "BYTE", math.byte, 3),
	binary(0x1b, "SHL", math.shl, 3, "constantinople"),
	binary(0x1c, "SHR", math.shr, 3, "constantinople"),
	binary(0x1d, "SAR", math.sar, 3, "constantinople"),
	unary(0x1e, "CLZ", math.clz, 5, "osaka"),
	effect(0x20, row("SHA3", 2, 1, data.sha3Cost), data.sha3),

	nullary(0x30, "ADDRESS", environment.address),
	query(0x31, "BALANCE", environment.balance, 20),
	nullary(0x32, "ORIGIN", environment.origin),
	nullary(0x33, "CALLER", environment.caller),
	nullary(0x34, "CALLVALUE", environment.callValue),
	query(0x35, "CALLDATALOAD", environment.callDataLoad, 3),
	nullary(0x36, "CALLDATASIZE", environment.callDataSize),
	effect(0x37, row("CALLDATACOPY", 3, 0, data.copyCost), data.callDataCopy),
	nullary(0x38, "CODESIZE", environment.codeSize),
	effect(0x39, row("CODECOPY", 3, 0, data.copyCost), data.codeCopy),
	nullary(0x3a, "GASPRICE", environment.gasPrice),
	query(0x3b, "EXTCODESIZE", environment.extCodeSize, 20),
	effect(0x3c, row("EXTCODECOPY", 4, 0, data.extCodeCopyCost), data.extCodeCopy),
	nullary(0x3d, "RETURNDATASIZE", environment.returnDataSize),
	effect(0x3e, row("RETURNDATACOPY", 3, 0, data.copyCost), data.returnDataCopy),
	query(0x3f, "EXTCODEHASH", environment.extCodeHash, 400, "constantinople"),
	query(0x40, "BLOCKHASH", environment.blockHash, 20),
	nullary(0x41, "COINBASE", environment.coinbase),
	nullary(0x42, "TIMESTAMP", environment.timestamp),
	nullary(0x43, "NUMBER", environment.blockNumber),
	nullary(0x44, "DIFFICULTY", environment.zero),
	nullary(0x45, "GASLIMIT", environment.zero),
	nullary(0x46, "CHAINID", environment.chainId, 2, "istanbul"),
	nullary(0x47, "SELFBALANCE", environment.selfBalance, 5, "istanbul"),
	nullary(0x48, "BASEFEE", environment.baseFee, 2, "london"),
	query(0x49, "BLOBHASH", environment.zero, 3, "blob"),
	nullary(0x4a, "BLOBBASEFEE", environment.zero, 2, "blob"),

	structural(0x50, "pop", row("POP", 1, 0, 2)),
	structural(0x51, "mload", row("MLOAD", 1, 1, 0)),
	structural(0x52, "mstore", row("MSTORE", 2, 0, 0)),
	effect(0x53, row("MSTORE8", 2, 0, data.memoryByteCost), data.mstore8),
	query(0x54, "SLOAD", data.sload, 50),
	effect(0x55, row("SSTORE", 2, 0, data.sstoreCost), data.sstore),
	structural(0x56, "jump", row("JUMP", 1, 0, 8)),
	structural(0x57, "jumpi", row("JUMPI", 2, 0, 10)),
	structural(0x58, "pc", row("PC", 0, 1, 2)),
	nullary(0x59, "MSIZE", environment.memorySize),
	nullary(0x5a, "GAS", environment.energyLeft),
	structural(0x5b, "jumpdest", row("JUMPDEST", 0, 0, 1)),
	query(0x5c, "TLOAD", data.tload, 100, "cancun"),
	effect(0x5d, row("TSTORE", 2, 0, 100, "cancun"), data.tstore),
	effect(0x5e, row("MCOPY", 3, 0, data.mcopyCost, "cancun"), data.mcopy),
	structural(0x5f, "push", row("PUSH0", 0, 1, 2, "shanghai")),
	...range(32).map((i) => structural(0x60 + i, "push", row(`PUSH${i + 1}`, 0, 1, 3))),
	...range(16).map((i) => structural(0x80 + i, "dup", row(`DUP${i + 1}`, i + 1, i + 2, 3))),
	...range(16).map((i) => structural(0x90 + i, "swap", row(`SWAP${i + 1}`, i + 2, i + 2, 3))),
	...range(5).map((i) => effect(0xa0 + i, row(`LOG${i}`, 2 + i, 0, data.logCost(i)), data.log(i))),

	calling(0xd0, row("CALLTOKEN", 8, 1, 0, "tokens"), call(CALLTOKEN)),
	effect(0xd1, row("TOKENBALANCE", 2, 1, 20, "tokens"), tokens.tokenBalance),
	nullary(0xd2, "CALLTOKENVALUE", environment.callTokenValue, 2, "tokens"),
	nullary(0xd3, "CALLTOKENID", environment.callTokenId, 2, "tokens"),
	query(0xd4, "ISCONTRACT", environment.isContract, 20, "solidity059"),
	effect(0xd5, row("FREEZE", 3, 1, stakeV1.freezeCost, "freeze"), stakeV1.freeze),
	effect(0xd6, row("UNFREEZE", 2, 1, 20_000, "freeze"), stakeV1.unfreeze),
	effect(0xd7, row("FREEZEEXPIRETIME", 2, 1, 50, "freeze"), stakeV1.freezeExpireTime),
	effect(0xd8, row("VOTEWITNESS", 4, 1, votes.voteCost, "vote"), votes.voteWitness),
	effect(0xd9, row("WITHDRAWREWARD", 0, 1, 20_000, "vote"), votes.withdrawRewards),
	effect(0xda, row("FREEZEBALANCEV2", 2, 1, 10_000, "freezeV2"), stakeV2.freezeBalanceV2),
	effect(0xdb, row("UNFREEZEBALANCEV2", 2, 1, 10_000, "freezeV2"), stakeV2.unfreezeBalanceV2),
	effect(0xdc, row("CANCELALLUNFREEZEV2", 0, 1, 10_000, "freezeV2"), stakeV2.cancelAllUnfreezeV2),
	effect(0xdd, row("WITHDRAWEXPIREUNFREEZE", 0, 1, 10_000, "freezeV2"), stakeV2.withdrawExpireUnfreeze),
	effect(0xde, row("DELEGATERESOURCE", 3, 1, 10_000, "freezeV2"), stakeV2.delegateResource),
	effect(0xdf, row("UNDELEGATERESOURCE", 3, 1, 10_000, "freezeV2"), stakeV2.undelegateResource),

	effect(0xf0, row("CREATE", 3, 1, createCost), create),
	calling(0xf1, row("CALL", 7, 1, 0), call(CALL)),
	calling(0xf2, row("CALLCODE", 7, 1, 0), call(CALLCODE)),
	effect(0xf3, row("RETURN", 2, 0, data.outputCost), data.returnOutput),
	calling(0xf4, row("DELEGATECALL", 6, 1, 0), call(DELEGATECALL)),
	effect(0xf5, row("CREATE2", 4, 1, create2Cost, "constantinople"), create2),
	calling(0xfa, row("STATICCALL", 6, 1, 0), call(STATICCALL)),
	effect(0xfd, row("REVERT", 2, 0, data.outputCost), data.revert),
	effect(0xff, row("SUICIDE", 1, 0, suicideCost), suicide),
];
