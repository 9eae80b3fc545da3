/**
 * Checks random answers about shielded transactions: recomputes what follows from the request and the answer
 * itself instead of comparing bytes. Proofs are ignored, since replays have none (witness-prover.ts).
 */

import { concatBytes, equalBytes, fromHex, toHex } from "../../src/protocol/bytes.js";
import type { Message, MessageType } from "../../src/protocol/codec/descriptor.js";
import { decodeFields } from "../../src/protocol/json/field-decoder.js";
import { hashedLibrary } from "../../src/protocol/json/older/hashed-library.js";
import {
	BytesMessage,
	DiversifierMessage,
	PrivateParameters,
	PrivateParametersWithoutAsk,
	PrivateShieldedORC20Parameters,
	PrivateShieldedORC20ParametersWithoutAsk,
	type ReceiveDescription,
	type ReceiveNote,
	ShieldedAddressInfo,
	ShieldedORC20Parameters,
	type ShieldedTransferContract,
	SpendAuthSigParameters,
	type SpendDescription,
	TransactionExtention,
} from "../../src/protocol/messages.js";
import {
	decodePoint,
	encodePoint,
	type Point,
	readScalar,
	spendGenerator,
	valueRandomnessGenerator,
} from "../../src/protocol/sapling/jubjub.js";
import { openSentNote } from "../../src/protocol/sapling/note-encryption.js";
import { encodeTriggerInput, orc20SignHash } from "../../src/protocol/sapling/orc20-builder.js";
import { writePaymentAddress } from "../../src/protocol/sapling/payment-address.js";
import { shieldedSignHash, verifyRedJubjub } from "../../src/protocol/sapling/redjubjub.js";
import {
	authorizationKey,
	diversifiedBase,
	expandSpendingKey,
	incomingViewingKey,
	nullifierKey,
	transmissionKey,
} from "../../src/protocol/sapling/shielded-keys.js";
import { KEY_SIZE, SEALED_OUTGOING_SIZE } from "../../src/protocol/sapling/sizes.js";
import { randomizedKey } from "../../src/protocol/sapling/spend-authorization.js";
import { bindingKey } from "../../src/protocol/sapling/value-commitment.js";
import { SignedTransaction } from "../../src/protocol/transaction.js";

/** Request and answers as messages, and the shielded token of the recording. */
interface Exchange {
	readonly request: <T extends Message>(type: MessageType<T>) => T;
	readonly answer: <T extends Message>(type: MessageType<T>) => T;
	readonly recorded: <T extends Message>(type: MessageType<T>) => T;
	readonly tokenId: string;
}

/** @returns what is wrong with the answer */
type Check = (exchange: Exchange) => string | undefined;

const point = (bytes: Uint8Array): Point | undefined => decodePoint(bytes);

function signs(key: Uint8Array, hash: Uint8Array, signature: Uint8Array): boolean {
	const decoded = point(key);
	return (
		decoded !== undefined && verifyRedJubjub(decoded, spendGenerator(), concatBytes(key, hash), signature)
	);
}

/** Whether the binding signature is valid for a balance. */
function binds(
	spends: readonly SpendDescription[],
	outputs: readonly ReceiveDescription[],
	balance: bigint,
	hash: Uint8Array,
	signature: Uint8Array,
): boolean {
	const commitments = (list: readonly { readonly value_commitment: Uint8Array }[]) =>
		list.map(({ value_commitment }) => point(value_commitment) as Point);
	const key = bindingKey(commitments(spends), commitments(outputs), balance);
	return (
		key !== undefined &&
		verifyRedJubjub(key, valueRandomnessGenerator(), concatBytes(encodePoint(key), hash), signature)
	);
}

/** Whether the sender can decrypt the new notes. */
function readsNotes(
	outputs: readonly ReceiveDescription[],
	notes: readonly ReceiveNote[],
	ovk: Uint8Array,
): boolean {
	return notes.every(({ note }, i) => {
		const output = outputs[i];
		if (!note || !output) return false;
		const { value_commitment: cv, note_commitment: cm, epk, c_enc, c_out } = output;
		const opened = openSentNote(ovk, { cv, cm, epk, forReceiver: c_enc, forSender: c_out });
		if (opened?.note.value !== note.value) return false;
		const sent = note.memo.subarray(0, opened.memo.length);
		return equalBytes(opened.memo.subarray(0, sent.length), sent);
	});
}

