/** An account with its key at a node: what programs use to send transactions without a command line. */

import { KeystoreError } from "../../keystore/keystore-error.js";
import { checkLengths } from "../../keystore/post-quantum-key.js";
import { addressOfKey, type PrivateKey, schemeOfKey } from "../../keystore/private-key.js";
import { toBase58Check } from "../../protocol/address.js";
import { fromHex } from "../../protocol/bytes.js";
import type { Dialect } from "../../protocol/dialect.js";
import { loadPostQuantum } from "../../protocol/post-quantum/algorithms.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import { nodeSettings } from "../configuration/settings.js";
import { Failure } from "../failure.js";
import { broadcast } from "../node/broadcast.js";
import { fetchAccount } from "../node/chain-query.js";
import { NodeClient } from "../node/node-client.js";
import { checkSchemes } from "../node/post-quantum.js";
import { accountOrFresh } from "../permission/authority.js";
import { type ActingResult, actingResult } from "../transaction/acting-result.js";
import type { TransactionEnvelope } from "../transaction/envelope.js";
import { readAddress } from "../values/address-text.js";
import { unknownMember } from "../values/suggestion.js";
import { findings, follow, outcomeFailure, SUBMITTED } from "./follow.js";
import type { Actor, ChainQuestions, TransactionPlan } from "./plan.js";
import { checkThreshold, type PrepareOptions, prepare } from "./prepare.js";
import { signatureBy, signWith } from "./sign.js";
import { recipientFacts, type TransferOptions, transferPlan } from "./transfer.js";

export interface WalletOptions {
	/** Base URL of the node's HTTP API, such as `http://127.0.0.1:8090`. */
	readonly node: string;
	/** Of its irreversible view; absent: asked at {@link node}, as gateways serve both. */
	readonly solidity?: string;
	/**
	 * Of secp256k1: 32 bytes, or their 64 hexadecimal digits. Of a post-quantum scheme: what `unlockKeyFile`, `unlockAnyKey`,
	 * `newPostQuantumKey`, `postQuantumKeyOf` or `readPlainKey` gave; of all networks the test network Nile alone takes its signatures.
	 */
	readonly privateKey: PrivateKey | string;
	/** The account that acts, in any written form; absent: that of the key. */
	readonly account?: string;
	/** Spelling of brand words that the node expects; answers are read in both. */
	readonly dialect?: Dialect;
	/** How long a request may take. */
	readonly timeoutMs?: number;
}

/** A payment, with amounts and names as on the command line. */
export interface Transfer {
	/** An address in any written form. */
	readonly to: string;
	/** With its unit, such as `12.5coin` or `1000sun`; of a token with its decimals; `max`: everything but the fees. */
	readonly amount: string;
	/** An ORC-10 token by id or name, or an ORC-20 token by its contract; absent: the coin. */
	readonly token?: string;
}

export type ActionOptions = Pick<PrepareOptions, "permission" | "memo" | "expiry" | "reference">;

/** `force`: a contract is paid, too. */
type TransferActionOptions = ActionOptions & Pick<TransferOptions, "force">;

/** How a transaction ended. */
export type SentResult = ActingResult & Readonly<Record<string, unknown>>;

/** A transaction that a node took into its pool. */
export class SentTransaction {
	constructor(
		private readonly client: NodeClient,
		private readonly envelope: TransactionEnvelope,
		private readonly questions: ChainQuestions,
	) {}

	/** 64 hexadecimal digits. */
	get txID(): string {
		return this.envelope.transaction.idHex;
	}

	/**
	 * Waits until it is in a block, or in an irreversible one.
	 * @throws {Failure} `contract_revert`, `tx_expired` if it ends without success; `wait_timeout`
	 */
	async wait(until: "included" | "solid" = "included", timeoutMs = 90_000): Promise<SentResult> {
		const status = await follow(this.client, this.envelope, { until, timeoutMs });
		const found = await findings(status, this.questions, () => undefined);
		const failure = outcomeFailure(this.envelope, status, found);
		if (failure) throw failure;
		return { ...actingResult(this.envelope, status), ...found };
	}

	/** What is known without asking. */
	get submitted(): SentResult {
		return { ...actingResult(this.envelope, SUBMITTED) };
	}
}

export class Wallet {
	private readonly privateKey: PrivateKey;
	/** Scheme of a post-quantum key, as a list; whether the chain takes its signatures. */
	private readonly schemes: readonly PostQuantumScheme[];
	private areSchemesTaken = false;
	/** The account that acts, 21 bytes. */
	private readonly owner: Uint8Array;
	/** For other questions to the node. */
	readonly client: NodeClient;

	/** @throws {Failure} `bad_value`, `bad_address` */
	constructor({ privateKey, account, ...node }: WalletOptions) {
		this.privateKey = readKey(privateKey);
		const scheme = schemeOfKey(this.privateKey);
		this.schemes = scheme ? [scheme] : [];
		this.owner = account === undefined ? addressOfKey(this.privateKey) : addressOf(account);
		this.client = new NodeClient(nodeSettings(node));
	}

