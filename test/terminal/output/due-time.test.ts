import { expect, test } from "vitest";
import { firstDue, refusedUntil } from "../../../src/terminal/output/due-time.js";
import { Failure } from "../../../src/wallet/failure.js";

test("a refusal that ends by itself says when, and that it can be tried then", () => {
	const refused = refusedUntil(new Failure("contract_validate", "too early"), 5_000n, "it can be withdrawn");
	expect(refused).toMatchObject({ code: "contract_validate", message: "too early", retry: "later" });
	expect(refused.facts.details).toEqual({ due: 5_000n });
	expect(refused.facts.hint).toMatch(/^it can be withdrawn from .*1970/);
});

test("the first of several times is the earliest", () => {
	expect(firstDue([7n, 3n, 5n])).toBe(3n);
	expect(firstDue([])).toBeUndefined();
});
