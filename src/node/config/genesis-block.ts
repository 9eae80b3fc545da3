/** The first block of a chain, as its configuration makes it (protocol/blocks §2.2). */

import { blockId, merkleRoot, SignedBlock } from "../../protocol/block.js";
import { utf8 } from "../../protocol/bytes.js";
import { contractType, TYPE_URL_PREFIX } from "../../protocol/contract-types.js";
import { sha256 } from "../../protocol/hash.js";
import {
	Any,
	Block,
	BlockHeader,
	BlockHeaderRaw,
	Transaction,
	TransactionContract,
	TransactionRaw,
	TransferContract,
} from "../../protocol/messages.js";
import type { GenesisConfig } from "./genesis-config.js";

/** Owner of the transfers of the genesis block. */
const GENESIS_OWNER = utf8("0x000000000000000000000");
const GENESIS_WITNESS = utf8(
	"A new system must allow existing systems to be linked together without requiring any central control or coordination",
);

/** Builds the genesis block: the same configuration gives the same bytes on every node. */
export function genesisBlock(genesis: GenesisConfig): SignedBlock {
	const transactions = genesis.assets.map((asset) =>
		Transaction.create({
			raw_data: TransactionRaw.create({
				contract: [
					TransactionContract.create({
						type: contractType("TransferContract").id,
						parameter: Any.create({
							type_url: `${TYPE_URL_PREFIX}TransferContract`,
							value: TransferContract.encode(
								TransferContract.create({
									owner_address: GENESIS_OWNER,
									to_address: asset.address,
									amount: asset.balance,
								}),
							),
						}),
					}),
				],
			}),
		}),
	);
	const root = merkleRoot(transactions.map((transaction) => sha256(Transaction.encode(transaction))));
	return new SignedBlock(
		Block.create({
			transactions,
			block_header: BlockHeader.create({
				raw_data: BlockHeaderRaw.create({
					timestamp: genesis.timestampMs,
					parentHash: genesis.parentHash,
					txTrieRoot: root,
					witness_address: GENESIS_WITNESS,
				}),
			}),
		}),
	);
}

/** Id of the genesis block, which names the chain. */
export function genesisId(genesis: GenesisConfig): Uint8Array {
	return blockId(0n, genesisBlock(genesis).rawHash);
}
