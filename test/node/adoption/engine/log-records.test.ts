import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ForeignFile } from "../../../../src/node/adoption/engine/foreign-file.js";
import { LogRecords } from "../../../../src/node/adoption/engine/log-records.js";
import { logFile, record } from "./made-files.js";
import { inDirectory } from "./recorded-stores.js";

/** The records of a file, and where it is torn. */
function read(bytes: Uint8Array): Promise<{ records: Buffer[]; tornAt: number | undefined }> {
	return inDirectory("log", async (directory) => {
		const path = join(directory, "000001.log");
		writeFileSync(path, bytes);
		const file = new ForeignFile(path);
		try {
			const log = new LogRecords(file);
			const records: Buffer[] = [];
			let parts: Buffer[] = [];
			for (const { data, isFirst, isLast } of log.fragments()) {
				if (isFirst) parts = [];
				parts.push(Buffer.from(data));
				if (isLast) records.push(Buffer.concat(parts));
			}
			return { records, tornAt: log.tornAt };
		} finally {
			file.close();
		}
	});
}

const payloads = [10, 32_761, 0, 3, 100_000, 1_200_000, 32_740, 7].map((length, i) =>
	Buffer.alloc(length, `payload ${i} `),
);

it("joins what is spread over blocks, and over what is read at once", async () => {
	const bytes = logFile(payloads);
	const { records, tornAt } = await read(bytes);
	expect(records.map(({ length }) => length)).toEqual(payloads.map(({ length }) => length));
	expect(Buffer.concat(records).equals(Buffer.concat(payloads))).toBe(true);
	expect(tornAt).toBeUndefined();
});

it("ends where the engine has taken room in advance, over many blocks", async () => {
	const { records, tornAt } = await read(Buffer.concat([logFile(payloads), Buffer.alloc(200_000)]));
	expect(records).toHaveLength(payloads.length);
	expect(tornAt).toBeUndefined();
});

it("leaves out a record that is cut off", async () => {
	const bytes = logFile([Buffer.from("whole"), Buffer.alloc(100_000, "torn")]);
	for (const length of [13, 18, 100, 32_768, 32_771, 65_536, bytes.length - 1]) {
		const { records, tornAt } = await read(bytes.subarray(0, length));
		expect(records.map(String)).toEqual(["whole"]);
		expect(tornAt).toBe(12);
	}
});

const whole = record(1, Buffer.from("whole"));
it.each([
	["whose length was changed, so that it seems cut off", tooLong(), /byte 0 is longer than it was/],
	["that is longer than its block", withLength(40_000), /byte 0 is longer than its block/],
	[
		"behind the end of the others",
		Buffer.concat([whole, Buffer.alloc(9), whole]),
		/byte 21 is behind the end/,
	],
	[
		"that ends one that isn't there",
		record(4, Buffer.from("end")),
		/byte 0 is the end of one that isn't there/,
	],
	[
		"in the middle of another",
		Buffer.concat([record(2, Buffer.from("a")), whole]),
		/byte 8 is in the middle/,
	],
	["of a type that no reference node writes", record(5, Buffer.from("recycled")), /byte 0 is of type 5/],
	[
		"with another byte",
		Buffer.concat([whole.subarray(0, -1), Buffer.from("f")]),
		/byte 0 is not what its checksum/,
	],
])("refuses a record %s", async (_, bytes, message) => {
	await expect(read(bytes)).rejects.toThrow(message);
});

function withLength(length: number): Buffer {
	const bytes = Buffer.from(record(1, Buffer.from("whole")));
	bytes.writeUInt16LE(length, 4);
	return bytes;
}

function tooLong(): Buffer {
	return Buffer.concat([withLength(5 + 64), record(1, Buffer.from("next"))]);
}
