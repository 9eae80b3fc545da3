/** Operations that read the call context, the block, and other accounts. */

import { be64, EMPTY } from "../../../protocol/bytes.js";
import { keccak256 } from "../../../protocol/hash.js";
import { SmartContract, SmartContractABI } from "../../../protocol/messages.js";
import { prefixedWord, toAddress } from "../addresses.js";
import { putContract } from "../creation.js";
import type { Frame } from "../frame.js";
import { runtimeFailed } from "../vm-error.js";
import { longWord, readWord, sat32, type Word, wordFromBytes } from "../word.js";

/** Number of recent blocks whose ids BLOCKHASH returns. */
const KNOWN_BLOCKS = 256;

const EMPTY_HASH = wordFromBytes(keccak256(EMPTY));

/** Own address; before multi-signature, includes the network's prefix. */
export function address(frame: Frame): Word {
	return frame.machine.gates.multiSign ? frame.addressWord : prefixedWord(frame.context.address);
}

export function origin({ machine }: Frame): Word {
	return machine.originWord;
}

export function caller(frame: Frame): Word {
	return frame.callerWord;
}

export function callValue(frame: Frame): Word {
	return frame.context.callValue;
}

export function callTokenValue(frame: Frame): Word {
	return frame.context.tokenValue;
}

export function callTokenId(frame: Frame): Word {
	return frame.context.tokenId;
}

export function balance({ machine }: Frame, account: Word): Word {
	return longWord(machine.state.account.get(toAddress(account))?.balance ?? 0n);
}

export function selfBalance({ machine, context }: Frame): Word {
	return longWord(machine.state.account.get(context.address)?.balance ?? 0n);
}

const padded = Buffer.alloc(32);
const paddedView = new DataView(padded.buffer, padded.byteOffset, 32);

export function callDataLoad({ context: { input } }: Frame, offset: Word): Word {
	if (typeof offset !== "number" || offset >= input.length) return 0;
	if (offset + 32 <= input.length) {
		return readWord(new DataView(input.buffer, input.byteOffset + offset, 32), 0);
	}
	padded.fill(0);
	padded.set(input.subarray(offset));
	return readWord(paddedView, 0);
}

export function callDataSize(frame: Frame): Word {
	return frame.context.input.length;
}

export function codeSize(frame: Frame): Word {
	return frame.context.program.code.length;
}

export function returnDataSize(frame: Frame): Word {
	return frame.returnData.length;
}

/** The price of energy for version 1 contracts, otherwise 0. */
export function gasPrice({ machine, context }: Frame): Word {
	const priced = machine.gates.compatible && context.version === 1;
	return priced ? longWord(machine.state.properties.get("ENERGY_FEE")) : 0;
}

export function baseFee({ machine }: Frame): Word {
	return longWord(machine.state.properties.get("ENERGY_FEE"));
}

export function extCodeSize({ machine }: Frame, account: Word): Word {
	return machine.state.code.get(toAddress(account))?.length ?? 0;
}

/**
 * Hash of an account's code. If a contract's record lacks it, it is written, even in a static frame; the
 * block hash history, which is installed without an ABI, thereby also gets an empty one.
 */
export function extCodeHash({ machine: { state } }: Frame, account: Word): Word {
	const target = toAddress(account);
	if (!state.account.has(target)) return 0;
	const contract = state.contract.get(target);
	if (!contract) return EMPTY_HASH;
	if (contract.code_hash.length > 32) {
		// A deployer may have submitted any hash; it stays until code is saved under #26.
		throw runtimeFailed("java.lang.RuntimeException", "Data word can't exceed 32 bytes: [B");
	}
	if (contract.code_hash.length > 0) return wordFromBytes(contract.code_hash);
	const hash = keccak256(state.code.get(target) ?? EMPTY);
	const copy = SmartContract.copy(contract);
	copy.code_hash = hash;
	putContract(state, copy, new SmartContractABI());
	return wordFromBytes(hash);
}

export function isContract({ machine: { state } }: Frame, account: Word): Word {
	return state.contract.has(toAddress(account)) ? 1 : 0;
}

/** Id of one of the last 256 blocks; 0 for others. */
export function blockHash({ machine }: Frame, index: Word): Word {
	const { block } = machine.options;
	const wanted = BigInt(sat32(index));
	const first = block.number > KNOWN_BLOCKS ? block.number - BigInt(KNOWN_BLOCKS) : 0n;
	if (wanted < first || wanted >= block.number) return 0;
	const id = machine.base.blockIndex.get(be64(wanted));
	return id ? wordFromBytes(id) : 0;
}

/** The block witness's address, including the network's prefix. */
export function coinbase({ machine }: Frame): Word {
	return machine.witnessWord;
}

export function timestamp({ machine }: Frame): Word {
	return longWord(machine.options.block.timestampMs / 1000n);
}

export function blockNumber({ machine }: Frame): Word {
	return longWord(machine.options.block.number);
}

/** The genesis block's id; since #71 or #60, its last four bytes. */
export function chainId({ machine }: Frame): Word {
	const { genesisId } = machine.options.rules;
	const short = machine.gates.shortChainId || machine.gates.compatible;
	return wordFromBytes(short ? genesisId.subarray(28) : genesisId);
}

export function memorySize(frame: Frame): Word {
	return frame.memory.size;
}

export function energyLeft(frame: Frame): Word {
	return frame.remaining;
}

export function zero(): Word {
	return 0;
}
