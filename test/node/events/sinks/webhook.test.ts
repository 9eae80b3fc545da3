import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { WebhookConfig } from "../../../../src/node/config/event-config.js";
import type { Delivery } from "../../../../src/node/events/sinks/solid-feed.js";
import { postDelivery, readSecret, signatureOf } from "../../../../src/node/events/sinks/webhook.js";
import type { SignedBlock } from "../../../../src/protocol/block.js";

const delivery: Delivery = {
	block: { number: 7n, idHex: "ab" } as SignedBlock,
	part: 1,
	parts: 2,
	events: [{ kind: "soliditylog", id: "cd_1", body: {}, json: '{"value":9223372036854775807}' }],
};
const hook = (url: string, secretFile?: string): WebhookConfig => ({
	name: "shop",
	url,
	secretFile,
	kinds: new Set(),
	fromBlock: undefined,
});

/** Posts to a receiver that answers with a status. */
async function post(status: number, secret?: string): Promise<{ request: IncomingMessage; body: string }> {
	let seen: { request: IncomingMessage; body: string } | undefined;
	const server = createServer((request, response) => {
		let body = "";
		request.setEncoding("utf8").on("data", (text: string) => {
			body += text;
		});
		request.on("end", () => {
			seen = { request, body };
			response.writeHead(status, { location: "/elsewhere" }).end("much text");
		});
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	try {
		const webhook = hook(`http://127.0.0.1:${port}/in`);
		const options = { webhook, secret, nowMs: () => 1_700_000_000_999, fetch };
		await postDelivery(options, delivery, new AbortController().signal);
		if (!seen) throw new Error("nothing came");
		return seen;
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

test("posts events with their own JSON, an id and a signature that the receiver can check", async () => {
	const { request, body } = await post(204, "key");
	expect(body).toBe(
		'{"sink":"shop","blockNumber":7,"blockHash":"ab","part":1,"parts":2,"events":[{"kind":"soliditylog","id":"solidityLogTrigger:cd_1","event":{"value":9223372036854775807}}]}',
	);
	const expected = createHmac("sha256", "key").update(`1700000000.${body}`).digest("hex");
	expect(request.headers).toMatchObject({
		"content-type": "application/json",
		"coin-event-id": "ab-1",
		"coin-signature": `t=1700000000,v1=${expected}`,
	});
	expect(signatureOf("key", body, 1_700_000_000)).toBe(request.headers["coin-signature"]);
});

test("signs nothing without a key", async () => {
	expect((await post(200)).request.headers["coin-signature"]).toBeUndefined();
});

test.each([302, 404, 500])("an answer of %i is not a receipt", async (status) => {
	await expect(post(status)).rejects.toThrow(`the receiver answers ${status}`);
});

test("a key is read from its file, and what the file holds is in no error", () => {
	const directory = mkdtempSync(join(tmpdir(), "hook-"));
	try {
		const file = join(directory, "key");
		expect(() => readSecret(hook("http://a", file))).toThrow("can't be read (ENOENT)");
		writeFileSync(file, "s3cret\n");
		expect(readSecret(hook("http://a", file))).toBe("s3cret");
		writeFileSync(file, `\n${"s3cret".repeat(1000)}`);
		expect(() => readSecret(hook("http://a", file))).toThrow(/^(?!.*s3cret).*must hold 1 to 4096 bytes$/);
	} finally {
		rmSync(directory, { recursive: true });
	}
});
