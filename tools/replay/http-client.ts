/** Sends recorded requests to a server on this machine, exactly as they were: any method, path and headers. */

import { Agent, type IncomingMessage, request as startRequest } from "node:http";
import type { HttpAnswer, HttpRequest } from "./target.js";

/** One connection to each port, kept open. */
export class HttpClient {
	private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

	/** @throws the system's error if the connection fails */
	async send(port: number, { verb, path, body, headers }: HttpRequest): Promise<HttpAnswer> {
		const bytes = body === undefined ? undefined : Buffer.from(body, "utf8");
		const length = bytes === undefined ? {} : { "content-length": String(bytes.length) };
		const response = await new Promise<IncomingMessage>((resolve, reject) => {
			const request = startRequest({
				agent: this.agent,
				host: "127.0.0.1",
				port,
				method: verb,
				path: escapePath(path),
				headers: { ...headers, ...length },
			});
			request.on("response", resolve);
			request.on("error", reject);
			request.end(bytes);
		});
		const chunks: Uint8Array[] = [];
		for await (const chunk of response as AsyncIterable<Uint8Array>) chunks.push(chunk);
		return {
			status: response.statusCode ?? 0,
			type: response.headers["content-type"] ?? null,
			allow: response.headers.allow,
			body: Buffer.concat(chunks).toString("utf8"),
		};
	}

	close(): void {
		this.agent.destroy();
	}
}

/** The client library takes no raw control characters, blanks or characters beyond ASCII in a path. */
function escapePath(path: string): string {
	return path.replaceAll(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text));
}
