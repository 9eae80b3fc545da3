import { describe, expect, it } from "vitest";
import { usageLine } from "../../../src/terminal/command-line/command-help.js";

describe("the usage of a command", () => {
	it("names the arguments and the flags that must be there", () => {
		const command = {
			args: { amount: { name: "amount", required: true }, more: { name: "more" } },
			flags: { for: { name: "for", required: true, helpValue: "<resource>" }, from: { name: "from" } },
		};
		expect(usageLine(command)).toBe("<amount> [more] --for <resource> [flags]");
		expect(usageLine({ ...command, strict: false })).toContain("<amount> [more]... ");
	});
});
