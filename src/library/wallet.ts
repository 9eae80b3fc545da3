/**
 * `coin/wallet`: build, sign, send and follow transactions from a program.
 *
 * {@link Wallet} combines an account, its key and a node. The steps it is built from are exported as well, for programs that
 * keep keys elsewhere, collect signatures from several keys, or sign offline.
 */

export { type AbiValue, type AbiView, decodeValues, encodeCall, encodeValues } from "../abi/coder.js";
export { type DecodedEvent, decodeLog, type LogData } from "../abi/log.js";
export type { AbiItem, AbiParameter, ContractInterface } from "../abi/parameter.js";
export {
	addKey,
	findKey,
	type KeystoreEntry,
	listKeystore,
	unlockAnyKey,
	unlockKey,
	unlockKeyFile,
} from "../keystore/keystore.js";
export { KeystoreError } from "../keystore/keystore-error.js";
export { readPlainKey, writePlainKey } from "../keystore/plain-post-quantum-key.js";
export { newPostQuantumKey, type PostQuantumKey, postQuantumKeyOf } from "../keystore/post-quantum-key.js";
export { forgetKey, type PrivateKey } from "../keystore/private-key.js";
export {
	addShielded,
	findShielded,
	listShielded,
	type ShieldedEntry,
	unlockShielded,
} from "../keystore/shielded-keystore.js";
export { checkpointNamed } from "../protocol/inclusion/checkpoints.js";
export type { WitnessKey } from "../protocol/inclusion/proof.js";
export { type Inclusion, type ProvenBlock, verifyInclusion } from "../protocol/inclusion/verify.js";
export {
	InclusionError,
	readWitnessSet,
	type WitnessSet,
	writeWitnessSet,
} from "../protocol/inclusion/witness-set.js";
export {
	addressOfKeys,
	keysOfSpendingKey,
	keysOfViewingKey,
	narrowed,
	type ShieldedKeys,
} from "../protocol/sapling/key-set.js";
export {
	type PaymentAddress,
	readPaymentAddress,
	writePaymentAddress,
} from "../protocol/sapling/payment-address.js";
export type { Prover } from "../protocol/sapling/prover.js";
export { findItem, interfaceOf, readInterface } from "../wallet/abi/interface.js";
export { revertReason } from "../wallet/abi/revert.js";
export { parseSignature } from "../wallet/abi/signature.js";
export {
	type CallOptions,
	type CallValues,
	callInWords,
	callPlan,
	type Deployment,
	deploymentPlan,
} from "../wallet/actions/contract-plan.js";
export { findings, follow, outcomeFailure } from "../wallet/actions/follow.js";
export { type PermissionPlan, permissionPlan } from "../wallet/actions/permission.js";
export type { Actor, ChainQuestions, TransactionPlan } from "../wallet/actions/plan.js";
export { checkThreshold, estimateCost, type PrepareOptions, prepare } from "../wallet/actions/prepare.js";
export { signatureBy, signWith } from "../wallet/actions/sign.js";
export {
	cancelUnstakingPlan,
	type Delegation,
	delegatePlan,
	type Stake,
	stakePlan,
	undelegatePlan,
	unstakePlan,
	unstakeV1Plan,
	withdrawUnstakedPlan,
} from "../wallet/actions/stake.js";
export { type TransferOptions, transferPlan } from "../wallet/actions/transfer.js";
export {
	type ContractEvent,
	deployTyped,
	TypedContract,
	type TypedInterface,
} from "../wallet/actions/typed-contract.js";
export { votePlan, withdrawRewardPlan } from "../wallet/actions/vote.js";
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
export { proveInclusion } from "../wallet/inclusion/prove.js";
export { fetchWitnessSet } from "../wallet/inclusion/witness-keys.js";
export { broadcast } from "../wallet/node/broadcast.js";
export { type ContractCall, callConstant, estimateEnergy } from "../wallet/node/constant-call.js";
export { NodeClient } from "../wallet/node/node-client.js";
export { statusOf, type TransactionStatus, waitFor } from "../wallet/node/wait.js";
export { permissionRemarks } from "../wallet/permission/permission-check.js";
export { type PermissionSet, storedPermissions } from "../wallet/permission/permission-set.js";
export { provedHere } from "../wallet/shielded/contract-payment.js";
export type { HeldNote, Holdings } from "../wallet/shielded/holdings.js";
export { readShieldedKeys, viewingKeyText } from "../wallet/shielded/key-text.js";
export { nativeProvedHere } from "../wallet/shielded/native-payment.js";
export { type JudgedNote, judgeNotes, sumIn } from "../wallet/shielded/note-state.js";
export { type PayRequest, type Provers, payPlan } from "../wallet/shielded/pay.js";
export { type PaymentTarget, systemRandom } from "../wallet/shielded/payment.js";
export type { Pool } from "../wallet/shielded/pool.js";
export { type PoolUnits, unitsOf } from "../wallet/shielded/pool-units.js";
export {
	fileStore,
	memoryStore,
	type ScanResult,
	type ScanStore,
	scanPool,
} from "../wallet/shielded/scan.js";
export { senderlessEnvelope } from "../wallet/shielded/senderless.js";
export type { NamedCall } from "../wallet/transaction/contract.js";
export { contractOf } from "../wallet/transaction/contract.js";
export {
	envelopeOf,
	readEnvelope,
	readSignedEnvelope,
	type TransactionEnvelope,
	withSignature,
	writeEnvelope,
} from "../wallet/transaction/envelope.js";
export { formatCoin, parseCoinAmount } from "../wallet/values/amount.js";
export { explainRevert, outputView } from "../wallet/view/contract-outcome.js";
export { storedInterface } from "../wallet/view/contract-record.js";
