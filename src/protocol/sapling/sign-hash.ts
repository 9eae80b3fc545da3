/** What the signatures of a shielded transfer cover (protocol/shielded §10.3). */

import { concatBytes, EMPTY, utf8 } from "../bytes.js";
import { contractType, TYPE_URL_PREFIX } from "../contract-types.js";
import { sha256 } from "../hash.js";
import {
	Any,
	ShieldedTransferContract,
	SpendDescription,
	TransactionContract,
	TransactionRaw,
} from "../messages.js";
import { ParameterError, type SignedTransaction } from "../transaction.js";

/**
 * The hash that the signatures of descriptions cover: the transaction without them.
 * @param tokenId of the shielded token, as the configuration of the network's nodes has it
 * @throws {ParameterError} if it is not a shielded transfer
 */
export function shieldedSignHash(transaction: SignedTransaction, tokenId: string): Uint8Array {
	const type = contractType("ShieldedTransferContract");
	const { raw } = transaction;
	if (!raw || transaction.contract?.type !== type.id) {
		throw new ParameterError("Type of the Any message does not match the given class.");
	}
	const contract = ShieldedTransferContract.copy(transaction.parameter as ShieldedTransferContract);
	contract.$unknown = undefined;
	contract.binding_signature = EMPTY;
	contract.spend_description = contract.spend_description.map((spend) => {
		const unsigned = SpendDescription.copy(spend);
		unsigned.spend_authority_signature = EMPTY;
		return unsigned;
	});
	const signed = TransactionRaw.copy(raw);
	signed.contract = [
		TransactionContract.create({
			type: type.id,
			parameter: Any.create({
				type_url: TYPE_URL_PREFIX + type.name,
				value: ShieldedTransferContract.encode(contract),
			}),
		}),
	];
	return sha256(concatBytes(sha256(utf8(tokenId)), TransactionRaw.encode(signed)));
}
