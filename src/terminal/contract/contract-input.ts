/** What commands on contracts share: flags, the contract's interface, and parsing of calls. */

import { createReadStream, existsSync } from "node:fs";
import { Flags, type Interfaces } from "@oclif/core";
import { type ContractInterface, plainDigits } from "../../abi/parameter.js";
import { areNamed } from "../../wallet/abi/argument.js";
import { entriesOf, readInterface } from "../../wallet/abi/interface.js";
import { callInWords } from "../../wallet/actions/contract-plan.js";
import { unreadable } from "../../wallet/bounded-file.js";
import { canBeKept, ownEntries, ownInterface } from "../../wallet/configuration/own-interfaces.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { type Json, readJson } from "../../wallet/json.js";
import type { ContractCall } from "../../wallet/node/constant-call.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { amountParts, type NamedAmounts, paymentInParts } from "../../wallet/token/named-amount.js";
import type { NamedCall } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { parseCoinAmount } from "../../wallet/values/amount.js";
import { parseHexBytes } from "../../wallet/values/bytes-text.js";
import {
	implementationInterface,
	implementationOf,
	interfaceThroughProxy,
	storedInterface,
} from "../../wallet/view/contract-record.js";
import { optional, required } from "../flags/flags.js";
import { givenStdin, readStream } from "../input/stdin.js";

export const abiFlag = {
	abi: Flags.string({
		description:
			"the contract's interface: @file, JSON, - or a contract that has the same (default: its own); --as is another name of this flag",
		aliases: ["as"],
		helpValue: "<json>",
		helpGroup: "CONTRACT",
	}),
};

/** Flag of commands that show a call before it is signed or sent. */
export const callAbiFlag = {
	abi: Flags.string({
		description:
			"interface that names the call: @file, JSON or a contract (default: yours, the node's, the chain's)",
		helpValue: "<json>",
		helpGroup: "CONTRACT",
	}),
};

/** Flags for coins and tokens sent with a call. */
export const valueFlags = {
	value: Flags.string({
		description: "coins that go with the call, with their unit",
		helpValue: "<amount>",
		helpGroup: "CONTRACT",
	}),
	"token-id": Flags.string({
		description: "ORC-10 token that goes with the call",
		helpValue: "<id>",
		dependsOn: ["token-value"],
		helpGroup: "CONTRACT",
	}),
	"token-value": Flags.string({
		description: "how much of it, in smallest units; or 5@<token>, without --token-id",
		helpValue: "<units>",
		helpGroup: "CONTRACT",
	}),
};

/** Arguments of commands with a call; the function's arguments follow. */
export const callArguments = {
	address: required("the contract"),
	function: optional("signature or name"),
};

export const callFlags = {
	abi: { ...abiFlag.abi, aliases: [] },
	...valueFlags,
	as: Flags.string({
		description: "contract whose interface counts, such as the one behind a proxy that isn't recognised",
		helpValue: "<contract>",
		exclusive: ["abi"],
		helpGroup: "CONTRACT",
	}),
	data: Flags.string({
		description: "call data instead of a signature and arguments",
		helpValue: "<0x…>",
		helpGroup: "CONTRACT",
	}),
};

/** The values of {@link valueFlags} after parsing. */
type ValueFlags = Interfaces.InferredFlags<typeof valueFlags>;

/** Sun and tokens to send with a call. @throws {Failure} `bad_value`, `amount_unit`, `conflicting_flags`, `usage` */
export async function valuesOf(
	flags: ValueFlags,
	amounts: NamedAmounts,
): Promise<Pick<ContractCall, "valueSun" | "tokenId" | "tokenValue">> {
	const { value, "token-id": id, "token-value": units } = flags;
	const valueSun = value === undefined ? {} : { valueSun: parseCoinAmount(value) };
	if (units === undefined) return valueSun;
	const parts = amountParts(units);
	if (parts) {
		// Refuses a token that is given twice.
		paymentInParts({ amount: units, token: id });
		const token = await amounts.chainToken(parts);
		return { ...valueSun, tokenId: token.id, tokenValue: token.units };
	}
	if (id === undefined)
		throw new Failure("usage", `which token? write --token-value ${units}@<token>, or add --token-id`);
	return {
		...valueSun,
		tokenId: wholeNumber("token-id", id),
		tokenValue: wholeNumber("token-value", units.replace(/\s?raw$/i, "")),
	};
}

function wholeNumber(flag: string, text: string): bigint {
	const digits = plainDigits(text) ?? "";
	if (!/^\d{1,19}$/.test(digits)) throw new Failure("bad_value", `--${flag} "${text}" is not a whole number`);
	return BigInt(digits);
}

