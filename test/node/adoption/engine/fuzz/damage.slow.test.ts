/** Every byte of every file of small recorded stores changed, and every file cut off anywhere: nothing goes unnoticed. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ForeignStoreError } from "../../../../../src/node/adoption/engine/foreign-file.js";
import {
	inDirectory,
	outcome,
	type Read,
	recordEnds,
	recordedStores,
	writeFiles,
} from "../recorded-stores.js";

/** Opening one takes milliseconds, so of larger files only some of the places are changed. */
const PLACES = 100;

function isSame(read: Read, wanted: Readonly<Record<string, string>>): boolean {
	return JSON.stringify(sorted(read.entries)) === JSON.stringify(sorted(wanted));
}

function sorted(entries: Readonly<Record<string, string>>): readonly (readonly string[])[] {
	return Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1));
}

it.each([...recordedStores])("%s", async (name, { files, entries }) => {
	await inDirectory(name, async (directory) => {
		writeFiles(directory, files);
		let refused = 0;
		const judge = async (file: string, what: string, isUnseenAllowed: boolean) => {
			const found = await outcome(directory);
			if (found instanceof ForeignStoreError) {
				refused++;
				expect(found.message.split("\n")).toHaveLength(1);
				return;
			}
			if (isSame(found, entries) || found.notes.length > 0 || isUnseenAllowed) return;
			throw new Error(`${file} ${what}: other entries, and nobody is told`);
		};
		for (const [file, bytes] of files) {
			const step = Math.max(1, Math.ceil(bytes.length / PLACES));
			const isLog = file.endsWith(".log");
			const ends = isLog ? recordEnds(bytes) : new Set<number>();
			for (let at = 0; at < bytes.length; at += step) {
				const copy = Buffer.from(bytes);
				copy[at] = (copy[at] as number) ^ (1 << (at % 8));
				writeFileSync(join(directory, file), copy);
				await judge(file, `with another byte at ${at}`, false);
				writeFileSync(join(directory, file), bytes.subarray(0, at));
				await judge(file, `cut off at ${at}`, ends.has(at));
			}
			writeFileSync(join(directory, file), bytes);
		}
		expect(refused).toBeGreaterThan(50);
	});
});
