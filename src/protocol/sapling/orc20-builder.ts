/**
 * Mints, transfers and burns of shielded token contracts (protocol/shielded §11): proved and signed
 * parameters, and the call data encoding them.
 */

import { ADDRESS_LENGTH } from "../address.js";
import { be64, concatBytes, EMPTY, equalBytes, fromHex, toHex } from "../bytes.js";
import { keccak256, sha256 } from "../hash.js";
import { wrap } from "../int64.js";
import { type ReceiveDescription, ShieldedORC20Parameters, SpendDescription } from "../messages.js";
import {
	type BuildingTools,
	type Described,
	describeOutput,
	describeSpend,
	type NoteToSend,
	type NoteToSpend,
	type SpendingKeys,
	sumOf,
} from "./descriptions.js";
import { checkLength, ShieldedError } from "./failure.js";
import { seal, unseal } from "./note-encryption.js";
import { SEALED_OUTGOING_SIZE, SIGNATURE_SIZE } from "./sizes.js";
import { authorizeSpends, bindValues, type SpendAuthority } from "./spend-authorization.js";

/** Events of shielded token contracts, with no indexed parameters (protocol/wallet-formats §8.3). */
const LEAF = "(uint256,bytes32,bytes32,bytes32,bytes32[21])";

export const ORC20_EVENTS = {
	mintLeaf: `MintNewLeaf${LEAF}`,
	transferLeaf: `TransferNewLeaf${LEAF}`,
	burnLeaf: `BurnNewLeaf${LEAF}`,
	tokenBurn: "TokenBurn(address,uint256,bytes32[3])",
	noteSpent: "NoteSpent(bytes32)",
} as const;

export type Orc20Kind = "mint" | "transfer" | "burn";

/** Keys of the sender. */
interface Orc20Keys extends SpendingKeys, SpendAuthority {}

/** A call of a shielded token contract. Note values are in units of the contract's scaling factor. */
export interface Orc20Plan {
	readonly kind: Orc20Kind;
	/** The contract, 21 bytes. */
	readonly contract: Uint8Array;
	/** Required if notes are spent. */
	readonly keys?: Orc20Keys | undefined;
	/** Outgoing viewing key of the new notes, and the key of a burn's ciphertext. */
	readonly ovk: Uint8Array;
	/** None for a mint, one or two for a transfer, one for a burn. */
	readonly spends: readonly NoteToSpend[];
	/** One for a mint, one or two for a transfer, none or one for a burn. */
	readonly outputs: readonly NoteToSend[];
	/** Amount entering or leaving the contract, in token units (multiple of the scaling factor); or 0. */
	readonly rawValue: bigint;
	/** Recipient of a burn, 21 bytes. */
	readonly payTo?: Uint8Array | undefined;
	/** Whether a burn's ciphertext has its own nonce, appended to it. */
	readonly noncesBurn?: boolean;
}

const WORD = 32;
const SPEND = 320;
const OUTPUT = 288;

const word = (value: bigint | number): Uint8Array => fromHex(value.toString(16).padStart(2 * WORD, "0"));
const padded = (bytes: Uint8Array, length: number): Uint8Array => {
	const result = new Uint8Array(length);
	result.set(bytes);
	return result;
};

const encodeSpend = (spend: SpendDescription): Uint8Array =>
	concatBytes(spend.nullifier, spend.anchor, spend.value_commitment, spend.rk, spend.zkproof);
const encodeOutput = (output: ReceiveDescription): Uint8Array =>
	concatBytes(output.note_commitment, output.value_commitment, output.epk, output.zkproof);
/** Both ciphertexts, zero-padded to whole words. */
const encodeTexts = ({ c_enc, c_out }: ReceiveDescription): Uint8Array =>
	concatBytes(c_enc, c_out, new Uint8Array(12));

/** A burn's ciphertext for its sender: 80 bytes. @param payTo 21 bytes */
export function sealBurn(
	ovk: Uint8Array,
	rawValue: bigint,
	payTo: Uint8Array,
	nonce?: Uint8Array,
): Uint8Array {
	return seal(ovk, padded(concatBytes(word(rawValue), payTo), SIGNATURE_SIZE), nonce);
}

/** Size of a burn's ciphertext, nonce and marker. */
export const BURN_RECORD_SIZE = 96;
/** The network's domain separator of the hash: 15 bytes of ASCII. */
const BURN_NONCE = fromHex("5a74726f6e5f4275726e4e6f6e6365");
const NONCED = fromHex("00000001");