	/** Base58. */
	get address(): string {
		return toBase58Check(this.owner);
	}

	/** The balance of an account in sun; 0 for one that doesn't exist. @param account absent: the wallet's own */
	async balanceSun(account?: string): Promise<bigint> {
		const address = account === undefined ? this.owner : addressOf(account);
		return (await fetchAccount(this.client, address))?.balance ?? 0n;
	}

	/** The account as the node has it now, for plans of one's own. */
	async actor(): Promise<Actor> {
		const { client, owner } = this;
		const account = accountOrFresh(await fetchAccount(client, owner), owner);
		return { settings: client.settings, client, owner, account };
	}

	/**
	 * Sends coins or tokens.
	 * @throws {Failure} what is wrong with it, or why the node refuses it; `not_authorized` as {@link perform}
	 */
	async transfer(wanted: Transfer, options: TransferActionOptions = {}): Promise<SentTransaction> {
		return notingUnsent(async () => {
			const { to, amount, token, ...others } = wanted;
			const [unknown] = Object.keys(others);
			// Without its token a payment would be one of coins.
			if (unknown !== undefined) throw unknownMember("the payment", unknown, ["to", "amount", "token"]);
			await this.checkChain();
			const actor = await this.actor();
			const recipient = addressOf(to);
			const facts = await recipientFacts(this.client, recipient);
			const transfer = { to, amount, token, recipient, ...facts };
			const { permission, memo, force } = options;
			const plan = await transferPlan(actor, transfer, {
				permission,
				memo,
				force,
				postQuantum: this.schemes,
			});
			return this.performed(plan, options, actor);
		});
	}

	/**
	 * Builds any transaction at the node, checks it, signs it and sends it.
	 * @param plan made by `contractOf`, with what goes beyond the contract
	 * @throws {Failure} `threshold_not_reached` where the permission needs more keys; `not_authorized` where the key is post-quantum and
	 * the chain takes no signatures of its scheme; what the node refuses
	 */
	async perform(plan: TransactionPlan, options: ActionOptions = {}, actor?: Actor): Promise<SentTransaction> {
		return notingUnsent(async () => {
			await this.checkChain();
			return this.performed(plan, options, actor);
		});
	}

	/** Whether the chain takes signatures of the key. @throws {Failure} `not_authorized` */
	private async checkChain(): Promise<void> {
		if (this.areSchemesTaken || this.schemes.length === 0) return;
		await checkSchemes(this.client, this.schemes);
		await loadPostQuantum();
		this.areSchemesTaken = true;
	}

	private async performed(
		plan: TransactionPlan,
		options: ActionOptions,
		actor: Actor | undefined,
	): Promise<SentTransaction> {
		const prepared = await prepare(actor ?? (await this.actor()), plan, {
			...options,
			signers: [addressOfKey(this.privateKey)],
		});
		checkThreshold(prepared);
		const signed = await signWith(prepared.envelope, [this.privateKey], async (envelope, key) =>
			signatureBy(envelope, key),
		);
		await plan.beforeSending?.(signed);
		await broadcast(this.client, signed.transaction);
		await plan.afterSending?.(signed);
		return new SentTransaction(this.client, signed, plan);
	}
}

/** Does what ends in a transaction: a failure says that nothing was sent, unless a step says otherwise, and names options as programs do. */
export async function notingUnsent<T>(act: () => Promise<T>): Promise<T> {
	try {
		return await act();
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		const { sent = false, hint } = error.facts;
		const inCode = hint
			?.replace(/--force/g, "force: true")
			.replace(/--fee-limit (auto|<amount>)/g, 'feeLimit: "$1"');
		throw error.with({ sent, ...(inCode === undefined ? {} : { hint: inCode }) });
	}
}

/** The 21 bytes of an address in any form. @throws {Failure} `bad_address` */
export function addressOf(text: string): Uint8Array {
	const address = readAddress(String(text));
	if (!address) throw new Failure("bad_address", `"${text}" is not an address`);
	return address;
}

/** Checks lengths; the two halves of a post-quantum key are compared by the first signature. @throws {Failure} `bad_value` */
function readKey(key: PrivateKey | string): PrivateKey {
	if (key instanceof Uint8Array) {
		if (key.length !== 32) throw new Failure("bad_value", "a private key has 32 bytes");
		return key;
	}
	if (typeof key !== "string") {
		try {
			checkLengths(key);
			return key;
		} catch (error) {
			throw error instanceof KeystoreError ? new Failure("bad_value", error.message) : error;
		}
	}
	// Never quoted: it is a key, even if it is a wrong one.
	if (!/^(0x)?[0-9a-f]{64}$/i.test(key))
		throw new Failure("bad_value", "a private key has 64 hexadecimal digits");
	return fromHex(key.replace(/^0x/i, ""));
}
