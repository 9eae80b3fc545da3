/** ORC-20 tokens: contracts with a standard interface, queried by constant calls (protocol/wallet-formats §6). */

import { AbiDataError } from "../../abi/codec.js";
import { type AbiValue, type AbiView, decodeValues, encodeCall } from "../../abi/coder.js";
import type { AbiItem, ContractInterface } from "../../abi/parameter.js";
import { addressFromHash, toBase58Check } from "../../protocol/address.js";
import { fromUtf8, toHex } from "../../protocol/bytes.js";
import { parseSignature } from "../abi/signature.js";
import { contactNamed } from "../configuration/contacts.js";
import type { Settings } from "../configuration/settings.js";
import { Failure, onRefusal } from "../failure.js";
import { callConstant } from "../node/constant-call.js";
import type { NodeClient, NodeView } from "../node/node-client.js";
import { readAddress } from "../values/address-text.js";
import { formatDecimal, parseTokenAmount } from "../values/amount.js";
import { storedInterface } from "../view/contract-record.js";
import {
	checkStated,
	isPlainAmount,
	MAX_UINT256,
	type NodesWord,
	namesSymbol,
	nodesDecimals,
	withoutSymbol,
} from "./token-amount.js";

/** The view functions of the interface. */
const QUESTIONS = {
	name: parseSignature("name() returns (string)"),
	symbol: parseSignature("symbol() returns (string)"),
	decimals: parseSignature("decimals() returns (uint256)"),
	totalSupply: parseSignature("totalSupply() returns (uint256)"),
	balanceOf: parseSignature("balanceOf(address) returns (uint256)"),
	allowance: parseSignature("allowance(address,address) returns (uint256)"),
} as const;

/** The call that lets a spender move an amount. */
export const APPROVE = parseSignature("approve(address spender, uint256 amount) returns (bool)");

/** Early contracts return 32 bytes where the interface has a string. */
const FIXED_TEXT_LENGTH = 32;
const MAX_DECIMALS = 255n;

/** The call that transfers an amount of the caller's tokens. */
export const TRANSFER = parseSignature("transfer(address to, uint256 amount) returns (bool)");

/** Events of a token, for contracts that have no stored interface. */
const EVENTS: ContractInterface = [
	parseSignature("Transfer(address indexed from, address indexed to, uint256 value)", "event"),
	parseSignature("Approval(address indexed owner, address indexed spender, uint256 value)", "event"),
];

export interface Orc20View {
	readonly contract: string;
	readonly name: string;
	readonly symbol: string;
	readonly decimals: number;
	/** Smallest units. */
	readonly supply: bigint;
}

/** A token contract, queried by a client. Addresses are 21 bytes, amounts are in smallest units. */
export class Orc20 {
	constructor(
		private readonly client: NodeClient,
		readonly contract: Uint8Array,
		private readonly view: NodeView = "full",
	) {}

	async describe(): Promise<Orc20View> {
		const [name, symbol, decimals, supply] = await Promise.all([
			this.text(QUESTIONS.name),
			this.text(QUESTIONS.symbol),
			this.decimals(),
			this.number(QUESTIONS.totalSupply),
		]);
		return { contract: toBase58Check(this.contract), name, symbol, decimals, supply };
	}

	/**
	 * An amount for confirmation prompts: in the token's own unit, if the contract provides it, and in smallest units.
	 * @param amount smallest units
	 * @param offline don't query the contract
	 */
	async amountText(amount: bigint, offline: boolean): Promise<string> {
		const text = offline ? undefined : await this.ownAmountText(amount);
		return text ?? `${amount} smallest units of the token ${toBase58Check(this.contract)}`;
	}

	/** The same, but undefined if the contract has no unit of its own, as one of an NFT. */
	async ownAmountText(amount: bigint): Promise<string | undefined> {
		const unit = await Promise.all([this.text(QUESTIONS.symbol), this.decimals()]).catch(
			onRefusal(undefined, "not_found"),
		);
		if (!unit) return undefined;
		const [symbol, decimals] = unit;
		const raw = `${amount} smallest units, ${decimals} decimals`;
		return `${formatDecimal(amount, decimals)} ${JSON.stringify(symbol)} (${raw}) of the token ${toBase58Check(this.contract)}`;
	}