/** Nonce of a burn, 12 bytes. @param nullifier 32 bytes @param amount a word @param payTo 21 bytes */
export const burnNonce = (nullifier: Uint8Array, amount: Uint8Array, payTo: Uint8Array): Uint8Array =>
	keccak256(concatBytes(BURN_NONCE, nullifier, amount, payTo)).slice(0, 12);

/**
 * Decrypts a burn record, with or without its own nonce.
 * @param record ciphertext (80 bytes), nonce (12), marker (4); the latter two are zero without a nonce
 * @param nullifiers known ones of the notes that its transaction spends
 * @returns amount (32 bytes), receiver (21) and zeros; undefined for another key or nonce
 */
export function openBurn(
	ovk: Uint8Array,
	record: Uint8Array,
	nullifiers: readonly Uint8Array[],
): Uint8Array | undefined {
	const sealed = record.subarray(0, SEALED_OUTGOING_SIZE);
	const nonce = record.subarray(SEALED_OUTGOING_SIZE, -NONCED.length);
	if (record.subarray(SEALED_OUTGOING_SIZE).every((byte) => byte === 0)) return unseal(ovk, sealed);
	if (!equalBytes(record.subarray(-NONCED.length), NONCED)) return undefined;
	const text = unseal(ovk, sealed, nonce);
	if (!text || nullifiers.length === 0) return text;
	const [amount, payTo] = [text.subarray(0, WORD), text.subarray(WORD, WORD + ADDRESS_LENGTH)];
	return nullifiers.some((one) => equalBytes(burnNonce(one, amount, payTo), nonce)) ? text : undefined;
}

/** The signed hash. @param balance amount leaving the pool */
export function orc20SignHash(
	plan: Pick<Orc20Plan, "kind" | "contract" | "payTo">,
	spends: readonly SpendDescription[],
	outputs: readonly ReceiveDescription[],
	balance: bigint,
): Uint8Array {
	const parts = [plan.contract.subarray(1)];
	if (plan.kind === "mint") parts.push(be64(-balance));
	parts.push(...spends.map(encodeSpend), ...outputs.map(encodeOutput), ...outputs.map(encodeTexts));
	if (plan.kind === "burn") parts.push((plan.payTo as Uint8Array).subarray(1), be64(balance));
	return sha256(concatBytes(...parts));
}

/**
 * Parameters of a call with proofs and signatures. They include the call data for mints and authorized
 * spends; for an unauthorized burn, the ciphertext takes its place.
 * @throws {ShieldedError} if a part has the wrong length, or can't be proved
 * @throws {ProvingError}
 */
export async function buildOrc20Parameters(
	plan: Orc20Plan,
	tools: BuildingTools,
): Promise<ShieldedORC20Parameters> {
	const { keys, kind, ovk, rawValue } = plan;
	if (plan.spends.length > 0 && !keys)
		throw new ShieldedError("notes are spent with keys, and there are none");
	const spends: Described<SpendDescription>[] = [];
	for (const spend of plan.spends) spends.push(await describeSpend(tools, keys as Orc20Keys, spend));
	const outputs: Described<ReceiveDescription>[] = [];
	for (const output of plan.outputs) outputs.push(await describeOutput(tools, ovk, output));
	const balance = wrap(sumOf(plan.spends) - sumOf(plan.outputs));
	const outputDescriptions = outputs.map(({ description }) => description);
	const spendDescriptions = spends.map(({ description }) => description);
	const burnText = kind === "burn" ? sealBurnOf(plan, spendDescriptions) : EMPTY;
	const signHash = orc20SignHash(plan, spendDescriptions, outputDescriptions, balance);
	const alphas = plan.spends.map(({ alpha }) => alpha);
	const authorized = keys && (await authorizeSpends(keys, alphas, signHash, tools.random));
	const signatures = authorized ?? [];
	const parameters = ShieldedORC20Parameters.create({
		spend_description: spendDescriptions.map((description, i) =>
			SpendDescription.create({ ...description, spend_authority_signature: signatures[i] ?? EMPTY }),
		),
		receive_description: outputDescriptions,
		binding_signature: bindValues(spends, outputs, balance, signHash, tools.random),
		message_hash: signHash,
		parameter_type: kind,
	});
	if (kind === "mint" || authorized) {
		const call = { rawValue, burnText, payTo: plan.payTo ?? EMPTY, signatures };
		parameters.trigger_contract_input = toHex(encodeTriggerInput(parameters, call));
	} else {
		parameters.trigger_contract_input = toHex(burnText);
	}
	return parameters;
}

