/** Turns a requested payment into a transaction that can be signed: amounts, notes, change, proofs. */

import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import type { Dialect } from "../../protocol/dialect.js";
import type { Randomness } from "../../protocol/sapling/descriptions.js";
import { addressOfKeys, type ShieldedKeys } from "../../protocol/sapling/key-set.js";
import { writePaymentAddress } from "../../protocol/sapling/payment-address.js";
import type { Actor, TransactionPlan } from "../actions/plan.js";
import { Failure } from "../failure.js";
import { existingAccount } from "../node/chain-query.js";
import type { NodeClient } from "../node/node-client.js";
import { contractPaymentPlan, type Orc20Prover } from "./contract-payment.js";
import { type NativeProver, nativeFee, nativePaymentPlan } from "./native-payment.js";
import { type JudgedNote, judgeNotes, stillPending, sumIn } from "./note-state.js";
import {
	type PaymentTarget,
	type ReadyNote,
	readyNotes,
	type ShieldedPayment,
	systemRandom,
} from "./payment.js";
import { type NativePool, type Pool, poolName } from "./pool.js";
import { memoView } from "./pool-reading.js";
import { type PoolUnits, unitsOf } from "./pool-units.js";
import type { ScanResult, ScanStore } from "./scan.js";
import { ShieldedContract } from "./shielded-contract.js";

/** The provers for both kinds of pool. */
export interface Provers {
	readonly contract: Orc20Prover;
	readonly native: NativeProver;
}

export interface PayRequest {
	readonly pool: Pool;
	readonly target: PaymentTarget;
	/** Amount in the token's decimals, in smallest units as `<n>raw`, or `max`. */
	readonly amount: string;
	/** Memo that only the recipient can read, at most 512 bytes. */
	readonly memo?: Uint8Array | undefined;
	/** Pay from the public balance of the acting account instead of from notes. */
	readonly mint: boolean;
	/** Keys of the holder who pays with notes; for a mint, the keys that can later read what was sent. */
	readonly keys?: ShieldedKeys | undefined;
	/** Name of these keys, for messages. */
	readonly keyName?: string | undefined;
	/** Fee for the chain's own pool, in units of its token; if absent, the chain's fee. */
	readonly fee?: bigint | undefined;
	/** Whether the recipient's account has to be created, which the chain's own pool charges for. */
	readonly creates?: boolean | undefined;
}

interface PayOptions {
	readonly provers: Provers;
	/** Scans the pool for the holder's current notes; called if notes pay. */
	readonly scan?: (() => Promise<ScanResult>) | undefined;
	/** Where notes with a pending spend are recorded. */
	readonly store?: ScanStore | undefined;
	readonly random?: Randomness;
	readonly units?: PoolUnits | undefined;
	readonly feeLimit?: string | undefined;
	/** Send it even if it would fail. */
	readonly force?: boolean | undefined;
	/** Called with a warning when a query reveals something to the node. */
	readonly onWarning?: (message: string) => void;
}

const MEMO_BYTES = 512;

/**
 * Plans and proves a payment: at once for a contract, for the chain's own pool when the header is known.
 * @throws {Failure} `bad_value`, `insufficient_funds`, `watch_only`, `contract_revert`
 * @throws {ProvingError}
 */
export async function payPlan(
	actor: Actor,
	request: PayRequest,
	options: PayOptions,
): Promise<TransactionPlan> {
	const { pool, mint, memo, keys } = request;
	const { client, owner } = actor;
	checkRequest(request);
	const units = options.units ?? (await unitsOf(client, pool));
	const fee = await feeOf(client, request);
	const random = options.random ?? systemRandom;
	const scanned = mint ? undefined : await options.scan?.();
	const { value, spends } = await amountsOf(client, request, options, units, fee, scanned);
	if (mint && pool.kind === "native") await checkPublicBalance(actor, pool, value + fee, units);
	const spent = spends.reduce((sum, { note }) => sum + note.value, 0n);
	const payment: ShieldedPayment = {
		kind: mint ? "mint" : request.target.kind === "account" ? "burn" : "transfer",
		keys,
		spends,
		target: request.target,
		value,
		change: mint ? 0n : spent - value - fee,
		memo: memo ?? new Uint8Array(0),
	};
	const plan =
		pool.kind === "contract"
			? await contractPaymentPlan(actor, pool, payment, {
					units,
					prove: options.provers.contract,
					random,
					feeLimit: options.feeLimit,
					force: options.force,
				})
			: nativePaymentPlan(
					pool,
					{ ...payment, fee, ...(mint ? { from: owner } : {}) },
					options.provers.native,
				);
	return {
		...plan,
		creates: request.creates ?? false,
		details: detailsOf(request, payment, { units, fee, owner, dialect: client.settings.dialect }),
		result: {
			...plan.result,
			pool: poolName(pool),
			token: units.token,
			to: targetText(request.target, client.settings.dialect),
			amount: units.raw(value),
			change: units.raw(payment.change),
		},
		afterSending: async ({ transaction }) => {
			if (scanned && options.store)
				await markPending(options.store, scanned, spends, {
					txID: transaction.idHex,
					expirationMs: transaction.raw?.expiration ?? 0n,
				});
		},
	};
}

