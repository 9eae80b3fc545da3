/** Keys, addresses and random values of shielded transactions, generated for clients (protocol/shielded §5.1, §7.1). */

import { NamedError } from "../../../protocol/json/exceptions.js";
import {
	BytesMessage,
	DiversifierMessage,
	ExpandedSpendingKeyMessage,
	type IncomingViewingKeyDiversifierMessage,
	IncomingViewingKeyMessage,
	PaymentAddressMessage,
	ShieldedAddressInfo,
	type SpendAuthSigParameters,
	type ViewingKeyMessage,
} from "../../../protocol/messages.js";
import { type Randomness, randomScalar } from "../../../protocol/sapling/descriptions.js";
import { checkLength, ShieldedError } from "../../../protocol/sapling/failure.js";
import { writePaymentAddress } from "../../../protocol/sapling/payment-address.js";
import {
	authorizationKey,
	diversifiedBase,
	expandSpendingKey,
	incomingViewingKey,
	nullifierKey,
	transmissionKey,
} from "../../../protocol/sapling/shielded-keys.js";
import { DIVERSIFIER_SIZE, KEY_SIZE } from "../../../protocol/sapling/sizes.js";
import { authorizeSpend } from "../../../protocol/sapling/spend-authorization.js";
import type { ApiContext } from "../context.js";
import { randomnessOf } from "./tools.js";

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

function keysOf(spendingKey: Uint8Array) {
	const expanded = expandSpendingKey(spendingKey);
	const ak = authorizationKey(expanded.ask);
	const nk = nullifierKey(expanded.nsk);
	return { sk: spendingKey, ...expanded, ak, nk, ivk: incomingViewingKey(ak, nk) };
}

/** A spending key whose first byte is below 16, and whose incoming viewing key is not zero. */
export function randomSpendingKey(random: Randomness): Uint8Array {
	for (;;) {
		const key = Uint8Array.from(random(KEY_SIZE));
		key[0] = (key[0] as number) & 0x0f;
		if (!isZero(keysOf(key).ivk)) return key;
	}
}

function randomDiversifier(random: Randomness): Uint8Array {
	for (;;) {
		const diversifier = Uint8Array.from(random(DIVERSIFIER_SIZE));
		if (diversifiedBase(diversifier)) return diversifier;
	}
}

/** @throws {NamedError} */
function checkHexKey(name: string, key: Uint8Array): void {
	if (key.length !== KEY_SIZE) {
		throw new NamedError("BadItemException", `the length of ${name}'s hexString should be ${2 * KEY_SIZE}`);
	}
}

/** @throws {ShieldedError | NamedError} */
function addressOf(
	{ style: { dialect } }: ApiContext,
	ivk: Uint8Array,
	diversifier: Uint8Array,
): PaymentAddressMessage {
	checkLength(diversifier, DIVERSIFIER_SIZE);
	if (!diversifiedBase(diversifier)) throw new NamedError("BadItemException", "d is not valid");
	checkLength(ivk, KEY_SIZE);
	const pkD = transmissionKey(ivk, diversifier);
	if (!pkD) throw new ShieldedError("Most significant five bits of ivk should be 0.");
	return PaymentAddressMessage.create({
		d: DiversifierMessage.create({ d: diversifier }),
		pkD,
		payment_address: writePaymentAddress({ diversifier, transmissionKey: pkD }, dialect),
	});
}

export const keyMethods = {
	GetSpendingKey: (context: ApiContext) =>
		BytesMessage.create({ value: randomSpendingKey(randomnessOf(context)) }),

	GetRcm: (context: ApiContext) => BytesMessage.create({ value: randomScalar(randomnessOf(context)) }),

	GetDiversifier: (context: ApiContext) =>
		DiversifierMessage.create({ d: randomDiversifier(randomnessOf(context)) }),

	GetNewShieldedAddress(context: ApiContext) {
		const random = randomnessOf(context);
		const keys = keysOf(randomSpendingKey(random));
		const d = randomDiversifier(random);
		const { pkD, payment_address } = addressOf(context, keys.ivk, d);
		return ShieldedAddressInfo.create({ ...keys, d, pkD, payment_address });
	},

	GetExpandedSpendingKey(_context: ApiContext, { value }: Readonly<BytesMessage>) {
		checkHexKey("spendingKey", value);
		return ExpandedSpendingKeyMessage.create(expandSpendingKey(value));
	},

	GetAkFromAsk(_context: ApiContext, { value }: Readonly<BytesMessage>) {
		checkHexKey("ask", value);
		return BytesMessage.create({ value: authorizationKey(value) });
	},

	GetNkFromNsk(_context: ApiContext, { value }: Readonly<BytesMessage>) {
		checkHexKey("nsk", value);
		return BytesMessage.create({ value: nullifierKey(value) });
	},

	GetIncomingViewingKey(_context: ApiContext, { ak, nk }: Readonly<ViewingKeyMessage>) {
		for (const key of [ak, nk]) checkLength(key, KEY_SIZE);
		return IncomingViewingKeyMessage.create({ ivk: incomingViewingKey(ak, nk) });
	},

	GetZenPaymentAddress: (context: ApiContext, request: Readonly<IncomingViewingKeyDiversifierMessage>) =>
		addressOf(context, request.ivk?.ivk ?? new Uint8Array(0), request.d?.d ?? new Uint8Array(0)),

	CreateSpendAuthSig(context: ApiContext, { ask, alpha, tx_hash }: Readonly<SpendAuthSigParameters>) {
		for (const part of [ask, alpha, tx_hash]) checkLength(part, KEY_SIZE);
		return BytesMessage.create({ value: authorizeSpend(ask, alpha, tx_hash, randomnessOf(context)) });
	},
};
