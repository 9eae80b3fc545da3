/** WithdrawExpireUnfreezeContract (protocol/staking §4.5): pays out unstaked coins whose delay is over. */

import { isAddress } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { checked, wrap } from "../../protocol/int64.js";
import { Account, type WithdrawExpireUnfreezeContract } from "../../protocol/messages.js";
import { splitUnstaking } from "../resources/stake.js";
import { unfreezeDelayOn } from "../resources/window.js";
import { ContractValidateError } from "../rules/errors.js";
import { defineContract } from "./contract.js";
import { spaced } from "./parameter-type.js";
import { validateArithmetic } from "./validate-arithmetic.js";

export const withdrawExpireUnfreeze = defineContract<WithdrawExpireUnfreezeContract>({
	type: "WithdrawExpireUnfreezeContract",
	parameterRefusal: spaced,

	validate({ state, contract }) {
		if (!unfreezeDelayOn(state.properties)) {
			throw new ContractValidateError(
				"Not support WithdrawExpireUnfreeze transaction, need to be opened by the committee",
			);
		}
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid address");
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError(`Account[${toHex(contract.owner_address)}] not exists`);
		const { balance } = owner;
		const { expiredSun } = splitUnstaking(owner.unfrozenV2, state.properties.headTimestampMs);
		if (expiredSun <= 0n) throw new ContractValidateError("no unFreeze balance to withdraw ");
		validateArithmetic(() =>
			checked(balance + expiredSun, `overflow: checkedAdd(${balance}, ${expiredSun})`),
		);
	},

	execute({ state, contract }, result) {
		const owner = Account.copy(state.account.existing(contract.owner_address));
		const { waiting, expiredSun } = splitUnstaking(owner.unfrozenV2, state.properties.headTimestampMs);
		owner.balance = wrap(owner.balance + expiredSun);
		owner.unfrozenV2 = waiting;
		state.account.put(contract.owner_address, owner);
		result.withdraw_expire_amount = expiredSun;
	},
});
