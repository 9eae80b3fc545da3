/** Kills commands that write to a keystore at random instants, and looks at what is left each time. */

import { mkdirSync, readdirSync, readFileSync, rmSync, watch } from "node:fs";
import { join } from "node:path";
import { listKeystore, unlockKey, unlockMnemonic } from "../../src/keystore/keystore.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import { writeCheapKey } from "./cheap-key.js";
import { Home } from "./home.js";

const KEY = "11".repeat(32);
const JUNK = "test test test test test test test test test test test junk";
/** Longer than a command writes, so that the end of the writing is met as well. */
const WRITING_MS = 12;
const [OLD, NEW] = ["old password", "new password"] as const;

/** A command that writes, what it reads, and what the directory holds before. */
interface Writer {
	readonly line: string;
	readonly stdin?: string;
	readonly prepared: boolean;
}

export const WRITERS: readonly Writer[] = [
	{ line: "keystore new fresh --light --password-file old", prepared: true },
	{ line: "keystore import key other - --light --password-file old", stdin: "22".repeat(32), prepared: true },
	{
		line: "keystore import mnemonic dev - --count 2 --light --password-file old",
		stdin: JUNK,
		prepared: false,
	},
	{ line: "keystore passwd ann --password-file old --new-password-file new --light", prepared: true },
	{ line: "keystore rename ann anna", prepared: true },
	{ line: "keystore delete ann --yes", prepared: true },
];

export interface KillOutcome {
	readonly line: string;
	/** From the first change of the directory. */
	readonly afterMs: number;
	/** Whether the command was killed before it ended by itself. */
	readonly killed: boolean;
}

/**
 * Runs a command, kills it, and checks the keystore; then the command is run again to its end.
 * @param random a number from 0 to 1 for the instant
 * @throws {Error} with what is damaged
 */
export async function killOnce(writer: Writer, random: number): Promise<KillOutcome> {
	const home = new Home();
	try {
		const keystore = join(home.path, "keystore");
		mkdirSync(keystore);
		home.write("old", OLD);
		home.write("new", NEW);
		if (writer.prepared) writeCheapKey(keystore, "ann", fromHex(KEY), OLD);
		const words = [...writer.line.split(" "), "--keystore-dir", keystore];
		// The writing is a few milliseconds at the end of a run: it is waited for.
		const afterMs = random * WRITING_MS;
		const { child, outcome } = home.start(words, writer.stdin);
		const watcher = watch(keystore, { recursive: true });
		watcher.once("change", () => {
			if (afterMs < 1) child.kill("SIGKILL");
			else setTimeout(() => child.kill("SIGKILL"), afterMs);
		});
		const { code } = await outcome;
		watcher.close();
		await check(keystore, writer.prepared);
		const again = await home.run(words, writer.stdin);
		if (again.code !== 0 && !/taken|in the keystore already|no key "ann"|doesn't open/.test(again.stderr)) {
			throw new Error(`the second run failed: ${again.stderr}`);
		}
		await check(keystore, writer.prepared);
		return { line: writer.line, afterMs, killed: code === null };
	} catch (error) {
		throw new Error(`${writer.line}: ${(error as Error).message}`, { cause: error });
	} finally {
		home.remove();
		rmSync(home.path, { recursive: true, force: true });
	}
}

/** Every file opens with one of the passwords, and the key of ann exists, if only among the deleted. */
async function check(keystore: string, prepared: boolean): Promise<void> {
	const { entries, unusable } = await listKeystore(keystore);
	if (unusable.length > 0) throw new Error(`damaged: ${JSON.stringify(unusable)}`);
	const keys: string[] = [];
	for (const entry of entries) keys.push(toHex(await opened((password) => unlockKey(entry, password))));
	const deleted = join(keystore, ".deleted");
	const moved = readdirSync(keystore).includes(".deleted") ? readdirSync(deleted) : [];
	for (const name of moved) JSON.parse(readFileSync(join(deleted, name), "utf8"));
	if (prepared && !keys.includes(KEY) && moved.length === 0) throw new Error("the key of ann is gone");
	if (!prepared && entries.length > 0) {
		const [first] = entries;
		const sentence = await opened((password) => unlockMnemonic(keystore, first?.base58 ?? "", password));
		if (sentence !== JUNK) throw new Error("a key is there without its sentence");
	}
}

async function opened<T>(open: (password: string) => Promise<T>): Promise<T> {
	try {
		return await open(OLD);
	} catch {
		// Not with the old password: then it must be the new one.
		return open(NEW);
	}
}
