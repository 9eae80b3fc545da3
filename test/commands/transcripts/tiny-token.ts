/** The code of a token contract for tests: name, symbol, decimals, supply, balances, allowances, and nothing else. */

import { toHex, utf8 } from "../../../src/protocol/bytes.js";
import { keccak256 } from "../../../src/protocol/hash.js";

const hex = (value: number | bigint, bytes: number): string => value.toString(16).padStart(bytes * 2, "0");
const push1 = (value: number): string => `60${hex(value, 1)}`;
const push2 = (value: number): string => `61${hex(value, 2)}`;
const text32 = (text: string): string => `7f${toHex(utf8(text)).padEnd(64, "0")}`;

const MSTORE = "52";
const SLOAD = "54";
const CALLER = "33";
const store = (offset: number): string => push1(offset) + MSTORE;
const argument = (index: number): string => `${push1(4 + 32 * index)}35`;
const returnWord = `${store(0)}${push1(32)}${push1(0)}f3`;
const returnText = (text: string): string =>
	`${push1(32)}${store(0)}${push1(text.length)}${store(32)}${text32(text)}${store(64)}${push1(96)}${push1(0)}f3`;
/** Key of an allowance: the hash of owner and spender. */
const allowanceKey = `${push1(64)}${push1(0)}20`;

/** `Error("unlucky")`, as the compiler reverts with it. */
const revertUnlucky =
	`63${toHex(keccak256(utf8("Error(string)"))).slice(0, 8)}60e01b${store(0)}` +
	`${push1(32)}${store(4)}${push1(7)}${store(36)}${text32("unlucky")}${store(68)}${push1(100)}${push1(0)}fd`;
const UNLUCKY = 13;

const SUPPLY = 1_000_000_000_000n;
const pushSupply = `67${hex(SUPPLY, 8)}`;

const functions: readonly (readonly [signature: string, code: string])[] = [
	["name()", returnText("Tiny Token")],
	["symbol()", returnText("TNY")],
	["decimals()", push1(6) + returnWord],
	["totalSupply()", pushSupply + returnWord],
	["balanceOf(address)", argument(0) + SLOAD + returnWord],
	[
		"allowance(address,address)",
		argument(0) + store(0) + argument(1) + store(32) + allowanceKey + SLOAD + returnWord,
	],
	[
		"approve(address,uint256)",
		// Skips the revert unless the amount is the unlucky one.
		`${push1(UNLUCKY)}${argument(1)}1415SKIP${revertUnlucky}TARGET` +
			`${CALLER}${store(0)}${argument(0)}${store(32)}${argument(1)}${allowanceKey}55${push1(1)}${returnWord}`,
	],
];

/** Code that runs once: gives the supply to the deployer and returns the contract. */
export function tinyTokenCode(): string {
	const dispatchLength = 6 + functions.length * 11 + 5;
	let dispatch = `${push1(0)}35${push1(0xe0)}1c`;
	let bodies = "";
	for (const [signature, code] of functions) {
		const start = dispatchLength + bodies.length / 2;
		const selector = toHex(keccak256(utf8(signature))).slice(0, 8);
		dispatch += `8063${selector}14${push2(start)}57`;
		bodies += `5b${linked(code, start + 1)}`;
	}
	dispatch += `${push1(0)}${push1(0)}fd`;
	const runtime = dispatch + bodies;
	if (dispatch.length / 2 !== dispatchLength)
		throw new Error(`the dispatcher has ${dispatch.length / 2} bytes`);
	const length = runtime.length / 2;
	const start = `${pushSupply}${CALLER}55`;
	const copyLength = 3 + 3 + 2 + 1 + 3 + 2 + 1;
	const offset = start.length / 2 + copyLength;
	return `${start}${push2(length)}${push2(offset)}${push1(0)}39${push2(length)}${push1(0)}f3${runtime}`;
}

/** Puts the jump over the revert into a function's code, whose first byte stands at `start`. */
function linked(code: string, start: number): string {
	const [before, rest] = code.split("SKIP");
	if (before === undefined || rest === undefined) return code;
	const [skipped = "", after = ""] = rest.split("TARGET");
	const target = start + before.length / 2 + 4 + skipped.length / 2;
	return `${before}${push2(target)}57${skipped}5b${after}`;
}
