import { expect, it } from "vitest";
import { labelled } from "../../../src/wallet/configuration/labels.js";

const ANN = "TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6";
const BOB = "TPjjvMwjPoDC32V2dGDYTkLH4E5LAtBZ6C";
const labels = new Map([[ANN, "ann"]]);

it.each([
	[`1coin from ${ANN} to ${BOB}`, `1coin from ${ANN} (ann) to ${BOB}`],
	[`(threshold 2: ${ANN} weight 1, ${ANN})`, `(threshold 2: ${ANN} (ann) weight 1, ${ANN} (ann))`],
	// What somebody else wrote stays as it is.
	[`  memo        "pay ${ANN}"`, `  memo        "pay ${ANN}"`],
	[`${BOB} takes the name "\\"${ANN}"`, `${BOB} takes the name "\\"${ANN}"`],
	[`x${ANN}`, `x${ANN}`],
])("%s", (line, shown) => {
	expect(labelled(line, labels)).toBe(shown);
});
