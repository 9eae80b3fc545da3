import { type ClientHttp2Session, connect, constants } from "node:http2";
import { connect as connectTcp } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CallTotals, ClientCalls, MAX_BEGUN } from "../../../../src/node/api/grpc/client-calls.js";
import { GREETING, resetCalls } from "../../../attack/http2-frames.js";
import { type GrpcNode, startGrpcNode } from "./grpc-node.js";

const { NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM } = constants;

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

describe("calls that are reset", () => {
	it("are bounded by node.rpc.maxRstStream in node.rpc.secondsPerWindow", async () => {
		const limited = await startGrpcNode("node.rpc { maxRstStream = 3, secondsPerWindow = 600 }");
		const client = connect(`http://127.0.0.1:${limited.ports.grpc}`);
		client.on("error", () => {});
		const goneAway = new Promise((resolve) => client.once("goaway", resolve));
		await new Promise((resolve) => client.once("remoteSettings", resolve));
		const answered = (): Promise<unknown> => new Promise((resolve) => client.ping(resolve));
		for (let resets = 1; resets <= 4; resets++) {
			expect(client.closed).toBe(false);
			const stream = open(client);
			await answered();
			stream.close(NGHTTP2_CANCEL);
			if (resets < 4) await answered();
		}
		expect(await goneAway).toBe(NGHTTP2_ENHANCE_YOUR_CALM);
		expect(await limited.send("/protocol.Wallet/GetNowBlock")).toHaveProperty("answer");
		await limited.close();
	});

	it("are counted in windows", () => {
		const work = new ClientCalls(new CallTotals());
		expect([0, 1, 1000].map((ms) => work.reset(ms, 1000))).toEqual([1, 2, 3]);
		expect([1001, 2001, 2002].map((ms) => work.reset(ms, 1000))).toEqual([1, 2, 1]);
	});
});

describe("calls beyond those that may begin in one round", () => {
	it("are refused, and the node goes on", async () => {
		const codes: number[] = [];
		const sessions = Array.from({ length: 15 }, session);
		await Promise.all(
			sessions.map((from) => new Promise<void>((resolve) => from.once("remoteSettings", () => resolve()))),
		);
		const closed = sessions.flatMap((from) =>
			Array.from(
				{ length: 100 },
				() =>
					new Promise<void>((resolve) => {
						const stream = open(from);
						stream.on("data", () => {});
						stream.on("close", () => {
							codes.push(stream.rstCode);
							resolve();
						});
						stream.end(Buffer.alloc(5));
					}),
			),
		);
		await Promise.all(closed);
		for (const from of sessions) from.destroy();
		expect(codes).toHaveLength(1_500);
		expect(await node.send("/protocol.Wallet/GetNowBlock")).toHaveProperty("answer");
	});
});

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
