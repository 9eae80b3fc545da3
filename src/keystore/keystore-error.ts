/** What a key file or a password can be refused for; the code is the one of the machine interface (protocol/command-line §2.2). */

type KeystoreErrorCode =
	| "bad_password"
	| "keystore_format"
	| "keystore_exists"
	| "wallet_not_found"
	| "watch_only"
	| "agent_refused"
	| "bad_value";

/** A refusal of the keystore. The message is for a person and never holds a secret. */
export class KeystoreError extends Error {
	override readonly name = "KeystoreError";

	constructor(
		readonly code: KeystoreErrorCode,
		message: string,
	) {
		super(message);
	}
}
