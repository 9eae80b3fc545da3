/** Sends recorded requests unchanged to a local server: any method, path and headers. */

import { Agent, type IncomingMessage, request as startRequest } from "node:http";
import { PlainConnection } from "./plain-connection.js";
import type { HttpAnswer, HttpRequest } from "./target.js";

/** A keep-alive connection per port; a second one for methods besides GET and POST, and GET with a body. */
export class HttpClient {
	private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
	private readonly plain = new Map<number, PlainConnection>();

	/** @throws the system's error if the connection fails */
	async send(port: number, request: HttpRequest): Promise<HttpAnswer> {
		const bytes = request.body === undefined ? undefined : Buffer.from(request.body, "utf8");
		const path = escapePath(request.path);
		if (request.verb === "POST" || (request.verb === "GET" && bytes === undefined)) {
			return this.connection(port).send({ ...request, path }, bytes);
		}
		return this.sendAny(port, { ...request, path }, bytes);
	}

	private async sendAny(
		port: number,
		{ verb, path, headers }: HttpRequest,
		bytes: Buffer | undefined,
	): Promise<HttpAnswer> {
		const length = bytes === undefined ? {} : { "content-length": String(bytes.length) };
		const response = await new Promise<IncomingMessage>((resolve, reject) => {
			const request = startRequest({
				agent: this.agent,
				host: "127.0.0.1",
				port,
				method: verb,
				path,
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
		for (const connection of this.plain.values()) connection.close();
	}

	private connection(port: number): PlainConnection {
		const connection = this.plain.get(port) ?? new PlainConnection(port);
		this.plain.set(port, connection);
		return connection;
	}
}

/** The client library rejects raw control characters, blanks and non-ASCII characters in paths. */
function escapePath(path: string): string {
	return path.replaceAll(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text));
}
