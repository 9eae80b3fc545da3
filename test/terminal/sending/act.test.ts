import { expect, test } from "vitest";
import type { ActingFlags } from "../../../src/terminal/flags/acting-flags.js";
import { checkNodesWord } from "../../../src/terminal/sending/act.js";
import { nothingBefore, nothingToDo } from "../../../src/terminal/sending/rows.js";

test("the refusal of an amount by the node's decimals alone names it in smallest units, and the decimals", () => {
	const flags = { yes: true } as ActingFlags;
	const gold = { token: "TGold", decimals: 18, text: "5", units: 5n * 10n ** 18n };
	const plan = { nodesWord: [gold], takesDecimals: true };
	expect(() => checkNodesWord(flags, plan)).toThrow(
		expect.objectContaining({
			// In a list, where the hint is the first line's, each line says its own.
			message:
				"only the node says that the token TGold has 18 decimals, by which 5 is 5000000000000000000raw",
			facts: {
				sent: false,
				hint: "--yes isn't enough: say the decimals too (--decimals 18), give smallest units (5000000000000000000raw), or add --trust-node",
			},
		}),
	);
	const two = [gold, { token: "1000001", decimals: 2, text: "1.5", units: 150n }];
	const hint =
		"--yes isn't enough: give smallest units (5000000000000000000raw, 150raw), or add --trust-node";
	for (const other of [{ nodesWord: two, takesDecimals: true }, { nodesWord: two }])
		expect(() => checkNodesWord(flags, other)).toThrow(
			expect.objectContaining({ facts: { sent: false, hint } }),
		);
});

test("what can't be done yet is nothing to do, with the time from which it can be", () => {
	expect(nothingBefore(2_000n, 2_000n, "it can be done")).toBeUndefined();
	const { nothing, due } = nothingBefore(2_000n, 1_999n, "it can be done") ?? { nothing: "" };
	const printed: unknown[] = [];
	nothingToDo(
		{ print: { record: (...record: unknown[]) => printed.push(...record) } as never },
		nothing,
		due,
	);
	const reason = expect.stringMatching(/^it can be done from 19/);
	const text = expect.stringMatching(/^nothing to do: it can be done from 19/);
	expect(printed).toEqual([{ state: "nothing to do", reason, due: 2_000n }, [text]]);
});
