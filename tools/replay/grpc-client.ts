/** Sends recorded gRPC calls to a local server: any path, messages as bytes. */

import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import type { GrpcAnswer, GrpcRequest } from "./target.js";

const asIs = (bytes: Buffer): Buffer => bytes;

/** Answers may exceed the library's default of 4 MB. */
const OPTIONS = { "grpc.max_receive_message_length": -1 };

/** A persistent channel per port. */
export class GrpcClient {
	private readonly channels = new Map<number, Client>();

	async send(port: number, { path, request, stream }: GrpcRequest): Promise<GrpcAnswer> {
		const channel = this.channel(port);
		const message = Buffer.from(request);
		try {
			return { answer: await (stream ? exchange(channel, path, message) : call(channel, path, message)) };
		} catch (error) {
			const { code, details } = error as ServiceError;
			if (typeof code !== "number") throw error;
			return { error: { code, message: details } };
		}
	}

	private channel(port: number): Client {
		const known = this.channels.get(port);
		if (known !== undefined) return known;
		const channel = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), OPTIONS);
		this.channels.set(port, channel);
		return channel;
	}

	close(): void {
		for (const channel of this.channels.values()) channel.close();
	}
}

function call(channel: Client, path: string, message: Buffer): Promise<Uint8Array> {
	return new Promise((resolve, reject) => {
		channel.makeUnaryRequest(path, asIs, asIs, message, (error, answer) => {
			if (error) reject(error);
			else resolve(answer ?? Buffer.alloc(0));
		});
	});
}

/** Sends one message on a bidirectional stream, and waits for the first answer. */
function exchange(channel: Client, path: string, message: Buffer): Promise<Uint8Array> {
	return new Promise((resolve, reject) => {
		const stream = channel.makeBidiStreamRequest(path, asIs, asIs);
		stream.on("data", resolve);
		stream.on("error", reject);
		stream.on("end", () => resolve(Buffer.alloc(0)));
		stream.end(message);
	});
}
