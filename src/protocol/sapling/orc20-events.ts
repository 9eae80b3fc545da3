/** Events of contracts that keep notes of a token, without indexed parameters (protocol/wallet-formats §8.3). */

const LEAF = "(uint256,bytes32,bytes32,bytes32,bytes32[21])";

export const ORC20_EVENTS = {
	mintLeaf: `MintNewLeaf${LEAF}`,
	transferLeaf: `TransferNewLeaf${LEAF}`,
	burnLeaf: `BurnNewLeaf${LEAF}`,
	tokenBurn: "TokenBurn(address,uint256,bytes32[3])",
	noteSpent: "NoteSpent(bytes32)",
} as const;