function checkRequest({ mint, target, keys, memo, amount }: PayRequest): void {
	if (mint && target.kind === "account")
		throw new Failure("bad_value", "a mint goes to a shielded address; wallet send pays accounts");
	if (mint && amount === "max") throw new Failure("bad_value", "a mint needs an amount");
	if (!mint && keys?.reach !== "spending")
		throw new Failure("watch_only", "this is a viewing key: it can't spend notes", {
			hint: "import the spending key, or take the amount from the public balance with --mint",
		});
	if (memo && memo.length > MEMO_BYTES)
		throw new Failure("bad_value", `the memo has ${memo.length} bytes, at most ${MEMO_BYTES} go with a note`);
	if (memo && memo.length > 0 && target.kind === "account")
		throw new Failure("bad_value", "a memo goes with a note, and an account gets none");
}

/** Checks the balance before proving; the network checks it last. @throws {Failure} `insufficient_funds` */
async function checkPublicBalance(
	{ client, owner }: Actor,
	{ tokenId }: NativePool,
	wanted: bigint,
	units: PoolUnits,
): Promise<void> {
	const held = (await existingAccount(client, owner)).assetV2.get(tokenId) ?? 0n;
	if (held >= wanted) return;
	throw new Failure(
		"insufficient_funds",
		`the account has ${units.text(held)}, and ${units.text(wanted)} are needed, the fee with them`,
	);
}

async function feeOf(client: NodeClient, { pool, fee, creates }: PayRequest): Promise<bigint> {
	if (pool.kind === "contract") return 0n;
	return fee ?? nativeFee(client, creates ?? false);
}

/**
 * Chooses notes whose values add up to an amount, irreversible ones if possible. Chooses as few as possible,
 * and of those the smallest, to minimize change.
 * @param wanted in units of notes; `max` is the most that the allowed number of notes can hold
 * @param most the largest number of notes that one transaction can spend
 * @param text formats an amount
 * @throws {Failure} `insufficient_funds`
 */
export function chooseNotes(
	notes: readonly JudgedNote[],
	wanted: bigint | "max",
	most: 1 | 2,
	text: (value: bigint) => string,
): readonly JudgedNote[] {
	const usable = (states: readonly string[]): JudgedNote[] =>
		notes.filter(({ held, state }) => states.includes(state) && held.note.value > 0n).sort(byValue);
	const firm = usable(["unspent"]);
	const all = usable(["unspent", "unconfirmed"]);
	if (wanted === "max") {
		const [chosen] = [firm, all].filter((list) => list.length > 0);
		if (chosen) return chosen.slice(-most);
	} else {
		const chosen = smallest(firm, wanted, most) ?? smallest(all, wanted, most);
		if (chosen) return chosen;
	}
	throw notEnough(notes, all, wanted, most, text);
}

function byValue({ held: a }: JudgedNote, { held: b }: JudgedNote): number {
	return a.note.value < b.note.value ? -1 : a.note.value > b.note.value ? 1 : 0;
}

/** @param notes sorted by value, smallest first */
function smallest(notes: readonly JudgedNote[], wanted: bigint, most: 1 | 2): JudgedNote[] | undefined {
	const single = notes.find(({ held }) => held.note.value >= wanted);
	if (single) return [single];
	if (most === 1) return undefined;
	let best: readonly [JudgedNote, JudgedNote] | undefined;
	let least = 0n;
	let low = 0;
	let high = notes.length - 1;
	while (low < high) {
		const pair = [notes[low] as JudgedNote, notes[high] as JudgedNote] as const;
		const sum = pair[0].held.note.value + pair[1].held.note.value;
		if (sum < wanted) low++;
		else {
			if (!best || sum < least) {
				best = pair;
				least = sum;
			}
			high--;
		}
	}
	return best && [...best];
}

function notEnough(
	notes: readonly JudgedNote[],
	usable: readonly JudgedNote[],
	wanted: bigint | "max",
	most: 1 | 2,
	text: (value: bigint) => string,
): Failure {
	const total = sumIn(notes, "unspent", "unconfirmed");
	if (wanted === "max" || total < wanted) {
		const pending = sumIn(notes, "pending");
		const waiting = pending > 0n ? `, and ${text(pending)} wait for a transaction` : "";
		return new Failure("insufficient_funds", `the notes hold ${text(total)}${waiting}`);
	}
	const reach = usable.slice(-most).reduce((sum, { held }) => sum + held.note.value, 0n);
	return new Failure(
		"insufficient_funds",
		`the notes hold ${text(total)}, but one transaction spends ${most === 1 ? "one note" : "two notes"}, which reach ${text(reach)}`,
		{ hint: "send several times, or join notes first: shielded send <own address> max" },
	);
}

