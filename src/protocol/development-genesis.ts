/** What tells development chains from all others (protocol/development-chain §1). */

import { fromHex } from "./bytes.js";

/** The ORC-10 token that the chain's own shielded pool keeps: the first that is issued. */
export const DEVELOPMENT_POOL_TOKEN = "1000001";

/**
 * Parent of the genesis block of every development chain: that of the stock runtime, which test suites of clients
 * compare. No public network has it.
 */
export const DEVELOPMENT_PARENT_HASH = fromHex(
	"957dc2d350daecc7bb6a38f3938ebde0a0c1cedafe15f0edae4256a2907449f6",
);
