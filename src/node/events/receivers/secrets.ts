/** Passwords and keys of receivers: in files, in the environment, or in the configuration. */

import { readSecretFile } from "../../../keystore/private-file.js";
import { OperatorError } from "../../../protocol/operator-error.js";

const MAX_SECRET_BYTES = 64 << 10;

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Who logs in to a receiver. The password is in a file or in the environment, unless `dbconfig` has it. */
export interface ReceiverLogin {
	readonly user: string;
	readonly password: string | undefined;
	readonly passwordFile: string | undefined;
}

/** A receiver can't be used as it is configured; one sentence. */
class ReceiverError extends OperatorError {
	override readonly name = "ReceiverError";
}

/** @returns undefined: nobody logs in. @throws {OperatorError} */
export function passwordOf(
	login: ReceiverLogin | undefined,
	variable: string,
	environment: Environment,
): string | undefined {
	if (!login) return undefined;
	const { passwordFile } = login;
	const password =
		login.password ?? (passwordFile === undefined ? environment[variable] : secretOf(passwordFile));
	if (password === undefined || password === "") {
		throw new ReceiverError(`${login.user} has no password: name a passwordFile, or set ${variable}`);
	}
	return password;
}

/** @throws {OperatorError} without a word of what the file holds */
export const secretOf = (file: string, maxBytes = MAX_SECRET_BYTES, what = file): string =>
	readSecretFile(file, maxBytes, (reason) => new ReceiverError(`${what} ${reason}`));
