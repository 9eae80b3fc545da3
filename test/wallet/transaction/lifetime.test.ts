import { describe, expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.js";
import { DEVELOPMENT_PARENT_HASH } from "../../../src/protocol/public-networks.js";
import {
	countedTime,
	expirationOf,
	parseExpiry,
	usualExpiration,
} from "../../../src/wallet/transaction/lifetime.js";
import { answering } from "../answering-client.js";

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;

const node = (headMs: number, isDevelopment = false, http = "http://127.0.0.1:9090") =>
	answering(
		{
			getnowblock: { block_header: { raw_data: { number: 7n, timestamp: BigInt(headMs) } } },
			getblockbynum: {
				block_header: {
					raw_data: { parentHash: isDevelopment ? toHex(DEVELOPMENT_PARENT_HASH) : "00".repeat(32) },
				},
			},
		},
		{ http },
	);

describe("the end of a transaction", () => {
	test("is the node's offer while that is minutes away, and no question is asked", async () => {
		const { client, asked } = node(NOW);
		expect(await usualExpiration(client, BigInt(NOW + 57_000), NOW)).toBe(BigInt(NOW + 57_000));
		expect(asked).toEqual([]);
	});

	test.each<[what: string, headMs: number, offeredMs: number, ends: number]>([
		["a day that the node chose", NOW - 3_000, NOW + 24 * HOUR, NOW - 3_000 + 60_000],
		["a head of which the node says that it is of tomorrow", NOW + 1_000, NOW + 24 * HOUR, NOW + 60_000],
		["an offer that is over by this machine's clock", NOW - 20_000, NOW - 1, NOW + 40_000],
	])("is not %s", async (_, headMs, offeredMs, ends) => {
		expect(await usualExpiration(node(headMs).client, BigInt(offeredMs), NOW)).toBe(BigInt(ends));
	});

	test("is refused where the node's head is far ahead of this machine's clock", async () => {
		await expect(
			usualExpiration(node(NOW + HOUR).client, BigInt(NOW + 25 * HOUR), NOW),
		).rejects.toMatchObject({
			code: "tx_expired",
			facts: { sent: false, hint: expect.stringContaining("3600 s ahead") },
		});
	});

	test("is counted by the later clock on a development chain, which stands still or is moved in time", async () => {
		const life = { afterMs: 60_000 };
		expect(await expirationOf(node(NOW - HOUR, true).client, life, NOW)).toBe(BigInt(NOW + 60_000));
		expect(await expirationOf(node(NOW + HOUR, true).client, life, NOW)).toBe(BigInt(NOW + HOUR + 60_000));
		expect(await expirationOf(node(NOW - HOUR).client, { afterMs: 2 * HOUR }, NOW)).toBe(BigInt(NOW + HOUR));
	});

	test("is counted by this machine's clock on a development chain elsewhere, which stands still; not by one that is ahead", async () => {
		const elsewhere = (headMs: number) => node(headMs, true, "https://node.example").client;
		const life = { afterMs: 60_000 };
		expect(await expirationOf(elsewhere(NOW - HOUR), life, NOW)).toBe(BigInt(NOW + 60_000));
		await expect(expirationOf(elsewhere(NOW + HOUR), life, NOW)).rejects.toMatchObject({
			code: "tx_expired",
		});
	});

	test("is the offer of a development chain of this machine, whose clock was moved by days; of no other's", async () => {
		const offer = BigInt(NOW + 80 * HOUR);
		expect(await usualExpiration(node(NOW + 79 * HOUR, true).client, offer, NOW)).toBe(offer);
		const far = node(NOW + 1_000, true, "https://node.example").client;
		expect(await usualExpiration(far, offer, NOW)).toBe(BigInt(NOW + 60_000));
	});

	test("has passed by the head block, on a development chain also by this machine's clock", async () => {
		const counted = (end: number, isDevelopment: boolean) => {
			const { client } = node(NOW - HOUR, isDevelopment);
			return countedTime(client, BigInt(NOW - HOUR), BigInt(end), NOW);
		};
		expect(await counted(NOW, true)).toBe(BigInt(NOW));
		expect(await counted(NOW + 1, true)).toBe(BigInt(NOW - HOUR));
		expect(await counted(NOW, false)).toBe(BigInt(NOW - HOUR));
	});

	test("is at most a day after the head block, and not before it", async () => {
		const { client } = node(NOW);
		await expect(expirationOf(client, { atMs: BigInt(NOW) }, NOW)).rejects.toMatchObject({
			code: "tx_expired",
		});
		await expect(expirationOf(client, { atMs: BigInt(NOW + 24 * HOUR + 1) }, NOW)).rejects.toMatchObject({
			code: "bad_value",
		});
		expect(() => parseExpiry("25h")).toThrow("at most 24h");
		expect(parseExpiry("@17")).toEqual({ atMs: 17n });
	});
});
