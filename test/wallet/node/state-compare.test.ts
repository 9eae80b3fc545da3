import { describe, expect, it } from "vitest";
import type { NodeClient } from "../../../src/wallet/node/node-client.js";
import { compareStates } from "../../../src/wallet/node/state-compare.js";

interface Answered {
	readonly version?: number;
	readonly block: number;
	readonly hash: string;
}

const digest = (text: string): string => text.repeat(64).slice(0, 64);

/** Nodes that answer by their host. @param answer to a block; without one of the newest */
function clientOf(answer: (host: string, block: number | undefined) => Answered): NodeClient {
	const send = async ({ url, body }: { readonly url: string; readonly body: Uint8Array | string }) => {
		const { params } = JSON.parse(Buffer.from(body).toString()) as { params: readonly number[] };
		const result = { version: 1, stores: {}, ...answer(new URL(url).hostname, params[0]) };
		return { status: 200, body: Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, result })) };
	};
	return { send } as unknown as NodeClient;
}

const urls = ["http://one/jsonrpc", "http://two/jsonrpc"] as const;

describe("comparing states", () => {
	it("finds the first block at which two nodes differ", async () => {
		const client = clientOf((host, block = host === "one" ? 900 : 903) => ({
			block,
			hash: digest(host === "two" && block >= 777 ? "b" : "a"),
		}));
		expect(await compareStates(client, urls)).toMatchObject({
			block: 900,
			equal: false,
			firstDifference: 777,
		});
	});

	it("is refused where a node answers for another block than it was asked for", async () => {
		const client = clientOf((host, block = host === "one" ? 900 : 903) => ({
			block: host === "two" ? 903 : block,
			hash: digest("a"),
		}));
		await expect(compareStates(client, urls)).rejects.toThrow(
			"was asked for block 900 and answered for block 903",
		);
	});

	it("is refused where the answers for one block are of different versions", async () => {
		const client = clientOf((host, block) => ({
			block: block ?? (host === "one" ? 900 : 903),
			hash: digest("a"),
			version: host === "two" && block !== undefined ? 2 : 1,
		}));
		await expect(compareStates(client, urls)).rejects.toThrow("different versions");
	});
});
