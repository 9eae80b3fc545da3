import { describe, expect, it } from "vitest";
import { FAILURE_KINDS, Failure, type FailureCode } from "../../src/wallet/failure.js";

it("can be written as JSON with whatever facts it has", () => {
	const { facts } = new Failure("insufficient_funds", "", {
		details: { sun: 5n, rows: [{ sun: 2n ** 64n }], data: "0x" },
	});
	expect(JSON.parse(JSON.stringify(facts))).toEqual({
		details: { sun: "5", rows: [{ sun: "18446744073709551616" }], data: "0x" },
	});
});

describe("the advice of a refusal", () => {
	const every = Object.keys(FAILURE_KINDS) as FailureCode[];

	it("is never to repeat a call whose transaction a node has or may have", () => {
		for (const code of every) {
			expect(new Failure(code, "", { sent: "unknown" }).retry).toBe("wait");
			expect(["same", "later"]).not.toContain(new Failure(code, "", { sent: true }).retry);
			expect(["same", "later"]).not.toContain(new Failure(code, "", { sent: true, retry: "later" }).retry);
		}
	});

	it("is the code's own otherwise", () => {
		expect(new Failure("network", "", { sent: false }).retry).toBe("same");
		expect(new Failure("tx_expired", "", { sent: true }).retry).toBe("changed");
		expect(new Failure("contract_validate", "", { retry: "later" }).retry).toBe("later");
	});
});
