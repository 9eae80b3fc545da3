/** An account with its key and a node: lets programs send transactions without the command line. */

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
	/** Base URL of the node's solidity API, which shows irreversible blocks only; if absent, {@link node}, as gateways serve both. */
	readonly solidity?: string;
	/**
	 * For secp256k1, 32 bytes or 64 hexadecimal digits. For a post-quantum scheme, the key returned by `unlockKeyFile`, `unlockAnyKey`,
	 * `newPostQuantumKey`, `postQuantumKeyOf` or `readPlainKey`; only the test network Nile accepts signatures of such keys.
	 */
	readonly privateKey: PrivateKey | string;
	/** Address of the acting account, in any written form; if absent, that of the key. */
	readonly account?: string;
	/** Spelling of brand words that the node expects; responses are read in either spelling. */
	readonly dialect?: Dialect;
	/** Timeout of a request. */
	readonly timeoutMs?: number;
}

/** A payment, with amounts and tokens written as on the command line. */
export interface Transfer {
	/** An address in any written form. */
	readonly to: string;
	/** Amount with its unit, such as `12.5coin` or `1000sun`; for a token, a decimal number; `max` is everything but the fees. */
	readonly amount: string;
	/** An ORC-10 token by id or name, or an ORC-20 token by its contract; if absent, the coin. */
	readonly token?: string;
}

export type ActionOptions = Pick<PrepareOptions, "permission" | "memo" | "expiry" | "reference">;

const ACTION_OPTIONS = [
	"permission",
	"memo",
	"expiry",
	"reference",
] as const satisfies (keyof ActionOptions)[];

/**
 * Refuses options that don't exist: without types, a misspelt amount would silently be left out.
 * @param names besides those of every action
 * @throws {Failure} `bad_value`
 */
export function checkOptions(what: string, options: object, names: readonly string[]): void {
	const known = [...names, ...ACTION_OPTIONS];
	const unknown = Object.keys(options).find((name) => !known.includes(name));
	if (unknown !== undefined) throw unknownMember(what, unknown, known);
}

/** `force`: a contract is paid, too. */
type TransferActionOptions = ActionOptions & Pick<TransferOptions, "force">;

/** How a transaction ended. */
export type SentResult = ActingResult & Readonly<Record<string, unknown>>;

/** A transaction that a node has accepted into its mempool. */
export class SentTransaction {
	constructor(
		private readonly client: NodeClient,
		private readonly envelope: TransactionEnvelope,
		private readonly questions: ChainQuestions,
	) {}

	/** Transaction id, 64 hexadecimal digits. */
	get txID(): string {
		return this.envelope.transaction.idHex;
	}

	/**
	 * Waits until the transaction is in a block, or in an irreversible one.
	 * @throws {Failure} `contract_revert`, `tx_expired` if it doesn't succeed; `wait_timeout`
	 */
	async wait(until: "included" | "solid" = "included", timeoutMs = 90_000): Promise<SentResult> {
		const status = await follow(this.client, this.envelope, { until, timeoutMs });
		const found = await findings(status, this.questions, () => undefined);
		const failure = outcomeFailure(this.envelope, status, found);
		if (failure) throw failure;
		return { ...actingResult(this.envelope, status), ...found };
	}

	/** The result as known right after sending, without asking the node. */
	get submitted(): SentResult {
		return { ...actingResult(this.envelope, SUBMITTED) };
	}
}

export class Wallet {
	private readonly privateKey: PrivateKey;
	/** Scheme of the key if it is post-quantum, as a list; next, whether the chain is known to accept its signatures. */
	private readonly schemes: readonly PostQuantumScheme[];
	private areSchemesTaken = false;
	/** Address of the acting account, 21 bytes. */
	private readonly owner: Uint8Array;
	/** Client for any other requests to the node. */
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

	/** Balance of an account in sun; 0 if it doesn't exist. @param account in any written form; if absent, the wallet's own */
	async balanceSun(account?: string): Promise<bigint> {
		const address = account === undefined ? this.owner : addressOf(account);
		return (await fetchAccount(this.client, address))?.balance ?? 0n;
	}

	/** Fetches the account's current state from the node, as needed to make your own plans. */
	async actor(): Promise<Actor> {
		const { client, owner } = this;
		const account = accountOrFresh(await fetchAccount(client, owner), owner);
		return { settings: client.settings, client, owner, account };
	}

	/**
	 * Sends coins or tokens.
	 * @throws {Failure} for an invalid payment, or what the node refuses; `not_authorized` as {@link perform}
	 */
	async transfer(wanted: Transfer, options: TransferActionOptions = {}): Promise<SentTransaction> {
		return notingUnsent(async () => {
			const { to, amount, token, ...others } = wanted;
			const [unknown] = Object.keys(others);
			// Without its token a payment would be one of coins.
			if (unknown !== undefined) throw unknownMember("the payment", unknown, ["to", "amount", "token"]);
			checkOptions("the payment", options, ["force"]);
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
	 * Has the node build any transaction, checks it, signs it and sends it.
	 * @param plan made by one of the plan functions or `contractOf`, optionally with further members
	 * @param actor the account as returned by {@link actor}; fetched if absent
	 * @throws {Failure} `threshold_not_reached` if the permission needs more keys; `not_authorized` if the chain doesn't accept
	 * signatures of the key's post-quantum scheme; what the node refuses
	 */
	async perform(plan: TransactionPlan, options: ActionOptions = {}, actor?: Actor): Promise<SentTransaction> {
		return notingUnsent(async () => {
			await this.checkChain();
			return this.performed(plan, options, actor);
		});
	}

	/** Checks that the chain accepts signatures of the key's scheme. @throws {Failure} `not_authorized` */
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

/** Checks lengths only; the first signature shows whether the halves of a post-quantum key match. @throws {Failure} `bad_value` */
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
	// Never quoted in the message: even an invalid key is a secret.
	if (!/^(0x)?[0-9a-f]{64}$/i.test(key))
		throw new Failure("bad_value", "a private key has 64 hexadecimal digits");
	return fromHex(key.replace(/^0x/i, ""));
}
