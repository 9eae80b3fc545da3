/**
 * `coin/wallet`: build, sign, send and follow transactions from a program.
 *
 * {@link Wallet} is an account with its key at a node. The steps that it is made of are exported as well, for programs that
 * keep keys elsewhere, collect signatures of several keys, or sign without a network.
 */

export { addKey, findKey, type KeystoreEntry, listKeystore, unlockKey } from "../keystore/keystore.js";
export { KeystoreError } from "../keystore/keystore-error.js";
export { findings, follow, outcomeFailure } from "../wallet/actions/follow.js";
export type { Actor, ChainQuestions, TransactionPlan } from "../wallet/actions/plan.js";
export { checkThreshold, estimateCost, type PrepareOptions, prepare } from "../wallet/actions/prepare.js";
export { signatureBy, signWith } from "../wallet/actions/sign.js";
export { type TransferOptions, transferPlan } from "../wallet/actions/transfer.js";
export {
	type ActionOptions,
	type SentResult,
	SentTransaction,
	type Transfer,
	Wallet,
	type WalletOptions,
} from "../wallet/actions/wallet.js";
export { nodeSettings } from "../wallet/configuration/settings.js";
export { Failure, type FailureCode } from "../wallet/failure.js";
export { broadcast } from "../wallet/node/broadcast.js";
export { NodeClient } from "../wallet/node/node-client.js";
export { statusOf, type TransactionStatus, waitFor } from "../wallet/node/wait.js";
export { contractOf } from "../wallet/transaction/contract.js";
export {
	envelopeOf,
	readEnvelope,
	type TransactionEnvelope,
	withSignature,
	writeEnvelope,
} from "../wallet/transaction/envelope.js";
export { formatCoin, parseCoinAmount } from "../wallet/values/amount.js";
