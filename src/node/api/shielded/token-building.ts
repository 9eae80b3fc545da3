/** Parameters and call data for mints, transfers and burns of shielded tokens (protocol/shielded §5.5, §11). */

import { ADDRESS_LENGTH, addressPrefix } from "../../../protocol/address.js";
import { EMPTY, fromHex, toHex } from "../../../protocol/bytes.js";
import { checkedAdd, MAX_INT64, OverflowError } from "../../../protocol/int64.js";
import { NamedError, numberFormat } from "../../../protocol/json/exceptions.js";
import {
	BytesMessage,
	type PrivateShieldedORC20Parameters,
	type PrivateShieldedORC20ParametersWithoutAsk,
	type ReceiveNote,
	type ShieldedORC20Parameters,
	type ShieldedORC20TriggerContractParameters,
	type SpendNoteORC20,
} from "../../../protocol/messages.js";
import type { NoteToSpend } from "../../../protocol/sapling/descriptions.js";
import { ShieldedError } from "../../../protocol/sapling/failure.js";
import {
	BURN_RECORD_SIZE,
	buildOrc20Parameters,
	encodeTriggerInput,
	type Orc20Kind,
	type Orc20Plan,
} from "../../../protocol/sapling/orc20-builder.js";
import { ProvingError } from "../../../protocol/sapling/prover.js";
import { KEY_SIZE, SEALED_OUTGOING_SIZE, TREE_DEPTH } from "../../../protocol/sapling/sizes.js";
import { ContractExecuteError, ContractValidateError } from "../../rules/errors.js";
import { type Answers, answersOf } from "../answers.js";
import type { ApiContext } from "../context.js";
import { asksContract } from "./token-notes.js";
import { type FirstKey, proverOf, randomnessOf, readNote, readReceive, senderKeys } from "./tools.js";

const AMOUNT_LIMIT = 1n << 256n;
const SCALING_FACTOR = fromHex("ed3437f8");

/** Error texts that differ between the two methods. */
interface Words {
	readonly unparsable: string;
	readonly noKeys: string;
	readonly noReceiver: string;
}

const WITH_ASK: Words = {
	unparsable: "invalid from_amount or to_amount",
	noKeys: "No shielded ORC-20 ask, nsk or ovk",
	noReceiver: "No valid transparent ORC-20 output address",
};
const WITHOUT_ASK: Words = {
	unparsable: "invalid_from amount or to_amount",
	noKeys: "No shielded ORC-20 ak, nsk or ovk",
	noReceiver: "No transparent ORC-20 output address",
};

/** The value of a decimal digit in any script, as in the network's runtime; undefined for other characters. */
function digitOf(character: string): bigint | undefined {
	if (!/^\p{Nd}$/u.test(character)) return undefined;
	// Digits come in blocks of ten, which may be adjacent.
	let before = 0;
	for (let code = character.charCodeAt(0); /^\p{Nd}$/u.test(String.fromCharCode(code - 1)); code--) before++;
	return BigInt(before % 10);
}

/**
 * The runtime parses this many digits at a time, the first group possibly fewer, and its error quotes the
 * group that has another character.
 */
const GROUP = 9;

/** Trims spaces and control characters. PERF: a regular expression is quadratic in inner ones. */
function withoutMargins(text: string): string {
	let [start, end] = [0, text.length];
	while (start < end && text.charCodeAt(start) <= 0x20) start++;
	while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
	return text.slice(start, end);
}

/**
 * A decimal number as parsed by the network's runtime; empty is 0.
 * @returns an arbitrary number above 256 bits for any such number
 * @throws {NamedError} NumberFormatException
 */
function parseAmount(text: string): bigint {
	const trimmed = withoutMargins(text);
	if (trimmed === "") return 0n;
	if (Math.max(trimmed.lastIndexOf("-"), trimmed.lastIndexOf("+")) > 0) {
		throw new NamedError("NumberFormatException", "Illegal embedded sign character");
	}
	const digits = trimmed.replace(/^[+-]/, "");
	if (digits === "") throw new NamedError("NumberFormatException", "Zero length BigInteger");
	let at = 0;
	while (at < digits.length && digitOf(digits[at] as string) === 0n) at++;
	let value = 0n;
	for (let length = (digits.length - at) % GROUP || GROUP; at < digits.length; length = GROUP) {
		const group = digits.slice(at, at + length);
		at += length;
		for (const character of group.split("")) {
			const digit = digitOf(character);
			if (digit === undefined) throw numberFormat(group);
			if (value < AMOUNT_LIMIT) value = 10n * value + digit;
		}
	}
	return trimmed.startsWith("-") ? -value : value;
}

/** @throws {ContractValidateError} */
function checkAmount(amount: bigint): void {
	if (amount < 0n) throw new ContractValidateError("public amount must be non-negative");
	if (amount >= AMOUNT_LIMIT) throw new ContractValidateError("public amount must be no more than 256 bits");
}

