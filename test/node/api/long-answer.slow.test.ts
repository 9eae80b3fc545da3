import { type IncomingMessage, request } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { HttpListener } from "../../../src/node/api/http-listener.js";
import { LongAnswer, LongAnswerGate, listPieces, UnreadAnswers } from "../../../src/node/api/long-answer.js";
import { sendLong } from "../../../src/node/api/long-answer-sender.js";

const PIECE = "x".repeat(1 << 20);

let made = 0;
function* pieces(count: number, failsAt = -1): Generator<string> {
	for (let i = 0; i < count; i++) {
		if (i === failsAt) throw new Error("broken");
		made++;
		yield PIECE;
	}
}

const ANSWERS: Readonly<Record<string, () => Iterable<string>>> = {
	"/short": () => listPieces("[", [1, 2], String, "]"),
	"/long": () => pieces(30),
	"/endless": () => pieces(10_000),
	"/broken": () => pieces(3, 0),
	"/half": () => pieces(30, 20),
};

let gate: LongAnswerGate;
let port: number;
const unread = new UnreadAnswers();
const listener = new HttpListener({
	maxConnections: 0,
	handle: (asked, answer) =>
		sendLong(answer, new LongAnswer(ANSWERS[asked.url ?? ""]?.() ?? []), {
			contentType: "text/plain",
			enter: () => gate.enter("a"),
			unread,
			isAbandoned: () => asked.socket.destroyed,
			failed: (error) => error.message,
		}),
	report: (error) => {
		throw error;
	},
});
beforeAll(async () => {
	gate = new LongAnswerGate(2, 2);
	port = await listener.listen(0, "127.0.0.1");
});
afterAll(() => listener.close());

const left: IncomingMessage[] = [];
afterEach(() => {
	for (const answer of left.splice(0)) answer.destroy();
	made = 0;
});

function ask(path: string, method = "GET"): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		request({ port, path, method, agent: false }, (answer) => {
			left.push(answer);
			resolve(answer);
		})
			.on("error", reject)
			.end();
	});
}

async function textOf(answer: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of answer) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString();
}

describe("an answer in pieces", () => {
	it("has its length where it is short", async () => {
		const answer = await ask("/short");
		expect(answer.headers["content-length"]).toBe("6");
		expect(await textOf(answer)).toBe("[1,2]\n");
	});

	it("comes framed and whole where it is long", async () => {
		const answer = await ask("/long");
		expect(answer.headers["transfer-encoding"]).toBe("chunked");
		expect(await textOf(answer)).toBe(`${PIECE.repeat(30)}\n`);
		const head = await ask("/long", "HEAD");
		expect(head.headers["content-length"]).toBe(String(30 * PIECE.length + 1));
	});

	it("is made no faster than its client reads", async () => {
		const answer = await ask("/endless");
		answer.pause();
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(made).toBeLessThan(60);
	});

	it("waits to be counted for HEAD as it waits to be sent", async () => {
		const places = await Promise.all([gate.enter("a"), gate.enter("a")]);
		let counted = false;
		const head = ask("/long", "HEAD").then((answer) => {
			counted = true;
			return answer;
		});
		await textOf(await ask("/short"));
		await new Promise((resolve) => setTimeout(resolve, 100));
		expect(counted).toBe(false);
		for (const leave of places) leave();
		expect((await head).headers["content-length"]).toBe(String(30 * PIECE.length + 1));
	});

	it("is an error where its first piece fails, and breaks off where a later one does", async () => {
		expect(await textOf(await ask("/broken"))).toBe("broken\n");
		await expect(textOf(await ask("/half"))).rejects.toThrow("aborted");
	});

	it("waits while too many others are made, and goes on when one of them is left", async () => {
		const [leave] = await Promise.all([gate.enter("a"), gate.enter("a")]);
		let began = false;
		const third = ask("/long").then(async (answer) => {
			began = true;
			return textOf(answer);
		});
		expect(await textOf(await ask("/short"))).toBe("[1,2]\n");
		await new Promise((resolve) => setTimeout(resolve, 100));
		expect(began).toBe(false);
		leave?.();
		expect(await third).toHaveLength(30 * PIECE.length + 1);
	});

	it("doesn't wait for those whose clients read nothing", async () => {
		gate = new LongAnswerGate(2, 2);
		for (const answer of await Promise.all(["/endless", "/endless", "/endless"].map((path) => ask(path))))
			answer.pause();
		expect(await textOf(await ask("/long"))).toHaveLength(30 * PIECE.length + 1);
	});
});

describe("the gate of long answers", () => {
	it("gives an address only a part, and lets others pass those of it that wait", async () => {
		const few = new LongAnswerGate(3, 2);
		const order: string[] = [];
		const enter = (address: string): Promise<() => void> =>
			few.enter(address).then((leave) => {
				order.push(address);
				return leave;
			});
		const first = await enter("a");
		await enter("a");
		void enter("a");
		await enter("b");
		void enter("b");
		await new Promise((resolve) => setImmediate(resolve));
		expect(order).toEqual(["a", "a", "b"]);
		first();
		first();
		await new Promise((resolve) => setImmediate(resolve));
		expect(order).toEqual(["a", "a", "b", "a"]);
	});
});
