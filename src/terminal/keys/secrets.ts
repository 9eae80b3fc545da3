/**
 * Where passwords come from: a file, standard input, or the terminal; never an argument or an environment value
 * (protocol/command-line §3.1).
 */

import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { KeystoreError } from "../../keystore/keystore-error.js";
import { Failure } from "../../wallet/failure.js";
import { readStdin } from "../input/stdin.js";
import { type ProgressAudience, withProgress } from "../progress/progress.js";
import { canAsk } from "../prompt/controlling-terminal.js";
import { askSecret, askText } from "../prompt/prompts.js";

const MIN_PASSWORD_LENGTH = 8;
/** Number of attempts at the terminal. */
export const ATTEMPTS = 3;

/** Prints a message to the user on standard error. */
type Warn = (message: string) => void;

/**
 * Reads a secret from a file, or standard input for `-`; removes exactly one line ending.
 * @throws {Failure} `bad_value` if the file can't be read; the message never contains its content
 */
export async function fetchSecret(path: string, purpose: string, warn: Warn): Promise<string> {
	if (path === "-") return withoutLineEnd(await readStdin(purpose));
	let text: string;
	try {
		text = await readFile(path, "utf8");
		const { mode } = await stat(path);
		const regular = (mode & 0o170000) === 0o100000;
		// systemd gives a service's user access by an ACL, which appears in the mode as group permissions.
		const isCredential = dirname(path) === process.env["CREDENTIALS_DIRECTORY"];
		if (regular && !isCredential && (mode & 0o077) !== 0 && process.platform !== "win32") {
			warn(`${path} can be read by others: chmod 600 ${path}`);
		}
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new Failure("bad_value", `${purpose}: the file ${path} can't be read (${code ?? "unknown error"})`);
	}
	return withoutLineEnd(text);
}

function withoutLineEnd(text: string): string {
	return text.replace(/\r?\n$/, "");
}

/** Where the password of a key is read from. */
export interface PasswordSource {
	/** Password file: from the flag, else the environment, else the configuration. */
	readonly file: string | undefined;
	readonly warn: Warn;
}

let fromStdin: string | undefined;

/** The content of a password file; standard input is read only once, even if several keys need it. */
async function filePassword(source: PasswordSource, file: string): Promise<string> {
	if (file !== "-") return fetchSecret(file, "the password", source.warn);
	fromStdin ??= await fetchSecret(file, "the password", source.warn);
	return fromStdin;
}

/**
 * Unlocks something with its password: from the file, or from the terminal with three attempts.
 * @param name what the password is for, shown in the prompt
 * @throws {Failure} `password_required` without file and terminal; what `open` throws otherwise
 */
export async function withPassword<T>(
	source: PasswordSource,
	name: string,
	open: (password: string) => Promise<T>,
): Promise<T> {
	if (source.file !== undefined) return open(await filePassword(source, source.file));
	requireTerminal(`the password of ${name}`, PASSWORD_HINT);
	for (let attempt = 1; ; attempt++) {
		const password = await askSecret(`Password of ${name}:`);
		try {
			return await open(password);
		} catch (error) {
			if (!(error instanceof KeystoreError) || error.code !== "bad_password" || attempt === ATTEMPTS)
				throw error;
			source.warn("wrong password, try again");
		}
	}
}

/** Unlocks a key with its password, showing progress, since the duration depends on the cost chosen at encryption. */
export function openedKey<E extends { readonly name: string }, K>(
	source: PasswordSource,
	audience: ProgressAudience,
	entry: E,
	open: (entry: E, password: string) => Promise<K>,
): Promise<K> {
	return withPassword(source, entry.name, (password) =>
		withProgress("opening the key", audience, () => open(entry, password)),
	);
}

/**
 * Reads a password for a new file: from a file, or by asking twice.
 * @throws {Failure} `bad_value` for less than eight characters or if the two differ, `password_required`
 */
export async function newPassword(source: PasswordSource, name: string): Promise<string> {
	if (source.file !== undefined) return checkNewPassword(await filePassword(source, source.file));
	requireTerminal(`a password for ${name}`, PASSWORD_HINT);
	return askedAgain(source.warn, async () => {
		const password = checkNewPassword(
			await askSecret(`New password for ${name} (at least ${MIN_PASSWORD_LENGTH} characters):`),
		);
		if ((await askSecret("The same again:")) !== password) {
			throw new Failure("bad_value", "the two passwords differ");
		}
		return password;
	});
}

/** Asks until the input is valid, at most {@link ATTEMPTS} times. */
async function askedAgain<T>(warn: Warn, ask: () => Promise<T>): Promise<T> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await ask();
		} catch (error) {
			const isMistyped = error instanceof Failure || error instanceof KeystoreError;
			if (!isMistyped || attempt === ATTEMPTS) throw error;
			warn(`${error.message}; try again`);
		}
	}
}

function checkNewPassword(password: string): string {
	const { length } = [...password];
	if (length < MIN_PASSWORD_LENGTH) {
		throw new Failure(
			"bad_value",
			`the new password has ${length} characters, it needs at least ${MIN_PASSWORD_LENGTH}`,
		);
	}
	return password;
}

/**
 * Reads a secret to import: from a file, from standard input, or from the terminal.
 * @param read validates it; at the terminal, the user may try again
 * @throws {Failure} `password_required`, and what `read` throws
 */
export async function importedSecret<T>(
	file: string | undefined,
	what: string,
	warn: Warn,
	read: (text: string) => T | Promise<T>,
): Promise<T> {
	if (file !== undefined) return read(await fetchSecret(file, what, warn));
	requireTerminal(what, "give it with --key-file <path>, or with - on standard input");
	const question = `${what.charAt(0).toUpperCase()}${what.slice(1)}:`;
	return askedAgain(warn, async () => read(await askSecret(question)));
}

const PASSWORD_HINT = "give it with --password-file <path>, or COIN_PASSWORD_FILE naming a file";

function requireTerminal(what: string, hint: string): void {
	if (!canAsk()) {
		throw new Failure("password_required", `${what} is needed and there is no terminal to ask on`, { hint });
	}
}

/**
 * Checks that a secret may be written to standard output: a pipe, or a terminal after a typed confirmation (protocol/command-line §3.1).
 * @throws {Failure} `confirmation_needed` without a terminal, `confirmation_refused`
 */
export async function confirmPrintedSecret(what: string): Promise<void> {
	if (process.stdout.isTTY !== true) return;
	if (!canAsk())
		throw new Failure("confirmation_needed", `printing ${what} on a terminal needs a confirmation`);
	const answer = await askText(`Type "show" to print ${what} on this screen:`);
	if (answer.trim() !== "show") throw new Failure("confirmation_refused", `${what} was not printed`);
}