/** @throws {ShieldedError} */
function sealBurnOf(
	{ ovk, rawValue, payTo, noncesBurn }: Orc20Plan,
	spends: readonly SpendDescription[],
): Uint8Array {
	if (payTo?.length !== ADDRESS_LENGTH) throw new ShieldedError("the transparent payTo address is null");
	checkLength(ovk, WORD);
	if (!noncesBurn) return sealBurn(ovk, rawValue, payTo);
	const nonce = burnNonce(firstOf(spends).nullifier, word(rawValue), payTo);
	return concatBytes(sealBurn(ovk, rawValue, payTo, nonce), nonce, NONCED);
}

/** Inputs of call data besides the parameters. */
interface TriggerCall {
	/** In token units. Unused by transfers. */
	readonly rawValue: bigint;
	/** For burns: 80 bytes, or a record with its nonce. */
	readonly burnText: Uint8Array;
	/** For burns: 21 bytes. */
	readonly payTo: Uint8Array;
	/** One per spend. */
	readonly signatures: readonly Uint8Array[];
}

/** Parameters or amounts that can't be encoded; the network's messages. */
class TriggerInputError extends Error {
	override readonly name: string = "IllegalArgumentException";
}

/** A part required for the kind of call is missing. */
class MissingPartError extends TriggerInputError {
	override readonly name = "IndexOutOfBoundsException";
}

/** @throws {MissingPartError} */
function firstOf<T>([first]: readonly T[]): T {
	if (first === undefined) throw new MissingPartError("Index: 0");
	return first;
}

/**
 * Call data without the function's selector (protocol/shielded §11.2).
 * @throws {TriggerInputError}
 */
export function encodeTriggerInput(parameters: ShieldedORC20Parameters, call: TriggerCall): Uint8Array {
	switch (parameters.parameter_type as Orc20Kind) {
		case "mint":
			return encodeMint(parameters, call);
		case "transfer":
			return encodeTransfer(parameters, call);
		case "burn":
			return encodeBurn(parameters, call);
	}
}

function encodeMint({ receive_description, binding_signature }: ShieldedORC20Parameters, call: TriggerCall) {
	if (call.rawValue <= 0n) throw new TriggerInputError("require the value be positive");
	const output = firstOf(receive_description);
	return concatBytes(word(call.rawValue), encodeOutput(output), binding_signature, encodeTexts(output));
}

/** A list: its length as a word, then its elements. */
const list = (elements: readonly Uint8Array[]): Uint8Array => concatBytes(word(elements.length), ...elements);

function encodeTransfer(parameters: ShieldedORC20Parameters, { signatures }: TriggerCall) {
	const { spend_description: spends, receive_description: outputs, binding_signature } = parameters;
	if (![1, 2].includes(spends.length)) throw new TriggerInputError("invalid transfer input number");
	const spendsAt = 192;
	const signaturesAt = spendsAt + WORD + SPEND * spends.length;
	const outputsAt = signaturesAt + WORD + SIGNATURE_SIZE * spends.length;
	const textsAt = outputsAt + WORD + OUTPUT * outputs.length;
	return concatBytes(
		...[spendsAt, signaturesAt, outputsAt].map(word),
		binding_signature,
		word(textsAt),
		list(spends.map(encodeSpend)),
		list(signatures),
		list(outputs.map(encodeOutput)),
		list(outputs.map(encodeTexts)),
	);
}

function encodeBurn(parameters: ShieldedORC20Parameters, call: TriggerCall) {
	const { spend_description: spends, binding_signature } = parameters;
	const outputs = parameters.receive_description.slice(0, 1);
	if (call.rawValue <= 0n) throw new TriggerInputError("the value must be positive");
	if (call.payTo.length === 0) throw new TriggerInputError("the transparent payTo address is null");
	const outputsAt = 672;
	return concatBytes(
		encodeSpend(firstOf(spends)),
		firstOf(call.signatures),
		word(call.rawValue),
		binding_signature,
		new Uint8Array(WORD - ADDRESS_LENGTH),
		call.payTo,
		padded(call.burnText, BURN_RECORD_SIZE),
		word(outputsAt),
		word(outputsAt + WORD + OUTPUT * outputs.length),
		list(outputs.map(encodeOutput)),
		list(outputs.map(encodeTexts)),
	);
}
