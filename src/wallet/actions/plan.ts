/** Types of an action: the account that acts, and the plan of the transaction it will send. */

import type { ContractInterface } from "../../abi/parameter.js";
import type { Account, TransactionInfo } from "../../protocol/messages.js";
import type { SignedTransaction, TransactionHeader } from "../../protocol/transaction.js";
import type { Settings } from "../configuration/settings.js";
import type { JsonRecord } from "../json.js";
import type { NodeClient } from "../node/node-client.js";
import type { NodesWord } from "../token/token-amount.js";
import type { Contract } from "../transaction/contract.js";
import type { TransactionEnvelope } from "../transaction/envelope.js";

/** The acting account, with its state as reported by a node. */
export interface Actor {
	readonly settings: Settings;
	readonly client: NodeClient;
	/** 21 bytes. */
	readonly owner: Uint8Array;
	/** The account as stored; an empty one if it doesn't exist or no node is asked. */
	readonly account: Readonly<Account>;
}

/** An amount of a token that leaves the account. */
export interface SpentToken {
	/** The token's id, or its contract's Base58 address. */
	readonly asset: string;
	/** Smallest units. */
	readonly amount: bigint;
	/** Fetches the account's balance of the token. */
	readonly balance: () => Promise<bigint>;
	/** Formats an amount of the token for people. */
	readonly text: (units: bigint) => Promise<string>;
}

/** Hooks of a plan that run around sending its transaction, and queries about its outcome. */
export interface ChainQuestions {
	/** Called before the transaction is handed to a node, or printed for others to send. */
	readonly beforeSending?: (envelope: TransactionEnvelope) => Promise<void>;
	/** Called once a node has the transaction, or may have it. */
	readonly afterSending?: (envelope: TransactionEnvelope) => Promise<void>;
	/** Called once the transaction is known to have had no effect. */
	readonly afterFailing?: () => Promise<void>;
	/** Members of the result that are decoded from the receipt by the contract's interface; also called for a failed transaction. */
	readonly readReceipt?: (receipt: Readonly<TransactionInfo>) => Promise<object>;
	/** Members of the result that have to be queried from the chain, once the transaction is in a block. */
	readonly found?: () => Promise<object>;
	/** Checks the chain once the transaction is irreversible. @throws {Failure} */
	readonly afterwards?: () => Promise<void>;
}

/** The contract of a transaction, with what people and programs are shown about it. */
export interface TransactionPlan extends Contract, ChainQuestions {
	/** The most that energy may cost, in sun. */
	readonly feeLimitSun?: bigint;
	/** Energy that the call used when it was simulated. */
	readonly energy?: bigint;
	/** A token that leaves the account. */
	readonly spends?: SpentToken;
	/** What an amount rests on that only the node says; none for smallest units. */
	readonly nodesWord?: readonly NodesWord[];
	/** Whether the account that it goes to has to be created. */
	readonly creates?: boolean;
	/** Whether this is the account's first payment to the recipient; undefined if the node can't tell. Only called when shown to people. */
	readonly isFirstPayment?: () => Promise<boolean | undefined>;
	/** Why it needs confirmation, as a clause, if what is signed doesn't show it. */
	readonly risk?: string;
	/** What the user should check although no confirmation is needed, as a clause. */
	readonly doubt?: string;
	/** Lines for people, after the general ones. */
	readonly details?: readonly string[];
	readonly warnings?: readonly { readonly code: string; readonly message: string }[];
	/** Further members of the result. */
	readonly result?: object;
	/** The interface by which the call was encoded, if the contract's own differs or is unknown. */
	readonly interface?: ContractInterface;
	/** Members of the envelope's note, such as the decoded call. */
	readonly note?: JsonRecord;
	/** Builds the transaction for a given header, if proofs and signatures inside the contract cover the header. */
	readonly complete?: (header: TransactionHeader) => Promise<SignedTransaction>;
	/** Members of the result that are derived from the transaction itself. */
	readonly resultOf?: (envelope: TransactionEnvelope) => object;
}
