/** Signing what isn't a transaction with a key of the keystore: the agent where it holds the key, else with the password. */

import { checkHasKey, type KeystoreEntry, unlockKey } from "../../keystore/keystore.js";
import { sign } from "../../protocol/signature.js";
import { withProgress } from "../progress/progress.js";
import { present } from "../prompt/confirmation.js";
import { canAsk } from "../prompt/controlling-terminal.js";
import { agentSignature } from "./agent-signature.js";
import { type PasswordSource, withPassword } from "./secrets.js";

/** What is signed. */
interface ShownHash {
	/** 32 bytes. */
	readonly hash: Uint8Array;
	/** What `<key> signs …` is completed with. */
	readonly what: string;
	/** Noted where nobody is asked for a password. */
	readonly whatUnlocked: string;
	/** What has this hash, line by line. */
	readonly shown: readonly string[];
}

/** @returns 65 bytes @throws {Failure | KeystoreError} */
export async function hashSignature(
	terminal: { readonly chatty: boolean; note(line: string): void },
	key: KeystoreEntry,
	{ hash, what, whatUnlocked, shown }: ShownHash,
	source: PasswordSource,
): Promise<Uint8Array> {
	if (key.signer) checkHasKey(key);
	const byAgent = await agentSignature(key, hash);
	if (byAgent) terminal.note(`${key.name} signs (unlocked) ${whatUnlocked}`);
	if (canAsk() && (byAgent || source.file === undefined))
		await present([`${key.name} (${key.base58}) signs ${what}:`, ...shown]);
	if (byAgent) return byAgent;
	const open = (password: string): Promise<Uint8Array> =>
		withProgress("opening the key", terminal.chatty, async () => {
			const privateKey = await unlockKey(key, password);
			try {
				return sign(hash, privateKey);
			} finally {
				privateKey.fill(0);
			}
		});
	return withPassword(source, key.name, open);
}