	/**
	 * Reads an amount: in the token's decimals, with or without its symbol, or in smallest units as `<n>raw`.
	 * @param offline don't query the contract
	 * @param stated the token's decimals as given by the user
	 * @returns smallest units
	 * @throws {Failure} `bad_value`, also if the contract contradicts the user; `not_found`
	 */
	async readAmount(text: string, offline: boolean, stated?: number): Promise<bigint> {
		if (isPlainAmount(text)) return parseTokenAmount(text, 0, MAX_UINT256);
		if (offline) return parseTokenAmount(text, stated, MAX_UINT256);
		const symbol = namesSymbol(text) ? await this.text(QUESTIONS.symbol) : undefined;
		const bare = withoutSymbol({ id: toBase58Check(this.contract), symbol }, text);
		const decimals = await this.decimals();
		checkStated(`token ${toBase58Check(this.contract)}`, decimals, stated);
		return parseTokenAmount(bare, decimals, MAX_UINT256);
	}

	/** What such an amount rests on that only the node says (`nodesWord` of a plan). */
	async nodesWord(text: string, offline: boolean, stated?: number): Promise<readonly NodesWord[]> {
		if (offline || isPlainAmount(text)) return [];
		const id = toBase58Check(this.contract);
		return nodesDecimals({ id, decimals: await this.decimals(), isStated: stated !== undefined }, text);
	}

	/** The interface for decoding the contract's results, reverts and logs: its stored one, and the standard one. */
	async interface(call: AbiItem, offline: boolean): Promise<ContractInterface> {
		const stored = offline ? [] : await storedInterface(this.client, this.contract).catch(onRefusal([]));
		return [call, ...stored, ...EVENTS];
	}

	async decimals(): Promise<number> {
		const decimals = await this.number(QUESTIONS.decimals);
		if (decimals > MAX_DECIMALS) throw notAToken();
		return Number(decimals);
	}

	async balanceOf(account: Uint8Array): Promise<bigint> {
		return this.number(QUESTIONS.balanceOf, addressValue(account));
	}

	/** The remaining allowance of a spender. */
	async allowance(owner: Uint8Array, spender: Uint8Array): Promise<bigint> {
		return this.number(QUESTIONS.allowance, addressValue(owner), addressValue(spender));
	}

	private async number(question: AbiItem, ...values: AbiValue[]): Promise<bigint> {
		const value = answered(question, await this.ask(question, values));
		if (typeof value !== "bigint") throw notAToken();
		return value;
	}

	private async text(question: AbiItem): Promise<string> {
		const data = await this.ask(question, []);
		if (data.length === FIXED_TEXT_LENGTH) return fromUtf8(data).replace(/\0+$/, "");
		return String(answered(question, data));
	}

	private async ask(question: AbiItem, values: readonly AbiValue[]): Promise<Uint8Array> {
		const call = {
			owner: addressFromHash(new Uint8Array(20)),
			contract: this.contract,
			data: encodeCall(question, values),
		};
		try {
			return (await callConstant(this.client, call, this.view)).data;
		} catch (error) {
			if (!(error instanceof Failure)) throw error;
			if (error.code === "contract_validate")
				throw new Failure("not_found", `there is no contract at ${toBase58Check(this.contract)}`);
			throw error.code === "contract_revert" ? notAToken() : error;
		}
	}
}

/**
 * The contract that a token's name refers to: an address, a symbol of the profile, the label of a contact; undefined
 * if it may be a token without a contract.
 */
export async function tokenContract(settings: Settings, text: string): Promise<Uint8Array | undefined> {
	const name = settings.tokens[text] ?? text;
	// Digits are always a token's id, even if an old address book has such a label.
	return (
		readAddress(name) ??
		(/^\d+$/.test(name) ? undefined : (await contactNamed(settings.contactsFile, name))?.address)
	);
}

/** Data of {@link APPROVE}. */
export function approveData(spender: Uint8Array, amount: bigint): Uint8Array {
	return encodeCall(APPROVE, [addressValue(spender), amount]);
}

/** Data of {@link TRANSFER}. */
export function transferData(to: Uint8Array, amount: bigint): Uint8Array {
	return encodeCall(TRANSFER, [addressValue(to), amount]);
}

function addressValue(address: Uint8Array): AbiValue {
	return `0x${toHex(address.subarray(1))}`;
}

function answered({ outputs = [] }: AbiItem, data: Uint8Array): AbiView | undefined {
	try {
		return decodeValues(outputs, data)[0];
	} catch (error) {
		if (error instanceof AbiDataError) throw notAToken();
		throw error;
	}
}

function notAToken(): Failure {
	return new Failure("not_found", "the contract is not an ORC-20 token: it answers in another form");
}
