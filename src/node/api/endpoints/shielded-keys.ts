/**
 * Keys of shielded addresses, calculated for those who ask (protocol/shielded §7.1). Requests carry secret keys: nothing of them is
 * logged or kept. The code that calculates is loaded with the first request.
 */

import { NamedError } from "../../../protocol/json/exceptions.js";
import {
	BytesMessage,
	ExpandedSpendingKeyMessage,
	IncomingViewingKeyMessage,
} from "../../../protocol/messages.js";
import type { ApiContext } from "../context.js";
import { defineEndpoint, type Endpoint, hexParameter, messageRequest, printed } from "../endpoint.js";
import { shieldedApiOff } from "../shielded-api.js";
import { hexValues } from "./hex-values.js";

const KEY = 32;

/** @throws {NamedError} where the node doesn't serve shielded transactions */
function checkServed({ node }: ApiContext): void {
	const { shielded, release } = node.config.node;
	if (!shielded.enabled) throw new NamedError("ZksnarkException", shieldedApiOff(release));
}

/** @throws {NamedError} */
function checkHexKey(name: string, key: Uint8Array): void {
	if (key.length !== KEY) {
		throw new NamedError("BadItemException", `the length of ${name}'s hexString should be ${2 * KEY}`);
	}
}

/** @throws {NamedError} */
function checkParameter(bytes: Uint8Array): void {
	if (bytes.length === 0) throw new NamedError("ZksnarkException", "param is null");
	if (bytes.length !== KEY) throw new NamedError("ZksnarkException", `param length must be ${KEY}`);
}

const keys = () => import("../../../protocol/sapling/shielded-keys.js");
const oneValue = messageRequest(BytesMessage, { value: hexParameter });
const everywhere = { servers: ["full"], get: "query", post: "body" } as const;

export const shieldedKeyEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		...everywhere,
		name: "getexpandedspendingkey",
		about: "The keys of a spending key.",
		request: oneValue,
		reply: printed(ExpandedSpendingKeyMessage),
		async handle(context, { value }) {
			checkServed(context);
			checkHexKey("spendingKey", value);
			return ExpandedSpendingKeyMessage.create((await keys()).expandSpendingKey(value));
		},
	}),
	defineEndpoint({
		...everywhere,
		name: "getakfromask",
		about: "The public key of ask.",
		request: oneValue,
		reply: printed(BytesMessage),
		async handle(context, { value }) {
			checkServed(context);
			checkHexKey("ask", value);
			return BytesMessage.create({ value: (await keys()).authorizationKey(value) });
		},
	}),
	defineEndpoint({
		...everywhere,
		name: "getnkfromnsk",
		about: "The public key of nsk.",
		request: oneValue,
		reply: printed(BytesMessage),
		async handle(context, { value }) {
			checkServed(context);
			checkHexKey("nsk", value);
			return BytesMessage.create({ value: (await keys()).nullifierKey(value) });
		},
	}),
	defineEndpoint({
		...everywhere,
		name: "getincomingviewingkey",
		about: "The incoming viewing key of ak and nk.",
		request: hexValues("ak", "nk"),
		reply: printed(IncomingViewingKeyMessage),
		async handle(context, [ak, nk]) {
			checkServed(context);
			for (const key of [ak, nk]) checkParameter(key as Uint8Array);
			const ivk = (await keys()).incomingViewingKey(ak as Uint8Array, nk as Uint8Array);
			return IncomingViewingKeyMessage.create({ ivk });
		},
	}),
];