const total = (notes: readonly { readonly note?: { readonly value: bigint } | undefined }[]): bigint =>
	notes.reduce((sum, { note }) => sum + (note?.value ?? 0n), 0n);

const checkSpendingKey: Check = ({ answer }) => {
	const { value } = answer(BytesMessage);
	return value.length === KEY_SIZE && (value[0] as number) < 16 ? undefined : "not a spending key";
};

const checkScalar: Check = ({ answer }) =>
	readScalar(answer(BytesMessage).value) === undefined ? "not a scalar" : undefined;

const checkDiversifier: Check = ({ answer }) =>
	diversifiedBase(answer(DiversifierMessage).d) ? undefined : "not a diversifier";

const checkAddress: Check = ({ answer }) => {
	const { sk, ask, nsk, ovk, ak, nk, ivk, d, pkD, payment_address } = answer(ShieldedAddressInfo);
	const expanded = expandSpendingKey(sk);
	const key = transmissionKey(ivk, d);
	const pairs: readonly (readonly [Uint8Array, Uint8Array | undefined])[] = [
		[ask, expanded.ask],
		[nsk, expanded.nsk],
		[ovk, expanded.ovk],
		[ak, authorizationKey(ask)],
		[nk, nullifierKey(nsk)],
		[ivk, incomingViewingKey(ak, nk)],
		[pkD, key],
	];
	if (pairs.some(([given, made]) => !made || !equalBytes(given, made))) return "keys that don't follow";
	const text = writePaymentAddress({ diversifier: d, transmissionKey: pkD }, "deployed");
	return text === payment_address ? undefined : "another address";
};

const checkAuthorization: Check = ({ request, answer }) => {
	const { ask, alpha, tx_hash } = request(SpendAuthSigParameters);
	const rk = randomizedKey(authorizationKey(ask), alpha);
	return rk && signs(rk, tx_hash, answer(BytesMessage).value) ? undefined : "a signature that doesn't hold";
};

function checkParameters(
	{ answer, recorded }: Exchange,
	request: Pick<
		PrivateShieldedORC20Parameters,
		"ovk" | "shielded_spends" | "shielded_receives" | "transparent_to_address" | "to_amount" | "from_amount"
	> & { readonly contract: Uint8Array; readonly signs: boolean },
): string | undefined {
	const parameters = answer(ShieldedORC20Parameters);
	const { spend_description: spends, receive_description: outputs, message_hash: hash } = parameters;
	const kind = parameters.parameter_type;
	const balance = total(request.shielded_spends) - total(request.shielded_receives);
	const payTo = request.transparent_to_address;
	const plan = { kind: kind as "mint", contract: request.contract, payTo };
	if (!equalBytes(orc20SignHash(plan, spends, outputs, balance), hash)) return "another hash";
	if (!binds(spends, outputs, balance, hash, parameters.binding_signature)) return "values that aren't bound";
	const signatures = spends.map(({ spend_authority_signature }) => spend_authority_signature);
	if (request.signs && !spends.every(({ rk }, i) => signs(rk, hash, signatures[i] as Uint8Array))) {
		return "a spend that isn't signed";
	}
	if (request.ovk.length > 0 && !readsNotes(outputs, request.shielded_receives, request.ovk)) {
		return "notes that their sender can't read";
	}
	const input = parameters.trigger_contract_input;
	if (!request.signs && kind !== "mint") {
		return input === recorded(ShieldedORC20Parameters).trigger_contract_input ? undefined : "another text";
	}
	const rawValue = BigInt(kind === "burn" ? request.to_amount : request.from_amount || "0");
	const burnText = fromHex(input).subarray(512, 512 + SEALED_OUTGOING_SIZE);
	const call = { rawValue, burnText, payTo, signatures };
	return toHex(encodeTriggerInput(parameters, call)) === input ? undefined : "another call data";
}

const checkWithAsk: Check = (exchange) => {
	const request = exchange.request(PrivateShieldedORC20Parameters);
	const contract = request.shielded_ORC20_contract_address;
	return checkParameters(exchange, { ...request, contract, signs: true });
};

