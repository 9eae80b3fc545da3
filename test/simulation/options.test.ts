import { describe, expect, it } from "vitest";
import { readOptions } from "./options.js";

describe("arguments of the simulation", () => {
	it("reads a range and a single seed", () => {
		expect(readOptions([])).toEqual({ first: 1, count: 100, isNile: false, isTraced: false });
		expect(readOptions(["--seeds", "91", "--from", "410", "--nile"])).toEqual({
			first: 410,
			count: 91,
			isNile: true,
			isTraced: false,
		});
		expect(readOptions(["--seed", "17", "--trace"])).toMatchObject({ first: 17, count: 1, isTraced: true });
	});

	it("takes --help", () => expect(readOptions(["--nile", "--help"])).toBe("help"));

	it.each([
		[["--seeds", "many"], /--seeds takes a whole number/],
		[["--seeds", "0"], /--seeds takes a whole number/],
		[["--from", "1.5"], /--from takes a whole number/],
		[["--seed", "3", "--from", "2"], /without --seeds and --from/],
		[["--sed", "3"], /--sed/],
		[["17"], /17/],
	])("refuses %j", (args, message) => expect(() => readOptions(args)).toThrow(message));
});
