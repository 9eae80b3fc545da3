/** Requests of attackers and honest clients. */

import { Agent, request } from "node:http";

const TIMEOUT_MS = 60_000;

/** A request on its own connection, like that of a new client. */
export function ask(
	port: number,
	path: string,
	body: string | Uint8Array,
	{
		host = "127.0.0.1",
		timeoutMs = TIMEOUT_MS,
		headers = {},
		method = "POST",
		isServed = false,
	}: AskOptions = {},
): Promise<string> {
	return new Promise((resolve, reject) => {
		const agent = new Agent({ keepAlive: false });
		const call = request(
			{
				host: "127.0.0.1",
				port,
				path,
				method,
				agent,
				localAddress: host,
				timeout: timeoutMs,
				headers,
			},
			(answer) => {
				let size = 0;
				const chunks: Buffer[] = [];
				answer.on("data", (chunk: Buffer) => {
					size += chunk.length;
					if (size < 1 << 20) chunks.push(chunk);
				});
				answer.on("end", () => {
					if (isServed && answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`));
					else resolve(Buffer.concat(chunks).toString());
				});
				answer.on("error", reject);
			},
		);
		call.on("timeout", () => call.destroy(new Error("no answer in time")));
		call.on("error", reject);
		call.end(method === "GET" ? undefined : body);
	});
}

export interface AskOptions {
	/** Local loopback address. */
	readonly host?: string;
	readonly timeoutMs?: number;
	readonly method?: "GET" | "POST";
	readonly headers?: Readonly<Record<string, string>>;
	/** Whether an error status is thrown as an error. */
	readonly isServed?: boolean;
}
