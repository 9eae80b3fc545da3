/** ORC-20 tokens: contracts with an agreed interface, asked by constant calls (sheet 11 §3.9). */

import { addressPrefix, toBase58Check } from "../protocol/address.js";
import { concatBytes, fromHex, fromUtf8, toHex } from "../protocol/bytes.js";
import { callConstant } from "./constant-call.js";
import { Failure } from "./failure.js";
import type { NodeClient, NodeView } from "./node-client.js";

/** Selectors of the interface. */
const SELECTORS = {
	name: "06fdde03",
	symbol: "95d89b41",
	decimals: "313ce567",
	totalSupply: "18160ddd",
	balanceOf: "70a08231",
	allowance: "dd62ed3e",
	approve: "095ea7b3",
} as const;

const WORD = 32;

/** The largest amount of 256 bits; an allowance of it never ends. */
export const MAX_UINT256 = 2n ** 256n - 1n;

export interface Orc20View {
	readonly contract: string;
	readonly name: string;
	readonly symbol: string;
	readonly decimals: number;
	/** Smallest units. */
	readonly supply: bigint;
}

/** A token contract as one client asks it. */
export class Orc20 {
	constructor(
		private readonly client: NodeClient,
		/** 21 bytes. */
		readonly contract: Uint8Array,
		private readonly view: NodeView = "full",
	) {}

	async describe(): Promise<Orc20View> {
		const [name, symbol, decimals, supply] = await Promise.all([
			this.ask("name").then(textOf),
			this.ask("symbol").then(textOf),
			this.decimals(),
			this.ask("totalSupply").then(numberOf),
		]);
		return { contract: toBase58Check(this.contract), name, symbol, decimals, supply };
	}

	async decimals(): Promise<number> {
		const decimals = numberOf(await this.ask("decimals"));
		if (decimals > 255n) throw notAToken();
		return Number(decimals);
	}

	async balanceOf(account: Uint8Array): Promise<bigint> {
		return numberOf(await this.ask("balanceOf", addressWord(account)));
	}

	/** What a spender may still move out of an account. */
	async allowance(owner: Uint8Array, spender: Uint8Array): Promise<bigint> {
		return numberOf(await this.ask("allowance", addressWord(owner), addressWord(spender)));
	}

	private async ask(name: keyof typeof SELECTORS, ...words: Uint8Array[]): Promise<Uint8Array> {
		const nobody = new Uint8Array(21);
		nobody[0] = addressPrefix();
		const data = callData(name, ...words);
		return (await callConstant(this.client, { owner: nobody, contract: this.contract, data }, this.view))
			.data;
	}
}

/** Data of a call that lets a spender move an amount. */
export function approveData(spender: Uint8Array, amount: bigint): Uint8Array {
	return callData("approve", addressWord(spender), numberWord(amount));
}

function callData(name: keyof typeof SELECTORS, ...words: Uint8Array[]): Uint8Array {
	return concatBytes(fromHex(SELECTORS[name]), ...words);
}

function addressWord(address: Uint8Array): Uint8Array {
	return concatBytes(new Uint8Array(WORD - 20), address.subarray(1));
}

function numberWord(value: bigint): Uint8Array {
	return fromHex(value.toString(16).padStart(2 * WORD, "0"));
}

function numberOf(data: Uint8Array): bigint {
	if (data.length < WORD) throw notAToken();
	return BigInt(`0x${toHex(data.subarray(0, WORD))}`);
}

/** A text as the interface says, or 32 bytes with it as early contracts answer. */
function textOf(data: Uint8Array): string {
	if (data.length === WORD) return fromUtf8(data).replace(/\0+$/, "");
	const start = Number(numberOf(data));
	const length = Number(numberOf(data.subarray(start)));
	return fromUtf8(data.subarray(start + WORD, start + WORD + length));
}

function notAToken(): Failure {
	return new Failure("not_found", "the contract is no ORC-20 token: it answers in another form");
}
