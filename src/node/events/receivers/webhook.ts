/** Webhook receivers: events are posted over HTTP with a signature (protocol/events §6). */

import { createHmac } from "node:crypto";
import { triggerName } from "./event-message.js";
import type { DeliveryLimits, DeliveryPart, Publication, Receiver } from "./receiver.js";

/** Response timeout. */
const TIMEOUT_MS = 30_000;
/** Numbered parts of one block each. */
const LIMITS: DeliveryLimits = {
	messages: 500,
	characters: Number.POSITIVE_INFINITY,
	blocks: 1,
	firstPauseMs: 1_000,
	lastPauseMs: 60_000,
};

export interface WebhookConfig {
	/** Name in the request body. */
	readonly name: string;
	readonly url: string;
	/** File with the signing key; undefined: unsigned. */
	readonly secretFile: string | undefined;
}

/** The request body, built around the messages' JSON text. */
function bodyOf(
	name: string,
	publications: readonly Publication[],
	{ block, part, parts }: DeliveryPart,
): string {
	const rows = publications.map(
		({ message: { kind, id, json } }) =>
			`{"kind":"${kind}","id":${JSON.stringify(`${triggerName(kind)}:${id}`)},"event":${json}}`,
	);
	const head = `"sink":${JSON.stringify(name)},"blockNumber":${block.number},"blockHash":"${block.idHex}"`;
	return `{${head},"part":${part},"parts":${parts},"events":[${rows.join(",")}]}`;
}

/** `t=<seconds>,v1=<HMAC-SHA256 of "<seconds>.<body>">` */
export function signatureOf(secret: string, body: string, seconds: number): string {
	return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;
}

interface WebhookOptions {
	readonly secret: string | undefined;
	/** Milliseconds since 1970. */
	readonly nowMs: () => number;
	readonly fetch: typeof fetch;
}

export function openWebhook(
	{ name, url }: WebhookConfig,
	{ secret, nowMs, fetch: send }: WebhookOptions,
): Receiver {
	return {
		limits: LIMITS,
		deliver: async (publications, signal, part) => {
			const body = bodyOf(name, publications, part);
			const headers: Record<string, string> = {
				"Content-Type": "application/json",
				"Coin-Event-Id": `${part.block.idHex}-${part.part}`,
			};
			if (secret !== undefined) {
				headers["Coin-Signature"] = signatureOf(secret, body, Math.floor(nowMs() / 1000));
			}
			const answer = await send(url, {
				method: "POST",
				headers,
				body,
				redirect: "manual",
				signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
			});
			// The response body is not read.
			await answer.body?.cancel();
			if (answer.status < 200 || answer.status > 299) {
				throw new Error(`the receiver answers ${answer.status}`);
			}
		},
		close: async () => {},
	};
}
