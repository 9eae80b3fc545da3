import { expect, it } from "vitest";
import { KeptPages } from "../../../src/node/metrics/metrics-server.js";

function pagesOf() {
	const clock = { ms: 0 };
	const seen = { made: 0, making: 0, most: 0 };
	const pages = new KeptPages(
		async (names) => {
			seen.made++;
			seen.most = Math.max(seen.most, ++seen.making);
			await new Promise((resolve) => setImmediate(resolve));
			seen.making--;
			if (names.includes("broken")) throw new Error("it can't be made");
			return { contentType: "", text: `${names.join()} ${seen.made}` };
		},
		() => clock.ms,
	);
	return { pages, seen, clock };
}

it("makes one page for all who ask within a second", async () => {
	const { pages, seen, clock } = pagesOf();
	const asked = Array.from({ length: 1_000 }, () => pages.page([], false));
	expect(new Set((await Promise.all(asked)).map((page) => page?.text))).toEqual(new Set([" 1"]));
	clock.ms = 999;
	expect((await pages.page([], false))?.text).toBe(" 1");
	clock.ms = 1_000;
	expect((await pages.page([], false))?.text).toBe(" 2");
	expect(seen.made).toBe(2);
});

it("makes one page at a time, and few different ones", async () => {
	const { pages, seen } = pagesOf();
	const asked = Array.from({ length: 100 }, (_, i) => pages.page([`a${i}`], false));
	expect(asked.filter((page) => page !== undefined)).toHaveLength(8);
	await Promise.all(asked);
	expect(seen).toEqual({ made: 8, making: 0, most: 1 });
});

it("has a place for the whole page while pages of other names fill theirs", async () => {
	const { pages } = pagesOf();
	const asked = Array.from({ length: 100 }, (_, i) => pages.page([`a${i}`], false));
	expect((await pages.page([], false))?.text).toBe(" 9");
	expect((await pages.page([], true))?.text).toBe(" 10");
	await Promise.all(asked);
});

it("tries a page again that couldn't be made", async () => {
	const { pages, seen } = pagesOf();
	await expect(pages.page(["broken"], false)).rejects.toThrow("it can't be made");
	await expect(pages.page(["broken"], false)).rejects.toThrow("it can't be made");
	expect((await pages.page([], false))?.text).toBe(" 3");
	expect(seen.most).toBe(1);
});
