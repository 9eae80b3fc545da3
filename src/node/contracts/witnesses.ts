/** Transaction types of witnesses and voters (protocol/parameters, protocol/staking). */

import { isAddress } from "../../protocol/address.js";
import { equalBytes, fromUtf8, toHex } from "../../protocol/bytes.js";
import { checked, SUN_PER_COIN, wrap } from "../../protocol/int64.js";
import {
	Account,
	type UpdateBrokerageContract,
	Vote,
	type VoteWitnessContract,
	type WithdrawBalanceContract,
	Witness,
	type WitnessCreateContract,
	type WitnessUpdateContract,
} from "../../protocol/messages.js";
import {
	defaultActivePermission,
	defaultOwnerPermission,
	defaultWitnessPermission,
} from "../../protocol/permission.js";
import { adjustBalance, sinkFee } from "../resources/balance.js";
import { setBrokerageSetting } from "../resources/delegation-store.js";
import { DAY_MS } from "../resources/stake.js";
import { queryReward, withdrawReward } from "../resources/vote-rewards.js";
import { initializeOldPower, replaceVotes, votingPower } from "../resources/votes.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { validateArithmetic } from "./arithmetic.js";
import { defineContract, halfSpaced, requireAccount, spaced } from "./contract.js";

const MAX_URL_LENGTH = 256;

/** Whether a url is valid for a witness: 1 to 256 bytes of any kind. */
function isWitnessUrl(url: Uint8Array): boolean {
	return url.length >= 1 && url.length <= MAX_URL_LENGTH;
}

/** WitnessCreateContract (protocol/staking §6.2): makes an account a witness, permanently. */
export const witnessCreate = defineContract<WitnessCreateContract>({
	type: "WitnessCreateContract",
	parameterRefusal: halfSpaced,

	validate({ state, contract }) {
		const address = contract.owner_address;
		if (!isAddress(address)) throw new ContractValidateError("Invalid address");
		if (!isWitnessUrl(contract.url)) throw new ContractValidateError("Invalid url");
		const owner = state.account.get(address);
		if (!owner) throw new ContractValidateError(`account[${toHex(address)}] not exists`);
		if (state.witness.has(address)) throw new ContractValidateError(`Witness[${toHex(address)}] has existed`);
		if (owner.balance < state.properties.get("ACCOUNT_UPGRADE_COST")) {
			throw new ContractValidateError("balance < AccountUpgradeCost");
		}
	},

	execute({ state, rules, contract }, result) {
		const { properties } = state;
		const address = contract.owner_address;
		const fee = properties.get("ACCOUNT_UPGRADE_COST");
		state.witness.put(address, Witness.create({ address, url: fromUtf8(contract.url) }));
		const owner = Account.copy(state.account.existing(address));
		owner.is_witness = true;
		if (properties.on("ALLOW_MULTI_SIGN")) completePermissions(state, owner);
		state.account.put(address, owner);
		adjustBalance(state, address, -fee);
		sinkFee(state, rules, fee);
		properties.add("TOTAL_CREATE_WITNESS_FEE", fee);
		result.fee = fee;
	},
});

/** Adds the witness permission, and any missing default permissions. */
function completePermissions(state: StateView, owner: Account): void {
	owner.owner_permission ??= defaultOwnerPermission(owner.address);
	if (owner.active_permission.length === 0) {
		const operations = state.properties.get("ACTIVE_DEFAULT_OPERATIONS");
		owner.active_permission = [defaultActivePermission(owner.address, operations)];
	}
	owner.witness_permission = defaultWitnessPermission(owner.address);
}

/** WitnessUpdateContract (protocol/staking §6.3): changes the url of a witness. */
export const witnessUpdate = defineContract<WitnessUpdateContract>({
	type: "WitnessUpdateContract",
	parameterRefusal: halfSpaced,

	validate({ state, contract }) {
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		if (!state.account.has(contract.owner_address)) throw new ContractValidateError("account does not exist");
		if (!isWitnessUrl(contract.update_url)) throw new ContractValidateError("Invalid url");
		if (!state.witness.has(contract.owner_address)) throw new ContractValidateError("Witness does not exist");
	},

	execute({ state, contract }) {
		const witness = Witness.copy(state.witness.get(contract.owner_address) as Readonly<Witness>);
		witness.url = fromUtf8(contract.update_url);
		state.witness.put(contract.owner_address, witness);
	},
});

