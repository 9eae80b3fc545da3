/** Why a key file or a password is refused; the codes are those of the machine interface (protocol/command-line §2.2). */

type KeystoreErrorCode =
	| "bad_password"
	| "keystore_format"
	| "keystore_exists"
	| "wallet_not_found"
	| "watch_only"
	| "agent_refused"
	| "bad_value";

/** An error of the keystore. The message is for people and never contains a secret. */
export class KeystoreError extends Error {
	override readonly name = "KeystoreError";

	constructor(
		readonly code: KeystoreErrorCode,
		message: string,
	) {
		super(message);
	}
}
