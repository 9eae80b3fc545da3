/** Passwords and keys of receivers, from files, the environment or the configuration. */

import { readSecretFile } from "../../../keystore/private-file.js";
import { OperatorError } from "../../../protocol/operator-error.js";

const MAX_SECRET_BYTES = 64 << 10;

export type Environment = Readonly<Record<string, string | undefined>>;

/** A receiver's login. The password is in a file or the environment, unless `dbconfig` has it. */
export interface ReceiverLogin {
	readonly user: string;
	readonly password: string | undefined;
	readonly passwordFile: string | undefined;
}

/** The receiver can't be used as configured; one sentence. */
class ReceiverError extends OperatorError {
	override readonly name = "ReceiverError";
}

/** @returns undefined: no authentication. @throws {OperatorError} */
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

/** @throws {OperatorError} without any of the file's content */
export const secretOf = (file: string, maxBytes = MAX_SECRET_BYTES, what = file): string =>
	readSecretFile(file, maxBytes, (reason) => new ReceiverError(`${what} ${reason}`));