const FILE = /\.(json|abi)$/i;
export const MAX_INPUT_FILE_BYTES = 256 << 20;
const ONE_WORD = /^[^\s[{"]+$/;

/**
 * The text of a flag that may name a file or standard input.
 * @param purpose what is read, such as "the interface"
 * @throws {Failure} `bad_value`
 */
export async function flagText(value: string, purpose: string): Promise<string> {
	if (value === "-") return givenStdin(purpose);
	if (!value.startsWith("@")) {
		// Accepts a bare file name, as other flags do; it can't be confused with JSON or function names.
		const isFile = FILE.test(value) && existsSync(value);
		if (!isFile && ONE_WORD.test(value) && (FILE.test(value) || value.includes("/")))
			throw new Failure("bad_value", `there is no file ${value}, from which ${purpose} would be read`);
		if (!isFile) return value;
	}
	const path = value.replace(/^@/, "");
	// May be a pipe, as of a shell's <(…), or a link to a device, which never ends.
	return readStream(createReadStream(path), path, MAX_INPUT_FILE_BYTES).catch(unreadable(path));
}

/**
 * The interface given by a flag; undefined without the flag. A label or an address stands for a contract's interface: the saved
 * one or, if there is a client, the one on the chain.
 * @throws {Failure}
 */
export async function interfaceFlag(
	value: string | undefined,
	settings: Settings,
	client?: NodeClient,
): Promise<ContractInterface | undefined> {
	return (await flaggedInterface(value, settings, client))?.items;
}

/** {@link interfaceFlag}. @returns also the contract whose interface it is, 21 bytes, if the flag names one */
export async function flaggedInterface(
	value: string | undefined,
	settings: Settings,
	client?: NodeClient,
): Promise<{ readonly items: ContractInterface; readonly contract?: Uint8Array } | undefined> {
	if (value === undefined) return undefined;
	const text = await flagText(value, "the interface");
	if (!isContractWord(value, text)) return { items: readInterface(text) };
	const contract = await accountNamed(settings, text);
	const items =
		(await ownInterface(settings, contract)) ?? (client ? await interfaceThroughProxy(client, contract) : []);
	if (items.length === 0) throw noInterface(text);
	return { items, contract };
}

/** The interface as written by the compiler, from files and saved contracts only. @throws {Failure} */
export async function interfaceEntries(value: string, settings: Settings): Promise<readonly Json[]> {
	const text = await flagText(value, "the interface");
	if (isContractWord(value, text)) {
		const entries = await ownEntries(settings, await accountNamed(settings, text));
		if (!entries) throw noInterface(text);
		return entries;
	}
	readInterface(text);
	const entries = entriesOf(readJson(text)) ?? [];
	if (!canBeKept(entries)) throw new Failure("bad_value", "the interface is too long to be kept");
	return entries;
}

/** @param text the text obtained from the flag's value, which is the value itself if it isn't a file */
function isContractWord(value: string, text: string): boolean {
	return text === value && ONE_WORD.test(text);
}

function noInterface(label: string): Failure {
	return new Failure("not_found", `no interface of ${label} is kept here`, {
		hint: `coin contact add <label> <address> --abi @<file> keeps one`,
	});
}

/** Arguments of `contract call|send|estimate`: the contract, a signature or name, and the function's arguments. */
interface CallWords {
	readonly address: string;
	readonly signature: string | undefined;
	readonly arguments: readonly string[];
	readonly abi: string | undefined;
	readonly data: string | undefined;
	/** Contract whose interface is used instead. */
	readonly as?: string | undefined;
}

/** The call of a command line with {@link callArguments} and {@link callFlags}. */
export function callWords(
	args: { readonly address: string; readonly function: string | undefined },
	argv: readonly string[],
	{ abi, data, as }: Pick<CallWords, "abi" | "data" | "as">,
): CallWords {
	return { address: args.address, signature: args.function, arguments: argv.slice(2), abi, data, as };
}

/** Whether arguments were given by names from the node: not by those of a typed signature, or of an interface that the user saved. */
async function hasNodesNames(
	{ item, items, texts }: NamedCall,
	settings: Settings,
	named: Uint8Array,
): Promise<boolean> {
	if (!item || !areNamed(item.inputs, texts)) return false;
	if (!items.some(({ inputs }) => inputs === item.inputs)) return false;
	const own = (await ownInterface(settings, named)) ?? [];
	return !own.some(
		({ kind, name, inputs }) =>
			kind === item.kind && name === item.name && JSON.stringify(inputs) === JSON.stringify(item.inputs),
	);
}

function functionName(signature: string): string {
	return signature
		.trim()
		.replace(/^function\s+/, "")
		.replace(/\s*\(.*$/s, "");
}

/**
 * Parses a call. A full signature needs no interface; for a bare name, it is taken from the flag or from the chain.
 * @param client undefined when offline
 * @param amounts reads amounts of tokens among the arguments
 * @throws {Failure}
 */
export async function namedCall(
	words: CallWords,
	settings: Settings,
	client: NodeClient | undefined,
	amounts: NamedAmounts,
): Promise<NamedCall> {
	const { signature, data } = words;
	if ((signature === undefined) === (data === undefined)) {
		throw new Failure("usage", "a call needs a function with its arguments, or --data", {
			hint: "such as transfer(address,uint256)",
		});
	}
	const contract = await accountNamed(settings, words.address);
	const flagged = await flaggedInterface(words.abi, settings, client);
	const given = flagged?.items;
	const named = words.as === undefined ? contract : await accountNamed(settings, words.as);
	const stored = given ?? (client ? await storedInterface(client, named) : []);
	if (data !== undefined)
		return { contract, data: parseHexBytes(data), item: undefined, items: stored, texts: [] };
	const hasIt = stored.some(
		({ kind, name }) => kind === "function" && name === functionName(signature ?? ""),
	);
	const items =
		hasIt || given || !client
			? stored
			: [...stored, ...((await implementationInterface(client, named)) ?? [])];
	const call = await callInWords(
		{ settings },
		contract,
		items,
		[signature as string, ...words.arguments],
		amounts,
	).catch(async (error: unknown) => {
		// The function may be one of the contract behind a proxy: then it's said why that isn't known.
		if (!hasIt && !given && client && !signature?.includes("(")) await implementationOf(client, named);
		throw error;
	});
	// Another contract's interface comes from the node as this one's does.
	const whose = flagged ? flagged.contract : named;
	return whose ? { ...call, byNodesNames: await hasNodesNames(call, settings, whose) } : call;
}
