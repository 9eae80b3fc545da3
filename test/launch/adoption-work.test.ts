import { expect, it } from "vitest";
import { AdoptionPace, sizeText } from "../../src/launch/adoption-work.js";

const GIB = 2 ** 30;

it("tells how long an adoption goes on at the pace of this run", () => {
	let nowMs = 5_000;
	const pace = new AdoptionPace(() => nowMs);
	const text = (bytesRead: number, bytesSkipped: number): string =>
		pace.text({
			phase: "copy",
			store: "account",
			entries: 1_234_567,
			bytesRead,
			bytesSkipped,
			bytes: 10 * GIB,
		});
	expect(text(0, 4 * GIB)).toBe("adopting account: 1,234,567 entries, 4.0 GiB of 10.0 GiB");
	nowMs += 60_000;
	expect(text(GIB, 4 * GIB)).toBe("adopting account: 1,234,567 entries, 5.0 GiB of 10.0 GiB, 5 min left");
	expect(text(5.9 * GIB, 4 * GIB)).toBe("adopting account: 1,234,567 entries, 9.9 GiB of 10.0 GiB, 2 s left");
	nowMs += 3_600_000;
	expect(text(GIB, 0)).toBe("adopting account: 1,234,567 entries, 1.0 GiB of 10.0 GiB, 9 h 9 min left");
	expect(pace.text({ phase: "check", blocks: 1_024n, of: 65_536n })).toBe("checking: block 1,024 of 65,536");
});

it("gives sizes a unit that keeps them short", () => {
	expect([0, 1023, 1024, 1.5 * 2 ** 20, 3 * 2 ** 40, 2 ** 51].map(sizeText)).toEqual([
		"0 bytes",
		"1023 bytes",
		"1.0 KiB",
		"1.5 MiB",
		"3.0 TiB",
		"2048.0 TiB",
	]);
});
