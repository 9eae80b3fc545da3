import { describe, expect, it } from "vitest";
import { AnswerBatch } from "../../../src/node/api/plain-response.js";

function batch() {
	const round: (() => void)[] = [];
	const sent: string[] = [];
	const time = { ms: 0 };
	const answers = new AnswerBatch(
		() => time.ms,
		(run) => round.push(run),
	);
	const add = (name: string): void => answers.add(() => sent.push(name));
	const endRound = (): void => {
		for (const run of round.splice(0)) run();
	};
	return { add, endRound, sent, time };
}

describe("answers of one round of the event loop", () => {
	it("leave at its end, in the order of coming", () => {
		const { add, endRound, sent } = batch();
		add("first");
		add("second");
		expect(sent).toEqual([]);
		endRound();
		expect(sent).toEqual(["first", "second"]);
	});

	it("leave at once when the first has waited for a calculation", () => {
		const { add, endRound, sent, time } = batch();
		add("first");
		time.ms = 5;
		add("second");
		expect(sent).toEqual(["first", "second"]);
		add("third");
		endRound();
		expect(sent).toEqual(["first", "second", "third"]);
	});

	it("leave in every round", () => {
		const { add, endRound, sent } = batch();
		add("first");
		endRound();
		add("second");
		endRound();
		endRound();
		expect(sent).toEqual(["first", "second"]);
	});
});
