import { Server, ServerCredentials, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GrpcClient } from "../../tools/replay/grpc-client.js";

const asIs = (bytes: Buffer) => bytes;
const method = (path: string, streams: boolean) => ({
	path,
	requestStream: streams,
	responseStream: streams,
	requestSerialize: asIs,
	requestDeserialize: asIs,
	responseSerialize: asIs,
	responseDeserialize: asIs,
});

describe("gRPC calls of a replay", () => {
	const server = new Server();
	const client = new GrpcClient();
	let port: number;

	beforeAll(async () => {
		server.addService(
			{
				echo: method("/test.Echo/Say", false),
				refuse: method("/test.Echo/Refuse", false),
				chat: method("/test.Echo/Chat", true),
			},
			{
				echo: (call: { request: Buffer }, answer: (error: null, value: Buffer) => void) =>
					answer(null, Buffer.concat([call.request, call.request])),
				refuse: (_: unknown, answer: (error: object) => void) =>
					answer({ code: status.INVALID_ARGUMENT, details: "no" }),
				chat: (stream: {
					on: (event: string, listener: (data: Buffer) => void) => void;
					write: (data: Buffer) => void;
					end: () => void;
				}) => {
					stream.on("data", (data) => stream.write(data));
					stream.on("end", () => stream.end());
				},
			},
		);
		port = await new Promise<number>((resolve, reject) => {
			server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
				error ? reject(error) : resolve(bound),
			);
		});
	});

	afterAll(() => {
		client.close();
		server.forceShutdown();
	});

	const send = (path: string, stream = false) =>
		client.send(port, { port: "grpc", path, request: Uint8Array.of(1, 2), stream });

	it("carry bytes there and back", async () => {
		expect(await send("/test.Echo/Say")).toEqual({ answer: Buffer.of(1, 2, 1, 2) });
	});

	it("give a server's refusal with its code and message", async () => {
		expect(await send("/test.Echo/Refuse")).toEqual({ error: { code: 3, message: "no" } });
	});

	it("give the refusal of an unknown method", async () => {
		expect(await send("/test.Echo/Nothing")).toMatchObject({ error: { code: 12 } });
	});

	it("may be one message of a stream", async () => {
		expect(await send("/test.Echo/Chat", true)).toEqual({ answer: Buffer.of(1, 2) });
	});
});
