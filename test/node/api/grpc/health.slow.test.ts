import { Client, type ClientReadableStream, credentials } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromHex, toHex, utf8 } from "../../../../src/protocol/bytes.js";
import { type GrpcNode, type Port, startGrpcNode } from "./grpc-node.js";

const CHECK = "/grpc.health.v1.Health/Check";
const WATCH = "/grpc.health.v1.Health/Watch";
const SERVING = "0801";
const asIs = (bytes: Buffer): Buffer => bytes;

const named = (service: string): Uint8Array => Uint8Array.of(0x0a, utf8(service).length, ...utf8(service));

let node: GrpcNode;
let client: Client;
beforeAll(async () => {
	node = await startGrpcNode();
	client = new Client(`127.0.0.1:${node.ports.grpc}`, credentials.createInsecure());
});
afterAll(async () => {
	client.close();
	await node.close();
});

const watch = (request: Uint8Array, of = client): ClientReadableStream<Buffer> =>
	of.makeServerStreamRequest(WATCH, asIs, asIs, Buffer.from(request));

/** The first message of a stream, or the code of its end. */
function first(stream: ClientReadableStream<Buffer>): Promise<string | number> {
	return new Promise((resolve) => {
		stream.on("data", (bytes: Buffer) => resolve(toHex(bytes)));
		stream.on("error", (error: Error & { readonly code?: number }) => resolve(error.code ?? -1));
	});
}

describe("the health service", () => {
	it.each<[Port, string]>([
		["grpc", ""],
		["grpc", "protocol.Wallet"],
		["grpcSolidity", "protocol.WalletSolidity"],
		["grpcPbft", "protocol.WalletSolidity"],
	])("of %s says that %j is served", async (port, service) => {
		const request = service === "" ? new Uint8Array(0) : named(service);
		expect(await node.send(CHECK, request, port)).toEqual({ answer: Buffer.from(fromHex(SERVING)) });
	});

	it("doesn't know services of other servers", async () => {
		const answer = await node.send(CHECK, named("protocol.WalletSolidity"));
		expect(answer).toEqual({ error: { code: 5, message: "unknown service" } });
	});

	it("refuses what is no message", async () => {
		for (const request of ["0aff", "0d01"]) {
			const answer = await node.send(CHECK, fromHex(request));
			expect(answer).toMatchObject({ error: { code: 2 } });
		}
	});

	it("watches a service, also one that it doesn't know", async () => {
		const [known, unknown] = [watch(new Uint8Array(0)), watch(named("no.Such"))];
		expect(await Promise.all([first(known), first(unknown)])).toEqual([SERVING, "0803"]);
		known.cancel();
		unknown.cancel();
	});

	it("gives a client sixteen streams at a time", async () => {
		const greedy = new Client(`127.0.0.1:${node.ports.grpc}`, credentials.createInsecure(), {
			"grpc.use_local_subchannel_pool": 1,
		});
		const streams = Array.from({ length: 16 }, () => watch(new Uint8Array(0), greedy));
		expect(await Promise.all(streams.map(first))).toEqual(streams.map(() => SERVING));
		expect(await first(watch(new Uint8Array(0), greedy))).toBe(8);
		streams[0]?.cancel();
		await expect.poll(() => first(watch(new Uint8Array(0), greedy))).toBe(SERVING);
		greedy.close();
	});

	it("tells who watches that the server closes", async () => {
		const other = await startGrpcNode();
		const own = new Client(`127.0.0.1:${other.ports.grpc}`, credentials.createInsecure());
		const stream = watch(new Uint8Array(0), own);
		const seen: string[] = [];
		stream.on("data", (bytes: Buffer) => seen.push(toHex(bytes)));
		const ended = new Promise((resolve) => stream.on("end", resolve));
		await expect.poll(() => seen).toEqual([SERVING]);
		await other.close();
		await ended;
		expect(seen).toEqual([SERVING, "0802"]);
		own.close();
	});
});
