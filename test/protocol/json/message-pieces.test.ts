import { expect, it } from "vitest";
import type { Message, MessageType } from "../../../src/protocol/codec/descriptor.js";
import { isLongMessage, messageParts } from "../../../src/protocol/codec/message-parts.js";
import { jsonLibrary } from "../../../src/protocol/json/json-library.js";
import { messagePieces } from "../../../src/protocol/json/message-pieces.js";
import { mapOrderedMessage, printMessage } from "../../../src/protocol/json/message-writer.js";
import { hashedLibrary } from "../../../src/protocol/json/older/hashed-library.js";
import {
	ResourceReceipt,
	TransactionInfo,
	TransactionInfoList,
	TransactionInfoLog,
} from "../../../src/protocol/messages.js";

function infoWith(logs: number): TransactionInfo {
	return TransactionInfo.create({
		id: new Uint8Array(32).fill(logs),
		fee: 7n,
		blockNumber: 300n,
		receipt: ResourceReceipt.create({ energy_usage_total: 5n }),
		log: Array.from({ length: logs }, (_, i) =>
			TransactionInfoLog.create({ address: new Uint8Array(20).fill(i), data: Uint8Array.of(i % 256) }),
		),
		resMessage: new Uint8Array([1]),
	});
}

const type = TransactionInfo as unknown as MessageType<Message>;

it.each([0, 1, 64, 65, 300])("pieces of a receipt with %i logs are the receipt", (logs) => {
	const info = infoWith(logs);
	const list = TransactionInfoList.create({ transactionInfo: [infoWith(2), info, infoWith(0)] });
	expect(isLongMessage(type, info)).toBe(logs > 256);
	for (const visible of [false, true]) {
		for (const library of [jsonLibrary, hashedLibrary]) {
			const style = { visible, dialect: "neutral", library } as const;
			const printed = [...messagePieces(TransactionInfo, info, style, "printed")];
			expect(printed.join("")).toBe(printMessage(TransactionInfo, info, style));
			const mapOrdered = [...messagePieces(TransactionInfoList, list, style, "mapOrdered")];
			expect(mapOrdered.join("")).toBe(mapOrderedMessage(TransactionInfoList, list, style));
			if (logs === 300) expect(Math.max(...printed.map(({ length }) => length))).toBeLessThan(10_000);
		}
	}
	const parts = [...messageParts(TransactionInfo, info)];
	expect(Buffer.concat(parts).equals(TransactionInfo.encode(info))).toBe(true);
	const listParts = [...messageParts(TransactionInfoList, list)];
	expect(Buffer.concat(listParts).equals(TransactionInfoList.encode(list))).toBe(true);
	if (logs === 300) expect(Math.max(...listParts.map(({ length }) => length))).toBeLessThan(10_000);
});
