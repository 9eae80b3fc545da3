import { type ClientHttp2Session, connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ClientCalls, MAX_BEGUN } from "../../../../src/node/api/grpc/client-calls.js";
import { GREETING, resetCalls } from "../../../attack/http2-frames.js";
import { type GrpcNode, startGrpcNode } from "./grpc-node.js";

let node: GrpcNode;
beforeAll(async () => {
	node = await startGrpcNode();
});
afterAll(() => node.close());

function session(): ClientHttp2Session {
	const made = connect(`http://127.0.0.1:${node.ports.grpc}`);
	made.on("error", () => {});
	return made;
}

function open(from: ClientHttp2Session): ReturnType<ClientHttp2Session["request"]> {
	const stream = from.request({
		":method": "POST",
		":path": "/protocol.Wallet/GetNowBlock",
		"content-type": "application/grpc",
		te: "trailers",
	});
	stream.on("error", () => {});
	return stream;
}

describe("calls that are opened and reset at once", () => {
	it("end their connection before the rest of what was read is looked at, and others are served", async () => {
		const socket = connectTcp(node.ports.grpc as number, "127.0.0.1");
		const begin = vi.spyOn(ClientCalls.prototype, "begin");
		socket.on("error", () => {});
		socket.resume();
		const closed = new Promise((resolve) => socket.once("close", resolve));
		socket.write(Buffer.concat([GREETING, resetCalls("/protocol.Wallet/GetNowBlock", 1500)]));
		await closed;
		expect(begin.mock.calls.length).toBeGreaterThan(0);
		expect(begin.mock.calls.length).toBeLessThanOrEqual(MAX_BEGUN + 1);
		begin.mockRestore();
		expect(await node.send("/protocol.Wallet/GetNowBlock")).toHaveProperty("answer");
	});

	it("are no reason to end a connection that has as many calls as it may have", async () => {
		const client = session();
		await new Promise((resolve) => client.once("remoteSettings", resolve));
		for (let round = 0; round < 3; round++) {
			const streams = Array.from({ length: 100 }, () => open(client));
			const statuses = streams.map(
				(stream) =>
					new Promise((resolve) => {
						stream.on("trailers", (trailers) => resolve(trailers["grpc-status"]));
						stream.resume();
						stream.end(Buffer.alloc(5));
					}),
			);
			expect(new Set(await Promise.all(statuses))).toEqual(new Set(["0"]));
		}
		expect(client.destroyed).toBe(false);
		client.destroy();
	});
});
