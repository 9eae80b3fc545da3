/** Nodes that share a history: one writes, others read (protocol/history §8). */

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DevelopmentNode, type Json } from "../../api/development/development-node.js";
import { noPostgresql, Schemas } from "./schemas.js";

describe.skipIf(noPostgresql)(`a shared history${noPostgresql ? ` (${noPostgresql})` : ""}`, () => {
	let schemas: Schemas;
	const folder = mkdtempSync(join(tmpdir(), "coin-shared-"));
	beforeAll(async () => {
		schemas = await Schemas.open();
	});
	afterAll(async () => {
		await schemas?.close();
		rmSync(folder, { recursive: true, force: true });
	});

	const at = (name: string) => ({ "output-directory": join(folder, name) });
	const answer = async (node: DevelopmentNode, path: string): Promise<unknown> => {
		const response = await node.get(`/v1/${path}`);
		const { data } = (await response.json()) as Json;
		return { status: response.status, data };
	};

	it("has one writer, whose rows another node answers with while it writes and when it is gone", async () => {
		const { url, schema } = schemas.next();
		const settings = (more: string): string =>
			`storage {}, node.history { database = "${url}", schema = ${schema}, ${more} }`;
		let writer = await DevelopmentNode.start(at("writer"), settings(""));
		const [anna, bert] = [writer.account(0).address, writer.account(1).address];
		for (const amount of [1, 2, 3]) await writer.act("createtransaction", { to_address: bert, amount });
		const rows = async (): Promise<number> => {
			const { data } = (await answer(writer, `accounts/${bert}/transactions`)) as { data: Json[] };
			return data.length;
		};
		// The three, and what the genesis block gave, which is read when there is time.
		await expect.poll(rows).toBe(4);
		const wanted = await answer(writer, `accounts/${bert}/transactions`);
		await writer.stop();
		cpSync(join(folder, "writer"), join(folder, "reader"), { recursive: true });
		cpSync(join(folder, "writer"), join(folder, "second"), { recursive: true });

		writer = await DevelopmentNode.start(at("writer"), settings(""));
		const reader = await DevelopmentNode.start(at("reader"), settings("readOnly = true"));
		await expect(DevelopmentNode.start(at("second"), settings(""))).rejects.toThrow(
			`another node writes the history tables in schema ${schema}`,
		);
		expect(await answer(reader, `accounts/${bert}/transactions`)).toEqual(wanted);
		expect(await answer(reader, `accounts/${anna}/transactions`)).toEqual(
			await answer(writer, `accounts/${anna}/transactions`),
		);
		await writer.stop();
		expect(await answer(reader, `accounts/${bert}/transactions`)).toEqual(wanted);
		// Its own blocks are found at once, whether anybody writes them or not.
		const { txid } = await reader.act("createtransaction", { to_address: bert, amount: 4 });
		const { data } = (await answer(reader, `accounts/${bert}/transactions?limit=1`)) as { data: Json[] };
		expect(data.map((row) => row["txID"])).toEqual([txid]);
		await reader.stop();
	});

	it("is refused for a chain in memory, which forgets what the database keeps", async () => {
		const { url, schema } = schemas.next();
		const settings = `storage {}, node.history { database = "${url}", schema = ${schema} }`;
		await expect(DevelopmentNode.start({}, settings)).rejects.toThrow("needs a chain with a data directory");
	});

	it("lets a node start while the server is away, and answers 503 with a sentence", async () => {
		const { url, schema } = schemas.next();
		const settings = `storage {}, node.history { database = "${url}", schema = ${schema} }`;
		await schemas.server.kill();
		const node = await DevelopmentNode.start(at("alone"), settings);
		const bert = node.account(1).address;
		await node.act("createtransaction", { to_address: bert, amount: 1 });
		const response = await node.get(`/v1/accounts/${bert}/transactions`);
		expect(response.status).toBe(503);
		expect(await response.json()).toMatchObject({ error: expect.stringContaining("does not answer") });
		await schemas.server.restart();
		await expect.poll(async () => (await node.get(`/v1/accounts/${bert}/transactions`)).status).toBe(200);
		// What the genesis block gave it follows when old blocks are read.
		const { status, data } = (await answer(node, `accounts/${bert}/transactions`)) as {
			readonly status: number;
			readonly data: readonly unknown[];
		};
		expect({ status, newest: data[0] }).toMatchObject({ status: 200, newest: { blockNumber: 2 } });
		expect(node.log.map(([message]) => message)).toContain("the history database answers again");
		await node.stop();
	});
});
