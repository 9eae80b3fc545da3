import { expect, it } from "vitest";
import { quietLog, quietReport } from "../../src/diagnostics/quiet-log.js";

function newLog() {
	const time = { ms: 0 };
	const lines: object[] = [];
	const write = (fields: object, message: string) => lines.push({ message, ...fields });
	return { time, lines, log: quietLog({ debug: write, info: write, warn: write }, () => time.ms) };
}

it("tells six lines of a text about one address a minute, then how many it left out", () => {
	const { time, lines, log } = newLog();
	for (let i = 0; i < 1000; i++) log.info({ peer: `10.0.0.1:${i}` }, "disconnecting peer");
	expect(lines).toHaveLength(6);
	log.info({ peer: "10.0.0.2:1" }, "disconnecting peer");
	expect(lines.at(-1)).toEqual({ message: "disconnecting peer", peer: "10.0.0.2:1", suppressed: 994 });
	time.ms = 60_000;
	log.info({ peer: "10.0.0.1:1" }, "disconnecting peer");
	expect(lines).toHaveLength(8);
});

it("tells sixty lines of a text about all addresses, and of another text as many", () => {
	const { lines, log } = newLog();
	for (let i = 0; i < 5000; i++) {
		log.info({ peer: `10.0.${i >> 8}.${i & 255}:1` }, "connected");
		log.warn({ number: i }, "block refused");
	}
	expect(lines).toHaveLength(120);
});

it("tells a fault a few times a minute", () => {
	let now = 0;
	const told: string[] = [];
	const report = quietReport(
		(_, where) => told.push(where),
		() => now,
	);
	for (let i = 0; i < 100; i++) report(new TypeError("x"), `message ${i}`);
	report(new RangeError("y"), "elsewhere");
	now = 60_000;
	report(new TypeError("x"), "message");
	expect(told).toHaveLength(8);
	expect(told.at(-1)).toBe("message (94 more before)");
});
