import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { nodeSettings } from "../../../src/wallet/configuration/settings.js";
import { AnswerTooLong, sendRequest } from "../../../src/wallet/node/http-request.js";
import { NodeClient } from "../../../src/wallet/node/node-client.js";

const closing: (() => void)[] = [];
afterEach(() => {
	for (const close of closing.splice(0)) close();
});

/** A node that answers so many chunks of a mebibyte, as fast as they are read. */
async function endless(chunks: number): Promise<{ url: string; sent: () => number }> {
	let sent = 0;
	const server = createServer((_, response) => {
		const more = (): void => {
			while (sent < chunks && !response.destroyed) {
				sent++;
				if (!response.write(Buffer.alloc(1 << 20, 0x20))) {
					response.once("drain", more);
					return;
				}
			}
			response.end("{}");
		};
		more();
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	closing.push(() => server.close().closeAllConnections());
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sent: () => sent };
}

const ask = (url: string, maxBytes?: number) =>
	sendRequest({ method: "GET", url, headers: {}, maxBytes }, AbortSignal.timeout(300_000));

test("an answer without an end is left once it is too long", async () => {
	const { url, sent } = await endless(100_000);
	await expect(ask(url, 4 << 20)).rejects.toThrow(AnswerTooLong);
	await new Promise((resolve) => setTimeout(resolve, 50));
	expect(sent()).toBeLessThan(64);
});

test("an answer below the limit is read whole", async () => {
	const { url } = await endless(3);
	expect((await ask(url, 4 << 20)).body).toHaveLength((3 << 20) + 2);
});

test("an answer is waited for also where the time-out is longer than timers can wait, which end at once then", async () => {
	const server = createServer((_, response) => setTimeout(() => response.end("{}"), 100));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	closing.push(() => server.close());
	const node = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const client = new NodeClient(nodeSettings({ node, timeoutMs: 2 ** 32 }));
	expect(await client.call("getnowblock", {})).toEqual({});
});

test.each([
	["getnowblock", {}],
	["broadcasthex", "ECONNRESET"],
])(
	"%s on a kept connection that the server has closed is repeated on a new one only if it reads",
	async (endpoint, outcome) => {
		let requests = 0;
		const server = createTcpServer((socket) => {
			let answered = 0;
			socket
				.on("error", () => undefined)
				.on("data", () => {
					requests++;
					if (answered++ > 0) socket.destroy();
					else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
				});
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		closing.push(() => server.close());
		const node = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const client = new NodeClient(nodeSettings({ node }));
		await client.call("getnowblock", {});
		// The connection goes back to those that are kept once the answer has ended.
		await new Promise(setImmediate);
		const said = await client
			.call(endpoint, {})
			.catch((error: { facts: { details: object } }) => Object.values(error.facts.details)[0]);
		expect(said).toEqual(outcome);
		expect(requests).toBe(outcome === "ECONNRESET" ? 2 : 3);
	},
);
