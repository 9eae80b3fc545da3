import { describe, expect, it } from "vitest";
import { CallStarts, MAX_STARTS } from "../../../../src/node/api/grpc/library-answers.js";

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
