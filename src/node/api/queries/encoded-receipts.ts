/** The stored receipts of a block, still encoded: for queries that decode one of them. */

import { be64, toKey } from "../../../protocol/bytes.js";
import { type StoreDefinition, stores } from "../../state/definition.js";
import type { StateView } from "../../state/view.js";

const packed = stores.transactionResult as unknown as StoreDefinition<Uint8Array>;

/** Number of the field that lists them. */
export const INFOS_FIELD = 3;

export const encodedReceipts = (state: StateView, number: bigint): Uint8Array | undefined =>
	state.backend.get(packed, toKey(be64(number)));
