import { EventEmitter } from "node:events";
import { status } from "@grpc/grpc-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ApiContext } from "../../../../src/node/api/context.js";
import { LongMessages } from "../../../../src/node/api/grpc/large-messages.js";
import { messageLength } from "../../../../src/node/api/grpc/library-answers.js";
import { LongMessage } from "../../../../src/node/api/grpc/method.js";
import { wallet } from "../../../../src/node/api/grpc/services/wallet.js";
import { LongAnswerGate, UnreadAnswers } from "../../../../src/node/api/long-answer.js";
import type { StateView } from "../../../../src/node/state/view.js";
import { concatBytes, equalBytes } from "../../../../src/protocol/bytes.js";
import {
	TransactionInfo,
	TransactionInfoList,
	TransactionInfoLog,
	TransactionRet,
} from "../../../../src/protocol/messages.js";

const MIB = new Uint8Array(1 << 20).fill(7);

class Call extends EventEmitter {
	cancelled = false;

	cancel(): void {
		this.cancelled = true;
		this.emit("cancelled");
	}
}

let made = 0;
function* parts(count: number): Generator<Uint8Array> {
	for (let i = 0; i < count; i++) {
		made++;
		yield MIB;
	}
}

const lengthOf = async (message: Promise<Buffer>): Promise<number> => messageLength(await message);

const settled = async (): Promise<void> => {
	for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
};

beforeEach(() => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
	vi.useRealTimers();
});

const messagesOf = (unread = new UnreadAnswers()): LongMessages =>
	new LongMessages(new LongAnswerGate(1, 1), unread);

test("a long message is whole, and the next one waits until it has been sent or its client has left", async () => {
	const messages = messagesOf();
	const [first, second] = [new Call(), new Call()];
	const bytes = await messages.gather(first, "a", new LongMessage(parts(3)));
	expect(messageLength(bytes)).toBe(3 << 20);
	made = 0;
	const next = messages.gather(second, "b", new LongMessage(parts(3)));
	await settled();
	expect(made).toBe(1);
	expect((await messages.gather(new Call(), "c", new LongMessage([Uint8Array.of(1)]))).length).toBe(1);
	first.cancel();
	expect(await lengthOf(next)).toBe(3 << 20);
});

test("a client that doesn't read gives up its place, and the largest of those that wait is broken off", async () => {
	const unread = new UnreadAnswers(4 << 20);
	const messages = messagesOf(unread);
	const ended: number[] = [];
	const wait = unread.wait.bind(unread);
	vi.spyOn(unread, "wait").mockImplementation((bytes, breakOff) =>
		wait(bytes, () => {
			ended.push(bytes >> 20);
			breakOff();
		}),
	);
	expect(await lengthOf(messages.gather(new Call(), "a", new LongMessage(parts(3))))).toBe(3 << 20);
	const next = messages.gather(new Call(), "b", new LongMessage(parts(2)));
	await settled();
	made = 0;
	vi.advanceTimersByTime(100);
	expect(await lengthOf(next)).toBe(2 << 20);
	expect(made).toBe(1);
	expect(ended).toEqual([]);
	vi.advanceTimersByTime(100);
	expect(ended).toEqual([3]);
});

test("nothing is made for a client that has left", async () => {
	const messages = messagesOf();
	const call = new Call();
	call.cancel();
	made = 0;
	await expect(messages.gather(call, "a", new LongMessage(parts(50)))).rejects.toMatchObject({
		code: status.CANCELLED,
	});
	expect(made).toBe(1);
	expect(await lengthOf(messages.gather(new Call(), "a", new LongMessage(parts(2))))).toBe(2 << 20);
});

test("a message that is longer than any can be is refused", async () => {
	const messages = messagesOf();
	await expect(messages.gather(new Call(), "a", new LongMessage(parts(300)))).rejects.toMatchObject({
		code: status.RESOURCE_EXHAUSTED,
		message: "the answer is longer than 268435456 bytes",
	});
});

test("receipts of a large block are a long message with the bytes that one has", async () => {
	const log = TransactionInfoLog.create({ data: new Uint8Array(1_000) });
	const transactionInfo = [1, 2].map((n) =>
		TransactionInfo.create({ id: new Uint8Array(32).fill(n), log: Array(300).fill(log) }),
	);
	const stored = TransactionRet.encode(TransactionRet.create({ transactioninfo: transactionInfo }));
	const state = { backend: { get: () => stored } } as unknown as StateView;
	const context = { state, style: { dialect: "neutral" } } as unknown as ApiContext;
	const answer = await wallet.GetTransactionInfoByBlockNum(context, { num: 7n } as never);
	expect(answer).toBeInstanceOf(LongMessage);
	const whole = TransactionInfoList.encode(TransactionInfoList.create({ transactionInfo }));
	expect(equalBytes(concatBytes(...(answer as LongMessage).parts), whole)).toBe(true);
});
