import { expect, it } from "vitest";
import { isRefused, RefusedError } from "../../../../src/node/events/sinks/receiver.js";

it("knows a refusal of a client that was bundled apart, with a copy of the class", () => {
	class Copy extends Error {
		override readonly name = "RefusedError";
	}
	expect(isRefused(new RefusedError("too long"))).toBe(true);
	expect(isRefused(new Copy("too long"))).toBe(true);
	expect(isRefused(new Error("gone"))).toBe(false);
});
