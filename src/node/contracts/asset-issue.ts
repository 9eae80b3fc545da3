/** AssetIssueContract (protocol/tokens §3): issues the one token that an account may ever issue. */

import { isAddress } from "../../protocol/address.js";
import { asBuffer } from "../../protocol/bytes.js";
import { toDeployed } from "../../protocol/dialect.js";
import { MAX_INT64, wrap } from "../../protocol/int64.js";
import { Account, AccountFrozen, AssetIssueContract } from "../../protocol/messages.js";
import { adjustBalance, sinkFee } from "../resources/balance.js";
import { DAY_MS } from "../resources/stake.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { tokenBytes, tokenText } from "../tokens/token-id.js";
import { checkTokenBandwidth, checkTokenTexts, isTokenName, namesByNumber } from "../tokens/token-store.js";
import { type ContractContext, defineContract } from "./contract.js";

/** The coin's own symbol, in lower case; names are compared as the network's clients write them. */
const RESERVED_NAME = toDeployed("coin");
const MAX_PRECISION = 6;

export const assetIssue = defineContract<AssetIssueContract>({
	type: "AssetIssueContract",

	validate({ state, forks, contract }) {
		const { properties } = state;
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid ownerAddress");
		if (!isTokenName(contract.name)) throw new ContractValidateError("Invalid assetName");
		if (namesByNumber(state)) {
			if (asBuffer(contract.name).toString("latin1").toLowerCase() === RESERVED_NAME) {
				throw new ContractValidateError("assetName can't be coin");
			}
			if (contract.precision < 0 || contract.precision > MAX_PRECISION) {
				throw new ContractValidateError("precision cannot exceed 6");
			}
		}
		if (contract.abbr.length > 0 && !isTokenName(contract.abbr)) {
			throw new ContractValidateError("Invalid abbreviation for token");
		}
		checkTokenTexts(contract.url, contract.description);
		checkSale(state, contract);
		if (!namesByNumber(state) && state.assetIssue.has(contract.name)) {
			throw new ContractValidateError("Token exists");
		}
		if (contract.total_supply <= 0n) throw new ContractValidateError("TotalSupply must greater than 0!");
		if (contract.coin_num <= 0) throw new ContractValidateError("CoinNum must greater than 0!");
		if (contract.num <= 0) throw new ContractValidateError("Num must greater than 0!");
		if (contract.public_free_asset_net_usage !== 0n) {
			throw new ContractValidateError("PublicFreeAssetNetUsage must be 0!");
		}
		if (contract.frozen_supply.length > properties.get("MAX_FROZEN_SUPPLY_NUMBER")) {
			throw new ContractValidateError("Frozen supply list length is too long");
		}
		checkTokenBandwidth(state, contract.free_asset_net_limit, contract.public_free_asset_net_limit);
		checkFrozenSupply({ state, forks }, contract);
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError("Account not exists");
		if (owner.asset_issued_name.length > 0) {
			throw new ContractValidateError("An account can only issue one asset");
		}
		if (owner.balance < properties.get("ASSET_ISSUE_FEE")) {
			throw new ContractValidateError("No enough balance for fee!");
		}
	},

	execute({ state, rules, contract }, result) {
		const { properties } = state;
		const fee = properties.get("ASSET_ISSUE_FEE");
		properties.add("TOKEN_ID_NUM", 1n);
		const id = properties.get("TOKEN_ID_NUM").toString();
		const byName = !namesByNumber(state);
		const token = AssetIssueContract.copy(contract);
		token.id = id;
		if (byName) {
			state.assetIssue.put(contract.name, token);
			const numbered = AssetIssueContract.copy(token);
			numbered.precision = 0;
			state.assetIssueV2.put(tokenBytes(id), numbered);
		} else {
			state.assetIssueV2.put(tokenBytes(id), token);
		}
		adjustBalance(state, contract.owner_address, -fee);
		sinkFee(state, rules, fee);

		const owner = Account.copy(state.account.existing(contract.owner_address));
		let remaining = contract.total_supply;
		for (const { frozen_amount } of contract.frozen_supply) remaining -= frozen_amount;
		if (byName) owner.asset = withNew(owner.asset, tokenText(contract.name), remaining);
		owner.asset_issued_name = contract.name;
		owner.asset_issued_ID = tokenBytes(id);
		owner.assetV2 = withNew(owner.assetV2, id, remaining);
		owner.frozen_supply = [
			...owner.frozen_supply,
			...contract.frozen_supply.map(({ frozen_amount, frozen_days }) =>
				AccountFrozen.create({
					frozen_balance: frozen_amount,
					expire_time: wrap(contract.start_time + wrap(frozen_days * DAY_MS)),
				}),
			),
		];
		state.account.put(contract.owner_address, owner);
		result.assetIssueID = id;
		result.fee = fee;
	},
});

/** The time in which the token is sold must lie in the future. */
function checkSale(state: StateView, { start_time, end_time }: Readonly<AssetIssueContract>): void {
	if (start_time === 0n) throw new ContractValidateError("Start time should be not empty");
	if (end_time === 0n) throw new ContractValidateError("End time should be not empty");
	if (end_time <= start_time) {
		throw new ContractValidateError("End time should be greater than start time");
	}
	if (start_time <= state.properties.headTimestampMs) {
		throw new ContractValidateError("Start time should be greater than HeadBlockTime");
	}
}

function checkFrozenSupply(
	{ state, forks }: Pick<ContractContext, "state" | "forks">,
	contract: Readonly<AssetIssueContract>,
): void {
	const endsInTime = forks.upgradedTo("4.8.1");
	const minDays = state.properties.get("MIN_FROZEN_SUPPLY_TIME");
	const maxDays = state.properties.get("MAX_FROZEN_SUPPLY_TIME");
	let remaining = contract.total_supply;
	for (const { frozen_amount, frozen_days } of contract.frozen_supply) {
		if (frozen_amount <= 0n) throw new ContractValidateError("Frozen supply must be greater than 0!");
		if (frozen_amount > remaining) {
			throw new ContractValidateError("Frozen supply cannot exceed total supply");
		}
		if (frozen_days < minDays || frozen_days > maxDays) {
			throw new ContractValidateError(
				`frozenDuration must be less than ${maxDays} days and more than ${minDays} days`,
			);
		}
		if (endsInTime && contract.start_time + frozen_days * DAY_MS > MAX_INT64) {
			throw new ContractValidateError("Start time and frozen days would cause expire time overflow");
		}
		remaining -= frozen_amount;
	}
}

/** A map with one more entry; an entry that is there stays. */
function withNew(map: ReadonlyMap<string, bigint>, key: string, value: bigint): Map<string, bigint> {
	const copy = new Map(map);
	if (!copy.has(key)) copy.set(key, value);
	return copy;
}
