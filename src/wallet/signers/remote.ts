/** Signs with keys that a signer holds in its own process, and converts its errors to failures of commands. */

import type { KeystoreEntry } from "../../keystore/keystore.js";
import { keysOfSigner, SignerError, type SignerKey } from "../../keystore/signer/client.js";
import type { MessageKind } from "../../keystore/signer/messages.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { PQAuthSig } from "../../protocol/messages.js";
import { loadPostQuantum } from "../../protocol/post-quantum/algorithms.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { Failure } from "../failure.js";
import type { Signature } from "../transaction/envelope.js";
import { utcTime } from "../values/moment.js";

/**
 * Requests a transaction's signature from an entry's signer.
 * @throws {Failure} `signer_unavailable`; `signer_refused` with the rule's reason; `approval_pending`, after which the signer signs
 *   the same bytes once somebody has approved them
 */
export async function signatureOfSigner(
	entry: KeystoreEntry,
	transaction: SignedTransaction,
): Promise<Signature> {
	const answer = await withKeyOf(entry, (key) =>
		key.signTransaction(transaction.rawBytes).then((said) => ({ ...said, key })),
	);
	if ("waiting" in answer) throw awaitsApproval(entry.name, transaction, answer.awaits);
	const { signature, key } = answer;
	if (!key.postQuantum) return signature;
	const { scheme: itsScheme, publicKey } = key.postQuantum;
	return PQAuthSig.create({ scheme: itsScheme.id, public_key: publicKey, signature });
}

/**
 * Requests a message's signature from an entry's signer.
 * @param hash of the message @returns 65 bytes, v = 27 or 28
 * @throws {Failure} `signer_unavailable`; `signer_refused` with the rule's reason
 */
export function messageOfSigner(
	entry: KeystoreEntry,
	kind: MessageKind,
	message: Uint8Array,
	hash: Uint8Array,
): Promise<Uint8Array> {
	return withKeyOf(entry, (key) => key.signMessage(kind, message, hash));
}

async function withKeyOf<T>(
	{ signer, scheme, address, name, base58 }: KeystoreEntry,
	work: (key: SignerKey) => Promise<T>,
): Promise<T> {
	if (!signer) throw new Failure("internal", `${name} is not the key of a signer`);
	if (scheme) await loadPostQuantum();
	try {
		const key = (await keysOfSigner(signer)).find((each) => equalBytes(each.address, address));
		if (!key) throw new SignerError(`the signer at ${signer.at} doesn't hold the key of ${base58}`);
		return await work(key);
	} catch (error) {
		throw signerFailure(error);
	}
}

function awaitsApproval(
	name: string,
	{ idHex: id, rawBytes, raw }: SignedTransaction,
	awaits: readonly string[],
): Failure {
	const rawHex = toHex(rawBytes);
	return new Failure(
		"approval_pending",
		`${id} awaits the approval of ${awaits.join(" or ")} at the signer`,
		{
			sent: false,
			details: { id, awaits: [...awaits], raw_data_hex: rawHex },
			hint:
				`coin signer approve ${id} gives it; then coin wallet sign --raw ${rawHex} --signer ${name} | coin wallet broadcast ` +
				`sends this transaction, which has to be done by ${utcTime(raw?.expiration ?? 0n)}; the same command again would make ` +
				"another one, to which --expires 12h gives more time",
		},
	);
}

/** Converts an error of a signer client to the failure of a command. */
export function signerFailure(error: unknown): unknown {
	if (!(error instanceof SignerError)) return error;
	return new Failure(error.isRefusal ? "signer_refused" : "signer_unavailable", error.message, {
		cause: error,
	});
}
