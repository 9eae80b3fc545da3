import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseConfig } from "../../../../src/node/config/config.js";
import { rowOf } from "../../../../src/node/config/event-config.js";
import type { DeliveryPart, Publication } from "../../../../src/node/events/receivers/receiver.js";
import { openWebhook, signatureOf } from "../../../../src/node/events/receivers/webhook.js";

const part: DeliveryPart = { block: { number: 7n, idHex: "ab" }, part: 1, parts: 2 };
const publications: readonly Publication[] = [
	{
		id: "x",
		message: { kind: "soliditylog", id: "cd_1", body: {}, json: '{"value":9223372036854775807}' },
	},
];

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
		const config = { name: "shop", url: `http://127.0.0.1:${port}/in`, secretFile: undefined };
		const webhook = openWebhook(config, { secret, nowMs: () => 1_700_000_000_999, fetch });
		await webhook.deliver(publications, new AbortController().signal, part);
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

test("a key is read from its file, and what the file holds is in no error", async () => {
	const directory = mkdtempSync(join(tmpdir(), "hook-"));
	try {
		const file = join(directory, "key");
		const section = `storage {}\nevent.subscribe.webhooks = [{ name = shop, url = "http://a", secretFile = "${file}" }]`;
		const [hook] = parseConfig(section).events?.receivers ?? [];
		const open = async () =>
			rowOf("webhook").open(hook?.config, {
				environment: {},
				host: undefined,
				nowMs: () => 0,
				fetch,
				portError: (_, error) => error as Error,
			});
		await expect(open()).rejects.toThrow(`the key file ${file} of webhook shop can't be read (ENOENT)`);
		writeFileSync(file, "s3cret\n");
		await open();
		writeFileSync(file, `\n${"s3cret".repeat(1000)}`);
		await expect(open()).rejects.toThrow(/^(?!.*s3cret).*must hold 1 to 4096 bytes$/);
	} finally {
		rmSync(directory, { recursive: true });
	}
});
