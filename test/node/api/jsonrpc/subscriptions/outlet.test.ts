import { expect, test } from "vitest";
import { Outlets, type Pipe } from "../../../../../src/node/api/jsonrpc/subscriptions/outlet.js";

const MEBIBYTE = 1024 * 1024;

class TestPipe implements Pipe {
	unsent = 0;
	readonly got: string[] = [];
	closedFor: string | undefined;
	/** Whether what it gets is sent at once. */
	isRead = true;
	sent = (): void => undefined;

	send(texts: readonly string[], sent: () => void): void {
		this.got.push(...texts);
		this.sent = sent;
		if (this.isRead) sent();
	}

	close(reason: string): void {
		this.closedFor = reason;
	}
}

/** Outlets whose later rounds are run by hand. */
function makeOutlets(): { readonly outlets: Outlets; run(): void } {
	const rounds: (() => void)[] = [];
	return {
		outlets: new Outlets((work) => rounds.push(work)),
		run: () => {
			for (let round = rounds.shift(); round; round = rounds.shift()) round();
		},
	};
}

test("nothing is sent in the round in which it is told, and all of it in order afterwards", () => {
	const { outlets, run } = makeOutlets();
	const pipe = new TestPipe();
	const outlet = outlets.open(pipe);
	outlet.push("a");
	outlet.push("b");
	expect(pipe.got).toEqual([]);
	run();
	outlet.push("c");
	run();
	expect(pipe.got).toEqual(["a", "b", "c"]);
});

test("a client for which more than 4 MiB wait is closed with a reason, and the others go on", () => {
	const { outlets, run } = makeOutlets();
	const [slow, other] = [new TestPipe(), new TestPipe()];
	const [slowOutlet, otherOutlet] = [outlets.open(slow), outlets.open(other)];
	slow.unsent = 4 * MEBIBYTE - 150;
	slowOutlet.push("x");
	expect(slow.closedFor).toBeUndefined();
	slowOutlet.push("y");
	otherOutlet.push("z");
	run();
	expect(slow.closedFor).toBe("notifications are read too slowly");
	expect(slow.got).toEqual([]);
	expect(other.got).toEqual(["z"]);
});

test("where more than 16 MiB wait for all clients the one goes for which most wait", () => {
	const { outlets, run } = makeOutlets();
	const pipes = Array.from({ length: 5 }, () => new TestPipe());
	const opened = pipes.map((pipe) => outlets.open(pipe));
	for (const pipe of pipes) pipe.unsent = 3.8 * MEBIBYTE;
	(pipes[2] as TestPipe).unsent = 3.9 * MEBIBYTE;
	opened[0]?.push("x");
	run();
	expect(pipes.filter((pipe) => pipe.closedFor !== undefined)).toEqual([pipes[2]]);
});

test("a connection is handed 16 KiB at a time, and the next in order once it has sent them", () => {
	const { outlets, run } = makeOutlets();
	const pipe = new TestPipe();
	pipe.isRead = false;
	const outlet = outlets.open(pipe);
	const texts = Array.from({ length: 10 }, (_, i) => String(i).repeat(5_000));
	for (const text of texts) outlet.push(text);
	run();
	expect(pipe.got).toEqual(texts.slice(0, 4));
	outlet.push("last");
	run();
	expect(pipe.got.length).toBe(4);
	expect(outlet.waiting).toBe(6 * 5_100 + 104);
	for (let turn = 0; turn < 3; turn++, run()) pipe.sent();
	expect(pipe.got).toEqual([...texts, "last"]);
	expect(outlet.waiting).toBe(0);
});

test("a client that has gone is sent nothing", () => {
	const { outlets, run } = makeOutlets();
	const pipe = new TestPipe();
	const outlet = outlets.open(pipe);
	outlet.push("a");
	outlet.close();
	outlet.push("b");
	run();
	expect(pipe).toMatchObject({ got: [], closedFor: undefined });
});