/** UpdateBrokerageContract (protocol/staking §6.4): sets the share of rewards a witness keeps, from the next cycle on. */
export const updateBrokerage = defineContract<UpdateBrokerageContract>({
	type: "UpdateBrokerageContract",
	parameterRefusal: spaced,

	gate({ state }) {
		if (!state.properties.on("CHANGE_DELEGATION")) {
			throw new ContractValidateError("contract type error, unexpected type [UpdateBrokerageContract]");
		}
	},

	validate({ state, contract }) {
		const address = contract.owner_address;
		if (!isAddress(address)) throw new ContractValidateError("Invalid ownerAddress");
		if (contract.brokerage < 0 || contract.brokerage > 100) {
			throw new ContractValidateError("Invalid brokerage");
		}
		if (!state.witness.has(address)) {
			throw new ContractValidateError(`Not existed witness:${toHex(address)}`);
		}
		if (!state.account.has(address)) throw new ContractValidateError("Account does not exist");
	},

	execute({ state, contract }) {
		setBrokerageSetting(state, contract.owner_address, contract.brokerage);
	},
});

const MAX_VOTES = 30;

/** VoteWitnessContract (protocol/staking §6.1): replaces an account's votes. */
export const voteWitness = defineContract<VoteWitnessContract>({
	type: "VoteWitnessContract",
	parameterRefusal: spaced,

	validate({ state, contract }) {
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		if (contract.votes.length === 0) throw new ContractValidateError("VoteNumber must more than 0");
		if (contract.votes.length > MAX_VOTES) {
			throw new ContractValidateError(`VoteNumber more than maxVoteNumber ${MAX_VOTES}`);
		}
		validateArithmetic(() => {
			const count = countVotes(state, contract);
			const owner = state.account.get(contract.owner_address);
			if (!owner) throw new ContractValidateError(`Account[${toHex(contract.owner_address)}] not exists`);
			const needed = checked(count * SUN_PER_COIN, `overflow: checkedMultiply(${count}, ${SUN_PER_COIN})`);
			const power = votingPower(state.properties, owner);
			if (needed > power) {
				throw new ContractValidateError(
					`The total number of votes[${needed}] is greater than the coinPower[${power}]`,
				);
			}
		});
	},

	execute({ state, contract }) {
		withdrawReward(state, contract.owner_address);
		const owner = Account.copy(state.account.existing(contract.owner_address));
		initializeOldPower(state.properties, owner);
		const votes = contract.votes.map(({ vote_address, vote_count }) =>
			Vote.create({ vote_address, vote_count }),
		);
		replaceVotes(state, owner, votes);
		state.account.put(contract.owner_address, owner);
	},
});

/** Validates the votes and sums them. @throws {OverflowError} if it leaves 64 bits */
function countVotes(state: StateView, contract: Readonly<VoteWitnessContract>): bigint {
	let sum = 0n;
	for (const { vote_address: candidate, vote_count: count } of contract.votes) {
		if (!isAddress(candidate)) throw new ContractValidateError("Invalid vote address!");
		if (count <= 0n) throw new ContractValidateError("vote count must be greater than 0");
		if (!state.account.has(candidate)) {
			throw new ContractValidateError(`Account[${toHex(candidate)}] not exists`);
		}
		if (!state.witness.has(candidate)) {
			throw new ContractValidateError(`Witness[${toHex(candidate)}] not exists`);
		}
		sum = checked(sum + count, `overflow: checkedAdd(${sum}, ${count})`);
	}
	return sum;
}

/** WithdrawBalanceContract (protocol/staking §6.5): pays out a witness's or voter's rewards, once a day. */
export const withdrawBalance = defineContract<WithdrawBalanceContract>({
	type: "WithdrawBalanceContract",
	parameterRefusal: spaced,

	validate({ state, rules, contract }) {
		const { properties } = state;
		const address = contract.owner_address;
		const owner = requireAccount(state, address, "not exists");
		if (rules.genesisWitnesses.some((witness) => equalBytes(witness.address, address))) {
			throw new ContractValidateError(
				`Account[${toHex(address)}] is a guard representative and is not allowed to withdraw Balance`,
			);
		}
		const waitMs = BigInt(properties.get("WITNESS_ALLOWANCE_FROZEN_TIME")) * DAY_MS;
		if (properties.headTimestampMs - owner.latest_withdraw_time < waitMs) {
			throw new ContractValidateError(
				`The last withdraw time is ${owner.latest_withdraw_time}, less than 24 hours`,
			);
		}
		const { balance, allowance } = owner;
		if (allowance <= 0n && queryReward(state, address) <= 0n) {
			throw new ContractValidateError("witnessAccount does not have any reward");
		}
		validateArithmetic(() => checked(balance + allowance, `overflow: checkedAdd(${balance}, ${allowance})`));
	},

	execute({ state, contract }, result) {
		withdrawReward(state, contract.owner_address);
		const owner = Account.copy(state.account.existing(contract.owner_address));
		const amount = owner.allowance;
		owner.balance = wrap(owner.balance + amount);
		owner.allowance = 0n;
		owner.latest_withdraw_time = state.properties.headTimestampMs;
		state.account.put(contract.owner_address, owner);
		result.withdraw_amount = amount;
	},
});
