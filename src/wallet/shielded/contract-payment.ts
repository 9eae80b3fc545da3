/** Plans payments with notes of a contract: a call with proofs, to be signed (protocol/shielded §11). */

import { toBase58Check } from "../../protocol/address.js";
import { concatBytes, EMPTY, fromHex, toHex } from "../../protocol/bytes.js";
import { type ShieldedORC20Parameters, TriggerSmartContract } from "../../protocol/messages.js";
import type { BuildingTools, Randomness } from "../../protocol/sapling/descriptions.js";
import {
	buildOrc20Parameters,
	encodeTriggerInput,
	type Orc20Plan,
	sealBurn,
} from "../../protocol/sapling/orc20-builder.js";
import type { Actor, TransactionPlan } from "../actions/plan.js";
import { Failure } from "../failure.js";
import { Orc20 } from "../token/orc20.js";
import { contractOf } from "../transaction/contract.js";
import { readAddress } from "../values/address-text.js";
import { callFeeLimit, receiptView } from "../view/contract-outcome.js";
import { notesToSend, notesToSpend, outgoingKeyOf, type ShieldedPayment, spendingKeysOf } from "./payment.js";
import type { ContractPool } from "./pool.js";
import type { PoolUnits } from "./pool-units.js";
import { SHIELDED_CALLS } from "./shielded-call.js";

/** Produces the proofs and signatures of a call. */
export type Orc20Prover = (plan: Orc20Plan) => Promise<ShieldedORC20Parameters>;

/** A prover that runs in this process, so that no key leaves it. */
export function provedHere(tools: BuildingTools): Orc20Prover {
	return (plan) => buildOrc20Parameters(plan, tools);
}

interface ContractPaymentOptions {
	readonly units: PoolUnits;
	readonly prove: Orc20Prover;
	readonly random: Randomness;
	/** The most that energy may cost, with its unit, or `auto`; if absent, as configured. */
	readonly feeLimit?: string | undefined;
	/** Send it even if it would fail. */
	readonly force?: boolean | undefined;
}

/**
 * Plans the call that makes a payment.
 * @throws {Failure} `insufficient_funds` if a mint exceeds the contract's allowance; `contract_revert`
 * @throws {ProvingError}
 */
export async function contractPaymentPlan(
	{ client, owner }: Actor,
	{ contract }: ContractPool,
	payment: ShieldedPayment,
	{ units, prove, random, feeLimit, force }: ContractPaymentOptions,
): Promise<TransactionPlan> {
	const { kind, target, value } = payment;
	const raw = kind === "transfer" ? 0n : units.raw(value);
	if (kind === "mint") await checkAllowance(client, owner, contract, raw, units);
	const payTo = target.kind === "account" ? target.account : undefined;
	const parameters = await prove({
		kind,
		contract,
		keys: kind === "mint" ? undefined : spendingKeysOf(payment),
		ovk: outgoingKeyOf(payment, random),
		spends: notesToSpend(payment, random),
		outputs: notesToSend(payment, random),
		rawValue: raw,
		payTo,
	});
	const input = encodeTriggerInput(parameters, {
		rawValue: raw,
		// The network's form uses the sender's key, which would link all its burns. Nothing checks this value.
		burnText: payTo ? sealBurn(random(32), raw, payTo) : EMPTY,
		payTo: payTo ?? EMPTY,
		signatures: parameters.spend_description.map((spend) => spend.spend_authority_signature),
	});
	const data = concatBytes(fromHex(SHIELDED_CALLS[kind].selector), input);
	const call = { owner, contract, data };
	return {
		...contractOf(TriggerSmartContract, { owner_address: owner, contract_address: contract, data }),
		...(await callFeeLimit({ feeLimit, force }, client, call, async () => [])),
		result: { kind, spentNotes: payment.spends.map(({ nullifier }) => toHex(nullifier)) },
		readReceipt: async (receipt) => {
			// The logs contain only ciphertext.
			const { logs: _, ...told } = (await receiptView(receipt, undefined, [])) as { logs?: unknown };
			return told;
		},
	};
}

/** Checks the allowance for a mint. @throws {Failure} `insufficient_funds` with the command that grants it */
async function checkAllowance(
	client: Actor["client"],
	owner: Uint8Array,
	contract: Uint8Array,
	raw: bigint,
	{ token: tokenText }: PoolUnits,
): Promise<void> {
	const address = tokenText === undefined ? undefined : readAddress(tokenText);
	if (!address) return;
	const token = new Orc20(client, address);
	const [balance, allowed] = await Promise.all([token.balanceOf(owner), token.allowance(owner, contract)]);
	if (balance < raw)
		throw new Failure(
			"insufficient_funds",
			`${toBase58Check(owner)} has ${balance} smallest units of the token, not ${raw}`,
		);
	if (allowed < raw)
		throw new Failure(
			"insufficient_funds",
			`the contract may take ${allowed} smallest units of the token from ${toBase58Check(owner)}, and ${raw} are needed`,
			{
				hint: `coin token allow ${tokenText} ${toBase58Check(contract)} ${raw}raw --from ${toBase58Check(owner)}`,
			},
		);
}
