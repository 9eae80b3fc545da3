import { expect, it } from "vitest";
import type { ApiNode } from "../../../../src/node/api/context.js";
import { ListResult, longResult, PendingAnswer } from "../../../../src/node/api/jsonrpc/long-result.js";
import { JsonText } from "../../../../src/node/api/jsonrpc/method.js";
import { LongAnswerGate, UnreadAnswers } from "../../../../src/node/api/long-answer.js";

const nodeOf = (maxResponseSize: number): ApiNode =>
	({
		config: { node: { jsonrpc: { maxResponseSize } } },
		limiter: { longResults: new LongAnswerGate(2, 1) },
	}) as unknown as ApiNode;

async function rounds(): Promise<void> {
	for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve));
}

it("is refused before it is made where it is too long", async () => {
	let made = 0;
	const pieces = (function* () {
		made++;
		yield "[]";
	})();
	await expect(longResult({ node: nodeOf(100), client: "a" }, pieces, 101)).rejects.toThrow("100 bytes");
	expect(made).toBe(0);
});

it("waits until the answer before it of the same client has left", async () => {
	const node = nodeOf(0);
	const done: string[] = [];
	const ask = (name: string, client: string, pending: PendingAnswer) =>
		longResult({ node, client, pending }, ["[", "1", "]"], 3).then((result) =>
			done.push(name + (result instanceof JsonText ? result.text : result.toString())),
		);
	const first = new PendingAnswer();
	await ask("first", "a", first);
	await ask("batched", "a", first);
	void ask("second", "a", new PendingAnswer());
	void ask("other", "b", new PendingAnswer());
	await rounds();
	expect(done).toEqual(["first[1]", "batched[1]", "other[1]"]);
	first.release();
	await rounds();
	expect(done.at(-1)).toBe("second[1]");
});

it("gives its place to others once it is made, and counts as unread until its client has it", async () => {
	const node = nodeOf(0);
	const pending = new PendingAnswer();
	await longResult({ node, client: "a", pending }, ["[1]"], 3);
	const unread = new UnreadAnswers(10);
	const events: string[] = [];
	let sent = (): void => {};
	const answer = { breakOff: () => events.push("broken off"), whenSent: (done: () => void) => (sent = done) };
	pending.leaveTo(unread, answer, 9);
	expect(pending.holds).toBe(false);
	unread.wait(5, () => events.push("other"));
	expect(events).toEqual(["broken off"]);
	sent();
	let again = false;
	void node.limiter.longResults.enter("a").then(() => (again = true));
	await rounds();
	expect(again, "asked again at once").toBe(false);
});

it.each([false, true])("lets go of a list, long: %s", async (isLong) => {
	const list = new ListResult({ node: nodeOf(0), client: "a" });
	list.add("gone");
	if (isLong) await list.admit();
	list.add("gone too");
	list.drop();
	list.add("kept");
	const result = list.end();
	expect(result instanceof JsonText ? result.text : JSON.stringify(result)).toBe('["kept"]');
});
