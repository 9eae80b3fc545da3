/** WithdrawBalanceContract (protocol/staking §6.5): pays out the rewards of a witness or voter, once a day. */

import { isAddress } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { checked, wrap } from "../../protocol/int64.js";
import { Account, type WithdrawBalanceContract } from "../../protocol/messages.js";
import { DAY_MS } from "../resources/stake.js";
import { queryReward, withdrawReward } from "../resources/vote-rewards.js";
import { ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";
import { spaced } from "./parameter-type.js";
import { validateArithmetic } from "./validate-arithmetic.js";

export const withdrawBalance = defineContract<WithdrawBalanceContract>({
	type: "WithdrawBalanceContract",
	parameterRefusal: spaced,

	validate({ state, rules, contract }) {
		const { properties } = state;
		const address = contract.owner_address;
		if (!isAddress(address)) throw new ContractValidateError("Invalid address");
		const owner = state.account.get(address);
		if (!owner) throw new ContractValidateError(`Account[${toHex(address)}] not exists`);
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
