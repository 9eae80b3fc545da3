import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EventMessage } from "../../../../src/node/events/receivers/event-message.js";
import { openPostgresql } from "../../../../src/node/events/receivers/postgresql.js";
import { type Publication, RefusedError } from "../../../../src/node/events/receivers/receiver.js";
import type { DatabaseAddress } from "../../../../src/node/postgresql/address.js";
import { noPostgresql, Schemas } from "../../history/postgresql/schemas.js";
import { onePart } from "../fake-chain.js";

const signal = new AbortController().signal;

const told = (id: string, json: string, body: EventMessage["body"] = {}): Publication => ({
	id,
	message: { kind: "contractevent", id, body, json } as EventMessage,
});

describe.skipIf(noPostgresql)(`events in PostgreSQL${noPostgresql ? ` (${noPostgresql})` : ""}`, () => {
	let schemas: Schemas;
	beforeAll(async () => {
		schemas = await Schemas.open();
	});
	afterAll(() => schemas?.close());

	const rowsOf = ({ schema }: DatabaseAddress): Promise<Record<string, unknown>[]> =>
		schemas.server.query(`SELECT * FROM ${schema}.event ORDER BY sequence`);

	it("are there once, in order, whatever is told again, and marked where they were taken back", async () => {
		const address = schemas.next();
		const receiver = openPostgresql(address);
		const body = {
			blockNumber: 7n,
			blockHash: "ab",
			transactionId: "cd",
			contractAddress: "T1",
			eventName: "Paid",
		};
		const first = [
			told("a", '{"n":9223372036854775807}', body),
			told("b", "{}", { ...body, eventName: "b\0c" }),
			told("b/again2", "{}", body),
		];
		await receiver.deliver(first, signal, onePart);
		await receiver.deliver([...first, told("c", "{}", { latestSolidifiedBlockNumber: 8n })], signal, onePart);
		const back = [
			told("b/removed", "{}", { ...body, removed: true }),
			told("b/removed/again2", "{}", { ...body, removed: true }),
		];
		await receiver.deliver(back, signal, onePart);
		const rows = await rowsOf(address);
		expect(rows.map(({ id, removed, taken_back }) => [id, removed, taken_back])).toEqual([
			["a", false, false],
			["b", false, true],
			["b/again2", false, true],
			["c", false, false],
			["b/removed", true, false],
			["b/removed/again2", true, false],
		]);
		expect(rows[0]).toMatchObject({
			kind: "contractevent",
			block_number: "7",
			block_hash: "ab",
			transaction_id: "cd",
			contract_address: "T1",
			event_name: "Paid",
		});
		expect(rows[1]).toMatchObject({ event_name: "b\ufffdc" });
		expect(rows[3]).toMatchObject({ block_number: "8", block_hash: null, contract_address: null });
		const [exact] = await schemas.server.query(
			`SELECT event->>'n' AS n FROM ${address.schema}.event WHERE id = 'a'`,
		);
		expect(exact).toEqual({ n: "9223372036854775807" });
		const [position] = await schemas.server.query(
			`SELECT block_number FROM ${address.schema}.event_position`,
		);
		expect(position).toEqual({ block_number: "7" });
		await receiver.close();
	});

	it("keep an event with a long name, of which the column has the beginning", async () => {
		const address = schemas.next();
		const receiver = openPostgresql(address);
		const eventName = Array.from({ length: 9_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");
		await receiver.deliver(
			[told("a", JSON.stringify({ eventName }), { contractAddress: "T1", eventName })],
			signal,
			onePart,
		);
		const [row] = await rowsOf(address);
		expect(row).toMatchObject({ event_name: eventName.slice(0, 256), event: { eventName } });
		await receiver.close();
	});

	it("keep every text but the character 0, and refuse what is not JSON alone", async () => {
		const address = schemas.next();
		const receiver = openPostgresql(address);
		const texts = ["\0", "\0\0a", "\\u0000", "\\\0", "\\\\u0000", 'a"\\\\\0'];
		const given = texts.map((text, at) => told(String(at), JSON.stringify({ text })));
		await receiver.deliver(given, signal, onePart);
		const found = (await rowsOf(address)).map(({ event }) => (event as { text: string }).text);
		expect(found).toEqual(texts.map((text) => text.replaceAll("\0", "\ufffd")));
		await expect(receiver.deliver([told("x", "{}"), told("y", "{")], signal, onePart)).rejects.toThrow(
			RefusedError,
		);
		await receiver.deliver([told("x", "{}")], signal, onePart);
		expect(await rowsOf(address)).toHaveLength(texts.length + 1);
		await receiver.close();
	});

	it("wait for a server that is gone, and for another writer", async () => {
		const address = schemas.next();
		const receiver = openPostgresql(address);
		await receiver.deliver([told("a", "{}")], signal, onePart);
		const other = openPostgresql(address);
		await expect(other.deliver([told("b", "{}")], signal, onePart)).rejects.toThrow(
			"another node writes the event tables",
		);
		await schemas.server.kill();
		await expect(receiver.deliver([told("b", "{}")], signal, onePart)).rejects.not.toThrow(RefusedError);
		await schemas.server.restart();
		await receiver.deliver([told("a", "{}"), told("b", "{}")], signal, onePart);
		expect(await rowsOf(address)).toHaveLength(2);
		for (const each of [receiver, other]) await each.close();
	});
});
