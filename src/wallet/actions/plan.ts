/** What an action is about: the account that acts, and the contract that it wants to happen. */

import type { ContractInterface } from "../../abi/parameter.js";
import type { Account, TransactionInfo } from "../../protocol/messages.js";
import type { SignedTransaction, TransactionHeader } from "../../protocol/transaction.js";
import type { Settings } from "../configuration/settings.js";
import type { JsonRecord } from "../json.js";
import type { NodeClient } from "../node/node-client.js";
import type { NodesWord } from "../token/token-amount.js";
import type { Contract } from "../transaction/contract.js";
import type { TransactionEnvelope } from "../transaction/envelope.js";

/** The account that acts, as a node answered. */
export interface Actor {
	readonly settings: Settings;
	readonly client: NodeClient;
	/** 21 bytes. */
	readonly owner: Uint8Array;
	/** The account as stored; a fresh one where it doesn't exist or no node is asked. */
	readonly account: Readonly<Account>;
}

/** Units of a token that leave the account. */
export interface SpentToken {
	/** Its id, or the contract in Base58. */
	readonly asset: string;
	/** Smallest units. */
	readonly amount: bigint;
	/** What the account has. */
	readonly balance: () => Promise<bigint>;
	/** An amount of it for people. */
	readonly text: (units: bigint) => Promise<string>;
}

/** What is asked about a transaction once it was sent. */
export interface ChainQuestions {
	/** Before the transaction is handed to a node, or printed for others to send. */
	readonly beforeSending?: (envelope: TransactionEnvelope) => Promise<void>;
	/** Called once a node has the transaction, or may have it. */
	readonly afterSending?: (envelope: TransactionEnvelope) => Promise<void>;
	/** Called once the transaction is known to have had no effect. */
	readonly afterFailing?: () => Promise<void>;
	/** Members of the result that the receipt holds in a form of the contract's own; also of one that failed. */
	readonly readReceipt?: (receipt: Readonly<TransactionInfo>) => Promise<object>;
	/** Members of the result that only the chain knows, once the transaction is in a block. */
	readonly found?: () => Promise<object>;
	/** Checks of the chain once the transaction is irreversible. @throws {Failure} */
	readonly afterwards?: () => Promise<void>;
}

/** A contract, and what people and programs are shown of it. */
export interface TransactionPlan extends Contract, ChainQuestions {
	/** The most that energy may cost, in sun. */
	readonly feeLimitSun?: bigint;
	/** Energy that the call used when it was tried. */
	readonly energy?: bigint;
	/** A token that leaves the account. */
	readonly spends?: SpentToken;
	/** What an amount rests on that only the node says; none for smallest units. */
	readonly nodesWord?: readonly NodesWord[];
	/** Whether the account that it goes to has to be created. */
	readonly creates?: boolean;
	/** Whether it is the account's first payment to its recipient; undefined where the node doesn't tell. Asked for people only. */
	readonly isFirstPayment?: () => Promise<boolean | undefined>;
	/** Why it needs agreement, as half a sentence, where what is signed doesn't tell. */
	readonly risk?: string;
	/** What is to be looked at twice although it needs no agreement, as half a sentence. */
	readonly doubt?: string;
	/** Lines for people, after the general ones. */
	readonly details?: readonly string[];
	readonly warnings?: readonly { readonly code: string; readonly message: string }[];
	/** Further members of the result. */
	readonly result?: object;
	/** The interface by which the call was made, where the contract's own is another one or unknown. */
	readonly interface?: ContractInterface;
	/** Members of the envelope's note, such as the decoded call. */
	readonly note?: JsonRecord;
	/** Makes the transaction for its header, where proofs and signatures inside the contract cover that. */
	readonly complete?: (header: TransactionHeader) => Promise<SignedTransaction>;
	/** Members of the result that follow from the transaction itself. */
	readonly resultOf?: (envelope: TransactionEnvelope) => object;
}
