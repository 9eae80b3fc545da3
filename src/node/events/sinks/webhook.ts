/** Posting events to a receiver over HTTP, signed (protocol/events §6). */

import { createHmac } from "node:crypto";
import { readSecretFile } from "../../../keystore/secret-file.js";
import { OperatorError } from "../../../protocol/operator-error.js";
import type { WebhookConfig } from "../../config/event-config.js";
import { triggerName } from "../event-kinds.js";
import type { Delivery } from "./solid-feed.js";

/** A receiver answers within it. */
const TIMEOUT_MS = 30_000;
const MAX_SECRET_BYTES = 4096;

/** A webhook can't be used as it is configured; one sentence. */
class WebhookError extends OperatorError {
	override readonly name = "WebhookError";
}

/** @throws {WebhookError} without a word of what the file holds */
export function readSecret({ name, secretFile }: WebhookConfig): string | undefined {
	if (secretFile === undefined) return undefined;
	return readSecretFile(
		secretFile,
		MAX_SECRET_BYTES,
		(reason) => new WebhookError(`the key file ${secretFile} of webhook ${name} ${reason}`),
	);
}

/** The body that is posted: the JSON of events is theirs already. */
function webhookBody(name: string, { block, part, parts, events }: Delivery): string {
	const rows = events.map(
		({ kind, id, json }) =>
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
	readonly webhook: WebhookConfig;
	readonly secret: string | undefined;
	/** Milliseconds since 1970. */
	readonly nowMs: () => number;
	readonly fetch: typeof fetch;
}

/** Posts one delivery; rejects unless the receiver answers that it has it. */
export async function postDelivery(
	{ webhook, secret, nowMs, fetch: send }: WebhookOptions,
	delivery: Delivery,
	signal: AbortSignal,
): Promise<void> {
	const body = webhookBody(webhook.name, delivery);
	const headers: Record<string, string> = {
		"Content-Type": "application/json",
		"Coin-Event-Id": `${delivery.block.idHex}-${delivery.part}`,
	};
	if (secret !== undefined) {
		headers["Coin-Signature"] = signatureOf(secret, body, Math.floor(nowMs() / 1000));
	}
	const answer = await send(webhook.url, {
		method: "POST",
		headers,
		body,
		redirect: "manual",
		signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
	});
	// What it says beside the status is not read.
	await answer.body?.cancel();
	if (answer.status < 200 || answer.status > 299) throw new Error(`the receiver answers ${answer.status}`);
}
