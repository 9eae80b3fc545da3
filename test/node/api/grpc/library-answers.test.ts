import { Client, credentials, type handleUnaryCall, Server, ServerCredentials, status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import {
	CallStarts,
	MAX_STARTS,
	messageLength,
	messageOfParts,
	watchCalls,
	whenSent,
} from "../../../../src/node/api/grpc/library-answers.js";

/** Rounds of an event loop that go on when they are told to. */
class Rounds {
	private next: (() => void) | undefined;
	readonly starts = new CallStarts((next) => {
		this.next = next;
	});
	readonly begun: string[] = [];

	start(connection: object, name: string): (() => void) | undefined {
		return this.starts.start(connection, () => this.begun.push(name));
	}

	/** @returns whether another round is to come */
	go(): boolean {
		const { next } = this;
		this.next = undefined;
		next?.();
		return this.next !== undefined;
	}
}

describe("calls of gRPC that come in one round of the event loop", () => {
	it("begin at once while they are few", () => {
		const rounds = new Rounds();
		for (let n = 0; n < MAX_STARTS; n++) rounds.start({}, `call ${n}`);
		expect(rounds.begun).toHaveLength(MAX_STARTS);
		expect(rounds.go()).toBe(false);
		rounds.start({}, "later");
		expect(rounds.begun).toHaveLength(MAX_STARTS + 1);
	});

	it("begin in later rounds where they are many, all of them", () => {
		const rounds = new Rounds();
		const [first, second] = [{}, {}];
		const all = 10 * MAX_STARTS + 1;
		for (let n = 0; n < all; n++) rounds.start(n % 2 === 0 ? first : second, `call ${n}`);
		const counts = [rounds.begun.length];
		while (rounds.go()) counts.push(rounds.begun.length);
		expect(counts.map((count, at) => count - (counts[at - 1] ?? 0))).toEqual([
			...Array.from({ length: 10 }, () => MAX_STARTS),
			1,
		]);
		expect(new Set(rounds.begun).size).toBe(all);
	});

	it("leave the line when they are given up, without a round of their own", () => {
		const rounds = new Rounds();
		const connection = {};
		const leave = Array.from({ length: 3 * MAX_STARTS }, (_, n) => rounds.start(connection, `call ${n}`));
		expect(leave.slice(0, MAX_STARTS)).toEqual(Array(MAX_STARTS).fill(undefined));
		for (const each of leave.slice(0, -1)) each?.();
		rounds.go();
		expect(rounds.begun.slice(MAX_STARTS)).toEqual([`call ${3 * MAX_STARTS - 1}`]);
		expect(rounds.go()).toBe(false);
	});

	it("don't hold up the call of another connection", () => {
		const rounds = new Rounds();
		const [busy, quiet] = [{}, {}];
		for (let n = 0; n < 1_500; n++) rounds.start(busy, `call ${n}`);
		rounds.start(quiet, "quiet");
		rounds.go();
		expect(rounds.begun).toContain("quiet");
	});
});

const asIs = (bytes: Buffer): Buffer => bytes;
const METHOD = {
	path: "/test.Test/Get",
	requestStream: false,
	responseStream: false,
	requestSerialize: asIs,
	requestDeserialize: asIs,
	responseSerialize: asIs,
	responseDeserialize: asIs,
} as const;

/** Whether a client gets these bytes, and the message was told to be sent. */
async function arrives(message: Buffer, whole: Buffer): Promise<unknown> {
	const server = new Server({ interceptors: [watchCalls(true, () => {})] });
	let sent = false;
	const get: handleUnaryCall<Buffer, Buffer> = (_call, answer) => {
		whenSent(message, () => (sent = true));
		answer(null, message);
	};
	server.addService({ Get: METHOD }, { Get: get });
	const port = await new Promise<number>((resolve, reject) =>
		server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
			error ? reject(error) : resolve(bound),
		),
	);
	const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
		"grpc.max_receive_message_length": -1,
	});
	try {
		return await new Promise((resolve) => {
			client.makeUnaryRequest(METHOD.path, asIs, asIs, Buffer.alloc(0), (error, bytes) =>
				resolve({ isWhole: bytes?.equals(whole), code: error?.code ?? status.OK, sent }),
			);
		});
	} finally {
		client.close();
		server.forceShutdown();
	}
}

describe("a message of gRPC", () => {
	it("arrives whole, in parts as in one", async () => {
		const parts = Array.from({ length: 40 }, (_, n) => Buffer.alloc(n * 5_000, n));
		const whole = Buffer.concat(parts);
		const inParts = messageOfParts(parts, whole.length);
		expect([messageLength(inParts), messageLength(whole)]).toEqual([whole.length, whole.length]);
		const right = { isWhole: true, code: status.OK, sent: true };
		expect(await arrives(inParts, whole)).toEqual(right);
		expect(await arrives(whole, whole)).toEqual(right);
	});
});
