import { expect, it } from "vitest";
import { OwnSource } from "../../../src/node/fork/own-source.js";
import type { Requests } from "../../../src/node/fork/requests.js";
import { SourceClient } from "../../../src/node/fork/source-client.js";
import { type StoreDefinition, stores } from "../../../src/node/state/definition.js";

const wanted = Array.from({ length: 10 }, (_, n) => ({
	store: stores.code as StoreDefinition<unknown>,
	key: String(n),
}));

/** A source that gives one entry an answer, each of which takes so long. */
function dripping(answerMs: number): { readonly source: OwnSource; asked(): number } {
	let [nowMs, asked] = [0, 0];
	const answer = (): string => {
		nowMs += answerMs;
		asked++;
		return '{"jsonrpc":"2.0","id":1,"result":{"values":[null]}}';
	};
	const requests: Requests = {
		now: answer,
		later: async () => answer(),
		close: async () => {},
	};
	const client = new SourceClient(requests, "http://127.0.0.1:1/jsonrpc");
	return { source: new OwnSource(client, "00".repeat(32), () => nowMs), asked: () => asked };
}

it("takes entries one by one", async () => {
	expect(dripping(5_000).source.entries(wanted)).toHaveLength(10);
	expect(await dripping(5_000).source.entriesLater(wanted)).toHaveLength(10);
});

it("doesn't sleep for hours while a source gives one entry every half minute", async () => {
	const { source, asked } = dripping(29_000);
	expect(() => source.entries(wanted)).toThrow("doesn't give 10 entries within 60 s");
	expect(asked()).toBe(3);
	await expect(dripping(29_000).source.entriesLater(wanted)).rejects.toThrow("within 60 s");
});
