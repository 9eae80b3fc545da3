import { EventEmitter } from "node:events";
import type { ServerHttp2Stream } from "node:http2";
import { describe, expect, it } from "vitest";
import { ReceivedMessages } from "../../../../src/node/api/grpc/large-messages.js";
import { BodyBudget } from "../../../../src/node/api/request-body.js";

const KIB = 1 << 10;
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A call of the library, and what became of it. */
class Call {
	readonly codes: number[] = [];
	readonly events = Object.assign(new EventEmitter(), {
		closed: false,
		close: () => {
			this.events.closed = true;
			this.events.emit("close");
		},
	});
	readonly stream = this.events as unknown as ServerHttp2Stream;
	sendStatus({ code }: { readonly code: number }): void {
		this.codes.push(code);
	}
	decompressMessage?: (message: Buffer, encoding: string) => Buffer | Promise<Buffer>;
	receive(bytes: number): void {
		this.events.emit("data", Buffer.alloc(bytes));
	}
}

describe("messages that clients are sending", () => {
	it("are refused where others fill the room, and let in again when those have closed", () => {
		const messages = new ReceivedMessages(new BodyBudget(256 * KIB, 256 * KIB));
		const calls = Array.from({ length: 3 }, () => new Call());
		for (const call of calls) messages.watch(call, "a");
		const [first, second, third] = calls as [Call, Call, Call];
		first.receive(200 * KIB);
		second.receive(100 * KIB);
		expect(first.codes).toEqual([]);
		expect(second.codes).toEqual([8]);
		expect(second.events.closed).toBe(true);
		first.events.close();
		third.receive(100 * KIB);
		expect(third.codes).toEqual([]);
		third.events.close();
	});

	it("are decompressed a few at a time, and counted by what they become", async () => {
		const messages = new ReceivedMessages(new BodyBudget(512 * KIB, 512 * KIB));
		const ends: (() => void)[] = [];
		const results = Array.from({ length: 6 }, () => {
			const call = new Call();
			call.decompressMessage = () =>
				new Promise((resolve) => ends.push(() => resolve(Buffer.alloc(200 * KIB))));
			messages.watch(call, "a");
			const { decompressMessage } = call;
			return Promise.resolve(decompressMessage(Buffer.alloc(9), "gzip")).then(
				() => "taken",
				({ code }: { readonly code: number }) => code,
			);
		});
		await soon();
		expect(ends).toHaveLength(4);
		while (ends.length > 0) {
			ends.shift()?.();
			await soon();
		}
		expect(await Promise.all(results)).toEqual(["taken", "taken", 8, 8, 8, 8]);
	});
});
