import { expect, it } from "vitest";
import { PARAMETER_NOTES } from "../../../src/node/consensus/parameter-notes.js";
import { chainParameters } from "../../../src/node/consensus/parameters.js";

it("has a sentence for every parameter, and for nothing else", () => {
	const nile = ["ALLOW_FN_DSA_512", "ALLOW_ML_DSA_44"];
	const names = new Set([...chainParameters.map(({ name }) => name), ...nile]);
	expect(new Set(Object.keys(PARAMETER_NOTES))).toEqual(names);
	for (const [name, note] of Object.entries(PARAMETER_NOTES)) expect(note, name).toMatch(/^[A-Z0-9].*\.$/);
});
