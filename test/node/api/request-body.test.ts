import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { BodyBudget, collectBody } from "../../../src/node/api/request-body.js";

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
		expect(budget.heldBytes).toBe(500 * KIB);
		expect(b.grow(200 * KIB)).toBe(true);
		expect(b.grow(300 * KIB)).toBe(true);
		b.release();
		c.release();
		expect(budget.heldBytes).toBe(0);
	});

	it("always has room for small ones", () => {
		const budget = new BodyBudget(100 * KIB, 100 * KIB);
		expect(budget.open("a").grow(100 * KIB)).toBe(true);
		expect(budget.open("b").grow(64 * KIB)).toBe(true);
		expect(budget.open("b").grow(65 * KIB)).toBe(false);
	});
});

describe("bodies that stall", () => {
	it("are broken off for whoever holds less, of the largest holder the one that has grown longest ago", () => {
		const budget = new BodyBudget(1_000 * KIB, 600 * KIB);
		const broken: string[] = [];
		const stalled = (address: string, name: string, kib: number) => {
			const share = budget.open(address);
			share.breakOff = () => void broken.push(name);
			expect(share.grow(kib * KIB)).toBe(true);
			return share;
		};
		const first = stalled("a", "first", 200);
		stalled("a", "second", 300);
		stalled("b", "third", 400);
		expect(first.grow(250 * KIB)).toBe(true);
		const honest = budget.open("c");
		expect(honest.grow(200 * KIB)).toBe(true);
		expect(broken).toEqual(["second"]);
		expect(budget.heldBytes).toBe(850 * KIB);
		expect(honest.grow(390 * KIB)).toBe(true);
		expect(broken).toEqual(["second", "third"]);
	});

	it("of others stay where whoever asks would hold as much, and where they are whole", () => {
		const budget = new BodyBudget(1_000 * KIB, 600 * KIB);
		const [one, other] = [budget.open("a"), budget.open("b")];
		one.breakOff = () => expect.unreachable();
		expect([one.grow(500 * KIB), other.grow(400 * KIB)]).toEqual([true, true]);
		expect(budget.open("c").grow(500 * KIB)).toBe(false);
		one.breakOff = undefined;
		expect(budget.open("c").grow(200 * KIB)).toBe(false);
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
			expect(budget.heldBytes).toBe(0);
		}
		stream.end();
		expect(await body).toBe("too long");
	});

	it("is forgotten where it stalls and another needs the room", async () => {
		const budget = new BodyBudget(1_000_000, 1_000_000);
		const stream = request();
		const body = collectBody(stream, 10_000_000, budget.open("a"));
		stream.write(Buffer.alloc(900_000));
		await new Promise((resolve) => setImmediate(resolve));
		expect(budget.open("b").grow(200_000)).toBe(true);
		expect(budget.heldBytes).toBe(200_000);
		stream.end();
		expect(await body).toBe("no room");
	});

	it("is forgotten as soon as there is no room", async () => {
		const budget = new BodyBudget(1_000_000, 1_000_000);
		const other = budget.open("b");
		other.grow(900_000);
		const stream = request();
		const body = collectBody(stream, 10_000_000, budget.open("a"));
		stream.write(Buffer.alloc(90_000));
		await new Promise((resolve) => setImmediate(resolve));
		expect(budget.heldBytes).toBe(990_000);
		stream.write(Buffer.alloc(90_000));
		await new Promise((resolve) => setImmediate(resolve));
		expect(budget.heldBytes).toBe(900_000);
		stream.end();
		expect(await body).toBe("no room");
	});
});
