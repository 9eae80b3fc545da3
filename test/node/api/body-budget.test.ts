import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { BodyBudget } from "../../../src/node/api/body-budget.js";
import { collectBody } from "../../../src/node/api/request-body.js";

const KIB = 1_024;

describe("the budget of bodies", () => {
	it("is one for all, and gives an address only a part", () => {
		const budget = new BodyBudget(1_000 * KIB, 600 * KIB);
		const [a, b, c] = [budget.open("a"), budget.open("a"), budget.open("b")];
		expect(a.grow(500 * KIB)).toBe(true);
		expect(b.grow(200 * KIB)).toBe(false);
		expect(c.grow(500 * KIB)).toBe(true);
		expect(b.grow(100 * KIB)).toBe(false);
		a.release();
		a.release();
		expect(budget.held).toBe(500 * KIB);
		expect(b.grow(200 * KIB)).toBe(true);
		expect(b.grow(300 * KIB)).toBe(true);
		b.release();
		c.release();
		expect(budget.held).toBe(0);
	});

	it("always has room for small ones", () => {
		const budget = new BodyBudget(100 * KIB, 100 * KIB);
		expect(budget.open("a").grow(100 * KIB)).toBe(true);
		expect(budget.open("b").grow(64 * KIB)).toBe(true);
		expect(budget.open("b").grow(65 * KIB)).toBe(false);
	});
});

describe("a body", () => {
	const request = (headers = {}): PassThrough & IncomingMessage =>
		Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage;

	it("that announces more than is kept is not kept, but read to its end", async () => {
		const budget = new BodyBudget();
		const share = budget.open("a");
		const stream = request({ "content-length": "10000000" });
		const body = collectBody(stream, 1_000_000, share);
		for (let i = 0; i < 10; i++) {
			stream.write(Buffer.alloc(1_000_000));
			await new Promise((resolve) => setImmediate(resolve));
			expect(budget.held).toBe(0);
		}
		stream.end();
		expect(await body).toBe("too long");
	});

	it("is forgotten as soon as there is no room", async () => {
		const budget = new BodyBudget(1_000_000, 1_000_000);
		const other = budget.open("b");
		other.grow(900_000);
		const stream = request();
		const body = collectBody(stream, 10_000_000, budget.open("a"));
		stream.write(Buffer.alloc(90_000));
		await new Promise((resolve) => setImmediate(resolve));
		expect(budget.held).toBe(990_000);
		stream.write(Buffer.alloc(90_000));
		await new Promise((resolve) => setImmediate(resolve));
		expect(budget.held).toBe(900_000);
		stream.end();
		expect(await body).toBe("no room");
	});
});
