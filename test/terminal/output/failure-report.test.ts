import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { OperatorError } from "../../../src/protocol/operator-error.js";
import { asFailure, reportFailure, reportUncaught } from "../../../src/terminal/output/failure-report.js";
import { Failure } from "../../../src/wallet/failure.js";

let printed = "";

beforeEach(() => {
	printed = "";
	vi.stubEnv("DEBUG", "");
	vi.spyOn(process.stderr, "write").mockImplementation((text) => {
		printed += String(text);
		return true;
	});
});

afterEach(() => {
	vi.unstubAllEnvs();
	vi.restoreAllMocks();
});

/** An error with a frame in a source, as a trace names it. */
function defect(): Error {
	const error = new Error("it broke");
	error.stack = "Error: it broke\n    at tick (src/node/clock.ts:6:3)";
	return error;
}

test("a defect says where it is, and how to see the whole trace", () => {
	const failure = asFailure(defect());
	expect(failure).toMatchObject({
		code: "internal",
		message: "a defect in coin: it broke. Please report it with the command you ran",
		facts: { hint: "src/node/clock.ts:6:3; DEBUG=coin prints the stack trace" },
	});
	expect(reportFailure(failure, false)).toBe(1);
	expect(printed).not.toContain("at tick");
});

test("DEBUG=coin prints the trace of a defect, once", () => {
	vi.stubEnv("DEBUG", "coin");
	reportUncaught(defect(), false);
	expect(printed.match(/at tick \(src\/node\/clock\.ts:6:3\)/g)).toHaveLength(1);
});

test("what nobody caught is printed with its trace before the refusal", () => {
	expect(reportUncaught(defect(), true)).toBe(1);
	const lines = printed.trim().split("\n");
	expect(lines.slice(0, 2)).toEqual(["Error: it broke", "    at tick (src/node/clock.ts:6:3)"]);
	expect(JSON.parse(lines.at(-1) as string)).toMatchObject({ error: { code: "internal" } });
});

test("a refusal that nobody caught is a refusal, without a trace", () => {
	expect(reportUncaught(new Failure("usage", "there is no such thing"), true)).toBe(2);
	expect(printed.trim().split("\n")).toHaveLength(1);
});

test("what an operator can mend is not a defect", () => {
	expect(asFailure(new OperatorError("the file chain.conf has no key"))).toMatchObject({
		code: "bad_value",
		message: "the file chain.conf has no key",
	});
});
