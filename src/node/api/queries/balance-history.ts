/** Past balances, from the traces that blocks leave if configured (protocol/blocks §6.4, protocol/http-endpoints §3.6). */

import { ADDRESS_LENGTH } from "../../../protocol/address.js";
import { be64, concatBytes, equalBytes } from "../../../protocol/bytes.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import {
	type AccountBalanceRequest,
	AccountBalanceResponse,
	type BlockBalanceTrace,
	BlockBalanceTraceBlockIdentifier,
} from "../../../protocol/messages.js";
import { accountTraceKey, accountTraceNumber } from "../../chain/balance-history.js";
import { blockIdAt } from "../../chain/block-store.js";
import { stores } from "../../state/definition.js";
import type { StateView } from "../../state/view.js";
import type { ApiContext } from "../context.js";

type BlockIdentifier = Readonly<BlockBalanceTraceBlockIdentifier>;

const illegal = (text: string): NamedError => new NamedError("IllegalArgumentException", text);
const notFound = (text: string): NamedError => new NamedError("ItemNotFoundException", text);

/** Checks that a block identifier matches a block of this chain. @throws {NamedError} */
function checkBlock(state: StateView, block: BlockIdentifier): void {
	if (block.number < 0n) throw illegal("block_identifier number less than 0");
	if (block.hash.length !== 32) throw illegal("block_identifier hash length not equals 32");
	const id = blockIdAt(state, block.number);
	if (!id) throw notFound(`number: ${block.number} is not found!`);
	if (!equalBytes(id, block.hash)) throw illegal("number and hash do not match");
}

/** The balance changes of a block. @throws {NamedError} */
export function blockBalance(state: StateView, block: BlockIdentifier): Readonly<BlockBalanceTrace> {
	checkBlock(state, block);
	const trace = state.balanceTrace.get(be64(block.number));
	if (!trace) throw notFound("This block does not exist");
	return trace;
}

/** An account's balance after a block, with the block of its last change. Rejects with {@link NamedError}. */
export async function accountBalanceAt(
	{ node, state }: ApiContext,
	request: Readonly<AccountBalanceRequest>,
): Promise<AccountBalanceResponse> {
	const account = request.account_identifier;
	if (!account) throw illegal("account_identifier is null");
	const { address } = account;
	if (address.length === 0) throw illegal("account_identifier address is null");
	const block = request.block_identifier;
	if (!block) throw illegal("block_identifier null");
	checkBlock(state, block);
	// No key can be made of it; the network reports this without a message.
	if (address.length !== ADDRESS_LENGTH) throw new NamedError("IllegalArgumentException", null);
	const end = concatBytes(address, FIRST_BLOCK_END);
	const key = await node.firstKey(stores.accountTrace, accountTraceKey(address, block.number), end);
	const trace = key && state.accountTrace.get(key);
	if (!trace && node.isFork)
		throw notFound(
			`this fork has no balance of the account at block ${block.number}: it keeps those of its own blocks that changed one`,
		);
	if (!trace) return AccountBalanceResponse.create({ block_identifier: block });
	const number = accountTraceNumber(key);
	const hash = blockIdAt(state, number) ?? new Uint8Array(0);
	return AccountBalanceResponse.create({
		balance: trace.balance,
		block_identifier: BlockBalanceTraceBlockIdentifier.create({ hash, number }),
	});
}

/** Sorts after the key of block 0. */
const FIRST_BLOCK_END = Uint8Array.of(0x80);