const checkWithoutAsk: Check = (exchange) => {
	const request = exchange.request(PrivateShieldedORC20ParametersWithoutAsk);
	const contract = request.shielded_ORC20_contract_address;
	return checkParameters(exchange, { ...request, contract, signs: false });
};

function checkTransfer(
	{ answer, recorded, tokenId }: Exchange,
	request: Pick<PrivateParameters, "ovk" | "shielded_spends" | "shielded_receives">,
	isSigned: boolean,
): string | undefined {
	const [ours, theirs] = [answer, recorded].map((read) => {
		const { transaction } = read(TransactionExtention);
		return transaction && new SignedTransaction(transaction);
	});
	if (!ours || !theirs) return "no transaction";
	const [contract, other] = [ours, theirs].map(
		(transaction) => transaction.parameter as ShieldedTransferContract,
	) as [ShieldedTransferContract, ShieldedTransferContract];
	const { spend_description: spends, receive_description: outputs } = contract;
	const hash = shieldedSignHash(ours, tokenId);
	const fixed = (one: ShieldedTransferContract): string =>
		[
			one.transparent_from_address,
			one.transparent_to_address,
			...one.spend_description.flatMap(({ nullifier, anchor, rk }) => [nullifier, anchor, rk]),
			// Outputs added by the node have random commitments.
			...one.receive_description
				.slice(0, request.shielded_receives.length)
				.map((made) => made.note_commitment),
		]
			.map(toHex)
			.concat(`${one.from_amount} ${one.to_amount} ${one.receive_description.length}`)
			.join();
	if (fixed(contract) !== fixed(other)) return "other parts that aren't random";
	const balance = total(request.shielded_spends) - total(request.shielded_receives);
	if (!binds(spends, outputs, balance, hash, contract.binding_signature)) return "values that aren't bound";
	if (isSigned && !spends.every(({ rk, spend_authority_signature: own }) => signs(rk, hash, own))) {
		return "a spend that isn't signed";
	}
	return readsNotes(outputs, request.shielded_receives, request.ovk)
		? undefined
		: "notes that their sender can't read";
}

const CHECKS: Readonly<Record<string, Check>> = {
	getspendingkey: checkSpendingKey,
	getrcm: checkScalar,
	getdiversifier: checkDiversifier,
	getnewshieldedaddress: checkAddress,
	createspendauthsig: checkAuthorization,
	createshieldedcontractparameters: checkWithAsk,
	createshieldedcontractparameterswithoutask: checkWithoutAsk,
	createshieldedtransaction: (exchange) => checkTransfer(exchange, exchange.request(PrivateParameters), true),
	createshieldedtransactionwithoutspendauthsig: (exchange) =>
		checkTransfer(exchange, exchange.request(PrivateParametersWithoutAsk), false),
};

/** Request and answers of a random exchange, as JSON text or bytes. */
interface RandomExchange<T> {
	/** Last part of the path. */
	readonly method: string;
	readonly request: T;
	readonly recorded: T;
	readonly answer: T;
	readonly tokenId: string;
}

function judge(method: string, exchange: Exchange): string | undefined {
	const check = CHECKS[method.toLowerCase()];
	return check ? check(exchange) : "a random answer without a rule";
}

const isVisible = (request: string): boolean => /"visible"\s*:\s*true/.test(request);

/** @returns what is wrong with a random JSON answer */
export function judgeRandomJson({ method, tokenId, ...texts }: RandomExchange<string>): string | undefined {
	const read =
		(text: string) =>
		<T extends Message>(type: MessageType<T>): T =>
			decodeFields(type, text || "{}", isVisible(texts.request), hashedLibrary);
	return judge(method, {
		request: read(texts.request),
		recorded: read(texts.recorded),
		answer: read(texts.answer),
		tokenId,
	});
}

/** @returns what is wrong with a random gRPC answer */
export function judgeRandomMessage({
	method,
	tokenId,
	...bytes
}: RandomExchange<Uint8Array>): string | undefined {
	const read =
		(encoded: Uint8Array) =>
		<T extends Message>(type: MessageType<T>): T =>
			type.decode(encoded);
	return judge(method, {
		request: read(bytes.request),
		recorded: read(bytes.recorded),
		answer: read(bytes.answer),
		tokenId,
	});
}
