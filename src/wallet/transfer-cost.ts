/**
 * What a transfer costs beside its amount: bandwidth, a new account, a memo, more signatures (sheet 03 §§3.3 to 3.6).
 * An estimate for the present moment; the chain charges what holds when the transaction enters a block.
 */

import { toHex } from "../protocol/bytes.js";
import { AccountResourceMessage } from "../protocol/messages.js";
import type { SignedTransaction } from "../protocol/transaction.js";
import { messageFrom } from "./answer.js";
import { chainParameters } from "./chain-parameters.js";
import type { NodeClient } from "./node-client.js";

/** A signature in the serialised transaction: tag, length, 65 bytes. */
const SIGNATURE_BYTES = 67;
/** Counted for the result that a block stores. */
const RESULT_BYTES = 64;

export interface TransferCost {
	/** Bytes of bandwidth that the transaction counts for. */
	readonly bytes: number;
	/** Sun for bandwidth that neither stake nor the free allowance covers. */
	readonly bandwidthSun: bigint;
	/** Sun for creating the recipient. */
	readonly creationSun: bigint;
	readonly memoSun: bigint;
	readonly signaturesSun: bigint;
	readonly totalSun: bigint;
}

/**
 * Estimates the cost of a coin transfer.
 * @param unsigned the transaction as it will be signed
 * @param creates whether the recipient doesn't exist yet
 */
export async function transferCost(
	client: NodeClient,
	unsigned: SignedTransaction,
	signatures: number,
	creates: boolean,
): Promise<TransferCost> {
	const [parameters, answer] = await Promise.all([
		chainParameters(client),
		client.call("getaccountresource", { address: toHex(unsigned.owner) }),
	]);
	const parameter = (name: string): bigint => parameters.get(name) ?? 0n;
	const resource = messageFrom(AccountResourceMessage, answer);
	const bytes = unsigned.sizeWithoutResults + signatures * SIGNATURE_BYTES + RESULT_BYTES;
	const staked = resource.NetLimit - resource.NetUsed >= BigInt(bytes);
	const free = !creates && resource.freeNetLimit - resource.freeNetUsed >= BigInt(bytes);
	const burned = creates ? parameter("getCreateAccountFee") : BigInt(bytes) * parameter("getTransactionFee");
	const cost = {
		bytes,
		bandwidthSun: staked || free ? 0n : burned,
		creationSun: creates ? parameter("getCreateNewAccountFeeInSystemContract") : 0n,
		memoSun: (unsigned.raw?.data.length ?? 0) > 0 ? parameter("getMemoFee") : 0n,
		signaturesSun: signatures > 1 ? parameter("getMultiSignFee") : 0n,
	};
	return { ...cost, totalSun: cost.bandwidthSun + cost.creationSun + cost.memoSun + cost.signaturesSun };
}
