import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withFileLock } from "../../../src/wallet/configuration/file-lock.js";

/** Above any process number that a system gives out. */
const GONE = 999_999_999;

let folder = "";
let file = "";
const notes: string[] = [];
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), "coin-lock-"));
	file = join(folder, "config.conf");
	notes.length = 0;
});
afterEach(() => rm(folder, { recursive: true }));

const note = (text: string): void => void notes.push(text);
const locked = <T>(action: () => Promise<T>): Promise<T> => withFileLock(file, note, action);

test("a lock names its process while the work lasts, and goes with it, also when it fails", async () => {
	expect(await locked(() => readFile(`${file}.lock`, "utf8"))).toBe(`${process.pid}\n`);
	await expect(
		locked(async () => {
			throw new Error("failed");
		}),
	).rejects.toThrow("failed");
	await expect(access(`${file}.lock`)).rejects.toThrow("ENOENT");
});

test("works that want one file come one after the other", async () => {
	const order: string[] = [];
	const work = (name: string) => async (): Promise<void> => {
		order.push(`${name} begins`);
		await new Promise((resolve) => setImmediate(resolve));
		order.push(`${name} ends`);
	};
	await Promise.all([locked(work("a")), locked(work("b"))]);
	const [first = ""] = order;
	expect(order[1]).toBe(first.replace("begins", "ends"));
	expect(notes).toEqual([]);
});

test("the lock of a process that is gone is broken, with a note", async () => {
	await writeFile(`${file}.lock`, `${GONE}\n`);
	expect(await locked(async () => "done")).toBe("done");
	expect(notes).toEqual([`the lock ${file}.lock of a process that is gone was removed`]);
});