async function amountsOf(
	client: NodeClient,
	{ pool, amount, mint, target }: PayRequest,
	{ onWarning }: PayOptions,
	units: PoolUnits,
	fee: bigint,
	scanned: ScanResult | undefined,
): Promise<{ readonly value: bigint; readonly spends: readonly ReadyNote[] }> {
	const value = amount === "max" ? ("max" as const) : units.read(amount);
	if (mint && value !== "max") return { value, spends: [] };
	if (!scanned) throw new Failure("internal", "notes can't pay before they are read");
	const notes = await judgedNotes(client, pool, scanned, onWarning);
	const most = pool.kind === "contract" && target.kind === "shielded" ? 2 : 1;
	const wanted = value === "max" ? value : value + fee;
	const chosen = chooseNotes(notes, wanted, most, (sum) => units.text(sum));
	const spends = await readyNotes(client, pool, chosen, scanned, () =>
		onWarning?.("the contract is asked for the paths of these notes, so the node sees which are to be spent"),
	);
	const sum = spends.reduce((total, { note }) => total + note.value, 0n);
	const arrives = value === "max" ? sum - fee : value;
	if (arrives <= 0n)
		throw new Failure(
			"insufficient_funds",
			`the fee of ${units.text(fee)} is all that the note of ${units.text(sum)} holds`,
		);
	return { value: arrives, spends };
}

/**
 * The notes of a key with their states, even if the contract's logs don't show which are spent.
 * @param onWarning called if the node learns from the queries which notes are concerned
 */
export async function judgedNotes(
	client: NodeClient,
	pool: Pool,
	scanned: ScanResult,
	onWarning?: (message: string) => void,
): Promise<readonly JudgedNote[]> {
	const notes = judgeNotes(scanned);
	if (!scanned.holdings.hasSilentSpends || pool.kind !== "contract") return notes;
	onWarning?.("the contract doesn't tell which notes are spent: it is asked about each, which the node sees");
	const contract = new ShieldedContract(client, pool.contract);
	const spent = new Set<string>();
	for (const { held, state } of notes) {
		const { nullifier } = held;
		if (state === "spent" || !nullifier) continue;
		if (await contract.isSpent(nullifier)) spent.add(toHex(nullifier));
	}
	return judgeNotes(scanned, spent);
}

async function markPending(
	store: ScanStore,
	scanned: ScanResult,
	spends: readonly ReadyNote[],
	sent: { readonly txID: string; readonly expirationMs: bigint },
): Promise<void> {
	const kept = stillPending(scanned);
	const added = spends.map(({ nullifier }) => ({ ...sent, nullifier }));
	await store.change((state) => ({ ...(state ?? scanned.state), pending: [...kept, ...added] }));
}

/** A recipient as text. */
function targetText(target: PaymentTarget, dialect: Dialect): string {
	return target.kind === "shielded"
		? writePaymentAddress(target.address, dialect)
		: toBase58Check(target.account);
}

function detailsOf(
	{ pool, target, keyName, mint }: PayRequest,
	{ spends, value, change, memo, keys }: ShieldedPayment,
	{
		units,
		fee,
		owner,
		dialect,
	}: {
		readonly units: PoolUnits;
		readonly fee: bigint;
		readonly owner: Uint8Array;
		readonly dialect: Dialect;
	},
): string[] {
	const spent = spends.reduce((sum, { note }) => sum + note.value, 0n);
	const count = spends.length === 1 ? "1 note" : `${spends.length} notes`;
	const own = keys && change > 0n ? writePaymentAddress(addressOfKeys(keys), dialect) : "";
	const whom = keyName === undefined ? "" : ` of ${keyName}`;
	const rows: readonly (readonly [string, string | undefined])[] = [
		["pool", pool.kind === "native" ? "the chain's own" : `contract ${poolName(pool)}`],
		[
			"takes",
			mint
				? `the public balance of ${toBase58Check(owner)}`
				: `${count}${whom}, ${units.text(spent)} together`,
		],
		["to", `${targetText(target, dialect)}${target.kind === "account" ? " (public)" : ""}`],
		["amount", `${units.text(value)}${mint || target.kind === "account" ? " (public)" : ""}`],
		["token", units.token],
		["pool fee", fee > 0n ? units.text(fee) : undefined],
		["change", change > 0n ? `${units.text(change)}, back to ${own}` : undefined],
		["note memo", memo.length > 0 ? JSON.stringify(memoView(memo)) : undefined],
	];
	return rows.flatMap(([name, text]) => (text === undefined ? [] : [`  ${name.padEnd(11)} ${text}`]));
}
