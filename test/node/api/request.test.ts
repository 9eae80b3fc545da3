import { describe, expect, it } from "vitest";
import { answersOf } from "../../../src/node/api/answers.js";
import { RequestInput } from "../../../src/node/api/request.js";
import type { Release } from "../../../src/node/rules/release.js";

/** A body of so many letters beyond ASCII, one byte each, at a server that takes ten bytes. */
const inputOf = (release: Release, letters: number): RequestInput =>
	new RequestInput(
		{
			method: "POST",
			query: "",
			contentType: "text/plain",
			body: new Uint8Array(letters).fill(0xe9),
			bodyLimit: 10,
			answers: answersOf({ release }),
			postQuantum: false,
		},
		"raw",
	);

describe("a body", () => {
	it("is measured as it came from release 4.8.2 on, whichever endpoint reads it", () => {
		expect(inputOf("4.8.2", 10).text).toBe("é".repeat(10));
		expect(() => inputOf("4.8.2", 11).text).toThrow("body size is too big, the limit is 10");
		expect(() => inputOf("4.8.2", 11).bodyText()).toThrow("body size is too big, the limit is 10");
	});

	it("was measured as the text that was read of it before, and not by endpoints without a limit", () => {
		expect(inputOf("4.8.1", 5).text).toBe("é".repeat(5));
		expect(() => inputOf("4.8.1", 6).text).toThrow("body size is too big, the limit is 10");
		expect(inputOf("4.8.1", 6).bodyText()).toBe("é".repeat(6));
	});
});
