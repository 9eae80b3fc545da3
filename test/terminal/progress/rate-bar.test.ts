import { expect, test } from "vitest";
import { rateMode } from "../../../src/terminal/progress/rate-bar.js";

test("the form of the progress is the one that is asked for; without a terminal there is none", () => {
	expect(rateMode({ progress: "json", json: undefined }, false)).toBe("json");
	expect(rateMode({ progress: "bar", json: undefined }, false)).toBe("bar");
	expect(rateMode({ progress: undefined, json: undefined }, false)).toBe("none");
});
