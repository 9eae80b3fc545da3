/**
 * Contract console (protocol/development-chain §4.7): a Solidity library logs a line as a static call to a
 * code-less address, encoded like a function `log` with the values' types. Lines are stored by the hash of
 * that internal transaction, so that responses can show them with the call.
 */

import { format } from "node:util";
import { AbiDataError } from "../../abi/codec.js";
import { type AbiView, decodeValues } from "../../abi/coder.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, fromHex, toHex, utf8 } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import type { InternalTransaction } from "../../protocol/messages.js";
import { Recent } from "../memory/recent.js";

/** The text `console.log` in the last bytes of an address. */
const CONSOLE = fromHex(`41${Buffer.from("console.log").toString("hex").padStart(40, "0")}`);

/** Calls whose text is kept; older ones are forgotten. */
const MAX_KEPT = 10_000;

/** A line logged by a contract. */
interface ConsoleLine {
	/** Base58. */
	readonly contract: string;
	readonly text: string;
}

export class ContractConsole {
	/** Hash of the internal transaction → call data, oldest first. */
	private readonly kept = new Recent<Uint8Array>(MAX_KEPT, Number.POSITIVE_INFINITY, () => 0);

	/** Called for every call to an account without code. */
	readonly hear = (hash: Uint8Array, target: Uint8Array, input: Uint8Array): void => {
		if (!equalBytes(target, CONSOLE)) return;
		this.kept.renew(toHex(hash), input.slice());
	};

	/** Whether no contract has logged anything yet. */
	get isSilent(): boolean {
		return this.kept.size === 0;
	}

	/** The call data, hexadecimal, of an internal transaction that wrote to the console. @param hash hexadecimal */
	dataOf(hash: string): string | undefined {
		const data = this.kept.get(hash);
		return data && toHex(data);
	}

	/** The lines logged by an execution. Data that is not a line is skipped. */
	async lines(calls: readonly Readonly<InternalTransaction>[]): Promise<readonly ConsoleLine[]> {
		const lines: ConsoleLine[] = [];
		for (const { hash, caller_address } of calls) {
			const data = this.kept.get(toHex(hash));
			const text = data && (await lineText(data));
			if (text !== undefined) lines.push({ contract: toBase58Check(caller_address), text });
		}
		return lines;
	}
}

/** The text of a line; placeholders consume the values after it. */
async function lineText(data: Uint8Array): Promise<string | undefined> {
	const types = signatures().get(toHex(data.subarray(0, 4)));
	if (!types) return undefined;
	try {
		const values = decodeValues(
			types.map((type) => ({ name: "", type: type.replace(/^(u?int)$/, "$1256") })),
			data.subarray(4),
		);
		return format(...values.map(plain));
	} catch (error) {
		if (error instanceof AbiDataError) return undefined;
		throw error;
	}
}

const plain = (value: AbiView): string => String(value);

/** Types of lines with up to four values, and of lines with one value. */
const COMBINED = ["uint256", "string", "bool", "address"];
const SINGLE = ["int256", "bytes", ...Array.from({ length: 32 }, (_, index) => `bytes${index + 1}`)];

let known: ReadonlyMap<string, readonly string[]> | undefined;

/** Selector → value types. Built when the first contract logs. */
function signatures(): ReadonlyMap<string, readonly string[]> {
	if (known) return known;
	const lists: string[][] = [[], ...SINGLE.map((type) => [type]), ["int"]];
	let longest: string[][] = [[]];
	for (let length = 1; length <= 4; length++) {
		longest = longest.flatMap((types) => COMBINED.map((type) => [...types, type]));
		// Old versions of the library wrote the type without its size.
		lists.push(
			...longest,
			...longest.map((types) => types.map((type) => (type === "uint256" ? "uint" : type))),
		);
	}
	known = new Map(
		lists.map((types) => [toHex(keccak256(utf8(`log(${types.join(",")})`)).subarray(0, 4)), types]),
	);
	return known;
}