/** Token units per unit of note value. @throws {ContractExecuteError | ContractValidateError} */
async function scalingFactorOf(context: ApiContext, contract: Uint8Array): Promise<bigint> {
	const output = await asksContract(context, contract, SCALING_FACTOR);
	if (!output) throw new ContractExecuteError("Get shielded contract scalingFactor failed");
	const factor = output.length === 0 ? 0n : BigInt(`0x${toHex(output.subarray(0, 32))}`);
	if (factor <= 0n) throw new ContractValidateError("scalingFactor must be positive");
	return factor;
}

/** @throws {ContractValidateError} */
function scaled(amount: bigint, factor: bigint): bigint {
	if (amount % factor !== 0n || amount / factor > MAX_INT64) {
		throw new ContractValidateError("fromAmount or toAmount invalid");
	}
	return amount / factor;
}

/** @throws {ContractValidateError} */
function checkNotes(spends: readonly SpendNoteORC20[], receives: readonly ReceiveNote[]): void {
	for (const { note } of spends) {
		if ((note?.value ?? 0n) < 0n) {
			throw new ContractValidateError("The value in SpendNoteORC20 must >= 0");
		}
		if (!note?.payment_address) {
			throw new ContractValidateError("PaymentAddress in SpendNote should not be empty");
		}
	}
	for (const { note } of receives) {
		if ((note?.value ?? 0n) < 0n) throw new ContractValidateError("The value in ReceiveNote must >= 0");
		if (!note?.payment_address) {
			throw new ContractValidateError("PaymentAddress in ReceiveNote should not be empty");
		}
	}
}

interface Values {
	/** In note units. */
	readonly from: bigint;
	readonly to: bigint;
	readonly spends: readonly bigint[];
	readonly receives: readonly bigint[];
}

/** @throws {ContractValidateError | ShieldedError} if it is nothing that a contract does */
export function orc20KindOf({ from, to, spends, receives }: Values, overflow: string): Orc20Kind {
	const [received = 0n] = receives;
	if (to > 0n) checkSum(to, received, overflow);
	if (from > 0n && spends.length === 0 && receives.length === 1 && received === from && to === 0n)
		return "mint";
	if (from === 0n && to === 0n && [1, 2].includes(spends.length) && [1, 2].includes(receives.length)) {
		return "transfer";
	}
	if (from === 0n && to > 0n && spends.length === 1 && receives.length <= 1 && spends[0] === to + received) {
		return "burn";
	}
	throw new ContractValidateError("invalid shielded ORC-20 parameters");
}

/** @throws {ShieldedError} */
function checkSum(a: bigint, b: bigint, overflow: string): void {
	try {
		checkedAdd(a, b);
	} catch (error) {
		if (error instanceof OverflowError) throw new ShieldedError(overflow);
		throw error;
	}
}

/** The parameters of both methods. */
interface Request
	extends Pick<
		PrivateShieldedORC20Parameters,
		| "nsk"
		| "ovk"
		| "from_amount"
		| "to_amount"
		| "shielded_spends"
		| "shielded_receives"
		| "transparent_to_address"
		| "shielded_ORC20_contract_address"
	> {}

/** A note to spend, with its path still unparsed. */
interface SpendRequest extends Omit<NoteToSpend, "path"> {
	readonly path: Uint8Array;
	readonly position: bigint;
}

/** @throws {ShieldedError} */
function siblingsOf(path: Uint8Array): Uint8Array[] {
	if (path.length !== TREE_DEPTH * KEY_SIZE) throw new ShieldedError("Merkle tree path format is wrong");
	return Array.from({ length: TREE_DEPTH }, (_, i) => path.slice(KEY_SIZE * i, KEY_SIZE * (i + 1)));
}

const readSpend = ({ note, alpha, root, path, pos }: Readonly<SpendNoteORC20>): SpendRequest => ({
	note: readNote(note),
	alpha,
	anchor: root,
	path,
	position: pos,
});

/** @throws {NamedError} what building refuses, in the network's words */
async function building<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof ShieldedError || error instanceof ProvingError) {
			throw new ShieldedError(`build the shielded ORC-20 parameters error: ${error.message}`);
		}
		throw error;
	}
}

/** @throws {ContractValidateError} */
function amountsOf({ from_amount, to_amount }: Readonly<Request>, words: Words): [from: bigint, to: bigint] {
	try {
		return [parseAmount(from_amount), parseAmount(to_amount)];
	} catch (error) {
		if (error instanceof NamedError) throw new ContractValidateError(words.unparsable);
		throw error;
	}
}

