import { describe, expect, it } from "vitest";
import { parseCron } from "../../../src/node/config/shutdown-config.js";

/** Local time, as the texts are read in the machine's time zone. */
const at = (text: string) => new Date(text).getTime();

describe("cron texts", () => {
	it.each<[string, string, boolean]>([
		["54 0 0 * * ?", "2026-11-21T00:00:54", true],
		["54 0 0 * * ?", "2026-11-21T00:00:55", false],
		["54 0 * * * ?", "2026-11-21T17:00:54", true],
		["0/15 * * * * ?", "2026-11-21T17:03:45", true],
		["0/15 * * * * ?", "2026-11-21T17:03:44", false],
		["10-20/5 * * * * ?", "2026-11-21T17:03:15", true],
		["10-20/5 * * * * ?", "2026-11-21T17:03:25", false],
		["0 0 22-2 * * ?", "2026-11-21T01:00:00", true],
		["0 0 22-2 * * ?", "2026-11-21T21:00:00", false],
		["0 0 12 ? NOV SAT", "2026-11-21T12:00:00", true],
		["0 0 12 ? nov sun", "2026-11-21T12:00:00", false],
		["0 0 12 21,22 11 ? 2026", "2026-11-21T12:00:00", true],
		["0 0 12 21 11 ? 2027", "2026-11-21T12:00:00", false],
		["0 0 12 L * ?", "2026-02-28T12:00:00", true],
		["0 0 12 L-2 * ?", "2026-02-26T12:00:00", true],
		["0 0 12 ? * 6L", "2026-11-27T12:00:00", true],
		["0 0 12 ? * 6L", "2026-11-20T12:00:00", false],
		["0 0 12 ? * 7#3", "2026-11-21T12:00:00", true],
		["0 0 12 ? * 7#3", "2026-11-14T12:00:00", false],
		["0 0 12 21W * ?", "2026-11-20T12:00:00", true],
		["0 0 12 1W 8 ?", "2026-08-03T12:00:00", true],
	])("%s at %s is %s", (text, time, expected) => {
		expect(parseCron(text)(at(time))).toBe(expected);
	});

	it.each<[string, string]>([
		["hello", "needs six or seven fields, not 1"],
		["60 * * * * ?", 'has the second "60", which cannot be read'],
		["* * * * * *", "needs '?' for exactly one of day of month and day of week"],
		["* * * ? FOO MON", 'has the month "FOO", which cannot be read'],
		["*/0 * * * * ?", 'has the second "*/0", which cannot be read'],
	])("refuses %s", (text, message) => {
		expect(() => parseCron(text)).toThrow(new RangeError(message));
	});
});
