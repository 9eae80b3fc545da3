import { expect, test } from "vitest";
import { toBase58Check } from "../../../src/protocol/address.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { isFirstPayment } from "../../../src/wallet/actions/first-payment.js";
import type { Actor } from "../../../src/wallet/actions/plan.js";

const [ANN, BOB, EVE] = ["11", "22", "33"].map((byte) => fromHex(`41${byte.repeat(20)}`)) as [
	Uint8Array,
	Uint8Array,
	Uint8Array,
];

/** @param pages by the end of their path; others are empty */
const actor = (pages: Record<string, { data: object[]; meta?: object } | 404>, asked: string[] = []): Actor =>
	({
		owner: ANN,
		client: {
			settings: { dialect: "neutral" },
			baseUrl: () => "http://node",
			send: async ({ url }: { url: string }) => {
				const path = new URL(url).pathname.replace("/v1/accounts/", "");
				asked.push(path);
				const page = pages[path] ?? { data: [] };
				const body = JSON.stringify(page === 404 ? {} : page);
				return { status: page === 404 ? 404 : 200, headers: {}, body: Buffer.from(body) };
			},
		},
	}) as unknown as Actor;

const of = (address: Uint8Array, list = ""): string => `${toBase58Check(address)}/transactions${list}`;
const toBob = { raw_data_hex: `0a${"22".repeat(20)}` };

test("a first payment is told by the account's own transactions, asked for once", async () => {
	const asked: string[] = [];
	const ann = actor({ [of(ANN)]: { data: [toBob] } }, asked);
	expect([await isFirstPayment(ann, BOB), await isFirstPayment(ann, EVE)]).toEqual([false, true]);
	expect(asked).toEqual([of(ANN)]);
});

test("by the recipient's where the account has more of them than a page", async () => {
	const long = { data: [toBob], meta: { fingerprint: "x" } };
	expect(await isFirstPayment(actor({ [of(ANN)]: long }), EVE)).toBe(true);
	const tokens = { data: [{ from: toBase58Check(ANN) }] };
	expect(await isFirstPayment(actor({ [of(ANN)]: long, [of(EVE, "/orc20")]: tokens }), EVE)).toBe(false);
	expect(await isFirstPayment(actor({ [of(ANN)]: long, [of(EVE)]: long }), EVE)).toBe(undefined);
});

test("nothing is said by a node without a history, or with a part of one", async () => {
	expect(await isFirstPayment(actor({ [of(ANN)]: 404 }), EVE)).toBe(undefined);
	const begun = { data: [], meta: { backfill: { complete: false } } };
	expect(await isFirstPayment(actor({ [of(ANN)]: begun, [of(EVE)]: begun }), EVE)).toBe(undefined);
});
