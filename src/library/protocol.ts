/** `coin/protocol`: messages, transactions, blocks, addresses, hashes and signatures of the network, without I/O. */

import { fromHex } from "../protocol/bytes.js";

export { fromBase58Check, isAddress, parseAddress, toBase58Check } from "../protocol/address.js";
export { SignedBlock } from "../protocol/block.js";
export { toHex } from "../protocol/bytes.js";
export { type ContractType, contractTypeByName, contractTypes } from "../protocol/contract-types.js";
export { keccak256, sha256 } from "../protocol/hash.js";
export * from "../protocol/messages.js";
export { isPostQuantumSignature, loadPostQuantum } from "../protocol/post-quantum/algorithms.js";
export {
	addressOfPostQuantumKey,
	FN_DSA_512,
	ML_DSA_44,
	type PostQuantumScheme,
} from "../protocol/post-quantum/schemes.js";
export { addressOfPrivateKey, recoverAddress, sign } from "../protocol/signature.js";
export { SignedTransaction } from "../protocol/transaction.js";

/**
 * Decodes hex of even length, in either case, with or without a 0x prefix.
 * @throws {RangeError} for any other text
 */
function hexBytes(text: string): Uint8Array {
	return fromHex(text.replace(/^0x/i, ""));
}

export { hexBytes as fromHex };
