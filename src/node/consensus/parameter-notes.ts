/** What each chain parameter does, in one sentence, for readers and proposers (protocol/parameters §3). */

/** Keyed by the name used in messages. */
export const PARAMETER_NOTES: Readonly<Record<string, string>> = {
	MAINTENANCE_TIME_INTERVAL: "Milliseconds between two counts of the votes.",
	ACCOUNT_UPGRADE_COST: "Sun that an account pays to become a witness.",
	CREATE_ACCOUNT_FEE: "Sun for a new account where the sender has no staked bandwidth for it.",
	TRANSACTION_FEE: "Sun for a byte of a transaction that bandwidth doesn't cover.",
	ASSET_ISSUE_FEE: "Sun to issue an ORC-10 token.",
	WITNESS_PAY_PER_BLOCK: "Sun that a block's producer, and those who voted for it, get for the block.",
	WITNESS_STANDBY_ALLOWANCE:
		"Sun that the first 127 witnesses share at each count of the votes, before rewards of voters.",
	CREATE_NEW_ACCOUNT_FEE_IN_SYSTEM_CONTRACT:
		"Sun for an account that a transfer creates, on top of everything else.",
	CREATE_NEW_ACCOUNT_BANDWIDTH_RATE:
		"How many times a transaction that creates an account pays for its bytes.",
	ALLOW_CREATION_OF_CONTRACTS: "1: contracts can be deployed and called.",
	REMOVE_THE_POWER_OF_THE_GR: "1: the witnesses of the genesis lose the votes that it gave them, once.",
	ENERGY_FEE: "Sun for a unit of energy that stakes don't cover.",
	EXCHANGE_CREATE_FEE: "Sun to open an exchange pair.",
	MAX_CPU_TIME_OF_ONE_TX: "Milliseconds that a contract call may take where a block is made.",
	ALLOW_UPDATE_ACCOUNT_NAME: "1: accounts may change their names, and share them.",
	ALLOW_SAME_TOKEN_NAME: "1: tokens go by numbers, so that several may have one name.",
	ALLOW_DELEGATE_RESOURCE: "1: stakes may serve another account.",
	TOTAL_ENERGY_LIMIT: "Energy a day of all stakes; an older form of TOTAL_CURRENT_ENERGY_LIMIT.",
	ALLOW_TVM_TRANSFER_ORC10: "1: contracts can hold and send ORC-10 tokens.",
	TOTAL_CURRENT_ENERGY_LIMIT: "Energy a day that all stakes for energy share.",
	ALLOW_MULTI_SIGN: "1: accounts have permissions of several keys.",
	ALLOW_ADAPTIVE_ENERGY: "1: the energy of all stakes follows how much is used.",
	TOTAL_ENERGY_TARGET_LIMIT: "Energy a minute above which the adaptive limit shrinks; follows from others.",
	TOTAL_ENERGY_AVERAGE_USAGE: "Energy that was used a minute of late; a counter.",
	UPDATE_ACCOUNT_PERMISSION_FEE: "Sun to change an account's permissions.",
	MULTI_SIGN_FEE: "Sun for a transaction with more than one signature.",
	ALLOW_ACCOUNT_STATE_ROOT: "Stored and shown only.",
	ALLOW_PROTO_FILTER_NUM: "1: transactions and blocks with unknown fields are refused.",
	ALLOW_TVM_CONSTANTINOPLE:
		"1: the machine has CREATE2, shifts and EXTCODEHASH, and the ABI of a contract can be cleared.",
	ALLOW_TVM_SOLIDITY_059: "1: the machine has ISCONTRACT and more checks for compilers from 0.5.9 on.",
	ALLOW_TVM_ISTANBUL: "1: the machine has CHAINID and SELFBALANCE, and cheaper curve operations.",
	ALLOW_SHIELDED_ORC20_TRANSACTION: "1: contracts can check proofs of shielded tokens.",
	FORBID_TRANSFER_TO_CONTRACT: "1: plain transfers to contracts are refused.",
	ADAPTIVE_RESOURCE_LIMIT_TARGET_RATIO:
		"Which part of the energy of all stakes is the target of the adaptive limit.",
	ADAPTIVE_RESOURCE_LIMIT_MULTIPLIER:
		"How many times the energy of all stakes the adaptive limit may become.",
	ALLOW_CHANGE_DELEGATION: "1: voters share in rewards, and witnesses set their share.",
	WITNESS_127_PAY_PER_BLOCK: "Sun of each block that the first 127 witnesses share by votes.",
	ALLOW_MARKET_TRANSACTION:
		"1: the order book for tokens is open; it can't be opened any more once version 34 has passed.",
	MARKET_SELL_FEE: "Sun to place an order.",
	MARKET_CANCEL_FEE: "Sun to cancel an order.",
	ALLOW_PBFT: "1: witnesses confirm blocks by votes.",
	ALLOW_TRANSACTION_FEE_POOL: "1: fees for bandwidth and energy go to who makes the block.",
	MAX_FEE_LIMIT: "Most sun that a transaction may allow a contract to cost.",
	ALLOW_REMOVE_BLACKHOLE: "1: fees are burned instead of sent to an account without a key.",
	ALLOW_NEW_RESOURCE_MODEL: "1: voting power is a resource of its own.",
	ALLOW_TVM_FREEZE: "1: contracts can stake, by the first version of stakes.",
	ALLOW_TVM_VOTE: "1: contracts can vote and take rewards.",
	ALLOW_TVM_LONDON: "1: the machine has BASEFEE and refuses code that begins with 0xef.",
	ALLOW_TVM_COMPATIBLE_EVM: "1: new contracts follow Ethereum's rules where the two machines differ.",
	ALLOW_ACCOUNT_ASSET_OPTIMIZATION: "Stored and shown only.",
	FREE_NET_LIMIT: "Bytes a day that every account has free.",
	TOTAL_NET_LIMIT: "Bytes a day that all stakes for bandwidth share.",
	ALLOW_HIGHER_LIMIT_FOR_MAX_CPU_TIME_OF_ONE_TX: "1: MAX_CPU_TIME_OF_ONE_TX may be up to 400.",
	ALLOW_ASSET_OPTIMIZATION: "1: token balances are kept outside of account records.",
	ALLOW_NEW_REWARD: "1: rewards of voters are calculated from accumulated sums.",
	MEMO_FEE: "Sun for a transaction with a memo.",
	ALLOW_DELEGATE_OPTIMIZATION: "1: the index of delegations has a row for each pair of accounts.",
	UNFREEZE_DELAY_DAYS: "Days that unstaked coins wait; above 0 the second version of stakes is open.",
	ALLOW_OPTIMIZED_RETURN_VALUE_OF_CHAIN_ID:
		"1: CHAINID gives four bytes instead of the whole id of the genesis.",
	ALLOW_DYNAMIC_ENERGY: "1: calls of much used contracts cost more energy.",
	DYNAMIC_ENERGY_THRESHOLD:
		"Energy of a contract between two counts of the votes from which its calls become dearer.",
	DYNAMIC_ENERGY_INCREASE_FACTOR: "By how many ten-thousandths they become dearer each time.",
	DYNAMIC_ENERGY_MAX_FACTOR: "By how many ten-thousandths they become dearer at most.",
	ALLOW_TVM_SHANGHAI: "1: the machine has PUSH0.",
	ALLOW_CANCEL_ALL_UNFREEZE_V2: "1: waiting unstakings can be cancelled.",
	MAX_DELEGATE_LOCK_PERIOD: "Most blocks for which a delegation of resources can be locked.",
	ALLOW_OLD_REWARD_OPT: "1: rewards from before ALLOW_NEW_REWARD are calculated from accumulated sums too.",
	ALLOW_ENERGY_ADJUSTMENT: "1: SUICIDE, VOTEWITNESS and some other operations cost what they take.",
	MAX_CREATE_ACCOUNT_TX_SIZE:
		"Bytes of a transaction that creates an account, without its signatures, at most.",
	ALLOW_STRICT_MATH: "1: powers are calculated alike on every platform.",
	CONSENSUS_LOGIC_OPTIMIZATION: "1: stricter checks of blocks, and ties of votes are broken by address.",
	ALLOW_TVM_CANCUN: "1: the machine has transient storage and MCOPY.",
	ALLOW_TVM_BLOB: "1: the machine has BLOBHASH and BLOBBASEFEE, which know no blobs.",
	PROPOSAL_EXPIRE_TIME:
		"Milliseconds that a new proposal stays open; unset: what each node is configured with.",
	ALLOW_TVM_SELFDESTRUCT_RESTRICTION:
		"1: self-destruct moves what a contract owns but deletes it only in the transaction that created it, and costs energy; outputs of precompiles are cut to the size that was asked for.",
	ALLOW_TVM_PRAGUE: "1: a contract holds the ids of the last 8,191 blocks.",
	ALLOW_TVM_OSAKA:
		"1: the machine has CLZ and checks of P-256 signatures, prices and bounds of MODEXP change, and an execution that ends by an error leaves no logs.",
	ALLOW_HARDEN_RESOURCE_CALCULATION:
		"1: bandwidth and energy are calculated exactly, and an overflow is an error.",
	ALLOW_HARDEN_EXCHANGE_CALCULATION:
		"1: exchange pairs calculate exactly, and trading with them, which version 33 closed, is open again; 0 takes both back.",
	ALLOW_OPTIMIZE_TVM_STORAGE:
		"1: storage of contracts is kept under longer keys, so that no two slots share a row.",
	ALLOW_FN_DSA_512: "On the test network Nile: 1: signatures by FN-DSA-512.",
	ALLOW_ML_DSA_44: "On the test network Nile: 1: signatures by ML-DSA-44.",
	ALLOW_SHIELDED_TRANSACTION: "1: the chain's own shielded pool is open; no proposal sets it.",
	SHIELDED_TRANSACTION_FEE: "Sun for a transaction of the chain's own shielded pool.",
	SHIELDED_TRANSACTION_CREATE_ACCOUNT_FEE: "Sun for one that pays to an address which has no account yet.",
};
