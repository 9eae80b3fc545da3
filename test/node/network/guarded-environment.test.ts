import { describe, expect, it } from "vitest";
import type {
	ByteStream,
	NetworkEnvironment,
	StreamListener,
} from "../../../src/node/network/environment.js";
import { guardedEnvironment } from "../../../src/node/network/guarded-environment.js";

const fault = new Error("a fault of ours");
const fail = (): never => {
	throw fault;
};

/** A world that calls whatever it is given at once, and remembers who listens. */
function world() {
	const reported: unknown[] = [];
	const events: string[] = [];
	let listener: StreamListener | undefined;
	const stream = {
		listen: (given: StreamListener) => {
			listener = given;
		},
		destroy: () => events.push("destroyed"),
	} as unknown as ByteStream;
	const environment = {
		after: (_: number, task: () => void) => task(),
		every: (_: number, task: () => void) => task(),
		soon: (task: () => void) => task(),
		listen: async (_: object, accept: (stream: ByteStream) => void) => accept(stream),
		dial: async () => stream,
		bindDatagrams: async (_: object, receive: (datagram: Uint8Array, from: object) => void) =>
			receive(Uint8Array.of(1), { host: "127.0.0.2", port: 1 }),
	} as unknown as NetworkEnvironment;
	return {
		guarded: guardedEnvironment(environment, (error) => reported.push(error)),
		reported,
		events,
		listener: () => listener as StreamListener,
	};
}

describe("a fault of the peer network", () => {
	it.each([
		["a task", ({ after }: NetworkEnvironment) => after(1, fail)],
		["a repeated task", ({ every }: NetworkEnvironment) => every(1, fail)],
		["a task of the next turn", ({ soon }: NetworkEnvironment) => soon(fail)],
		["accepting a connection", ({ listen }: NetworkEnvironment) => listen({ port: 1 }, fail)],
		["a datagram", ({ bindDatagrams }: NetworkEnvironment) => bindDatagrams({ port: 1 }, fail)],
	])("in %s is reported and goes no further", async (_, run) => {
		const { guarded, reported } = world();
		await run(guarded);
		expect(reported).toEqual([fault]);
	});

	it.each(["data", "closed"] as const)("in a stream's %s is reported and ends the stream", async (event) => {
		const { guarded, reported, events, listener } = world();
		const stream = await guarded.dial({ host: "127.0.0.2", port: 1 }, 1);
		stream.listen({ data: () => {}, closed: () => {}, [event]: fail });
		if (event === "data") listener().data(Uint8Array.of(1));
		else listener().closed();
		expect(reported).toEqual([fault]);
		expect(events).toEqual(["destroyed"]);
	});

	it("passes on what it is asked", async () => {
		const { guarded, reported, listener } = world();
		const received: number[] = [];
		const accepted: ByteStream[] = [];
		await guarded.bindDatagrams({ port: 1 }, (datagram) => received.push(...datagram));
		await guarded.listen({ port: 1 }, (stream) => accepted.push(stream));
		accepted[0]?.listen({ data: (bytes) => received.push(...bytes), closed: () => {} });
		listener().data(Uint8Array.of(2, 3));
		expect(received).toEqual([1, 2, 3]);
		expect(reported).toEqual([]);
	});
});
