import { expect, test } from "vitest";
import { CallLine } from "../../../../../src/node/api/jsonrpc/subscriptions/socket-server.js";

const settled = (): Promise<void> => new Promise(setImmediate);

test("only so many begin at a time, and addresses take turns", async () => {
	const line = new CallLine(2);
	const begun: string[] = [];
	const call = (address: string, n: number): void => {
		void line.enter(address).then(() => begun.push(`${address}${n}`));
	};
	for (let n = 1; n <= 4; n++) call("a", n);
	call("b", 1);
	call("b", 2);
	call("c", 1);
	await settled();
	expect(begun).toEqual(["a1", "a2"]);
	for (let i = 0; i < 5; i++) line.leave();
	await settled();
	expect(begun).toEqual(["a1", "a2", "a3", "b1", "c1", "a4", "b2"]);
});

test("a place that nobody waits for is free for the next", async () => {
	const line = new CallLine(1);
	await line.enter("a");
	line.leave();
	await line.enter("b");
	const later = line.enter("c").then(() => "c");
	expect(await Promise.race([later, settled().then(() => "nobody")])).toBe("nobody");
	line.leave();
	expect(await later).toBe("c");
});
