import { describe, expect, test } from "vitest";
import { type ChosenDevelopment, chooseDevelopment } from "../../src/launch/development-options.js";
import { prepareDevelopment } from "../../src/node/development/development.js";

/** What these flags choose, on any free port. */
function chosen(flags: Readonly<Record<string, string>>): Promise<ChosenDevelopment> {
	const given: Readonly<Record<string, string>> = { port: "0", ...flags };
	return chooseDevelopment(
		(name) => given[name],
		[],
		() => {},
	);
}

describe("a development chain", () => {
	test("limits calls only when asked to", async () => {
		const limits = async (flags: Readonly<Record<string, string>>): Promise<boolean> =>
			prepareDevelopment((await chosen(flags)).options).config.rateLimiter.enabled;
		expect(await limits({})).toBe(false);
		expect(await limits({ "rate-limits": "true" })).toBe(true);
	});

	test("ends constant calls after the chain's time only when asked to, by flag or key", async () => {
		expect((await chosen({})).limitTime).toBe(false);
		expect((await chosen({ "vm-time-limit": "true" })).limitTime).toBe(true);
	});
});
