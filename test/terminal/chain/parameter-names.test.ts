import { describe, expect, test } from "vitest";
import {
	parameterNames,
	parseParameters,
	pickParameters,
} from "../../../src/terminal/chain/parameter-names.js";

describe("values of parameters", () => {
	test("are named by number or by name, and kept in their order", async () => {
		const named = await parseParameters(["ENERGY_FEE=420", "0=21600000"]);
		expect([...named]).toEqual([
			[11n, 420n],
			[0n, 21_600_000n],
		]);
		expect((await parameterNames())(11n)).toBe("ENERGY_FEE");
		expect((await parameterNames())(999n)).toBeUndefined();
	});

	test.each<[what: string, words: string[], message: RegExp]>([
		["a word without a value", ["ENERGY_FEE"], /"ENERGY_FEE" is not a parameter: write <name or id>=<value>/],
		["an unknown name", ["NO_SUCH_FEE=1"], /"NO_SUCH_FEE" is not a chain parameter/],
		["a value that no chain accepts", ["0=1"], /MAINTENANCE_TIME_INTERVAL = 1: /],
		["a parameter under two names", ["11=1", "ENERGY_FEE=2"], /ENERGY_FEE is named twice/],
	])("refuse %s", async (_, words, message) => {
		await expect(parseParameters(words)).rejects.toMatchObject({
			code: "bad_value",
			message: expect.stringMatching(message),
		});
	});
});

test.each([
	["ENERGY_FEES=1", "did you mean ENERGY_FEE?"],
	["getEnergyFe=1", "did you mean getEnergyFee?"],
	["enrgyFee=1", "did you mean EnergyFee?"],
	["NO_SUCH_FEE=1", "coin chain params lists them"],
])("the name nearest to that of %s is suggested", async (word, hint) => {
	await expect(parseParameters([word])).rejects.toMatchObject({ facts: { hint } });
});

test("reported parameters are found by any of their names, also those that the table doesn't know", async () => {
	const reported = new Map([
		["getEnergyFee", 100n],
		["getSomethingNew", 1n],
	]);
	const pick = async (...wanted: string[]) =>
		(await pickParameters(reported, wanted)).map(({ id, name, value }) => [id, name, value]);
	expect(await pick()).toEqual([
		[11n, "getEnergyFee", 100n],
		[undefined, "getSomethingNew", 1n],
	]);
	for (const text of ["11", "ENERGY_FEE", "getEnergyFee", "energyfee"]) {
		expect(await pick(text)).toEqual([[11n, "getEnergyFee", 100n]]);
	}
	expect(await pick("somethingNEW", "11")).toEqual([
		[undefined, "getSomethingNew", 1n],
		[11n, "getEnergyFee", 100n],
	]);
	await expect(pick("0")).rejects.toMatchObject({ code: "not_found" });
	await expect(pick("somethingNow")).rejects.toMatchObject({ facts: { hint: "did you mean SomethingNew?" } });
});
