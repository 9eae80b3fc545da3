import { describe, expect, it } from "vitest";
import { beanJson, Double } from "../../../src/node/api/bean-json.js";

describe("the form of beans", () => {
	const value = { b: [1, { z: true, a: "x\n" }], a: new Double(2), c: {}, d: [], e: 9007199254740993n };

	it("sorts members and leaves no blanks", () => {
		expect(beanJson(value)).toBe(
			'{"a":2.0,"b":[1,{"a":"x\\n","z":true}],"c":{},"d":[],"e":9007199254740993}',
		);
	});

	it("indents with tabs", () => {
		expect(beanJson({ b: [1], a: {} }, true)).toBe('{\n\t"a":{},\n\t"b":[\n\t\t1\n\t]\n}');
	});

	it("writes doubles with a fraction, and null for what is no number", () => {
		expect(beanJson([new Double(0), new Double(0.25), new Double(Number.NaN)])).toBe("[0.0,0.25,null]");
	});
});
