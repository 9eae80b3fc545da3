import { expect, it, vi } from "vitest";
import { RefusedError } from "../../../../src/node/events/receivers/receiver.js";

it("knows a refusal of a client that was bundled apart, with a copy of the class", async () => {
	vi.resetModules();
	const copy = await import("../../../../src/node/events/receivers/receiver.js");
	expect(copy.RefusedError).not.toBe(RefusedError);
	expect(new copy.RefusedError("too long")).toBeInstanceOf(RefusedError);
	expect(new RefusedError("too long")).toBeInstanceOf(RefusedError);
	expect(new Error("gone")).not.toBeInstanceOf(RefusedError);
});