async function createParameters(
	context: ApiContext,
	request: Readonly<Request>,
	key: FirstKey,
	words: Words,
): Promise<ShieldedORC20Parameters> {
	const { shielded_spends, shielded_receives, nsk, transparent_to_address: payTo } = request;
	const contract = request.shielded_ORC20_contract_address;
	if (contract.length !== ADDRESS_LENGTH) {
		throw new ContractValidateError("No valid shielded ORC-20 contract address");
	}
	const [fromRaw, toRaw] = amountsOf(request, words);
	for (const amount of [fromRaw, toRaw]) checkAmount(amount);
	const factor = await scalingFactorOf(context, contract);
	const [from, to] = [scaled(fromRaw, factor), scaled(toRaw, factor)];
	checkNotes(shielded_spends, shielded_receives);
	const valuesOf = (list: readonly { readonly note?: { readonly value: bigint } | undefined }[]) =>
		list.map(({ note }) => note?.value ?? 0n);
	const { amountOverflow, noncesBurns } = answersOf(context.node.config.node);
	const values = { from, to, spends: valuesOf(shielded_spends), receives: valuesOf(shielded_receives) };
	const kind = orc20KindOf(values, amountOverflow);
	const random = randomnessOf(context);
	const given = "ask" in key ? key.ask : key.ak;
	if (kind !== "mint") {
		if ([given, nsk, request.ovk].some((part) => part.length === 0)) {
			throw new ContractValidateError(words.noKeys);
		}
		if (kind === "burn" && payTo.length !== ADDRESS_LENGTH) {
			throw new ContractValidateError(words.noReceiver);
		}
	}
	const ovk = kind === "mint" && request.ovk.length === 0 ? random(KEY_SIZE) : request.ovk;
	const spends = shielded_spends.map(readSpend);
	const outputs = shielded_receives.map(readReceive);
	return building(async () => {
		const plan: Orc20Plan = {
			kind,
			contract,
			keys: kind === "mint" ? undefined : senderKeys(key, nsk),
			ovk,
			spends: spends.map(({ path, position, ...spend }) => ({
				...spend,
				path: { siblings: siblingsOf(path), position },
			})),
			outputs,
			rawValue: kind === "mint" ? fromRaw : toRaw,
			payTo,
			noncesBurn: noncesBurns,
		};
		return buildOrc20Parameters(plan, { prover: await proverOf(context), random });
	});
}

const KINDS: ReadonlySet<string> = new Set<Orc20Kind>(["mint", "transfer", "burn"]);

/** @throws {NamedError | ContractValidateError | ShieldedError | TriggerInputError} */
function triggerInput(
	request: Readonly<ShieldedORC20TriggerContractParameters>,
	answers: Answers,
): Uint8Array {
	const { amount, transparent_to_address: receiver, spend_authority_signature: given } = request;
	const rawValue = parseAmount(amount);
	checkAmount(rawValue);
	if (receiver.length > 0 && receiver.length !== ADDRESS_LENGTH) {
		throw new ShieldedError("invalid transparent to address");
	}
	const parameters = request.shielded_ORC20_Parameters;
	const signatures = given.map(({ value }) => value);
	if ((parameters?.spend_description.length ?? 0) !== signatures.length) {
		throw new ShieldedError("the number of spendDescription and spendAuthoritySignature is not equal");
	}
	if (!parameters || !KINDS.has(parameters.parameter_type)) {
		throw new ShieldedError("invalid shielded ORC-20 parameters type");
	}
	const burnText = burnTextOf(parameters, answers);
	const payTo =
		receiver.length > 0 ? receiver : Uint8Array.of(addressPrefix(), ...new Uint8Array(ADDRESS_LENGTH - 1));
	return encodeTriggerInput(parameters, { rawValue, burnText, payTo, signatures });
}

/** @throws {ShieldedError} */
function burnTextOf(
	{ parameter_type, trigger_contract_input: text }: Readonly<ShieldedORC20Parameters>,
	{ noncesBurns }: Answers,
) {
	if (parameter_type !== "burn") return EMPTY;
	const length = 2 * (noncesBurns ? BURN_RECORD_SIZE : SEALED_OUTGOING_SIZE);
	if (!/^[0-9a-fA-F]*$/.test(text) || text.length !== length) {
		throw new ShieldedError("invalid shielded ORC-20 contract parameters for burn trigger input");
	}
	return fromHex(text);
}

export const tokenBuildingMethods = {
	CreateShieldedContractParameters: (
		context: ApiContext,
		request: Readonly<PrivateShieldedORC20Parameters>,
	) => createParameters(context, request, { ask: request.ask }, WITH_ASK),

	CreateShieldedContractParametersWithoutAsk: (
		context: ApiContext,
		request: Readonly<PrivateShieldedORC20ParametersWithoutAsk>,
	) => createParameters(context, request, { ak: request.ak }, WITHOUT_ASK),

	GetTriggerInputForShieldedORC20Contract: (
		{ node }: ApiContext,
		request: Readonly<ShieldedORC20TriggerContractParameters>,
	) => BytesMessage.create({ value: triggerInput(request, answersOf(node.config.node)) }),
};
